// The memory plan that plan_slots made: which arena values share a slot. Lifetimes are op indices; a slot's size is the largest of its
// values, so the RAM need stays a formula of the dims. The runtime checks the plan again when it opens the blob.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "convert/program/target.h"

namespace edgeconv {

// Arena values sorted by (slot, first_op), as the blob stores them.
std::vector<uint32_t> arena_order(const TargetProgram& p);

// The largest value of every dim, and of the packed rows where there are any.
std::map<std::string, int64_t> max_dims(const TargetProgram& p);

}  // namespace edgeconv
