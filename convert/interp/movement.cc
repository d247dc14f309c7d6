// Nodes that only move elements, of any type.
#include <algorithm>
#include <cstring>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

std::vector<int64_t> axes_of(const NodeInputs& c) {
  const auto* a = std::get_if<AxesAttrs>(&c.node.attrs);
  if (a && !a->axes.empty()) return a->axes;
  return c.has(1) ? c.in(1).to_int64() : std::vector<int64_t>{};
}

}  // namespace

Results eval_identity(const NodeInputs& c) { return {c.in(0)}; }

Results eval_reshape(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  Dims dims = c.in(1).to_int64();
  const auto* a = std::get_if<ReshapeAttrs>(&c.node.attrs);
  const bool allow_zero = a && a->allow_zero;
  int64_t known = 1;
  int rest = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !allow_zero) {
      if (i >= x.dims().size()) c.fail("0 copies a size that the input does not have");
      dims[i] = x.dims()[i];
    }
    if (dims[i] == -1) {
      if (rest >= 0) c.fail("more than one -1");
      rest = static_cast<int>(i);
    } else {
      if (dims[i] < 0) c.fail("a negative size");
      known *= dims[i];
    }
  }
  if (rest >= 0) {
    if (known == 0 ? x.elements() != 0 : x.elements() % known != 0) c.fail("the element count does not fit the target shape");
    dims[static_cast<size_t>(rest)] = known == 0 ? 0 : x.elements() / known;
  }
  if (product(dims) != x.elements()) c.fail("the element count does not fit the target shape");
  return {x.reshaped(dims)};
}

Results eval_squeeze(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  std::vector<bool> drop(x.dims().size(), false);
  const std::vector<int64_t> axes = axes_of(c);
  if (axes.empty() && !c.has(1)) {
    // As inference has it: an axis that is 1 at some sizes only stays, because the rank of a blob's value does not change with them.
    const auto& shape = c.g.value(c.node.in(0)).shape;
    const bool known = shape && shape->size() == drop.size();
    for (size_t i = 0; i < drop.size(); ++i) drop[i] = known ? (*shape)[i] == DimExpr(1) : x.dims()[i] == 1;
  }
  for (int64_t a : axes) {
    const size_t i = static_cast<size_t>(c.axis(a, x.rank()));
    if (x.dims()[i] != 1) c.fail("axis " + std::to_string(i) + " is not of size 1");
    drop[i] = true;
  }
  Dims dims;
  for (size_t i = 0; i < drop.size(); ++i) {
    if (!drop[i]) dims.push_back(x.dims()[i]);
  }
  return {x.reshaped(dims)};
}

Results eval_unsqueeze(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const std::vector<int64_t> axes = axes_of(c);
  const int64_t r = x.rank() + static_cast<int64_t>(axes.size());
  std::vector<bool> added(static_cast<size_t>(r), false);
  for (int64_t a : axes) {
    const size_t i = static_cast<size_t>(c.axis(a, r));
    if (added[i]) c.fail("an axis is given twice");
    added[i] = true;
  }
  Dims dims;
  size_t from = 0;
  for (bool a : added) dims.push_back(a ? 1 : x.dims()[from++]);
  return {x.reshaped(dims)};
}

Results eval_flatten(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const int64_t a = c.node.as<AxisAttrs>().axis, r = x.rank();
  if (a < -r || a > r) c.fail("axis out of range");
  const size_t split = axis_index(a, x.dims().size());
  return {x.reshaped({product(x.dims(), 0, split), product(x.dims(), split)})};
}

Results eval_transpose(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const auto* a = std::get_if<TransposeAttrs>(&c.node.attrs);
  std::vector<int64_t> perm = a ? a->perm : std::vector<int64_t>{};
  const size_t r = x.dims().size();
  if (perm.empty()) {
    for (size_t i = r; i-- > 0;) perm.push_back(static_cast<int64_t>(i));
  }
  if (perm.size() != r) c.fail("perm does not fit the rank");
  const Dims own = row_major_strides(x.dims());
  Dims dims, strides;
  std::vector<bool> used(r, false);
  for (int64_t p : perm) {
    const size_t i = static_cast<size_t>(c.axis(p, static_cast<int64_t>(r)));
    if (used[i]) c.fail("perm names an axis twice");
    used[i] = true;
    dims.push_back(x.dims()[i]);
    strides.push_back(own[i]);
  }
  return {strided_copy(x, dims, strides)};
}

