// Inference of nodes that move elements: Transpose, Slice, Split, Concat, Pad, Trilu, ReverseSequence.
#include <algorithm>

#include "convert/infer/dispatch.h"
#include "convert/ir/axis.h"

namespace edgeconv {

void infer_transpose(NodeInference& c) {
  std::vector<int64_t> perm =
      std::holds_alternative<TransposeAttrs>(c.node().attrs) ? c.node().as<TransposeAttrs>().perm : std::vector<int64_t>{};
  const size_t r = c.shape(0).size();
  if (perm.empty()) {
    for (size_t i = 0; i < r; ++i) perm.push_back(static_cast<int64_t>(r - 1 - i));
  }
  if (perm.size() != r) return c.invalid("perm has " + std::to_string(perm.size()) + " entries for rank " + std::to_string(r));
  Shape out;
  for (int64_t p : perm) {
    const auto ax = c.axis(p, static_cast<int64_t>(r));
    if (!ax) return;
    out.push_back(c.shape(0)[static_cast<size_t>(*ax)]);
  }
  c.set(0, c.dtype(0), std::move(out));
  move_elements(c);
}

namespace {

// A position counted from the end of an axis may lie before its start. Not so in a table, which limits its dim (dims/dims.h).
DimExpr not_before_start(const DimExpr& p, bool table, const LeastDims& least) {
  const auto low = lower_bound(p, least);
  return p.is_constant() || table || (low && *low >= 0) ? p : DimExpr::max(p, 0);
}

// A slice bound, counted from the end when it is negative, as a position in [0, size]. The sign of a symbolic bound follows
// from its lower bound, or is computed. A symbolic position in a table is taken to lie inside (the table limits its dim: dims/dims.h).
DimExpr position(const DimExpr& bound, const DimExpr& size, bool table, const LeastDims& least) {
  DimExpr p = bound;
  if (const auto b = bound.constant()) {
    if (*b < 0) p = *b <= INT64_MIN / 2 ? DimExpr(0) : not_before_start(size + bound, table, least);
    if (*b >= INT32_MAX) return size;  // no axis is longer
  } else if (!lower_bound(bound, least) || *lower_bound(bound, least) < 0) {
    const auto up = lower_bound(DimExpr(0) - bound, least);  // -bound >= 1: counted from the end
    if (size + bound == DimExpr(0)) return DimExpr(0);       // all of it, whatever the size
    if (table && !(up && *up >= 0) && lower_bound(DimExpr(0) - bound + size, least)) return bound;
    if (!up || *up < 1) return DimExpr::min(DimExpr::max(counted_from_start(bound, size), 0), size);
    p = not_before_start(size + bound, table, least);
  }
  if (p.is_constant() && size.is_constant()) return DimExpr(std::clamp<int64_t>(*p.constant(), 0, *size.constant()));
  if (const auto pc = p.constant()) {
    if (*pc <= 0) return DimExpr(0);
    const auto low = lower_bound(size, least);  // a literal against a dim: min unless the dim is surely larger
    return low && *low >= *pc ? p : DimExpr::min(p, size);
  }
  const auto behind = lower_bound(size - p, least);
  return table || (behind && *behind >= 0) ? p : DimExpr::min(p, size);
}

// A bound of a backward slice as a position, or -1: before the first element.
DimExpr backward_position(const DimExpr& bound, const DimExpr& size, bool is_end, const LeastDims& least) {
  const DimExpr least_position(is_end ? -1 : 0), last = size - DimExpr(1);
  if (const auto b = bound.constant()) {
    if (*b > INT32_MAX) return last;
    if (*b < -INT32_MAX) return least_position;
  }
  const auto low = lower_bound(bound, least), below = lower_bound(DimExpr(0) - bound, least);
  const bool from_start = low && *low >= 0, from_end = below && *below >= 1;
  if (from_end) {
    const DimExpr p = size + bound;
    const auto position = lower_bound(p - least_position, least);
    return position && *position >= 0 ? p : DimExpr::max(p, least_position);
  }
  if (!from_start) return DimExpr::min(DimExpr::max(counted_from_start(bound, size), least_position), last);
  const auto room = lower_bound(last - bound, least);
  return room && *room >= 0 ? bound : DimExpr::min(bound, last);
}

// Sizes of start (clamped) and of the result along one axis.
DimExpr slice_length(NodeInference& c, const DimExpr& start, const DimExpr& end, int64_t step,
                                    const DimExpr& size) {
  if (step < 0) {
    const auto s = start.constant(), e = end.constant();
    const bool from_last = s && (*s == -1 || *s > INT64_MAX / 2 || (size.constant() && *s >= *size.constant() - 1));
    const bool to_first = e && (*e < INT64_MIN / 2 || (size.constant() && *e < -*size.constant()) || *e <= -INT32_MAX);
    if (from_last && to_first) return (size + DimExpr(-step - 1)).floor_div(DimExpr(-step));
    if (s && e && size.constant()) {
      const int64_t n = *size.constant();
      const int64_t first = std::clamp<int64_t>(from_front(*s, n), -1, n - 1),
                    last = std::clamp<int64_t>(from_front(*e, n), -1, n - 1);
      return DimExpr(std::max<int64_t>(0, (first - last - step - 1) / -step));
    }
    const DimExpr first = backward_position(start, size, false, c.least()), last = backward_position(end, size, true, c.least());
    const DimExpr length = (first - last + DimExpr(-step - 1)).floor_div(DimExpr(-step));
    const auto shortest = lower_bound(length, c.least());
    return shortest && *shortest >= 0 ? length : DimExpr::max(length, 0);
  }
  const bool table = c.in(0).is_constant();
  const DimExpr first = position(start, size, table, c.least()), last = position(end, size, table, c.least());
  // The last -start elements, or all: a minimum is simpler than size - max(size + start, 0).
  const auto from_end = [&] {
    if (const auto number = start.constant()) return *number < 0;
    const DimExpr clamped = DimExpr::max(size + start, 0);
    return first == clamped || first == DimExpr::min(clamped, size);
  };
  const bool tail = last == size && from_end() && first != size + start;
  const DimExpr span = tail ? DimExpr::min(size, DimExpr(0) - start) : last - first;
  if (span.constant() && *span.constant() <= 0) return DimExpr(0);
  return step == 1 ? span : (span + DimExpr(step - 1)).floor_div(DimExpr(step));
}

}  // namespace

void infer_slice(NodeInference& c) {
  const auto starts = c.elements(1), ends = c.elements(2);
  if (!starts) return c.data_dependent(1);
  if (!ends) return c.data_dependent(2);
  std::vector<int64_t> axes, steps(starts->size(), 1);
  for (size_t i = 0; i < starts->size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (c.has(3)) {
    const auto a = c.ints(3);
    if (!a) return c.data_dependent(3);
    axes = *a;
  }
  if (c.has(4)) {
    const auto s = c.ints(4);
    if (!s) return c.data_dependent(4);
    steps = *s;
  }
  if (ends->size() != starts->size() || axes.size() != starts->size() || steps.size() != starts->size()) {
    return c.invalid("starts, ends, axes and steps differ in length");
  }
  Shape out = c.shape(0);
  std::vector<bool> cut(out.size(), false);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto ax = c.axis(axes[i], c.rank(0));
    if (!ax) return;
    if (cut[static_cast<size_t>(*ax)]) return c.invalid("axis " + std::to_string(axes[i]) + " is given twice");
    cut[static_cast<size_t>(*ax)] = true;
    if (steps[i] == 0) return c.invalid("a step of 0");
    DimExpr& d = out[static_cast<size_t>(*ax)];
    d = slice_length(c, (*starts)[i], (*ends)[i], steps[i], d);
  }
  c.set(0, c.dtype(0), std::move(out));
  if (!move_elements(c)) trace_elements(c);
}

void infer_split(NodeInference& c) {
  const SplitAttrs& a = c.node().as<SplitAttrs>();
  const auto ax = c.axis(a.axis, c.rank(0));
  if (!ax) return;
  const DimExpr size = c.shape(0)[static_cast<size_t>(*ax)];
  std::vector<DimExpr> sizes(a.sizes.begin(), a.sizes.end());
  if (c.has(1)) {
    const auto e = c.elements(1);
    if (!e) return c.data_dependent(1);
    sizes = *e;
  }
  const size_t count = c.node().outputs.size();
  if (sizes.empty()) {
    const int64_t parts = a.num_outputs > 0 ? a.num_outputs : static_cast<int64_t>(count);
    if (parts != static_cast<int64_t>(count)) return c.invalid("num_outputs is not the number of outputs");
    const DimExpr chunk = (size + DimExpr(parts - 1)).floor_div(DimExpr(parts));
    for (int64_t i = 0; i + 1 < parts; ++i) sizes.push_back(chunk);
    sizes.push_back(size - chunk * DimExpr(parts - 1));
  }
  if (sizes.size() < count) return c.invalid("fewer sizes than outputs");
  DimExpr sum(0);
  for (const DimExpr& s : sizes) sum = sum + s;
  if (!c.unify(size, sum, "sizes of a Split")) return;
  for (size_t i = 0; i < count; ++i) {
    Shape out = c.shape(0);
    out[static_cast<size_t>(*ax)] = sizes[i];
    c.set(i, c.dtype(0), std::move(out));
  }
  move_elements(c);
}

// The type of elements that stand beside others. Passes give fp32 for what a file has in half precision.
static DType beside(DType a, DType b) { return a != b && is_float(a) && is_float(b) ? DType::kFloat : a; }

void infer_concat(NodeInference& c) {
  size_t first = 0;
  DType type = c.dtype(first);
  const auto ax = c.axis(c.node().as<AxisAttrs>().axis, c.rank(first));
  if (!ax) return;
  Shape out = c.shape(first);
  DimExpr sum(0);
  for (size_t i = 0; i < c.node().inputs.size(); ++i) {
    if (!c.has(i)) continue;
    type = beside(type, c.dtype(i));
    if (c.shape(i).size() != out.size()) return c.invalid("inputs of different rank");
    for (size_t k = 0; k < out.size(); ++k) {
      if (static_cast<int64_t>(k) == *ax) continue;
      const DimExpr d = c.shape(i)[k];
      if (!c.unify(out[k], d, "Concat, axis " + std::to_string(k))) return;
      if (d.is_constant()) out[k] = d;
    }
    sum = sum + c.shape(i)[static_cast<size_t>(*ax)];
  }
  out[static_cast<size_t>(*ax)] = sum;
  c.set(0, type, std::move(out));
  move_elements(c);
}

void infer_pad(NodeInference& c) {
  const auto pads = c.elements(1);
  if (!pads) return c.data_dependent(1);
  if (!c.is_single(2)) return;  // the fill value
  const int64_t r = c.rank(0);
  std::vector<int64_t> axes;
  if (c.has(3)) {
    const auto a = c.ints(3);
    if (!a) return c.data_dependent(3);
    axes = *a;
  } else {
    for (int64_t i = 0; i < r; ++i) axes.push_back(i);
  }
  if (pads->size() != 2 * axes.size()) return c.invalid("pads needs two entries per axis");
  const bool mirrors = std::holds_alternative<PadAttrs>(c.node().attrs) && c.node().as<PadAttrs>().mode == ert::params::pad::kReflect;
  Shape out = c.shape(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto ax = c.axis(axes[i], r);
    if (!ax) return;
    DimExpr& d = out[static_cast<size_t>(*ax)];
    const DimExpr &before = (*pads)[i], &behind = (*pads)[i + axes.size()];
    // A mirror that is as long as the axis shows what is not there: ONNX Runtime and PyTorch refuse it.
    if (mirrors)
      for (const DimExpr& pad : {before, behind}) {
        const DimExpr shown = d - pad;
        if (pad.constant().value_or(0) > 0 && shown.constant().value_or(1) < 1)
          return c.invalid("its mirror of " + pad.str() + " is not shorter than the axis of " + d.str());
        if (pad.is_constant()) c.needs_positive(shown);
      }
    d = d + before + behind;
  }
  c.set(0, c.has(2) ? beside(c.dtype(0), c.dtype(2)) : c.dtype(0), std::move(out));
}

void infer_trilu(NodeInference& c) {
  if (c.rank(0) < 2) return c.invalid("Trilu needs a matrix");
  if (!c.is_single(1)) return;
  c.set(0, c.dtype(0), c.shape(0));
}

// The length of a sequence is a number of rows, none of the axis' size: what a run gives is checked where rows are gathered.
void infer_reverse_sequence(NodeInference& c) {
  if (c.rank(0) < 2) return c.invalid("ReverseSequence needs an axis of time and one of the batch");
  if (c.rank(1) != 1) return c.invalid("its lengths have rank " + std::to_string(c.rank(1)), "one for each sequence of the batch");
  const auto time = static_cast<size_t>(c.node().as<AxisAttrs>().axis);
  if (time > 1) return c.invalid("its axis of time is neither 0 nor 1");
  if (!c.unify(c.shape(1)[0], c.shape(0)[1 - time], "batch of a ReverseSequence")) return;
  if (const auto lengths = c.elements(1))
    for (const DimExpr& length : *lengths)
      if (const auto known = length.constant(), rows = c.shape(0)[time].constant(); known && (*known < 0 || (rows && *known > *rows)))
        return c.invalid("a sequence of length " + length.str() + " of " + c.shape(0)[time].str());
  c.set(0, c.dtype(0), c.shape(0));
}

}  // namespace edgeconv
