// Resize at sizes that are only known at run time (position embeddings of images of any size), or of computed data: along each
// axis a sum of few Gathers, weighted by polynomials of the position between two elements. Whatever is constant folds away.
// What these weights do not express (antialiasing, excluded positions, rounding) is a Gather or MatMul by constants where both
// sizes are fixed.
// What has a fixed input and a fixed size is folded by inference (interp/resize.cc) and never comes here.
#include <algorithm>
#include <cmath>

#include "convert/infer/bounds.h"
#include "convert/ir/axis.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace unary = ert::params::unary;

bool has_halves(const ResizeAttrs& a) { return a.coordinates == ResizeAttrs::kHalfPixel || a.coordinates == ResizeAttrs::kTorchHalfPixel; }

// Every step-th element from `first` on is what a nearest Resize by 1 / step takes, whatever the sizes are.
struct EveryStep {
  int64_t first, step;
};

// In fp32, as ONNX Runtime has positions: 1 / 3 is no number of it, and may not reach whole ones.
std::optional<EveryStep> every_step(const ResizeAttrs& a, float scale) {
  constexpr int64_t kMostStep = 256, kPositions = 65536;
  const float inverse = 1 / scale;
  if (a.mode != ResizeAttrs::kNearest || !(scale > 0 && scale < 1) || inverse != std::floor(inverse) || inverse > kMostStep) return {};
  if (!has_halves(a) && a.coordinates != ResizeAttrs::kAsymmetric) return {};
  const float half = has_halves(a) ? 0.5f : 0.0f;
  const auto element = [&](int64_t i) {
    const float at = (static_cast<float>(i) + half) / scale - half, below = std::floor(at), up = std::ceil(at);
    switch (a.rounding) {
      case ResizeAttrs::kFloor: return static_cast<int64_t>(below);
      case ResizeAttrs::kCeil: return static_cast<int64_t>(up);
      case ResizeAttrs::kPreferCeil: return static_cast<int64_t>(at - below >= 0.5f ? up : below);
      case ResizeAttrs::kPreferFloor: break;
    }
    return static_cast<int64_t>(at - below > 0.5f ? up : below);
  };
  const EveryStep every{element(0), static_cast<int64_t>(inverse)};
  if (every.first < 0 || every.first >= every.step) return {};
  for (int64_t i = 1; i < kPositions; ++i)
    if (element(i) != every.first + i * every.step) return {};
  return every;
}

// One axis of the input, [.., n, ..] -> [.., count, ..].
struct Axis {
  size_t index;
  DimExpr n, count;
  float given_scale;           // of the file, 0 where it has sizes
  std::optional<float> scale;  // the file's, where it is not count / n
  std::optional<EveryStep> every;
  // PyTorch takes the first element where the result has a single one, not the middle.
  bool first_of_one = false;
};

// No middle of an element of the result lies between two of the input's then.
bool is_whole_growth(const Axis& axis) {
  const auto n = axis.n.constant(), count = axis.count.constant();
  if (n && count) return *n > 0 && *count % *n == 0;
  constexpr int64_t kMostGrowth = 16;
  for (int64_t factor = 2; factor <= kMostGrowth; ++factor)
    if (axis.count == axis.n * DimExpr(factor)) return true;
  return false;
}

class Resizer {
 public:
  Resizer(Graph& g, const Node& n) : g_(g), origin_(n.origin), a_(n.as<ResizeAttrs>()) {}

