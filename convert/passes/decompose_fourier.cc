// DFT and STFT become products with tables of cosines and sines. A transform of constant length is two Linears, for real and imaginary
// parts, which take part in the mixed-precision search as all layers do; what nobody reads of the two is not computed. A long one
// is two short ones with rotations between them. Where the length depends on the dims (token mixing by DFT), the tables are computed
// for the dims at hand. Frames of an STFT are gathered in blocks as long as frame length and step allow. More than 300 lines, because both
// operators are written by one builder, whose steps are read in their order.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "convert/interp/portable_math.h"
#include "convert/ir/axis.h"
#include "convert/passes/column_parts.h"
#include "convert/passes/match.h"
#include "convert/passes/node_builder.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace unary = ert::params::unary;
using ert::kernels::Unary;

constexpr int64_t kLongestTable = 1024;  // of a transform by one product; longer ones are divided if they can
constexpr int64_t kLongestPrime = 4096;  // 64 MB of tables
constexpr int64_t kLongest = 1 << 20;
constexpr double kHalfTurn = 3.14159265358979323846;

// Numbers along the last axis: real parts, and imaginary parts or kNone, in tensors of `shape`.
struct Signal {
  ValueId re = kNone, im = kNone;
  Shape shape;
};

// A divisor of n nearest to its root such that both parts can be transformed; 0 if there is none.
bool transformable(int64_t n);
int64_t divisor(int64_t n) {
  for (int64_t d = static_cast<int64_t>(std::sqrt(static_cast<double>(n))) + 1; d >= 2; --d)
    if (n % d == 0 && d < n && transformable(d) && transformable(n / d)) return d;
  return 0;
}
bool transformable(int64_t n) { return n <= kLongestPrime || (n <= kLongest && divisor(n) != 0); }

class FourierBuilder : public NodeBuilder {
 public:
  FourierBuilder(Graph& g, const Node& n, bool inverse) : NodeBuilder(g, n), sign_(inverse ? 1 : -1) {}

  // Transform of length n along the last axis, of which the first `bins` results are made. window: a factor for every element, or empty.
  Signal transformed(const Signal& x, int64_t n, int64_t bins, const std::vector<float>& window = {}) {
    if (n <= kLongestTable || divisor(n) == 0) return by_table(x, n, bins, window);
    Signal whole = padded(x, n);
    if (!window.empty()) whole = scaled(whole, window);
    return divided(whole, n, bins);
  }

  // The inverse transform of the n / 2 + 1 bins of a real signal.
  ValueId real_inverse(Signal x, int64_t n) {
    std::vector<float> twice(static_cast<size_t>(n / 2 + 1), 2);  // for the conjugates in the other half
    twice[0] = 1;
    if (n % 2 == 0) twice.back() = 1;
    x = padded(x, n / 2 + 1);
    return transformed(n <= kLongestTable || divisor(n) == 0 ? x : scaled(x, twice), n, n,
                       n <= kLongestTable || divisor(n) == 0 ? twice : std::vector<float>{})
        .re;
  }

  // Every number times one over n.
  Signal divided_by(const Signal& x, int64_t n) {
    const ValueId factor = floats({1}, {static_cast<float>(1.0 / static_cast<double>(n))});
    return {op(binary::kMul, x.re, factor, x.shape), x.im == kNone ? kNone : op(binary::kMul, x.im, factor, x.shape), x.shape};
  }

