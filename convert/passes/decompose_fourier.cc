// DFT and STFT become products with tables of cosines and sines. A transform of constant length is two Linears, for real and imaginary
// parts, which take part in the mixed-precision search as all layers do; what nobody reads of the two is not computed. A long one
// is two short ones with rotations between them. Where the length depends on the dims (token mixing by DFT), the tables are computed
// for the dims at hand. Frames of an STFT are gathered in blocks as long as frame length and step allow.
#include <algorithm>
#include <numeric>

#include "convert/ir/axis.h"
#include "convert/passes/fourier_builder.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

bool is_computed_float(const Graph& g, ValueId v) { return g.value(v).shape && is_float(g.value(v).dtype); }

// The first element of an operand of whole numbers.
std::optional<DimExpr> first_number(const Value& v) {
  if (v.constant) return DimExpr(v.constant->to_int64()[0]);
  return v.elements ? std::optional((*v.elements)[0]) : std::nullopt;
}

std::vector<int64_t> with_axis_last(size_t rank, size_t axis, bool back) {
  std::vector<int64_t> perm;
  for (size_t i = 0; i < rank; ++i)
    if (i != axis) perm.push_back(static_cast<int64_t>(i));
  if (!back) {
    perm.push_back(static_cast<int64_t>(axis));
    return perm;
  }
  perm.resize(rank);
  for (size_t i = 0; i < rank; ++i) perm[i] = static_cast<int64_t>(i < axis ? i : i == axis ? rank - 1 : i - 1);
  return perm;
}

// A DFT node, whose tensors have another last axis: of real and imaginary parts.
struct Dft {
  Shape in, out;
  size_t axis, rank;
  DimExpr length;
  bool inverse, real_result;
};

std::optional<Dft> dft_of(const Graph& g, const Node& n) {
  const DftAttrs a = n.as<DftAttrs>();
  if (!is_computed_float(g, n.in(0)) || !g.value(n.outputs[0]).shape) return {};
  Dft d{*g.value(n.in(0)).shape, *g.value(n.outputs[0]).shape, 0, 0, {}, a.inverse, a.onesided && a.inverse};
  d.axis = axis_index(a.axis, d.in.size());
  d.rank = d.in.size() - 1;
  d.length = d.real_result ? (d.in[d.axis] - DimExpr(1)) * DimExpr(2) : d.in[d.axis];
  if (n.in(1) == kNone) return d;
  const auto given = first_number(g.value(n.in(1)));
  if (!given) return {};
  d.length = *given;
  return d;
}

Signal of_length(FourierBuilder& b, const Dft& d, int64_t size, Signal x) {
  const bool moved = d.axis + 1 != d.rank, vector = d.rank == 1;
  if (moved) x = b.transposed(x, with_axis_last(d.rank, d.axis, false));
  if (vector) x = b.reshaped(x, {DimExpr(1), d.in[0]});
  const int64_t bins = *d.out[d.axis].constant();
  Signal y = d.real_result ? b.real_inverse(x, size) : b.transformed(x, size, bins);
  if (d.inverse) y = b.scaled(y, std::vector<float>{static_cast<float>(1.0 / static_cast<double>(size))});
  if (vector) y = b.reshaped(y, {DimExpr(bins)});
  return moved ? b.transposed(y, with_axis_last(d.rank, d.axis, true)) : y;
}

Signal of_computed_length(FourierBuilder& b, const Dft& d, const Signal& all) {
  const DimExpr rows = DimExpr::min(d.in[d.axis], d.real_result ? d.length.floor_div(DimExpr(2)) + DimExpr(1) : d.length);
  const Signal x = b.first(all, d.axis, rows);
  Shape result = x.shape, flat(x.shape.begin(), x.shape.begin() + static_cast<ptrdiff_t>(d.axis) + 1);
  result[d.axis] = d.out[d.axis];
  const bool has_inner = d.axis + 1 < d.rank;
  if (has_inner) {
    DimExpr inner(1);
    for (size_t i = d.axis + 1; i < d.rank; ++i) inner = inner * d.in[i];
    flat.push_back(inner);
  } else if (d.rank == 1) {
    flat.insert(flat.begin(), DimExpr(1));
  }
  return b.reshaped(b.by_computed_table(b.reshaped(x, flat), has_inner, d.length, d.out[d.axis], d.real_result), result);
}

