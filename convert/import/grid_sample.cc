// GridSample of pictures (opset 16; 20 renames modes): each output takes pixels around a place that the grid names, -1 and 1 being the edges. Done by
// gathers of rows of channels from a map with channels last; formulas of the operator's specification.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

enum class Padding { kZeros, kBorder, kReflection };
enum class Mode { kNearest, kLinear, kCubic };

struct Sampling {
  Mode mode;
  Padding padding;
  bool align_corners;
};

Sampling sampling_of(const OnnxNode& n) {
  const std::string padding = n.text("padding_mode", "zeros"), mode = n.text("mode", "bilinear");
  Sampling s = {};
  s.align_corners = n.integer("align_corners", 0) != 0;
  if (mode == "nearest") s.mode = Mode::kNearest;
  else if (mode == "linear" || mode == "bilinear") s.mode = Mode::kLinear;
  else if (mode == "cubic" || mode == "bicubic") s.mode = Mode::kCubic;
  else throw NodeError("attribute 'mode' is none of nearest, linear, cubic");
  if (padding == "border") s.padding = Padding::kBorder;
  else if (padding == "reflection") s.padding = Padding::kReflection;
  else if (padding != "zeros") throw NodeError("attribute 'padding_mode' is none of zeros, border, reflection");
  return s;
}

// One of both axes: where the places of the grid lie on it, as [N, rows, columns, 1], and the size of the axis as fp32.
class Axis {
 public:
  Axis(ImportContext& c, const OnnxNode& n, const Sampling& s, ValueId x, int64_t axis, ValueId grid)
      : c_(c), n_(n), s_(s), size_(dim_size(c, n, x, axis)), last_(sub(c, n, cast(c, n, size_, DType::kFloat), value(1))) {
    const ValueId from_zero = add(c, n, grid, value(1));
    const ValueId half = value(0.5f);
    // Corners aligned: -1 and 1 are the middles of the outermost pixels; otherwise their outer edges.
    place_ = s.align_corners ? mul(c, n, mul(c, n, from_zero, half), last_)
                             : mul(c, n, sub(c, n, mul(c, n, from_zero, add(c, n, last_, value(1))), value(1)), half);
    if (s.mode == Mode::kNearest) place_ = unary(c, n, UnaryKind::kRound, place_);
    if (s.mode == Mode::kCubic) return;  // padding moves the pixels around, not the place
    if (s.padding == Padding::kBorder) place_ = inside(place_);
    if (s.padding == Padding::kReflection) place_ = reflected(place_);
  }

  ValueId size() const { return size_; }
  ValueId place() const { return place_; }
  // The pixel that stands for one that may lie outside.
  ValueId pixel(ValueId at) const { return inside(s_.padding == Padding::kReflection ? reflected(at) : at); }
  ValueId value(float v) const { return scalar(c_, n_, v); }

 private:
  ValueId inside(ValueId at) const {
    return binary(c_, n_, BinaryKind::kMin, binary(c_, n_, BinaryKind::kMax, at, value(0)), last_);
  }
  // Back and forth between the edges: of each period the distance to its middle counts.
  ValueId reflected(ValueId at) const {
    const ValueId low = value(s_.align_corners ? 0.0f : -0.5f);
    const ValueId range = s_.align_corners ? binary(c_, n_, BinaryKind::kMax, last_, value(0.5f)) : add(c_, n_, last_, value(1));
    const ValueId from = sub(c_, n_, at, low), period = add(c_, n_, range, range);
    const ValueId periods = unary(c_, n_, UnaryKind::kFloor, binary(c_, n_, BinaryKind::kDiv, from, period));
    const ValueId behind = sub(c_, n_, sub(c_, n_, from, mul(c_, n_, periods, period)), range);
    return add(c_, n_, sub(c_, n_, range, unary(c_, n_, UnaryKind::kAbs, behind)), low);
  }

  ImportContext& c_;
  const OnnxNode& n_;
  const Sampling& s_;
  ValueId size_, last_, place_ = kNone;
};

struct Map {
  ValueId rows;   // [N * height * width, C]
  ValueId first;  // of each picture, int64 [N, 1, 1]
};

Map map_of(ImportContext& c, const OnnxNode& n, ValueId x, const Axis& columns, const Axis& rows) {
  const ValueId last = transpose(c, n, x, {0, 2, 3, 1});
  const ValueId picture = c.inner(n, OpKind::kRange, {int_scalar(c, n, 0), dim_size(c, n, x, 0), int_scalar(c, n, 1)});
  return {c.inner(n, OpKind::kFlatten, {last}, AxisAttrs{3}),
          unsqueeze(c, n, mul(c, n, picture, mul(c, n, columns.size(), rows.size())), {1, 2})};
}

