// Quantization of constants: weights of a Linear per output column, embedding tables per row. Scheme: kernels_int8/NUMERICS.md.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

struct QuantizedWeights {
  int64_t k = 0, n = 0;
  std::vector<int8_t> codes;    // [n, k], in [-127, 127]
  std::vector<float> scale;     // [n]; 0 for an all-zero column
  std::vector<int32_t> colsum;  // [n]
};

// weight is [k, n]; row kk is multiplied by smooth[kk] first where smooth is given. scale = max|w| / 127 per column.
QuantizedWeights quantize_weights(std::span<const float> weight, int64_t k, int64_t n, const std::vector<float>& smooth = {});

// Of a constant matrix [k, n]: the integers of the file where it came quantized and no smoothing is asked for, else new ones.
QuantizedWeights linear_weights(const Value& weight, const std::vector<float>& smooth);

// Layout N16K4 of kernels_int8/contract/packed_layout.h: panels of 16 columns, lines of 16 columns x 4 k, zero padded.
Tensor pack_n16k4(const QuantizedWeights& q);

// 1 / s for each element, correctly rounded.
std::vector<float> inverse(const std::vector<float>& s);

struct QuantizedRows {
  std::vector<int8_t> codes;  // [rows, width]
  std::vector<float> scale;   // [rows]
};
QuantizedRows quantize_rows(std::span<const float> table, int64_t rows, int64_t width);
// Of a constant table: the integers of the file where it came quantized, else new ones.
QuantizedRows table_rows(const Value& table);

// In [-32767, 32767]: the loss of a row is 48 dB less than in int8.
struct WideRows {
  std::vector<int16_t> codes;  // [rows, width]
  std::vector<float> scale;    // [rows]
};
WideRows wide_rows(std::span<const float> table, int64_t rows, int64_t width);

// A NaN or infinite weight would surface as a cosine of 0 much later.
void check_finite_weights(const Graph& g, Diagnostics& d);

}  // namespace edgeconv