bool decompose_dft(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const auto d = dft_of(g, n);
  const auto size = d ? d->length.constant() : std::nullopt;
  if (!d || (size && !transformable(*size))) return false;
  FourierBuilder b(g, n, d->inverse);
  const Signal x = b.parts(n.in(0));
  const Signal y = size ? of_length(b, *d, *size, x) : of_computed_length(b, *d, x);
  d->real_result ? b.finish_real(n, y) : b.finish(n, y);
  return true;
}

// Frames of `size` elements, every step-th, of x [B, L]: [B, frames, size].
ValueId frames(const Graph& g, SignalBuilder& b, ValueId x, const DimExpr& batch, const DimExpr& count, int64_t size, int64_t step) {
  const int64_t block = std::gcd(size, step), per_frame = size / block;
  const DimExpr used = (count - DimExpr(1)) * DimExpr(step) + DimExpr(size), blocks = used.floor_div(DimExpr(block));
  if ((*g.value(x).shape)[1] != used)
    x = b.add(OpKind::kSlice, {x, b.ints({0}), b.sizes_of({used}), b.ints({1}), b.ints({1})}, {}, {batch, used});
  if (size != step && count != DimExpr(1)) {
    x = b.reshaped(x, {batch, blocks, DimExpr(block)});
    std::vector<int64_t> offsets(static_cast<size_t>(per_frame));
    std::iota(offsets.begin(), offsets.end(), int64_t{0});
    const Shape table{count, DimExpr(per_frame)}, column{count, DimExpr(1)};
    const ValueId first = b.op(binary::kMul, b.positions(count), b.number(DimExpr(step / block)), {count}, DType::kInt64);
    const ValueId starts = b.add(OpKind::kReshape, {first, b.sizes_of(column)}, ReshapeAttrs{}, column, DType::kInt64);
    const ValueId rows = b.op(binary::kAdd, starts, b.ints(offsets), table, DType::kInt64);
    x = b.add(OpKind::kGather, {x, rows}, AxisAttrs{1}, {batch, count, DimExpr(per_frame), DimExpr(block)});
  }
  return b.reshaped(x, {batch, count, DimExpr(size)});
}

// Elements of a frame: of the window, or as the node says, or the whole signal. 0: not known.
int64_t frame_length(const Graph& g, const Node& n) {
  if (n.in(2) != kNone) return (*g.value(n.in(2)).shape)[0].constant().value_or(0);
  if (n.in(3) == kNone) return (*g.value(n.in(0)).shape)[1].constant().value_or(0);
  const auto given = first_number(g.value(n.in(3)));
  return given ? given->constant().value_or(0) : 0;
}

bool decompose_stft(Graph& g, NodeId id) {
  const Node n = g.node(id);
  if (!is_computed_float(g, n.in(0)) || !g.value(n.outputs[0]).shape) return false;
  const Shape in = *g.value(n.in(0)).shape, out = *g.value(n.outputs[0]).shape;
  const auto given = first_number(g.value(n.in(1)));
  const int64_t step = given ? given->constant().value_or(0) : 0, size = frame_length(g, n);
  if (size < 1 || step < 1 || !transformable(size)) return false;
  FourierBuilder b(g, n, false);
  Signal x = in.size() == 2 ? Signal{n.in(0), kNone, in} : b.parts(n.in(0));
  const auto framed = [&](ValueId v) { return v == kNone ? kNone : frames(g, b, v, in[0], out[1], size, step); };
  x = {framed(x.re), framed(x.im), {in[0], out[1], DimExpr(size)}};
  std::vector<float> window;
  if (n.in(2) != kNone && g.value(n.in(2)).constant) {
    window = g.value(n.in(2)).constant->to_float();
  } else if (n.in(2) != kNone) {
    x = b.scaled(x, n.in(2));
  }
  b.finish(n, b.transformed(x, size, *out[2].constant(), window));
  return true;
}

}  // namespace

int pass_decompose_fourier(Graph& g, Diagnostics&) {
  int made = 0;
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead) continue;
    if (g.nodes[i].kind == OpKind::kDft) made += decompose_dft(g, static_cast<NodeId>(i));
    if (g.nodes[i].kind == OpKind::kStft) made += decompose_stft(g, static_cast<NodeId>(i));
  }
  return made;
}

}  // namespace edgeconv
