// Symmetric int8 quantization of constants and the packed layout of Linear weights.
#include "convert/quantize/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "kernels_int8/contract/packed_layout.h"

namespace edgeconv {

namespace {

// scale = max|x| / 127; codes by division, round half to even, so that the result is the same on every host.
float symmetric_scale(float amax) { return amax / 127.0f; }

float largest_of_row(const float* row, int64_t width) {
  float amax = 0;
  for (int64_t i = 0; i < width; ++i) amax = std::max(amax, std::fabs(row[i]));
  return amax;
}
int8_t code(float x, float scale) {
  if (scale == 0.0f || std::isinf(scale)) return 0;  // infinite: nobody computes with this row
  return static_cast<int8_t>(std::clamp(std::nearbyintf(x / scale), -127.0f, 127.0f));
}

}  // namespace

QuantizedWeights quantize_weights(std::span<const float> weight, int64_t k, int64_t n, const std::vector<float>& smooth) {
  QuantizedWeights q;
  q.k = k;
  q.n = n;
  q.codes.resize(static_cast<size_t>(k * n));
  q.scale.assign(static_cast<size_t>(n), 0.0f);
  q.colsum.assign(static_cast<size_t>(n), 0);
  const auto at = [&](int64_t kk, int64_t c) {
    const float w = weight[static_cast<size_t>(kk * n + c)];
    return smooth.empty() ? w : w * smooth[static_cast<size_t>(kk)];
  };
  std::vector<float> amax(static_cast<size_t>(n), 0.0f);
  for (int64_t kk = 0; kk < k; ++kk)
    for (int64_t c = 0; c < n; ++c) amax[static_cast<size_t>(c)] = std::max(amax[static_cast<size_t>(c)], std::fabs(at(kk, c)));
  for (size_t c = 0; c < amax.size(); ++c) q.scale[c] = symmetric_scale(amax[c]);
  for (int64_t kk = 0; kk < k; ++kk)
    for (int64_t c = 0; c < n; ++c) {
      const int8_t v = code(at(kk, c), q.scale[static_cast<size_t>(c)]);
      q.codes[static_cast<size_t>(c * k + kk)] = v;
      q.colsum[static_cast<size_t>(c)] += v;
    }
  return q;
}

namespace {

QuantizedWeights kept_weights(const QuantizedConstant& kept, std::vector<float> scale) {
  QuantizedWeights q;
  q.k = kept.codes.dims()[0];
  q.n = kept.codes.dims()[1];
  q.scale = std::move(scale);
  q.colsum.assign(static_cast<size_t>(q.n), 0);
  const auto columns_last = kept.codes.as<int8_t>();
  q.codes.resize(columns_last.size());
  for (int64_t kk = 0; kk < q.k; ++kk)
    for (int64_t c = 0; c < q.n; ++c) {
      const int8_t v = columns_last[static_cast<size_t>(kk * q.n + c)];
      q.codes[static_cast<size_t>(c * q.k + kk)] = v;
      q.colsum[static_cast<size_t>(c)] += v;
    }
  return q;
}

}  // namespace

QuantizedWeights linear_weights(const Value& weight, const std::vector<float>& smooth) {
  if (weight.quantized && smooth.empty())
    if (std::vector<float> scale = column_scales(*weight.quantized); !scale.empty())
      return kept_weights(*weight.quantized, std::move(scale));
  const Tensor w = weight.constant->cast(DType::kFloat).aligned();
  return quantize_weights(w.as<float>(), w.dims()[0], w.dims()[1], smooth);
}

Tensor pack_n16k4(const QuantizedWeights& q) {
  using ert::kernels::Layout;
  const auto n = static_cast<size_t>(q.n), k = static_cast<size_t>(q.k);
  Tensor packed(DType::kUint8, {static_cast<int64_t>(ert::kernels::packed_bytes(Layout::kN16K4, n, k))});
  uint8_t* bytes = packed.mutable_data();
  for (size_t c = 0; c < n; ++c)
    for (size_t kk = 0; kk < k; ++kk)
      bytes[ert::kernels::packed_offset(Layout::kN16K4, c, kk, k)] = static_cast<uint8_t>(q.codes[c * k + kk]);
  return packed;
}

std::vector<float> inverse(const std::vector<float>& s) {
  std::vector<float> r;
  r.reserve(s.size());
  for (float x : s) r.push_back(1.0f / x);
  return r;
}

QuantizedRows quantize_rows(std::span<const float> table, int64_t rows, int64_t width) {
  QuantizedRows q;
  q.codes.resize(static_cast<size_t>(rows * width));
  q.scale.resize(static_cast<size_t>(rows));
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = table.data() + r * width;
    const float amax = largest_of_row(row, width);
    const float scale = q.scale[static_cast<size_t>(r)] = symmetric_scale(amax);
    for (int64_t i = 0; i < width; ++i) q.codes[static_cast<size_t>(r * width + i)] = code(row[i], scale);
  }
  return q;
}

