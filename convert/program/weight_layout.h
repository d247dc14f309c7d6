// Packed weights in the layout that a target reads fastest (--target). All layouts give the same bits, so the conversion works with
// the default one, which this host is fast with, and a finished program changes over at the end.
#pragma once

#include <array>
#include <string_view>

#include "convert/program/target.h"

namespace edgeconv {

struct WeightTarget {
  std::string_view name;    // of --target
  std::string_view layout;  // as inspect shows it
  ert::params::Layout dtype;
};
constexpr std::array<WeightTarget, 3> kWeightTargets{{{"portable", "N16K4", ert::params::kPackedN16K4},
                                                      {"armv8-i8mm", "N8K8", ert::params::kPackedN8K8},
                                                      {"cortex-m", "N2K16", ert::params::kPackedN2K16}}};

static_assert(kWeightTargets.size() + 1 == static_cast<size_t>(ert::kernels::Layout::kCount), "a layout of int8 that no target packs");

// Of int8 weights; those of 12 bits have one layout.
void change_weight_layout(TargetProgram& p, ert::params::Layout layout);

}  // namespace edgeconv
