// Which op of a blob chooses the classes that an output holds.
#pragma once

#include <cstdint>
#include <optional>

#include "rt/include/ert.h"

namespace edgeconv {

// The ArgMinMax or TopK whose positions reach the output through ops that only move or cast them, or look up labels of a constant list.
std::optional<uint32_t> choosing_op(const ert_model& m, uint32_t output);

}  // namespace edgeconv
