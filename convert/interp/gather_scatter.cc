// Indexed reads and writes. Every index is checked: it comes from data.
#include <cstring>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

int64_t checked_index(const NodeInputs& c, int64_t i, int64_t n) {
  if (i < -n || i >= n) c.fail("index " + std::to_string(i) + " is outside of an axis of size " + std::to_string(n));
  return from_front(i, n);
}

namespace scatter = ert::params::scatter;

template <class T>
void combine_as(int reduction, T* d, const T* s) {
  switch (reduction) {
    case scatter::kAdd: *d = static_cast<T>(*d + *s); break;
    case scatter::kMul: *d = static_cast<T>(*d * *s); break;
    case scatter::kMin: *d = *s < *d ? *s : *d; break;
    case scatter::kMax: *d = *s > *d ? *s : *d; break;
    default: *d = *s; break;
  }
}

// data[d] = reduction(data[d], updates[s]), positions in elements.
void combine(const NodeInputs& c, int reduction, DType t, uint8_t* data, int64_t d, const uint8_t* updates, int64_t s) {
  const auto run = [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    combine_as(reduction, reinterpret_cast<T*>(data) + d, reinterpret_cast<const T*>(updates) + s);
  };
  if (reduction == scatter::kReplace) {
    const int64_t bytes = static_cast<int64_t>(dtype_size(t));
    std::memcpy(data + d * bytes, updates + s * bytes, static_cast<size_t>(bytes));
    return;
  }
  switch (t) {
    case DType::kFloat: return run(static_cast<float*>(nullptr));
    case DType::kDouble: return run(static_cast<double*>(nullptr));
    case DType::kInt64: return run(static_cast<int64_t*>(nullptr));
    case DType::kInt32: return run(static_cast<int32_t*>(nullptr));
    case DType::kUint8: return run(static_cast<uint8_t*>(nullptr));
    case DType::kInt8: return run(static_cast<int8_t*>(nullptr));
    default: c.fail("this reduction is not supported for the type");
  }
}

}  // namespace

Results eval_gather(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const size_t axis = static_cast<size_t>(c.axis(c.node.as<AxisAttrs>().axis, x.rank()));
  const std::vector<int64_t> indices = c.in(1).to_int64();
  Dims dims(x.dims().begin(), x.dims().begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(dims.end(), c.in(1).dims().begin(), c.in(1).dims().end());
  dims.insert(dims.end(), x.dims().begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.dims().end());
  Tensor out(x.dtype(), dims);
  const int64_t n = x.dims()[axis], outer = product(x.dims(), 0, axis);
  const size_t row = static_cast<size_t>(product(x.dims(), axis + 1)) * dtype_size(x.dtype());
  uint8_t* d = out.mutable_data();
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i : indices) {
      const size_t at = static_cast<size_t>(o * n + checked_index(c, i, n));
      if (row) std::memcpy(d, x.data() + at * row, row);
      d += row;
    }
  }
  return {out};
}

Results eval_gather_elements(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const Dims& dims = c.in(1).dims();
  if (dims.size() != x.dims().size()) c.fail("indices need the rank of the data");
  const size_t axis = static_cast<size_t>(c.axis(c.node.as<AxisAttrs>().axis, x.rank()));
  for (size_t k = 0; k < dims.size(); ++k) {
    if (k != axis && dims[k] > x.dims()[k]) c.fail("indices are larger than the data in axis " + std::to_string(k));
  }
  const std::vector<int64_t> indices = c.in(1).to_int64();
  Dims strides = row_major_strides(x.dims());
  const int64_t along = strides[axis];
  strides[axis] = 0;
  Tensor out(x.dtype(), dims);
  const size_t bytes = dtype_size(x.dtype());
  uint8_t* d = out.mutable_data();
  for_each_pair(dims, strides, row_major_strides(dims), [&](int64_t from, int64_t at) {
    const int64_t s = from + checked_index(c, indices[static_cast<size_t>(at)], x.dims()[axis]) * along;
    std::memcpy(d + static_cast<size_t>(at) * bytes, x.data() + static_cast<size_t>(s) * bytes, bytes);
  });
  return {out};
}

namespace {

// Position of the slice that one index tuple names.
int64_t tuple_position(const NodeInputs& c, const Dims& dims, const Dims& strides, size_t first, const int64_t* tuple,
                       int64_t depth) {
  int64_t p = 0;
  for (int64_t k = 0; k < depth; ++k)
    p += checked_index(c, tuple[k], dims[first + static_cast<size_t>(k)]) * strides[first + static_cast<size_t>(k)];
  return p;
}

}  // namespace

