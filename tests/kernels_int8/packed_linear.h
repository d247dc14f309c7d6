// A Linear with random int8 weights in any layout, in guarded memory.
#pragma once

#include <vector>

#include "kernels_int8/contract/packed_layout.h"
#include "tests/kernels_int8/fills.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {

class PackedLinear {
 public:
  PackedLinear(size_t n, size_t k, WeightFill fill, ert::testing::RandomNumbers& random, Layout layout = Layout::kN16K4)
      : layout_(layout), data_(packed_bytes(layout, n, k)), scale_(n), colsum_(n), bias_(n) {
    std::memset(data_.data(), 0, data_.size());
    for (size_t column = 0; column < n; ++column) {
      int32_t sum = 0;
      for (size_t kk = 0; kk < k; ++kk) {
        const int8_t w = weight_value(fill, column, kk, random);
        data_[packed_offset(layout, column, kk, k)] = w;
        sum += w;
      }
      colsum_[column] = sum;
      scale_[column] = fill == WeightFill::kIdentity ? 1.0f : random.uniform(0.001f, 0.01f);
      bias_[column] = random.normal();
    }
  }
  PackedWeights weights(bool with_bias) const {
    return {data_.data(), scale_.data(), colsum_.data(), with_bias ? bias_.data() : nullptr, layout_};
  }

 private:
  Layout layout_;
  ert::testing::GuardedBuffer<int8_t> data_;
  ert::testing::GuardedBuffer<float> scale_;
  ert::testing::GuardedBuffer<int32_t> colsum_;
  ert::testing::GuardedBuffer<float> bias_;
};

}  // namespace ert::kernels::testing
