// See weight_store.h.
#include "convert/quantize/weight_store.h"

#include <cstring>

#include "convert/quantize/map_weights.h"
#include "convert/quantize/wide_weights.h"
#include "kernels_int8/contract/packed_layout.h"

namespace edgeconv {

namespace {

template <class T>
Tensor row(DType t, const std::vector<T>& v) {
  return Tensor::of<T>(t, {static_cast<int64_t>(v.size())}, v);
}

constexpr int64_t kWholeConstant = -1;

}  // namespace

PackedWeights pack_weights(const QuantizedWeights& q, const std::vector<float>& smooth) {
  PackedWeights p{q.k, q.n, pack_n16k4(q), row(DType::kFloat, q.scale), row(DType::kInt32, q.colsum), {}};
  if (!smooth.empty()) p.inv_smooth = row(DType::kFloat, inverse(smooth));
  return p;
}

PackedWeights WeightStore::linear(const Graph& g, ValueId weight, const std::vector<float>& smooth) {
  const Value& v = g.value(weight);
  if (contents_ == Contents::kPlaceholder)
    return part(weight, kWholeConstant, v.constant->dims()[0], v.constant->dims()[1], nullptr);
  Entry& e = linear_[{weight, kWholeConstant}];
  if (e.weights.n == 0 || e.smooth != smooth) e = {smooth, pack_weights(linear_weights(v, smooth), smooth)};
  return e.weights;
}

PackedWeights WeightStore::map(const Graph& g, ValueId weight, const MapLayer& layer, const std::vector<float>& smooth) {
  if (layer.depthwise) return depthwise_weights(*g.value(weight).constant, layer, smooth);
  const int64_t rows = layer.window.kernel[0];
  if (contents_ == Contents::kPlaceholder) return by_kernel_rows(linear(g, weight, smooth), rows);
  Entry& e = maps_[{weight, rows}];
  if (e.weights.n == 0 || e.smooth != smooth) e = {smooth, by_kernel_rows(linear(g, weight, smooth), rows)};
  return e.weights;
}

void WeightStore::put(ValueId weight, const std::vector<float>& smooth, PackedWeights packed) {
  linear_[{weight, kWholeConstant}] = {smooth, std::move(packed)};
}

PackedWeights WeightStore::part(ValueId weight, int64_t index, int64_t k, int64_t n,
                                const std::function<QuantizedWeights()>& make) {
  Entry& e = linear_[{weight, index}];
  if (e.weights.n == 0)
    e.weights = contents_ == Contents::kPlaceholder ? placeholder(k, n, index == kWholeConstant) : pack_weights(make(), {});
  return e.weights;
}

PackedWeights WeightStore::wide(const Graph& g, ValueId weight) {
  const Tensor& w = *g.value(weight).constant;
  const int64_t k = w.dims()[0], n = w.dims()[1];
  return wide_part(weight, kWholeConstant, k, n, [&] {
    const Tensor t = w.cast(DType::kFloat).aligned();
    return wide_weights(t.as<float>(), k, n);
  });
}

PackedWeights WeightStore::wide_part(ValueId weight, int64_t index, int64_t k, int64_t n, const std::function<PackedWeights()>& make) {
  PackedWeights& w = wide_[{weight, index}];
  if (w.n == 0) w = contents_ == Contents::kPlaceholder ? wide_placeholder(k, n) : make();
  return w;
}

PackedRows WeightStore::table(const Graph& g, ValueId table, bool wide) {
  const Value& v = g.value(table);
  wide = wide && !(v.quantized && !row_scales(*v.quantized).empty());
  PackedRows& rows = tables_[{table, wide}];
  if (rows.codes.dtype() != DType::kUndefined) return rows;
  const std::vector<int64_t>& dims = v.constant->dims();
  if (contents_ == Contents::kPlaceholder) {
    rows = {Tensor(wide ? DType::kInt16 : DType::kInt8, dims), Tensor(DType::kFloat, {dims[0]})};
    stamp(rows.codes);
    stamp(rows.scale);
  } else if (wide) {
    const Tensor t = v.constant->cast(DType::kFloat).aligned();
    const WideRows q = wide_rows(t.as<float>(), dims[0], dims[1]);
    rows = {Tensor::of<int16_t>(DType::kInt16, dims, q.codes), row(DType::kFloat, q.scale)};
  } else {
    const QuantizedRows q = table_rows(v);
    rows = {Tensor::of<int8_t>(DType::kInt8, dims, q.codes), row(DType::kFloat, q.scale)};
  }
  return rows;
}

PackedWeights WeightStore::placeholder(int64_t k, int64_t n, bool smooth) {
  const size_t bytes = ert::kernels::packed_bytes(ert::kernels::Layout::kN16K4, static_cast<size_t>(n), static_cast<size_t>(k));
  PackedWeights p{k,
                  n,
                  Tensor(DType::kUint8, {static_cast<int64_t>(bytes)}),
                  Tensor(DType::kFloat, {n}),
                  Tensor(DType::kInt32, {n}),
                  smooth ? Tensor(DType::kFloat, {k}) : Tensor()};
  for (Tensor* t : {&p.scale, &p.inv_smooth})
    if (t->bytes()) stamp(*t);
  // Opening a blob compares codes with their sums: the digits of a number, one in each of the first columns.
  uint32_t number = ++placeholders_;
  for (size_t column = 0; column < static_cast<size_t>(n) && number != 0; ++column, number /= 127) {
    const int32_t digit = static_cast<int32_t>(number % 127);
    const size_t at = ert::kernels::packed_offset(ert::kernels::Layout::kN16K4, column, 0, static_cast<size_t>(k));
    p.codes.mutable_data()[at] = static_cast<uint8_t>(digit);
    std::memcpy(p.colsum.mutable_data() + column * sizeof digit, &digit, sizeof digit);
  }
  return p;
}

PackedWeights WeightStore::wide_placeholder(int64_t k, int64_t n) {
  PackedWeights p = wide_weights_of_zeros(k, n);
  stamp(p.codes);
  stamp(p.scale);
  return p;
}

// Equal constants are stored once in a blob: placeholders must differ.
void WeightStore::stamp(Tensor& t) {
  ++placeholders_;
  if (t.bytes() >= sizeof placeholders_) std::memcpy(t.mutable_data(), &placeholders_, sizeof placeholders_);
}

}  // namespace edgeconv
