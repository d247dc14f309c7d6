// A Conv whose filters are the bins of a windowed discrete Fourier transform (front ends of speech models write their STFT so: kernel n, filters
// w[t] cos(2 pi f t / n) and -+w[t] sin(2 pi f t / n), f = 0 .. n / 2) needs half of its products: a cosine is the same for t and n - t and a sine the
// opposite, so a frame is added to itself reversed, and subtracted, and both halves meet tables of half the height. What the window leaves zero at
// both ends is left out. A window that is no mirror image of itself multiplies the frames first.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "convert/interp/portable_math.h"
#include "convert/passes/match.h"
#include "convert/passes/node_builder.h"
#include "convert/passes/sliding_window.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr int64_t kLeastLength = 64;  // of a transform: what a shorter one saves, its frames cost
constexpr double kSame = 5e-7;        // of the largest weight, or of the window: tables in fp32 are off by less than 1e-7
constexpr double kNothing = 1e-9;     // of the window, or of a sum of squares

struct Transform {
  int64_t length, bins;
  bool has_cosine, has_sine;
  double sine_sign;            // of the filters behind the cosines
  std::vector<double> window;  // [length]

  int64_t first = 0;  // tap that the window leaves: those used are first .. length - first
  bool mirrored = false;
  int64_t half() const { return length / 2 - first + 1; }
};

double cosine_of(const Transform& t, int64_t bin, int64_t tap) { return turn(bin * tap % t.length, t.length).cosine; }
double sine_of(const Transform& t, int64_t bin, int64_t tap) { return t.sine_sign * turn(bin * tap % t.length, t.length).sine; }

// The window that comes nearest, by least squares; whether all weights [filters, length] are what it makes of the bins.
bool find_window(const std::vector<float>& weights, Transform& t) {
  double largest = 0;
  for (const float w : weights) largest = std::max<double>(largest, std::fabs(w));
  t.window.assign(static_cast<size_t>(t.length), 0);
  std::vector<double> bases(weights.size() / static_cast<size_t>(t.length));
  for (int64_t tap = 0; tap < t.length; ++tap) {
    size_t filter = 0;
    for (int64_t bin = 0; t.has_cosine && bin < t.bins; ++bin) bases[filter++] = cosine_of(t, bin, tap);
    for (int64_t bin = 0; t.has_sine && bin < t.bins; ++bin) bases[filter++] = sine_of(t, bin, tap);
    const auto weight = [&](size_t f) -> double { return weights[f * static_cast<size_t>(t.length) + static_cast<size_t>(tap)]; };
    double products = 0, squares = 0;
    for (size_t f = 0; f < bases.size(); ++f) products += weight(f) * bases[f], squares += bases[f] * bases[f];
    const double w = squares > kNothing ? products / squares : 0;
    for (size_t f = 0; f < bases.size(); ++f)
      if (!(std::fabs(weight(f) - w * bases[f]) <= kSame * largest)) return false;
    t.window[static_cast<size_t>(tap)] = w;
  }
  return largest > 0;
}

// Which taps are needed, and whether the window is a mirror image of itself. A first tap that counts has no partner.
bool find_taps(Transform& t) {
  const std::vector<double>& w = t.window;
  double largest = 0;
  for (const double x : w) largest = std::max(largest, std::fabs(x));
  const auto counts = [&](double x) { return std::fabs(x) > kNothing * largest; };
  const auto first = std::find_if(w.begin(), w.end(), counts) - w.begin();
  const auto behind = std::find_if(w.rbegin(), w.rend(), counts) - w.rbegin();
  t.first = std::min<int64_t>(first, behind + 1);
  if (t.first < 1 || t.half() < 2) return false;
  t.mirrored = true;
  for (int64_t tap = 1; tap < t.length / 2; ++tap)
    t.mirrored &= std::fabs(w[static_cast<size_t>(tap)] - w[static_cast<size_t>(t.length - tap)]) <= kSame * largest;
  return true;
}

std::optional<Transform> transform_of(const Tensor& weight) {
  const int64_t filters = weight.dims()[0], length = weight.dims()[2], bins = length / 2 + 1;
  if (length < kLeastLength || length % 2 != 0 || (filters != bins && filters != 2 * bins)) return std::nullopt;
  const std::vector<float> values = weight.to_float();
  const auto found = [&](bool cosine, bool sine, double sign) -> std::optional<Transform> {
    Transform t{length, bins, cosine, sine, sign, {}};
    return find_window(values, t) && find_taps(t) ? std::optional(t) : std::nullopt;
  };
  const bool both = filters == 2 * bins;
  if (!both)
    if (auto t = found(true, false, 1)) return t;
  for (const double sign : {-1.0, 1.0})
    if (auto t = found(both, true, sign)) return t;
  return std::nullopt;
}