  // The transform along an axis of a size that is known at run time: [.., rows, inner] -> [.., bins, inner], or [.., rows] -> [.., bins].
  Signal by_computed_table(const Signal& x, bool has_inner, const DimExpr& n, const DimExpr& bins, bool real_result,
                           bool inverse) {
    const size_t axis = x.shape.size() - (has_inner ? 2 : 1);
    const DimExpr rows = x.shape[axis];
    // (i * k + h) mod n - h with h = n / 2: the smaller the angle, the smaller its error.
    const ValueId i = positions(bins), k = positions(rows), h = number(n.floor_div(DimExpr(2)));
    const Shape table = has_inner ? Shape{bins, rows} : Shape{rows, bins};
    const auto column = [&](ValueId v, const DimExpr& size, bool first) {
      return first ? add(OpKind::kReshape, {v, sizes_of({size, DimExpr(1)})}, ReshapeAttrs{}, {size, DimExpr(1)}, DType::kInt64)
                   : v;
    };
    const auto whole = [&](binary::Kind kind, ValueId a, ValueId b, const Shape& shape) {
      return op(kind, a, b, shape, DType::kInt64);
    };
    const ValueId bin = column(i, bins, has_inner), row = column(k, rows, !has_inner);
    const ValueId product = whole(binary::kMul, bin, row, table);
    const ValueId turns =
        whole(binary::kSub, whole(binary::kMod, whole(binary::kAdd, product, h, table), number(n), table), h, table);
    const ValueId part = op(binary::kDiv, to_float(turns, table), to_float(number(n), {}), table);
    const ValueId angle = op(binary::kMul, part, scalar(2 * kHalfTurn), table);
    ValueId cosine = function(Unary::kCos, angle, table), sine = function(Unary::kSin, angle, table);
    if (inverse) {
      ValueId weight = op(binary::kDiv, scalar(1), to_float(number(n), {}), {});
      if (real_result) {  // twice but for the first bin and the one in the middle: 1 + min(k, 1) * min(|n - 2k|, 1)
        Shape along = has_inner ? Shape{rows} : Shape{rows, DimExpr(1)};
        const ValueId one = number(DimExpr(1)),
                      from_middle = whole(binary::kSub, number(n), whole(binary::kMul, row, number(DimExpr(2)), along), along);
        const ValueId magnitude =
            add(OpKind::kUnary, {from_middle}, UnaryAttrs{static_cast<int>(unary::kAbs), 0}, along, DType::kInt64);
        const ValueId both =
            whole(binary::kMul, whole(binary::kMin, row, one, along), whole(binary::kMin, magnitude, one, along), along);
        weight = op(binary::kMul, to_float(whole(binary::kAdd, both, one, along), along), weight, along);
      }
      cosine = op(binary::kMul, cosine, weight, table);
      sine = op(binary::kMul, sine, weight, table);
    }
    Shape out = x.shape;
    out[axis] = bins;
    const auto times = [&](ValueId t, ValueId v) {
      return add(OpKind::kMatMul, has_inner ? std::vector<ValueId>{t, v} : std::vector<ValueId>{v, t}, {}, out);
    };
    // (cos + sign j sin)(re + j im)
    Signal y{times(cosine, x.re), kNone, out};
    if (x.im != kNone) y.re = op(sign_ > 0 ? binary::kSub : binary::kAdd, y.re, times(sine, x.im), out);
    if (real_result) return y;
    y.im = times(sine, x.re);
    if (sign_ < 0) y.im = add(OpKind::kUnary, {y.im}, UnaryAttrs{static_cast<int>(unary::kNeg), 0}, out);
    if (x.im != kNone) y.im = op(binary::kAdd, y.im, times(cosine, x.im), out);
    return y;
  }

  // Frames of `size` elements, every step-th, of x [B, L]: [B, frames, size].
  ValueId frames(ValueId x, const DimExpr& batch, const DimExpr& count, int64_t size, int64_t step) {
    const int64_t block = std::gcd(size, step), per_frame = size / block;
    const DimExpr used = (count - DimExpr(1)) * DimExpr(step) + DimExpr(size), blocks = used.floor_div(DimExpr(block));
    if ((*g_.value(x).shape)[1] != used)
      x = add(OpKind::kSlice, {x, ints({0}), sizes_of({used}), ints({1}), ints({1})}, {}, {batch, used});
    const Shape result{batch, count, DimExpr(size)};
    if (size != step && count != DimExpr(1)) {
      x = reshaped(x, {batch, blocks, DimExpr(block)});
      std::vector<int64_t> offsets(static_cast<size_t>(per_frame));
      std::iota(offsets.begin(), offsets.end(), int64_t{0});
      const Shape table{count, DimExpr(per_frame)};
      const ValueId first = op(binary::kMul, positions(count), number(DimExpr(step / block)), {count}, DType::kInt64);
      const ValueId column =
          add(OpKind::kReshape, {first, sizes_of({count, DimExpr(1)})}, ReshapeAttrs{}, {count, DimExpr(1)}, DType::kInt64);
      const ValueId rows = op(binary::kAdd, column, ints(offsets), table, DType::kInt64);
      x = add(OpKind::kGather, {x, rows}, AxisAttrs{1}, {batch, count, DimExpr(per_frame), DimExpr(block)});
    }
    return reshaped(x, result);
  }