// Pixels at whole places, [N, rows, columns, C]; with kZeros nothing where there are none.
ValueId pixels(ImportContext& c, const OnnxNode& n, const Sampling& s, const Map& map, const Axis& columns, const Axis& rows, ValueId x, ValueId y) {
  const ValueId at_x = columns.pixel(x), at_y = rows.pixel(y);
  const auto whole = [&](ValueId v) { return c.inner(n, OpKind::kSqueeze, {cast(c, n, v, DType::kInt64), ints(c, n, {-1})}); };
  const ValueId index = add(c, n, add(c, n, mul(c, n, whole(at_y), columns.size()), whole(at_x)), map.first);
  const ValueId values = c.inner(n, OpKind::kGather, {map.rows, index}, AxisAttrs{0});
  if (s.padding != Padding::kZeros) return values;
  const auto same = [&](ValueId a, ValueId b) { return cast(c, n, binary(c, n, BinaryKind::kEqual, a, b), DType::kFloat); };
  return mul(c, n, values, mul(c, n, same(at_x, x), same(at_y, y)));
}

// The pixels around the places along one axis, and what each counts.
struct Neighbours {
  std::vector<ValueId> at, weights;
};

// Of a pixel less than 1 away (Keys' cubic with a = -3/4), and less than 2.
ValueId near_weight(ImportContext& c, const OnnxNode& n, ValueId t) {
  const ValueId slope = sub(c, n, mul(c, n, t, scalar(c, n, 1.25f)), scalar(c, n, 2.25f));
  return add(c, n, mul(c, n, mul(c, n, slope, t), t), scalar(c, n, 1));
}
ValueId far_weight(ImportContext& c, const OnnxNode& n, ValueId t) {
  const ValueId a = add(c, n, mul(c, n, t, scalar(c, n, -0.75f)), scalar(c, n, 3.75f));
  return add(c, n, mul(c, n, sub(c, n, mul(c, n, a, t), scalar(c, n, 6)), t), scalar(c, n, 3));
}

Neighbours neighbours_of(ImportContext& c, const OnnxNode& n, const Sampling& s, const Axis& axis) {
  const ValueId one = axis.value(1), first = unary(c, n, UnaryKind::kFloor, axis.place()), second = add(c, n, first, one);
  const ValueId to_first = sub(c, n, axis.place(), first), to_second = sub(c, n, one, to_first);
  if (s.mode == Mode::kLinear) return {{first, second}, {to_second, to_first}};
  return {{sub(c, n, first, one), first, second, add(c, n, second, one)},
          {far_weight(c, n, add(c, n, to_first, one)), near_weight(c, n, to_first), near_weight(c, n, to_second),
           far_weight(c, n, add(c, n, to_second, one))}};
}

}  // namespace

void import_grid_sample(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 2);
  const Sampling s = sampling_of(n);
  const ValueId x = required_input(c, n, 0);
  if (const int rank = rank_hint(c.graph(), x); rank > 0 && rank != 4)
    refuse("its input has rank " + std::to_string(rank), "sample pictures, of rank 4");
  if (const DType t = dtype_hint(c.graph(), x); t != DType::kUndefined && !is_float(t))
    refuse("it samples " + std::string(dtype_name(t)), "cast its input to float32");
  const ValueId grid = reshape(c, n, required_input(c, n, 1), {0, 0, 0, 2});  // a grid of another last axis does not pass
  const Axis columns(c, n, s, x, 3, slice(c, n, grid, -1, 0, 1)), rows(c, n, s, x, 2, slice(c, n, grid, -1, 1, 2));
  const Map map = map_of(c, n, x, columns, rows);
  const auto at = [&](ValueId px, ValueId py) { return pixels(c, n, s, map, columns, rows, px, py); };
  const auto bind = [&](ValueId y) { c.bind(n, 0, transpose(c, n, y, {0, 3, 1, 2})); };
  if (s.mode == Mode::kNearest) return bind(at(columns.place(), rows.place()));
  const Neighbours x_neighbours = neighbours_of(c, n, s, columns), y_neighbours = neighbours_of(c, n, s, rows);
  const auto weighted = [&](ValueId sum, ValueId v, ValueId weight) { return add_optional(c, n, mul(c, n, v, weight), sum); };
  ValueId picture = kNone;
  for (size_t i = 0; i < y_neighbours.at.size(); ++i) {
    ValueId row = kNone;
    for (size_t j = 0; j < x_neighbours.at.size(); ++j) row = weighted(row, at(x_neighbours.at[j], y_neighbours.at[i]), x_neighbours.weights[j]);
    picture = weighted(picture, row, y_neighbours.weights[i]);
  }
  bind(picture);
}

}  // namespace edgeconv