  ValueId along(ValueId x, size_t rank, const Axis& axis) {
    if (axis.every) return slice(x, axis);
    if (a_.mode == ResizeAttrs::kNearest)
      return add(OpKind::kGather, {x, nearest(axis)}, AxisAttrs{static_cast<int64_t>(axis.index)});
    const ValueId at = position(axis), base = add(OpKind::kUnary, {at}, UnaryAttrs{unary::kFloor});
    const ValueId offset = op(binary::kSub, at, base);
    const std::vector<ValueId> weights = a_.mode == ResizeAttrs::kLinear ? linear(offset) : cubic(offset);
    std::vector<DimExpr> column{axis.count};
    column.resize(rank - axis.index, DimExpr(1));
    ValueId sum = kNone;
    for (size_t t = 0; t < weights.size(); ++t) {
      const float first = a_.mode == ResizeAttrs::kLinear ? 0.0f : -1.0f;
      const ValueId index = clamped(op(binary::kAdd, base, number(first + static_cast<float>(t))), axis.n);
      const ValueId rows = add(OpKind::kGather, {x, index}, AxisAttrs{static_cast<int64_t>(axis.index)});
      const ValueId w = add(OpKind::kReshape, {weights[t], shape_operand(g_, origin_.node, column)}, ReshapeAttrs{});
      const ValueId part = op(binary::kMul, rows, w);
      sum = sum == kNone ? part : op(binary::kAdd, sum, part);
    }
    return sum;
  }

  // The same with constants, for fixed sizes. They are what Resize makes of 0, 1, 2.. (positions) or of the identity matrix
  // (weights), which inference computes.
  ValueId along_by_constants(ValueId x, const Shape& shape, const Axis& axis) {
    const int64_t n = *axis.n.constant();
    const size_t k = axis.index;
    std::vector<float> values;
    if (a_.mode == ResizeAttrs::kNearest) {
      for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
      const ValueId at = to(resized(Tensor::of<float>(DType::kFloat, {n}, values), axis), DType::kInt64);
      return add(OpKind::kGather, {x, at}, AxisAttrs{static_cast<int64_t>(k)});
    }
    for (int64_t i = 0; i < n * n; ++i) values.push_back(i % (n + 1) == 0 ? 1.0f : 0.0f);
    const ValueId weights = resized(Tensor::of<float>(DType::kFloat, {n, n}, values), axis);
    Shape flat{DimExpr(1), axis.n, DimExpr(1)}, whole = shape;
    for (size_t i = 0; i < shape.size(); ++i)
      if (i != k) flat[i < k ? 0 : 2] = flat[i < k ? 0 : 2] * shape[i];
    whole[k] = axis.count;
    const ValueId rows = add(OpKind::kReshape, {x, shape_operand(g_, origin_.node, flat)}, ReshapeAttrs{});
    const ValueId y = add(OpKind::kMatMul, {weights, rows}, {});
    return add(OpKind::kReshape, {y, shape_operand(g_, origin_.node, whole)}, ReshapeAttrs{});
  }