Results eval_gather_nd(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const Dims& idims = c.in(1).dims();
  const size_t batch = static_cast<size_t>(c.node.as<GatherNDAttrs>().batch_dims);
  if (idims.empty() || batch >= idims.size() || batch + static_cast<size_t>(idims.back()) > x.dims().size())
    c.fail("indices do not fit the rank");
  const int64_t depth = idims.back();
  for (size_t k = 0; k < batch; ++k) {
    if (idims[k] != x.dims()[k]) c.fail("batch axes differ");
  }
  const std::vector<int64_t> indices = c.in(1).to_int64();
  Dims dims(idims.begin(), idims.end() - 1);
  const size_t tail = batch + static_cast<size_t>(depth);
  dims.insert(dims.end(), x.dims().begin() + static_cast<std::ptrdiff_t>(tail), x.dims().end());
  Tensor out(x.dtype(), dims);
  const Dims strides = row_major_strides(x.dims());
  const size_t bytes = dtype_size(x.dtype()), row = static_cast<size_t>(product(x.dims(), tail)) * bytes;
  const int64_t batches = product(idims, 0, batch), per = product(idims, batch, idims.size() - 1),
                batch_size = product(x.dims(), batch);
  uint8_t* d = out.mutable_data();
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t i = 0; i < per; ++i, d += row) {
      const int64_t at =
          b * batch_size + tuple_position(c, x.dims(), strides, batch, indices.data() + (b * per + i) * depth, depth);
      if (row) std::memcpy(d, x.data() + static_cast<size_t>(at) * bytes, row);
    }
  }
  return {out};
}

Results eval_scatter_nd(const NodeInputs& c) {
  const Tensor& updates = c.in(2);
  const Dims &dims = c.in(0).dims(), &idims = c.in(1).dims();
  if (idims.empty() || idims.back() > static_cast<int64_t>(dims.size())) c.fail("indices do not fit the rank");
  if (updates.dtype() != c.in(0).dtype()) c.fail("updates have another type");
  const int64_t depth = idims.back(), tuples = product(idims, 0, idims.size() - 1),
                row = product(dims, static_cast<size_t>(depth));
  if (updates.elements() != tuples * row) c.fail("updates have the wrong size");
  const auto* a = std::get_if<ScatterAttrs>(&c.node.attrs);
  const std::vector<int64_t> indices = c.in(1).to_int64();
  Tensor out = c.in(0);
  uint8_t* d = out.mutable_data();
  const Dims strides = row_major_strides(dims);
  for (int64_t i = 0; i < tuples; ++i) {
    const int64_t at = tuple_position(c, dims, strides, 0, indices.data() + i * depth, depth);
    for (int64_t k = 0; k < row; ++k)
      combine(c, a ? a->reduction : scatter::kReplace, out.dtype(), d, at + k, updates.data(), i * row + k);
  }
  return {out};
}

Results eval_scatter_elements(const NodeInputs& c) {
  const ScatterAttrs& a = c.node.as<ScatterAttrs>();
  const Tensor& updates = c.in(2);
  const Dims &dims = c.in(0).dims(), &idims = c.in(1).dims();
  if (idims.size() != dims.size() || updates.dims() != idims)
    c.fail("indices and updates need the rank of the data and equal shapes");
  if (updates.dtype() != c.in(0).dtype()) c.fail("updates have another type");
  const size_t axis = static_cast<size_t>(c.axis(a.axis, c.in(0).rank()));
  for (size_t k = 0; k < dims.size(); ++k) {
    if (k != axis && idims[k] > dims[k]) c.fail("indices are larger than the data in axis " + std::to_string(k));
  }
  const std::vector<int64_t> indices = c.in(1).to_int64();
  Tensor out = c.in(0);
  uint8_t* d = out.mutable_data();
  Dims strides = row_major_strides(dims);
  const int64_t along = strides[axis];
  strides[axis] = 0;
  for_each_pair(idims, strides, row_major_strides(idims), [&](int64_t base, int64_t at) {
    const int64_t to = base + checked_index(c, indices[static_cast<size_t>(at)], dims[axis]) * along;
    combine(c, a.reduction, out.dtype(), d, to, updates.data(), at);
  });
  return {out};
}

}  // namespace edgeconv
