// See weight_layout.h.
#include "convert/program/weight_layout.h"

#include "kernels_int8/contract/packed_layout.h"

namespace edgeconv {

namespace {

Tensor repacked(const Tensor& packed, size_t n, size_t k, ert::kernels::Layout from, ert::kernels::Layout to) {
  Tensor t(DType::kUint8, {static_cast<int64_t>(ert::kernels::packed_bytes(to, n, k))});
  const uint8_t* src = packed.as<uint8_t>().data();
  uint8_t* dst = t.mutable_data();
  for (size_t column = 0; column < n; ++column)
    for (size_t kk = 0; kk < k; ++kk)
      dst[ert::kernels::packed_offset(to, column, kk, k)] = src[ert::kernels::packed_offset(from, column, kk, k)];
  return t;
}

}  // namespace

void change_weight_layout(TargetProgram& p, ert::params::Layout layout) {
  for (TargetValue& v : p.values) {
    if (!ert::params::is_packed(v.dtype) || v.dtype == layout) continue;
    const auto n = static_cast<size_t>(v.shape[0].evaluate({}).value()), k = static_cast<size_t>(v.shape[1].evaluate({}).value());
    v.data = repacked(v.data, n, k, ert::params::kernel_layout(v.dtype), ert::params::kernel_layout(layout));
    v.dtype = layout;
  }
}

}  // namespace edgeconv