  // x [.., 2] as its two parts, without the last axis; a part that is known to be zero is left out. x [.., 1] has real parts only.
  Signal parts(ValueId x) {
    Shape shape = *g_.value(x).shape;
    const bool complex = shape.back() == DimExpr(2);
    const int64_t axis = static_cast<int64_t>(shape.size()) - 1;
    shape.pop_back();
    if (!complex) return {reshaped(x, shape), kNone, shape};
    if (column_count(g_, x, axis) == 2) {
      const ValueId re = column_part(g_, x, axis, 0, origin_), im = column_part(g_, x, axis, 1, origin_);
      return {reshaped(re, shape), is_zero(im) ? kNone : reshaped(im, shape), shape};
    }
    const auto part = [&](int64_t i) {
      return add(OpKind::kGather, {x, g_.add_constant(origin_.node + "/part", Tensor::scalar(i))}, AxisAttrs{axis}, shape);
    };
    return {part(0), part(1), shape};
  }

  ValueId reshaped(ValueId v, const Shape& to) {
    if (*g_.value(v).shape == to) return v;
    return add(OpKind::kReshape, {v, sizes_of(to)}, ReshapeAttrs{}, to);
  }
  Signal reshaped(const Signal& x, const Shape& to) {
    return {reshaped(x.re, to), x.im == kNone ? kNone : reshaped(x.im, to), to};
  }
  Signal transposed(const Signal& x, const std::vector<int64_t>& perm) {
    Shape shape;
    for (int64_t p : perm) shape.push_back(x.shape[static_cast<size_t>(p)]);
    const auto one = [&](ValueId v) { return v == kNone ? kNone : add(OpKind::kTranspose, {v}, TransposeAttrs{perm}, shape); };
    return {one(x.re), one(x.im), shape};
  }
  // The first `count` elements along an axis.
  Signal first(const Signal& x, size_t axis, const DimExpr& count) {
    if (x.shape[axis] == count) return x;
    Shape shape = x.shape;
    shape[axis] = count;
    const auto one = [&](ValueId v) {
      return v == kNone ? kNone
                        : add(OpKind::kSlice, {v, ints({0}), sizes_of({count}), ints({static_cast<int64_t>(axis)}), ints({1})},
                              {}, shape);
    };
    return {one(x.re), one(x.im), shape};
  }
  // Last axis of size n: zeros behind, or cut off.
  Signal padded(const Signal& x, int64_t n) {
    const size_t axis = x.shape.size() - 1;
    const auto size = x.shape[axis].constant();
    if (size && *size >= n) return first(x, axis, DimExpr(n));
    const int64_t missing = n - size.value_or(0);
    std::vector<int64_t> pads(2 * x.shape.size(), 0);
    pads.back() = missing;
    Shape shape = x.shape;
    shape[axis] = shape[axis] + DimExpr(missing);
    const auto one = [&](ValueId v) { return v == kNone ? kNone : add(OpKind::kPad, {v, ints(pads)}, PadAttrs{}, shape); };
    return first({one(x.re), one(x.im), shape}, axis, DimExpr(n));
  }
  Signal scaled(const Signal& x, const std::vector<float>& factors) {
    return scaled(x, floats({static_cast<int64_t>(factors.size())}, factors));
  }
  Signal scaled(const Signal& x, ValueId factors) {
    const auto one = [&](ValueId v) { return v == kNone ? kNone : op(binary::kMul, v, factors, x.shape); };
    return {one(x.re), one(x.im), x.shape};
  }

  // Both parts side by side on a new last axis, as the output of the node.
  void finish(const Node& n, const Signal& y) {
    Shape one = y.shape;
    one.emplace_back(1);
    redefine(g_, n.outputs[0], OpKind::kConcat, {reshaped(y.re, one), reshaped(y.im, one)},
             AxisAttrs{static_cast<int64_t>(one.size()) - 1}, n.origin);
  }
  void finish_real(const Node& n, ValueId re, Shape shape) {
    shape.emplace_back(1);
    redefine(g_, n.outputs[0], OpKind::kReshape, {re, sizes_of(shape)}, ReshapeAttrs{}, n.origin);
  }

