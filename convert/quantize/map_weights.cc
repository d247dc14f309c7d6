// See map_weights.h.
#include "convert/quantize/map_weights.h"

#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/contract/packed_layout.h"

namespace edgeconv {

namespace {

using ert::kernels::Layout;

// Codes and sums of `rows` matrices [depth, n]; code(row, k, column).
template <class Code>
PackedWeights packed_rows(int64_t rows, int64_t depth, int64_t n, Tensor scale, const Code& code) {
  const auto columns = ert::kernels::map_columns(static_cast<size_t>(n)), k = static_cast<size_t>(depth);
  const size_t matrix = ert::kernels::packed_bytes(Layout::kN16K4, columns, k);
  const auto count = static_cast<int64_t>(columns) * rows;
  PackedWeights p{depth, count, Tensor(DType::kUint8, {static_cast<int64_t>(matrix) * rows}), std::move(scale), Tensor(DType::kInt32, {count}), {}};
  uint8_t* bytes = p.codes.mutable_data();
  const auto sums = p.colsum.mut<int32_t>();
  for (int64_t row = 0; row < rows; ++row, bytes += matrix)
    for (size_t c = 0; c < static_cast<size_t>(n); ++c)
      for (size_t at = 0; at < k; ++at) {
        const int8_t w = code(static_cast<size_t>(row), at, c);
        bytes[ert::kernels::packed_offset(Layout::kN16K4, c, at, k)] = static_cast<uint8_t>(w);
        sums[static_cast<size_t>(row) * columns + c] += w;
      }
  return p;
}

}  // namespace

PackedWeights by_kernel_rows(const PackedWeights& linear, int64_t rows) {
  const auto* codes = reinterpret_cast<const int8_t*>(linear.codes.data());
  const auto all = static_cast<size_t>(linear.k), depth = all / static_cast<size_t>(rows);
  return packed_rows(rows, static_cast<int64_t>(depth), linear.n, linear.scale, [&](size_t row, size_t k, size_t column) {
    return codes[ert::kernels::packed_offset(Layout::kN16K4, column, row * depth + k, all)];
  });
}

PackedWeights depthwise_weights(const Tensor& weight, const MapLayer& layer, const std::vector<float>& smooth) {
  const Tensor w = weight.cast(DType::kFloat).aligned();
  const int64_t positions = w.dims()[0], channels = w.dims()[1], taps = layer.window.kernel[1];
  // A factor of a channel is one of its scale: the codes do not depend on it.
  QuantizedWeights q = quantize_weights(w.as<float>(), positions, channels);
  for (size_t c = 0; c < smooth.size(); ++c) q.scale[c] *= smooth[c];
  return packed_rows(layer.window.kernel[0], taps, channels, Tensor::of<float>(DType::kFloat, {channels}, q.scale),
                     [&](size_t row, size_t tap, size_t c) {
                       const size_t position = row * static_cast<size_t>(taps) + tap;
                       return q.codes[c * static_cast<size_t>(positions) + position];
                     });
}

}  // namespace edgeconv