WideRows wide_rows(std::span<const float> table, int64_t rows, int64_t width) {
  constexpr float kMost = 32767;
  WideRows q;
  q.codes.resize(static_cast<size_t>(rows * width));
  q.scale.resize(static_cast<size_t>(rows));
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = table.data() + r * width;
    const float amax = largest_of_row(row, width);
    const float scale = q.scale[static_cast<size_t>(r)] = amax / kMost;
    if (scale == 0.0f || std::isinf(scale)) continue;  // infinite: nobody computes with this row
    for (int64_t i = 0; i < width; ++i)
      q.codes[static_cast<size_t>(r * width + i)] =
          static_cast<int16_t>(std::clamp(std::nearbyintf(row[i] / scale), -kMost, kMost));
  }
  return q;
}

namespace {

// -inf, and no NaN or +inf: rows of an attention bias that forbid.
bool masks(const Tensor& table) {
  bool any = false;
  for (float x : table.to_float()) {
    if (std::isnan(x) || x == std::numeric_limits<float>::infinity()) return false;
    any |= std::isinf(x);
  }
  return any;
}

}  // namespace

void check_finite_weights(const Graph& g, Diagnostics& d) {
  const auto finite = [](const Tensor& t) {
    if (t.dtype() != DType::kFloat) {
      const std::vector<float> values = t.to_float();
      return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
    }
    // By the bits of the exponent, without a copy: this reads every weight of the model.
    bool all = true;
    for (size_t at = 0; at < t.bytes(); at += sizeof(uint32_t)) {
      uint32_t bits;
      std::memcpy(&bits, t.data() + at, sizeof bits);
      all &= (bits & 0x7f800000u) != 0x7f800000u;
    }
    return all;
  };
  std::set<ValueId> read;  // many layers may share one
  for (const Node& n : g.nodes) {
    if (n.dead || (n.kind != OpKind::kLinear && n.kind != OpKind::kNorm && n.kind != OpKind::kEmbedding)) continue;
    for (ValueId v : n.inputs)
      if (v != kNone && g.value(v).constant && is_float(g.value(v).dtype) && read.insert(v).second &&
          !finite(*g.value(v).constant) && !(n.kind == OpKind::kEmbedding && masks(*g.value(v).constant)))
        d.malformed("weight '" + g.value(v).name + "' of '" + n.origin.node +
                    "' holds NaN or infinite values: the checkpoint or its export is broken; export it again");
  }
}

QuantizedRows table_rows(const Value& table) {
  if (table.quantized)
    if (std::vector<float> scale = row_scales(*table.quantized); !scale.empty()) {
      const auto codes = table.quantized->codes.as<int8_t>();
      return {{codes.begin(), codes.end()}, std::move(scale)};
    }
  const Tensor t = table.constant->cast(DType::kFloat).aligned();
  return quantize_rows(t.as<float>(), t.dims()[0], t.dims()[1]);
}

}  // namespace edgeconv