 private:
  // y = x T, T[k][i] being e^(sign j i k / n turns), for as many rows as x has elements.
  Signal by_table(const Signal& signal, int64_t n, int64_t bins, const std::vector<float>& window) {
    Signal x = signal;
    if (!x.shape.back().constant() || *x.shape.back().constant() > n) x = padded(x, n);
    const int64_t rows = *x.shape.back().constant();
    std::vector<float> cosine(static_cast<size_t>(rows * bins)), sine = cosine, minus = cosine;
    for (int64_t k = 0; k < rows; ++k) {
      const double w = window.empty() ? 1 : window[static_cast<size_t>(k)];
      for (int64_t i = 0; i < bins; ++i) {
        const Turn t = turn(i * k % n, n);
        const size_t at = static_cast<size_t>(k * bins + i);
        cosine[at] = static_cast<float>(w * t.cosine);
        sine[at] = static_cast<float>(w * sign_ * t.sine);
        minus[at] = -sine[at];
      }
    }
    Shape in = x.shape, out = in;
    out.back() = DimExpr(bins);
    ValueId v = x.re;
    std::vector<float> real = cosine, imaginary = sine;
    if (x.im != kNone) {  // one product over both parts
      in.back() = DimExpr(2 * rows);
      v = add(OpKind::kConcat, {x.re, x.im}, AxisAttrs{static_cast<int64_t>(in.size()) - 1}, in);
      real.insert(real.end(), minus.begin(), minus.end());
      imaginary.insert(imaginary.end(), cosine.begin(), cosine.end());
    }
    const auto times = [&](const std::vector<float>& table) {
      const int64_t height = x.im == kNone ? rows : 2 * rows;
      return add(OpKind::kMatMul, {v, floats({height, bins}, table)}, {}, out);
    };
    return {times(real), times(imaginary), out};
  }

  // n = n1 n2: transforms of length n1 over every n2-th element, rotations, transforms of length n2 over the results.
  Signal divided(const Signal& x, int64_t n, int64_t bins) {
    const int64_t n1 = divisor(n), n2 = n / n1, last = static_cast<int64_t>(x.shape.size()) - 1;
    const Shape outer(x.shape.begin(), x.shape.end() - 1);
    const auto with = [&](std::initializer_list<int64_t> sizes) {
      Shape s = outer;
      for (int64_t size : sizes) s.emplace_back(size);
      return s;
    };
    std::vector<int64_t> swapped(static_cast<size_t>(last));
    std::iota(swapped.begin(), swapped.end(), int64_t{0});
    swapped.insert(swapped.end(), {last + 1, last});
    Signal y = transformed(transposed(reshaped(x, with({n1, n2})), swapped), n1, n1);  // [.., n2, n1]
    std::vector<float> cosine, sine;
    for (int64_t k = 0; k < n2; ++k)
      for (int64_t i = 0; i < n1; ++i) {
        const Turn t = turn(i * k % n, n);
        cosine.push_back(static_cast<float>(t.cosine));
        sine.push_back(static_cast<float>(sign_ * t.sine));
      }
    const ValueId c = floats({n2, n1}, cosine), s = floats({n2, n1}, sine);
    const auto product = [&](ValueId a, ValueId b) { return op(binary::kMul, a, b, y.shape); };
    y = {op(binary::kSub, product(y.re, c), product(y.im, s), y.shape),
         op(binary::kAdd, product(y.re, s), product(y.im, c), y.shape), y.shape};
    y = transformed(transposed(y, swapped), n2, n2);  // [.., n1, n2]
    y = reshaped(transposed(y, swapped), with({n}));
    return first(y, static_cast<size_t>(last), DimExpr(bins));
  }

  // Zeros that an exporter put beside real numbers to make them complex.
  bool is_zero(ValueId v) const {
    for (int depth = 0; depth < 8; ++depth) {
      const Value& x = g_.value(v);
      if (x.constant) {
        const std::vector<float> values = x.constant->to_float();
        return std::all_of(values.begin(), values.end(), [](float e) { return e == 0; });
      }
      const Node* p = g_.producer(v);
      if (!p) return false;
      if (p->kind == OpKind::kConstantOfShape) return p->as<FillAttrs>().value.to_float()[0] == 0;
      if (p->kind == OpKind::kBinary && p->as<BinaryAttrs>().kind == binary::kMul) {
        if (scalar_constant(g_, p->in(0)) == 0.0f || scalar_constant(g_, p->in(1)) == 0.0f) return true;
        return false;
      }
      if (p->kind != OpKind::kExpand && p->kind != OpKind::kReshape && p->kind != OpKind::kUnsqueeze &&
          p->kind != OpKind::kIdentity && p->kind != OpKind::kCast && p->kind != OpKind::kTranspose)
        return false;
      v = p->in(0);
    }
    return false;
  }

  ValueId op(binary::Kind kind, ValueId a, ValueId b, Shape shape, DType t = DType::kUndefined) {
    return add(OpKind::kBinary, {a, b}, BinaryAttrs{kind}, std::move(shape), t);
  }
  ValueId function(Unary kind, ValueId v, Shape shape) {
    return add(OpKind::kUnary, {v}, UnaryAttrs{static_cast<int>(kind), 0}, std::move(shape));
  }
  ValueId to_float(ValueId v, Shape shape) { return add(OpKind::kCast, {v}, CastAttrs{dtype_}, std::move(shape)); }
  ValueId scalar(double v) {
    return g_.add_constant(origin_.node + "/number", Tensor::scalar(static_cast<float>(v)).cast(dtype_));
  }
  int sign_;  // of the exponent
};

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

