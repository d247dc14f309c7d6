// A runtime program as text, for people who debug passes over it.
#pragma once

#include <string>

#include "convert/program/target.h"

namespace edgeconv {

// dims, inputs, constants, ops in their order with the parameters as numbers (rt/ops/op_params.h names them), outputs, and the size
// expressions that some parameters refer to. After plan_slots arena values tell their slot.
std::string program_text(const TargetProgram& p);

}  // namespace edgeconv
