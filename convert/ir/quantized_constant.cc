// Integers of quantized constants: zero points removed, axes moved.
#include "convert/ir/quantized_constant.h"

#include <algorithm>

namespace edgeconv {

std::optional<CodeRange> code_range(DType t, int bits) {
  if (bits == 0) bits = static_cast<int>(8 * dtype_size(t));
  const auto codes = static_cast<float>(1 << std::min(bits, 16));
  switch (t) {
    case DType::kUint8:
    case DType::kUint16: return CodeRange{0, codes - 1};
    case DType::kInt8:
    case DType::kInt16: return CodeRange{-codes / 2, codes / 2 - 1};
    default: return {};
  }
}

std::shared_ptr<const QuantizedConstant> symmetric_codes(const Tensor& x, const std::vector<float>& scale,
                                                         const std::vector<int64_t>& zero_point, size_t axis, CodesFit* fit) {
  *fit = CodesFit::kNot;
  if (std::any_of(scale.begin(), scale.end(), [](float s) { return !(s > 0); })) return nullptr;
  if (dtype_size(x.dtype()) != 1 || x.dtype() == DType::kBool || axis >= static_cast<size_t>(x.rank())) return nullptr;
  int64_t inner = 1;
  for (size_t a = axis + 1; a < static_cast<size_t>(x.rank()); ++a) inner *= x.dims()[a];
  const int64_t size = x.dims()[axis];
  auto q = std::make_shared<QuantizedConstant>();
  q->codes = Tensor(DType::kInt8, x.dims());
  q->scale = scale;
  q->axis = axis;
  const std::vector<int64_t> values = x.to_int64();
  const auto codes = q->codes.mut<int8_t>();
  bool clamped = false;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t along = static_cast<size_t>(static_cast<int64_t>(i) / inner % size);
    const int64_t zero = zero_point.empty() ? 0 : zero_point[zero_point.size() == 1 ? 0 : along];
    const int64_t code = values[i] - zero;
    if (code < -128 || code > 128) return nullptr;
    clamped |= code < -127 || code > 127;
    codes[i] = static_cast<int8_t>(std::clamp<int64_t>(code, -127, 127));
  }
  *fit = clamped ? CodesFit::kClamped : CodesFit::kExactly;
  return q;
}

std::shared_ptr<const QuantizedConstant> transposed_codes(const QuantizedConstant& q, const std::vector<int64_t>& perm) {
  const size_t rank = q.codes.dims().size();
  std::vector<size_t> order(rank);
  for (size_t a = 0; a < rank; ++a) order[a] = perm.empty() ? rank - 1 - a : static_cast<size_t>(perm[a]);
  std::vector<int64_t> stride(rank, 1), dims(rank), step(rank);
  for (size_t a = rank; a-- > 1;) stride[a - 1] = stride[a] * q.codes.dims()[a];
  auto r = std::make_shared<QuantizedConstant>();
  for (size_t a = 0; a < rank; ++a) {
    dims[a] = q.codes.dims()[order[a]];
    step[a] = stride[order[a]];
    if (order[a] == q.axis) r->axis = a;
  }
  r->scale = q.scale;
  r->codes = Tensor(DType::kInt8, dims);
  const auto from = q.codes.as<int8_t>();
  const auto to = r->codes.mut<int8_t>();
  std::vector<int64_t> index(rank, 0);
  int64_t at = 0;
  for (int8_t& code : to) {
    code = from[static_cast<size_t>(at)];
    for (size_t a = rank; a-- > 0;) {
      at += step[a];
      if (++index[a] < dims[a]) break;
      at -= step[a] * dims[a];
      index[a] = 0;
    }
  }
  return r;
}

namespace {

std::vector<float> scales_along(const QuantizedConstant& q, size_t axis) {
  const size_t size = static_cast<size_t>(q.codes.dims()[axis]);
  if (q.scale.size() == 1) return std::vector<float>(size, q.scale[0]);
  return q.axis == axis && q.scale.size() == size ? q.scale : std::vector<float>();
}

}  // namespace

std::vector<float> column_scales(const QuantizedConstant& q) { return scales_along(q, q.codes.dims().size() - 1); }
std::vector<float> row_scales(const QuantizedConstant& q) { return scales_along(q, 0); }

}  // namespace edgeconv