bool is_computed_float(const Graph& g, ValueId v) { return g.value(v).shape && is_float(g.value(v).dtype); }

bool decompose_dft(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const DftAttrs a = n.as<DftAttrs>();
  if (!is_computed_float(g, n.in(0)) || !g.value(n.outputs[0]).shape) return false;
  const Shape in = *g.value(n.in(0)).shape, out = *g.value(n.outputs[0]).shape;
  const size_t axis = axis_index(a.axis, in.size()), rank = in.size() - 1;
  const bool real_result = a.onesided && a.inverse;
  DimExpr length = real_result ? (in[axis] - DimExpr(1)) * DimExpr(2) : in[axis];
  if (n.in(1) != kNone) {
    const Value& given = g.value(n.in(1));
    if (!given.constant && !given.elements) return false;
    length = given.constant ? DimExpr(given.constant->to_int64()[0]) : (*given.elements)[0];
  }
  FourierBuilder b(g, n, a.inverse);
  if (const auto size = length.constant()) {
    if (!transformable(*size)) return false;
    Signal x = b.parts(n.in(0));
    const bool moved = axis + 1 != rank, vector = rank == 1;
    if (moved) x = b.transposed(x, with_axis_last(rank, axis, false));
    if (vector) x = b.reshaped(x, {DimExpr(1), in[0]});
    const int64_t bins = *out[axis].constant();
    Signal y = real_result ? Signal{b.real_inverse(x, *size), kNone, x.shape} : b.transformed(x, *size, bins);
    y.shape.back() = DimExpr(bins);
    if (a.inverse) y = b.divided_by(y, *size);
    if (vector) y = b.reshaped(y, {DimExpr(bins)});
    if (moved) y = b.transposed(y, with_axis_last(rank, axis, true));
    real_result ? b.finish_real(n, y.re, y.shape) : b.finish(n, y);
    return true;
  }
  Signal x = b.parts(n.in(0));
  const DimExpr rows = DimExpr::min(in[axis], real_result ? length.floor_div(DimExpr(2)) + DimExpr(1) : length);
  x = b.first(x, axis, rows);
  Shape result = x.shape, flat(x.shape.begin(), x.shape.begin() + static_cast<ptrdiff_t>(axis) + 1);
  result[axis] = out[axis];
  const bool has_inner = axis + 1 < rank;
  if (has_inner) {
    DimExpr inner(1);
    for (size_t i = axis + 1; i < rank; ++i) inner = inner * in[i];
    flat.push_back(inner);
  } else if (rank == 1) {
    flat.insert(flat.begin(), DimExpr(1));
  }
  const Signal y =
      b.reshaped(b.by_computed_table(b.reshaped(x, flat), has_inner, length, out[axis], real_result, a.inverse), result);
  real_result ? b.finish_real(n, y.re, y.shape) : b.finish(n, y);
  return true;
}

bool decompose_stft(Graph& g, NodeId id) {
  const Node n = g.node(id);
  if (!is_computed_float(g, n.in(0)) || !g.value(n.outputs[0]).shape) return false;
  const Shape in = *g.value(n.in(0)).shape, out = *g.value(n.outputs[0]).shape;
  const Value& step = g.value(n.in(1));
  if (!step.constant && !(step.elements && (*step.elements)[0].constant())) return false;
  const int64_t every = step.constant ? step.constant->to_int64()[0] : *(*step.elements)[0].constant();
  int64_t size = 0;
  if (n.in(2) != kNone) {
    size = (*g.value(n.in(2)).shape)[0].constant().value_or(0);
  } else if (n.in(3) != kNone) {
    const Value& given = g.value(n.in(3));
    if (!given.constant && !given.elements) return false;
    size = given.constant ? given.constant->to_int64()[0] : (*given.elements)[0].constant().value_or(0);
  } else {
    size = in[1].constant().value_or(0);
  }
  if (size < 1 || every < 1 || !transformable(size)) return false;
  FourierBuilder b(g, n, false);
  Signal x = in.size() == 2 ? Signal{n.in(0), kNone, in} : b.parts(n.in(0));
  const Shape framed{in[0], out[1], DimExpr(size)};
  x = {b.frames(x.re, in[0], out[1], size, every), x.im == kNone ? kNone : b.frames(x.im, in[0], out[1], size, every), framed};
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
