// Nodes that read sizes or make tensors from sizes.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "convert/ir/axis.h"

namespace edgeconv {

Results eval_shape(const NodeInputs& c) {
  const auto* p = std::get_if<ShapeAttrs>(&c.node.attrs);
  const ShapeAttrs a = p ? *p : ShapeAttrs{};
  const Dims& d = c.in(0).dims();
  const int64_t r = c.in(0).rank();
  const auto clamp = [r](int64_t x) { return std::clamp<int64_t>(from_front(x, r), 0, r); };
  const int64_t start = clamp(a.start), end = std::max(start, clamp(a.end));
  return {Tensor::ints(std::vector<int64_t>(d.begin() + start, d.begin() + end))};
}

Results eval_size(const NodeInputs& c) { return {Tensor::scalar(c.in(0).elements())}; }

Results eval_constant_of_shape(const NodeInputs& c) {
  const Tensor& value = c.node.as<FillAttrs>().value;
  const Dims dims = c.in(0).to_int64();
  if (value.dtype() == DType::kUndefined) return {Tensor(DType::kFloat, dims)};
  if (value.elements() != 1) c.fail("the value is not one element");
  return {strided_copy(value, dims, Dims(dims.size(), 0))};
}

Results eval_range(const NodeInputs& c) {
  const DType t = c.in(0).dtype();
  if (!is_float(t)) {
    const int64_t start = c.integer(0), limit = c.integer(1), delta = c.integer(2);
    if (delta == 0) c.fail("a step of 0");
    int64_t span = 0, by = delta;
    if (delta > 0 ? __builtin_sub_overflow(limit, start, &span)
                  : __builtin_sub_overflow(start, limit, &span) || __builtin_sub_overflow(int64_t{0}, delta, &by))
      c.fail("bounds or step are not usable");
    const int64_t n = span <= 0 ? 0 : (span - 1) / by + 1;
    std::vector<int64_t> v(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) v[static_cast<size_t>(i)] = start + i * delta;
    return {from_int64(t, {n}, v)};
  }
  const auto number = [&](size_t i) {
    if (c.in(i).elements() != 1) c.fail("input " + std::to_string(i) + " is not a single number");
    return c.in(i).cast(DType::kDouble).as<double>()[0];
  };
  const double start = number(0), limit = number(1), delta = number(2);
  if (delta == 0 || !(std::fabs((limit - start) / delta) < 1e15)) c.fail("bounds or step are not usable");
  const int64_t n = std::max<int64_t>(0, static_cast<int64_t>(std::ceil((limit - start) / delta)));
  Tensor out(DType::kDouble, {n});
  auto d = out.mut<double>();
  for (int64_t i = 0; i < n; ++i) d[static_cast<size_t>(i)] = start + static_cast<double>(i) * delta;
  return {out.cast(t)};
}

Results eval_eye_like(const NodeInputs& c) {
  const auto* to = std::get_if<CastAttrs>(&c.node.attrs);
  const Dims& d = c.in(0).dims();
  if (d.size() != 2) c.fail("needs a matrix");
  std::vector<int64_t> v(static_cast<size_t>(d[0] * d[1]), 0);
  for (int64_t i = 0; i < std::min(d[0], d[1]); ++i) v[static_cast<size_t>(i * d[1] + i)] = 1;
  const DType t = to && to->to != DType::kUndefined ? to->to : c.in(0).dtype();
  return {Tensor::ints(v).reshaped(d).cast(t)};
}

Results eval_trilu(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  if (x.rank() < 2) c.fail("needs a matrix");
  const bool upper = c.node.as<TriluAttrs>().upper;
  const int64_t k = c.has(1) ? c.integer(1) : 0;
  const int64_t rows = x.dims()[x.dims().size() - 2], columns = x.dims().back(),
                matrices = product(x.dims(), 0, x.dims().size() - 2);
  Tensor out = x;
  const size_t bytes = dtype_size(x.dtype());
  uint8_t* d = out.mutable_data();
  for (int64_t m = 0; m < matrices; ++m) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j, d += bytes) {
        // k may be as large as the file likes: compared without overflow.
        const bool keep = upper ? j - i >= k : j - i <= k;
        if (!keep) std::memset(d, 0, bytes);
      }
    }
  }
  return {out};
}

Results eval_reverse_sequence(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const std::vector<int64_t> lengths = c.in(1).to_int64();
  const auto time = static_cast<size_t>(c.node.as<AxisAttrs>().axis);
  if (x.rank() < 2 || static_cast<int64_t>(lengths.size()) != x.dims()[1 - time]) c.fail("needs a length for each sequence");
  const int64_t rows = x.dims()[time], batch = x.dims()[1 - time], step = time == 0 ? batch : 1, next = time == 0 ? 1 : rows;
  const size_t bytes = static_cast<size_t>(product(x.dims(), 2)) * dtype_size(x.dtype());
  Tensor out = x;
  if (bytes == 0) return {out};
  uint8_t* d = out.mutable_data();
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t length = lengths[static_cast<size_t>(b)];
    if (length < 0 || length > rows) c.fail("a sequence of length " + std::to_string(length) + " of " + std::to_string(rows));
    for (int64_t t = 0; t < length; ++t)
      std::memcpy(d + static_cast<size_t>(b * next + t * step) * bytes,
                  x.data() + static_cast<size_t>(b * next + (length - 1 - t) * step) * bytes, bytes);
  }
  return {out};
}

Results eval_one_hot(const NodeInputs& c) {
  const Tensor& values = c.in(2);
  if (values.elements() != 2 || c.in(1).elements() != 1) c.fail("needs one depth and two values");
  const auto whole = [](const Tensor& t) { return is_float(t.dtype()) ? t.cast(DType::kInt64).to_int64() : t.to_int64(); };
  const int64_t depth = whole(c.in(1))[0];
  if (depth < 0) c.fail("a negative depth");
  const std::vector<int64_t> indices = whole(c.in(0));
  const auto* a = std::get_if<AxisAttrs>(&c.node.attrs);
  const size_t axis = static_cast<size_t>(c.axis(a ? a->axis : -1, c.in(0).rank() + 1));
  Dims dims = c.in(0).dims();
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  Tensor out = strided_copy(values, dims, Dims(dims.size(), 0), 0);
  const size_t bytes = dtype_size(values.dtype()), inner = static_cast<size_t>(product(dims, axis + 1));
  uint8_t* d = out.mutable_data();
  for (size_t i = 0; i < indices.size(); ++i) {
    const int64_t at = from_front(indices[i], depth);
    if (at < 0 || at >= depth) continue;  // outside: the off value throughout, as ONNX says
    const size_t position = (i / inner * static_cast<size_t>(depth) + static_cast<size_t>(at)) * inner + i % inner;
    std::memcpy(d + position * bytes, values.data() + bytes, bytes);
  }
  return {out};
}

}  // namespace edgeconv