 private:
  ValueId resized(Tensor t, const Axis& axis) {
    ResizeAttrs a = a_;
    a.axes = {0};
    const ValueId from = g_.add_constant(origin_.node + "/from", std::move(t));
    if (axis.given_scale == 0)
      return add(OpKind::kResize, {from, kNone, g_.add_constant(origin_.node + "/sizes", Tensor::ints({*axis.count.constant()}))},
                 std::move(a));
    const ValueId scales = g_.add_constant(origin_.node + "/scales", Tensor::of<float>(DType::kFloat, {1}, {axis.given_scale}));
    return add(OpKind::kResize, {from, scales, kNone}, std::move(a));
  }
  ValueId add(OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
    return g_.add_node(kind, std::move(inputs), std::move(attrs), origin_);
  }
  ValueId op(binary::Kind kind, ValueId a, ValueId b) { return add(OpKind::kBinary, {a, b}, BinaryAttrs{kind}); }
  ValueId number(float v) { return g_.add_constant(origin_.node + "/number", Tensor::scalar(v)); }
  ValueId slice(ValueId x, const Axis& axis) {
    const DimExpr step(axis.every->step), last = axis.count * step;
    const auto bound = [&](const DimExpr& d) { return shape_operand(g_, origin_.node, {d}); };
    return add(OpKind::kSlice, {x, bound(DimExpr(axis.every->first)), bound(last), bound(DimExpr(static_cast<int64_t>(axis.index))), bound(step)}, {});
  }
  ValueId size(const DimExpr& d) {
    const ValueId v = g_.add_value(origin_.node + "/size", DType::kInt64, Shape{});
    g_.value(v).elements = std::vector<DimExpr>{d};
    if (const auto c = d.constant()) g_.value(v).constant = Tensor::ints({*c}).reshaped({});
    return v;
  }
  ValueId to(ValueId v, DType t) { return add(OpKind::kCast, {v}, CastAttrs{t}); }
  ValueId whole_positions(const Axis& axis) {
    return add(OpKind::kRange, {size(DimExpr(0)), size(axis.count), size(DimExpr(1))}, {});
  }
  // Where the elements of the result lie among those of the input.
  ValueId position(const Axis& axis) {
    const ValueId i = to(whole_positions(axis), DType::kFloat);
    if (a_.coordinates == ResizeAttrs::kAlignCorners)
      return op(binary::kDiv, op(binary::kMul, i, to(size(axis.n - DimExpr(1)), DType::kFloat)),
                to(size(DimExpr::max(axis.count - DimExpr(1), DimExpr(1))), DType::kFloat));
    const auto input_positions = [&](ValueId x) {
      if (axis.scale) return op(binary::kDiv, x, number(*axis.scale));
      return op(binary::kDiv, op(binary::kMul, x, to(size(axis.n), DType::kFloat)), to(size(axis.count), DType::kFloat));
    };
    if (a_.coordinates == ResizeAttrs::kAsymmetric) return input_positions(i);
    const ValueId halves = op(binary::kSub, input_positions(op(binary::kAdd, i, number(0.5f))), number(0.5f));
    return axis.first_of_one ? op(binary::kMul, halves, to(zero_of_one(axis), DType::kFloat)) : halves;
  }
  ValueId zero_of_one(const Axis& axis) { return size(DimExpr::min(axis.count - DimExpr(1), DimExpr(1))); }
  // In whole numbers, which is what rounds without error: floor(i * n / count), and of half pixels, of which a tie goes down, or up,
  // floor(((2 i + 1) n - 1) / (2 count)), or without the -1.
  ValueId nearest(const Axis& axis) {
    const ValueId i = whole_positions(axis);
    if (a_.coordinates == ResizeAttrs::kAsymmetric || is_whole_growth(axis)) return op(binary::kDiv, op(binary::kMul, i, size(axis.n)), size(axis.count));
    const ValueId odd = op(binary::kAdd, op(binary::kMul, i, size(DimExpr(2))), size(DimExpr(1)));
    ValueId at = op(binary::kMul, odd, size(axis.n));
    if (a_.rounding == ResizeAttrs::kPreferFloor) at = op(binary::kSub, at, size(DimExpr(1)));
    at = op(binary::kDiv, at, size(axis.count * DimExpr(2)));
    return axis.first_of_one ? op(binary::kMul, at, zero_of_one(axis)) : at;
  }
  ValueId clamped(ValueId at, const DimExpr& n) {
    const ValueId low = op(binary::kMax, at, number(0));
    return to(op(binary::kMin, low, to(size(n - DimExpr(1)), DType::kFloat)), DType::kInt64);
  }
  std::vector<ValueId> linear(ValueId t) { return {op(binary::kSub, number(1), t), t}; }
  // Keys' cubic convolution at the distances 1 + t, t, 1 - t, 2 - t.
  std::vector<ValueId> cubic(ValueId t) {
    const float a = a_.cubic_a;
    const ValueId s = op(binary::kSub, number(1), t);
    const auto polynomial = [&](ValueId d, std::initializer_list<float> coefficients) {  // highest power first
      ValueId sum = kNone;
      for (float c : coefficients) sum = sum == kNone ? number(c) : op(binary::kAdd, op(binary::kMul, sum, d), number(c));
      return sum;
    };
    const auto near = [&](ValueId d) { return polynomial(d, {a + 2, -(a + 3), 0, 1}); };
    // a d^3 - 5 a d^2 + 8 a d - 4 a with d = 1 + u
    const auto far = [&](ValueId u) { return polynomial(u, {a, -2 * a, a, 0}); };
    return {far(t), near(t), near(s), far(s)};
  }