class FoldedTransformBuilder : public NodeBuilder {
 public:
  FoldedTransformBuilder(Graph& g, const Node& n, const Transform& t) : NodeBuilder(g, n), t_(t) {}

  // x [B, 1, L] -> [B, frames, 2 half - 1]: the taps that count.
  ValueId frames(ValueId x, const WindowAttrs& w) {
    const int64_t before = w.begin[0] - t_.first, behind = w.end[0] - (t_.first - 1);
    if (before != 0 || behind != 0) x = add(OpKind::kPad, {x, ints({0, 0, before, 0, 0, behind})}, PadAttrs{});
    x = add(OpKind::kTranspose, {x}, TransposeAttrs{{0, 2, 1}});
    WindowAttrs taps = w;
    taps.kernel = {2 * t_.half() - 1};
    taps.begin = taps.end = {0};
    const ValueId y = add(OpKind::kPatches, {x}, PatchesAttrs{taps, 0, 1});
    if (t_.mirrored) return y;
    std::vector<float> window;
    for (int64_t tap = t_.first; tap <= t_.length - t_.first; ++tap)
      window.push_back(static_cast<float>(t_.window[static_cast<size_t>(tap)]));
    return add(OpKind::kBinary, {y, floats({taps.kernel[0]}, window)}, BinaryAttrs{binary::kMul});
  }

  // Taps first .. length / 2 of the frames, with (kAdd) or without (kSub) those from length - first down.
  ValueId folded(ValueId frames, binary::Kind kind) {
    const int64_t half = t_.half();
    const ValueId head = add(OpKind::kSlice, {frames, ints({0}), ints({half}), ints({2}), ints({1})}, {});
    const ValueId tail = add(OpKind::kSlice, {frames, ints({2 * half - 2}), ints({half - 2}), ints({2}), ints({-1})}, {});
    return add(OpKind::kBinary, {head, tail}, BinaryAttrs{kind});
  }

  // The tap in the middle is its own partner: it comes twice, or not at all.
  template <class Of>
  ValueId product(ValueId x, const Of& of, double in_the_middle, ValueId bias) {
    const int64_t half = t_.half();
    std::vector<float> table;
    for (int64_t i = 0; i < half; ++i) {
      const int64_t tap = t_.first + i;
      const auto w = [&](int64_t at) { return t_.window[static_cast<size_t>(at)]; };
      const double factor = (i + 1 == half ? in_the_middle : 1) * (t_.mirrored ? (w(tap) + w(t_.length - tap)) / 2 : 1);
      for (int64_t bin = 0; bin < t_.bins; ++bin) table.push_back(static_cast<float>(factor * of(t_, bin, tap)));
    }
    return add(OpKind::kLinear, {x, floats({half, t_.bins}, table), bias}, LinearAttrs{});
  }

 private:
  const Transform& t_;
};

bool fold_fourier_conv(Graph& g, NodeId id) {
  const Node n = g.node(id);
  const auto& a = n.as<ConvAttrs>();
  const Value &x = g.value(n.in(0)), &weight = g.value(n.in(1));
  if (!x.shape || x.shape->size() != 3 || x.dtype != DType::kFloat || !g.value(n.outputs[0]).shape || !weight.constant)
    return false;
  if (weight.constant->dims().size() != 3 || weight.constant->dims()[1] != 1 || a.group != 1) return false;
  if (n.in(2) != kNone && !g.value(n.in(2)).constant) return false;
  const auto window = with_fixed_padding(plan_window(a, *x.shape, {weight.constant->dims()[2]}));
  if (!window || window->dilations[0] != 1) return false;
  const auto t = transform_of(*weight.constant);
  if (!t) return false;

  FoldedTransformBuilder f(g, n, *t);
  const ValueId frames = f.frames(n.in(0), *window);
  const auto bias = [&](size_t part) {
    if (n.in(2) == kNone) return kNone;
    const std::vector<float> all = g.value(n.in(2)).constant->to_float();
    const auto from = all.begin() + static_cast<ptrdiff_t>(part) * t->bins;
    return f.floats({t->bins}, {from, from + t->bins});
  };
  std::vector<ValueId> parts;
  if (t->has_cosine) parts.push_back(f.product(f.folded(frames, binary::kAdd), cosine_of, 0.5, bias(0)));
  if (t->has_sine) parts.push_back(f.product(f.folded(frames, binary::kSub), sine_of, 0, bias(parts.size())));
  const ValueId y = parts.size() == 1 ? parts[0] : f.add(OpKind::kConcat, parts, AxisAttrs{2});
  redefine(g, n.outputs[0], OpKind::kTranspose, {y}, TransposeAttrs{{0, 2, 1}, true}, n.origin);
  return true;
}

}  // namespace

int pass_fold_fourier_conv(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kConv, [&](NodeId id) { return fold_fourier_conv(g, id); });
}

}  // namespace edgeconv
