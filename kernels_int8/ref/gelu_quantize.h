// gelu_quantize_rows of a level that has no kernel for both at once: one after the other, a row at a time, so that it stays in the
// nearest cache. Internal linkage: included by translation units with different flags.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {
namespace {

template <auto kGelu, auto kQuantize>
inline void gelu_then_quantize(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                               size_t row_bytes, RowScale* scales) {
  uint8_t* row = static_cast<uint8_t*>(dst);
  for (size_t i = 0; i < m; ++i, src += src_stride, row += row_bytes) {
    kGelu(k, src, src);
    kQuantize(1, k, src, src_stride, inv_smooth, row, row_bytes, scales + i);
  }
}

}  // namespace
}  // namespace ert::kernels