  Graph& g_;
  Origin origin_;
  ResizeAttrs a_;
};

// What the computed weights express.
bool can_compute(const ResizeAttrs& a, const Axis& axis) {
  if (axis.every) return true;
  if (a.antialias || a.exclude_outside || a.coordinates == ResizeAttrs::kSymmetricHalfPixel) return false;
  const bool rounds = a.rounding == ResizeAttrs::kPreferFloor || a.rounding == ResizeAttrs::kPreferCeil;
  const bool down = a.coordinates == ResizeAttrs::kAsymmetric && a.rounding == ResizeAttrs::kFloor;
  return a.mode != ResizeAttrs::kNearest || (!axis.scale && (down || (has_halves(a) && rounds)));
}

// Of the number of elements; 1 where sizes are not known.
double growth(const Axis& axis) {
  const auto n = axis.n.constant(), count = axis.count.constant();
  return n && count && *n > 0 ? static_cast<double>(*count) / static_cast<double>(*n) : 1;
}

bool has_constants(const Axis& axis) {
  constexpr int64_t kMostElements = 4096;  // 64 MB of weights
  const auto n = axis.n.constant(), count = axis.count.constant();
  return n && count && *n <= kMostElements && *count <= kMostElements;
}

bool decompose_resize(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const ResizeAttrs& a = n.as<ResizeAttrs>();
  const Value &x = g.value(n.in(0)), &y = g.value(n.outputs[0]);
  if (!x.shape || !y.shape || !is_float(x.dtype) || x.dtype == DType::kDouble) return false;
  const size_t rank = x.shape->size();
  std::vector<float> scales(rank, 0);
  if (n.in(2) == kNone) {
    const std::vector<float> given = g.value(n.in(1)).constant->to_float();
    for (size_t i = 0; i < given.size(); ++i) {
      const int64_t axis = a.axes.empty() ? static_cast<int64_t>(i) : a.axes[i];
      scales[axis_index(axis, rank)] = given[i];
    }
  }
  std::vector<Axis> axes;
  for (size_t i = 0; i < rank; ++i) {
    Axis axis{i, (*x.shape)[i], (*y.shape)[i], scales[i], {}, {}, false};
    if (axis.n == axis.count && (scales[i] == 0 || scales[i] == 1)) continue;
    // A scale that gives a whole number of elements is count / n.
    const auto whole_n = axis.n.constant(), whole = axis.count.constant();
    const bool exact = whole_n && whole ? static_cast<float>(*whole) == static_cast<float>(*whole_n) * scales[i]
                                        : scales[i] >= 1 && scales[i] == std::floor(scales[i]);
    if (scales[i] != 0 && !exact) axis.scale = scales[i];
    axis.first_of_one = a.coordinates == ResizeAttrs::kTorchHalfPixel && lower_bound(axis.count, g.least_dims).value_or(1) < 2;
    if (!(whole_n && whole) && !axis.first_of_one) axis.every = every_step(a, scales[i]);
    axes.push_back(axis);
  }
  for (const Axis& axis : axes)
    if (!can_compute(a, axis) && !has_constants(axis)) return false;
  // Inner axes first: of outer ones a weight goes with whole rows, which most of the elements should see. Axes that shrink before those that grow.
  std::sort(axes.begin(), axes.end(), [](const Axis& p, const Axis& q) {
    return growth(p) != growth(q) ? growth(p) < growth(q) : p.index > q.index;
  });
  Resizer r(g, n);
  ValueId v = n.in(0);
  Shape shape = *x.shape;
  for (const Axis& axis : axes) {
    v = can_compute(a, axis) ? r.along(v, rank, axis) : r.along_by_constants(v, shape, axis);
    shape[axis.index] = axis.count;
  }
  redefine(g, n.outputs[0], OpKind::kIdentity, {v}, {}, n.origin);
  return true;
}

}  // namespace

int pass_decompose_resize(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kResize, [&](NodeId id) { return decompose_resize(g, id); });
}

}  // namespace edgeconv
