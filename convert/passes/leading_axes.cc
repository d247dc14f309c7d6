// See leading_axes.h.
#include "convert/passes/leading_axes.h"

#include <algorithm>

namespace edgeconv {

namespace {

constexpr size_t kInner = 2;

std::vector<int64_t> last_of(const std::vector<int64_t>& v) { return {v.end() - kInner, v.end()}; }

}  // namespace

LeadingAxes::LeadingAxes(Graph& g, const Node& n, const WindowAttrs& w, const Shape& x, const Shape& y)
    : NodeBuilder(g, n),
      leading_(w),
      inner_{last_of(w.kernel), last_of(w.strides), last_of(w.dilations), last_of(w.begin), last_of(w.end)},
      x_(x),
      y_(y) {
  for (auto* v : {&leading_.kernel, &leading_.strides, &leading_.dilations}) std::fill(v->end() - kInner, v->end(), 1);
  for (auto* v : {&leading_.begin, &leading_.end}) std::fill(v->end() - kInner, v->end(), 0);
  for (const int64_t k : leading_.kernel) copies_ *= k;
}

// The padding minus what lies before and behind the position (a negative pad crops), then every stride-th. A crop has the same size for every
// position, whatever the size of the input.
ValueId LeadingAxes::shifted(ValueId x, int64_t index) {
  const size_t count = leading_.kernel.size();
  std::vector<int64_t> pads(2 * (count + 2), 0), starts, ends, axes;
  for (size_t i = count; i-- > 0;) {
    const int64_t at = index % leading_.kernel[i];
    index /= leading_.kernel[i];
    pads[i + 1] = leading_.begin[i] - at * leading_.dilations[i];
    pads[count + 2 + i + 1] = leading_.end[i] - (leading_.kernel[i] - 1 - at) * leading_.dilations[i];
  }
  for (size_t i = 0; i < count; ++i) {
    starts.push_back(0);
    ends.push_back(INT64_MAX);
    axes.push_back(static_cast<int64_t>(i) + 1);
  }
  const auto all = [](const std::vector<int64_t>& v, int64_t value) {
    return std::all_of(v.begin(), v.end(), [&](int64_t e) { return e == value; });
  };
  if (!all(pads, 0)) x = add(OpKind::kPad, {x, ints(pads)}, PadAttrs{});
  if (all(leading_.strides, 1)) return x;
  return add(OpKind::kSlice, {x, ints(starts), ints(ends), ints(axes), ints(leading_.strides)}, {});
}

ValueId LeadingAxes::reshape(ValueId x, bool apart, const Shape& map, const Shape& last) {
  Shape shape{y_[0]};
  for (size_t i = 2; i + kInner < y_.size(); ++i) {
    if (apart)
      shape.push_back(y_[i]);
    else
      shape[0] = shape[0] * y_[i];
  }
  shape.insert(shape.end(), map.end() - kInner, map.end());
  shape.insert(shape.end(), last.begin(), last.end());
  return add(OpKind::kReshape, {x, sizes_of(shape)}, ReshapeAttrs{});
}

ValueId LeadingAxes::copy(ValueId x, int64_t index) { return reshape(shifted(x, index), false, x_, {x_[1]}); }

ValueId LeadingAxes::as_channels(ValueId x, int64_t groups) {
  if (copies_ == 1) return copy(x, 0);
  const DimExpr own = x_[1].floor_div(DimExpr(groups));
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < copies_; ++i)
    parts.push_back(groups == 1 ? shifted(x, i) : reshape(shifted(x, i), true, x_, {DimExpr(groups), own}));
  const auto last = static_cast<int64_t>(y_.size()) - (groups == 1 ? 1 : 0);
  return reshape(add(OpKind::kConcat, parts, AxisAttrs{last}), false, x_, {x_[1] * DimExpr(copies_)});
}

ValueId LeadingAxes::restored(ValueId y, int64_t filters) { return reshape(y, true, y_, {DimExpr(filters)}); }

Tensor LeadingAxes::weights_of(const Tensor& w, int64_t index) const {
  const int64_t rows = w.dims()[0] * w.dims()[1], positions = inner_.kernel[0] * inner_.kernel[1];
  Tensor own(w.dtype(), {w.dims()[0], w.dims()[1], inner_.kernel[0], inner_.kernel[1]});
  const auto from = w.as<float>();
  const auto to = own.mut<float>();
  for (int64_t r = 0; r < rows; ++r)
    std::copy_n(from.begin() + (r * copies_ + index) * positions, positions, to.begin() + r * positions);
  return own;
}

Tensor LeadingAxes::weights_of_all(const Tensor& w) const {
  const int64_t filters = w.dims()[0], channels = w.dims()[1], positions = inner_.kernel[0] * inner_.kernel[1];
  Tensor all(w.dtype(), {filters, copies_ * channels, inner_.kernel[0], inner_.kernel[1]});
  const auto from = w.as<float>();
  const auto to = all.mut<float>();
  for (int64_t m = 0; m < filters; ++m)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < copies_; ++i)
        std::copy_n(from.begin() + ((m * channels + c) * copies_ + i) * positions, positions,
                    to.begin() + ((m * copies_ + i) * channels + c) * positions);
  return all;
}

}  // namespace edgeconv
