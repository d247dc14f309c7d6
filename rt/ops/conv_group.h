// What one group of a Conv reads and writes; of a Conv without groups, all.
#pragma once

#include "rt/ops/conv_operands.h"
#include "rt/ops/patches.h"

namespace ert::ops {

// Factors of the inputs that a group has: with shared columns one for each channel of a position.
inline int64_t factors_of_group(const OpContext& c, const Geometry& g) {
  return c.ints[cnv::kSharedColumns] != 0 ? c.ints[cnv::kChannels] : g.s.k;
}

struct ConvGroup {
  Patches<float> patches;
  const float* inv_smooth;  // or null
  int64_t column;           // of the weights, its first
  float* dst;               // of output 0

  static ConvGroup of(const OpContext& c, const Geometry& g, int64_t group) {
    const Operand& factors = input(c, lin::kInvSmooth);
    const int32_t channels = c.ints[cnv::kChannels];
    return {{g.w, input(c, lin::kX).as<float>(), static_cast<int32_t>(c.ints[cnv::kFirstChannel] + group * channels), channels},
            factors.present() ? factors.as<float>() + group * factors_of_group(c, g) : nullptr,
            group * g.group_columns(),
            output(c, 0).mut<float>() + group * g.group_filters()};
  }
};

}  // namespace ert::ops
