// See weight_layout.h.
#include "convert/program/weight_layout.h"

#include <set>

#include "kernels_int8/contract/map_kernels.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;

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
  std::set<const TargetValue*> kept;
  for (const TargetOp& op : p.ops) {
    if (op.code != OpCode::kMapDepthwiseConv && op.code != OpCode::kMapConv) continue;
    const TargetValue& weights = p.values[static_cast<size_t>(op.inputs[ert::params::map_conv::kWeights])];
    const int64_t filters = p.values[static_cast<size_t>(op.inputs[ert::params::map_conv::kScale])].shape[0].evaluate({}).value();
    const bool several =
        weights.shape[0].evaluate({}).value() > static_cast<int64_t>(ert::kernels::map_columns(static_cast<size_t>(filters)));
    // Taps of a depthwise convolution have one layout, and so have short rows. What cores with i8mm multiply maps with is written for the default one.
    const bool is_short = several && weights.shape[1].evaluate({}).value() <= static_cast<int64_t>(ert::kernels::kShortDepth);
    if (op.code == OpCode::kMapDepthwiseConv || is_short || layout == ert::params::kPackedN8K8) kept.insert(&weights);
  }
  for (TargetValue& v : p.values) {
    if (!ert::params::is_int8_layout(v.dtype) || v.dtype == layout || kept.count(&v)) continue;
    const auto n = static_cast<size_t>(v.shape[0].evaluate({}).value()), k = static_cast<size_t>(v.shape[1].evaluate({}).value());
    v.data = repacked(v.data, n, k, ert::params::kernel_layout(v.dtype), ert::params::kernel_layout(layout));
    v.dtype = layout;
  }
}

}  // namespace edgeconv
