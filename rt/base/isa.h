// Which levels of kernels run here: what isa_levels.inc says that a level needs, beside what the CPU has.
#pragma once

#include "kernels_int8/dispatch/dispatch.h"
#include "platform/cpu_features.h"
#include "rt/include/ert.h"

namespace ert {

// CPU features (ERT_CPU_*) that a level needs on top of those of its base.
constexpr uint32_t own_features(kernels::Level level) {
  switch (level) {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  case kernels::Level::level:                                              \
    return needs;
#define ERT_TEST_LEVEL(...) ERT_ISA_LEVEL(__VA_ARGS__)
#include "kernels_int8/contract/isa_levels.inc"
    default: return 0;
  }
}

constexpr uint32_t needed_features(kernels::Level level) {
  uint32_t needed = 0;
  for (; level != kernels::Level::kRef; level = kernels::level_row(level).base) needed |= own_features(level);
  return needed;
}

// Whether a CPU with these features runs the level.
constexpr bool runs_with(uint32_t cpu_features, kernels::Level level) { return (needed_features(level) & ~cpu_features) == 0; }

// The best level that is allowed, built in and on this CPU; null if there is none. 0 allows all.
const kernels::KernelTable* choose_kernels(uint32_t isa_mask);

}  // namespace ert