Results eval_slice(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const std::vector<int64_t> starts = c.in(1).to_int64(), ends = c.in(2).to_int64();
  std::vector<int64_t> axes, steps(starts.size(), 1);
  for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (c.has(3)) axes = c.in(3).to_int64();
  if (c.has(4)) steps = c.in(4).to_int64();
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    c.fail("starts, ends, axes and steps differ in length");
  Dims dims = x.dims(), strides = row_major_strides(x.dims());
  int64_t offset = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t a = static_cast<size_t>(c.axis(axes[i], x.rank()));
    const int64_t n = x.dims()[a], step = steps[i];
    if (step == 0) c.fail("a step of 0");
    const auto place = [n](int64_t v, int64_t low, int64_t high) {
      return std::clamp(v < 0 ? (v < -n ? int64_t{-1} - n : v) + n : v, low, high);
    };
    const int64_t start = step > 0 ? place(starts[i], 0, n) : place(starts[i], int64_t{0}, n - 1);
    const int64_t end = step > 0 ? place(ends[i], 0, n) : place(ends[i], int64_t{-1}, n - 1);
    const int64_t distance = step > 0 ? end - start : start - end;
    const uint64_t by = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
    dims[a] = distance <= 0 || n == 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / by) + 1;
    offset += dims[a] > 0 ? start * strides[a] : 0;
    strides[a] = dims[a] > 1 ? strides[a] * step : 0;
  }
  return {strided_copy(x, dims, strides, offset)};
}

Results eval_split(const NodeInputs& c) {
  const SplitAttrs& a = c.node.as<SplitAttrs>();
  const Tensor& x = c.in(0);
  const size_t axis = static_cast<size_t>(c.axis(a.axis, x.rank())), count = c.node.outputs.size();
  std::vector<int64_t> sizes = c.has(1) ? c.in(1).to_int64() : a.sizes;
  if (sizes.empty()) {
    const int64_t parts = a.num_outputs > 0 ? a.num_outputs : static_cast<int64_t>(count), n = x.dims()[axis];
    const int64_t chunk = (n + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i) sizes.push_back(std::max<int64_t>(0, std::min(chunk, n - i * chunk)));
  }
  if (sizes.size() < count) c.fail("fewer sizes than outputs");
  const Dims strides = row_major_strides(x.dims());
  int64_t at = 0;
  Results r;
  for (size_t i = 0; i < count; ++i) {
    if (sizes[i] < 0 || at + sizes[i] > x.dims()[axis]) c.fail("the sizes are larger than the axis");
    Dims dims = x.dims();
    dims[axis] = sizes[i];
    r.push_back(strided_copy(x, dims, strides, at * strides[axis]));
    at += sizes[i];
  }
  return r;
}

// Of floats of two widths, as inference has it: such stand beside each other once passes have made fp32 of half precision.
static DType type_of_moved(const NodeInputs& c) {
  const DType first = c.in(0).dtype(), inferred = c.g.value(c.node.outputs[0]).dtype;
  return is_float(first) && is_float(inferred) ? inferred : first;
}
static bool moves_as(const Tensor& t, DType type) { return t.dtype() == type || (is_float(t.dtype()) && is_float(type)); }

Results eval_concat(const NodeInputs& c) {
  const size_t axis = static_cast<size_t>(c.axis(c.node.as<AxisAttrs>().axis, c.in(0).rank()));
  Dims dims = c.in(0).dims();
  dims[axis] = 0;
  const DType type = type_of_moved(c);
  std::vector<Tensor> parts;
  for (size_t i = 0; i < c.count(); ++i) {
    const Tensor& t = c.in(i);
    if (!moves_as(t, type) || t.dims().size() != dims.size()) c.fail("inputs of different types or ranks");
    for (size_t k = 0; k < dims.size(); ++k) {
      if (k != axis && t.dims()[k] != dims[k]) c.fail("inputs differ in axis " + std::to_string(k));
    }
    dims[axis] += t.dims()[axis];
    parts.push_back(t.cast(type));
  }
  Tensor out(type, dims);
  const size_t inner = static_cast<size_t>(product(dims, axis + 1)) * dtype_size(out.dtype());
  const size_t outer = static_cast<size_t>(product(dims, 0, axis));
  uint8_t* d = out.mutable_data();
  for (size_t o = 0; o < outer; ++o) {
    for (const Tensor& part : parts) {
      const size_t bytes = static_cast<size_t>(part.dims()[axis]) * inner;
      if (bytes) std::memcpy(d, part.data() + o * bytes, bytes);
      d += bytes;
    }
  }
  return {out};
}

Results eval_expand(const NodeInputs& c) {
  const auto dims = broadcast_dims(c.in(0).dims(), c.in(1).to_int64());
  if (!dims) c.fail("the shape does not broadcast");
  return {strided_copy(c.in(0), *dims, broadcast_strides(c.in(0).dims(), *dims))};
}

Results eval_tile(const NodeInputs& c) {
  const Tensor& x = c.in(0);
  const std::vector<int64_t> repeats = c.in(1).to_int64();
  if (repeats.size() != x.dims().size()) c.fail("repeats does not fit the rank");
  Dims wide, strides, dims;  // every axis as (repeat, size)
  const Dims own = row_major_strides(x.dims());
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0) c.fail("a negative repeat");
    wide.insert(wide.end(), {repeats[i], x.dims()[i]});
    strides.insert(strides.end(), {0, own[i]});
    dims.push_back(repeats[i] * x.dims()[i]);
  }
  return {strided_copy(x, wide, strides).reshaped(dims)};
}

namespace {

// Source position of padded position p, or -1 for the constant.
int64_t pad_source(int mode, int64_t p, int64_t n) {
  if (p >= 0 && p < n) return p;
  if (n == 0 || mode == ert::params::pad::kConstant) return -1;
  switch (mode) {
    case ert::params::pad::kReflect: {  // without repeating the border
      const int64_t period = 2 * (n - 1);
      if (period == 0) return 0;
      p = ((p % period) + period) % period;
      return p < n ? p : period - p;
    }
    case ert::params::pad::kEdge: return p < 0 ? 0 : n - 1;
    default: return ((p % n) + n) % n;
  }
}

}  // namespace

Results eval_pad(const NodeInputs& c) {
  const DType type = type_of_moved(c);
  const Tensor x = c.in(0).cast(type);
  const std::vector<int64_t> pads = c.in(1).to_int64();
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < x.rank(); ++i) axes.push_back(i);
  if (c.has(3)) axes = c.in(3).to_int64();
  if (pads.size() != 2 * axes.size()) c.fail("pads needs two entries per axis");
  const auto* a = std::get_if<PadAttrs>(&c.node.attrs);
  const int mode = a ? a->mode : ert::params::pad::kConstant;
  Tensor current = x;
  const size_t bytes = dtype_size(x.dtype());
  std::vector<uint8_t> fill(bytes, 0);
  if (c.has(2)) {
    if (!moves_as(c.in(2), type) || c.in(2).elements() < 1) c.fail("the fill value has another type");
    std::memcpy(fill.data(), c.in(2).cast(type).data(), bytes);
  }
  for (size_t i = 0; i < axes.size(); ++i) {  // one axis after the other
    const size_t ax = static_cast<size_t>(c.axis(axes[i], x.rank()));
    const int64_t lead = pads[i], trail = pads[i + axes.size()], n = current.dims()[ax];
    if (lead == 0 && trail == 0) continue;
    Dims dims = current.dims();
    if (__builtin_add_overflow(n, lead, &dims[ax]) || __builtin_add_overflow(dims[ax], trail, &dims[ax]) || dims[ax] < 0 ||
        lead < -(INT64_MAX / 2))
      c.fail("the padding cuts off more than the axis has, or adds more than a size holds");
    Tensor out(x.dtype(), dims);
    const size_t inner = static_cast<size_t>(product(dims, ax + 1)), outer = static_cast<size_t>(product(dims, 0, ax));
    const size_t line = inner * bytes;
    // What stays is one piece of each line.
    const int64_t begin = std::clamp<int64_t>(lead, 0, dims[ax]), end = std::clamp<int64_t>(lead + n, begin, dims[ax]);
    uint8_t* d = out.mutable_data();
    for (size_t o = 0; o < outer; ++o, d += static_cast<size_t>(dims[ax]) * line) {
      const uint8_t* from = current.data() + o * static_cast<size_t>(n) * line;
      const auto pad = [&](int64_t first, int64_t last) {
        for (int64_t p = first; p < last; ++p) {
          uint8_t* to = d + static_cast<size_t>(p) * line;
          const int64_t s = pad_source(mode, p - lead, n);
          if (s >= 0 && inner) std::memcpy(to, from + static_cast<size_t>(s) * line, line);
          for (size_t k = 0; s < 0 && k < inner; ++k) std::memcpy(to + k * bytes, fill.data(), bytes);
        }
      };
      pad(0, begin);
      if (end > begin && inner)
        std::memcpy(d + static_cast<size_t>(begin) * line, from + static_cast<size_t>(begin - lead) * line,
                    static_cast<size_t>(end - begin) * line);
      pad(end, dims[ax]);
    }
    current = out;
  }
  return {current};
}

}  // namespace edgeconv
