// See cost.h.
#include "convert/precision/cost.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "convert/program/wide_conv.h"
#include "convert/quantize/shared_columns.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

// Of a row, in multiplications: quantizing each element, scaling each result, and what a row costs whatever its length.
constexpr double kQuantize = 40, kScaleResult = 20, kQuantizedRow = 4000, kF32Row = 200;
// Of a row that takes its elements out of those that neighbours have quantized together.
constexpr double kTakenElement = 6, kTakenRow = 1000;
// Over maps, of a result and of an output's pixel. A tap of a depthwise convolution is one channel's.
constexpr double kMapResult = 20, kMapPixel = 100, kMapTap = 6, kF32Tap = 10;
// Whoever wants all maps in 8 bits wants little RAM: a map of floats counts as so many times the time.
constexpr double kMapOfFloats = 4;
// In W12A13 a row takes what its products and its results take, and what it has of elements that no neighbour has quantized.
constexpr double kWideProduct = 2.2, kWideElement = 15, kWideResult = 10, kWideRow = 500;
constexpr double kWidePatch = 2000;  // more of a row that is put together out of several places of a map
constexpr double kClearlyQuicker = 0.9;  // of the time
constexpr double kFewWeights = 0.01;  // of all
constexpr double kMuchQuicker = 0.5, kManyRows = 64;  // of convolutions that are worth weights of their own where a model has few
constexpr double kLeastStep = 0.01;   // of a layer's time

// Elements that a Linear's rows are taken from: of a convolution its map.
double source_elements(const Graph& g, const Node& linear, const std::map<std::string, int64_t>& dims) {
  const Node* p = g.producer(linear.in(0));
  const Value& v = g.value(p && p->kind == OpKind::kPatches ? p->in(0) : linear.in(0));
  double elements = 1;
  if (v.shape)
    for (const DimExpr& d : *v.shape) elements *= static_cast<double>(d.evaluate(dims).value_or(1));
  return elements;
}

// Whether W12A13 would put its rows together: program/wide_conv.cc takes those of long runs in place, rt/ops/patches.h those that stand in the map.
bool has_wide_patches(const Graph& g, const Node& linear) {
  const Node* p = g.producer(linear.in(0));
  if (!p || p->kind != OpKind::kPatches) return false;
  const PatchesAttrs& a = p->as<PatchesAttrs>();
  const WindowAttrs& w = a.window;
  const Value& map = g.value(p->in(0));
  const bool whole = map.shape && map.shape->back() == DimExpr(a.channels), dense = w.dilations.back() == 1;
  const bool one_row = w.kernel.size() == 1 || w.kernel[0] == 1;
  if (one_row && (w.kernel.back() == 1 || (dense && whole))) return false;
  const int64_t run = w.kernel.size() == 2 && dense ? w.kernel[1] * a.channels : a.channels;
  return !whole || run < kLeastWideRun;
}

}  // namespace

double work_of(Precision p) {
  switch (p) {
    case linear::kInt8: return 1;
    case linear::kInt8A16: return kInt8A16Work;
    case linear::kW12A13: return kW12A13Work;
    default: return kF32Work;
  }
}

void count_rows(const Graph& g, const DimPlan& dims, std::vector<LayerSensitivity>& layers) {
  std::map<std::string, int64_t> largest;
  for (const auto& [name, range] : dims.range) largest[name] = range.second;
  for (LayerSensitivity& l : layers) {
    const Node& n = g.node(l.node);
    const Value& out = g.value(n.outputs[0]);
    l.rows = 1;
    if (!out.shape) continue;
    double elements = 1;
    for (const DimExpr& d : *out.shape) elements *= static_cast<double>(d.evaluate(largest).value_or(1));
    if (!l.recurrent && !l.depthwise) {
      l.quantized_share = quantized_share(g, n);
      l.wide_patches = has_wide_patches(g, n);
    }
    // A row of a Recurrence is a state in each direction, as long as the weight is deep.
    const double row = static_cast<double>(l.recurrent ? l.k * g.value(n.in(1)).constant->dims()[0] : l.n);
    l.rows = std::max(1.0, elements / row);
    if (!l.recurrent && !l.depthwise) l.fresh_share = std::min(1.0, source_elements(g, n, largest) / (l.rows * static_cast<double>(l.k)));
  }
}

double time_of(const LayerSensitivity& l, Precision p) {
  if (l.keeps_map && p != linear::kInt8) {
    LayerSensitivity of_floats = l;
    of_floats.keeps_map = false;
    return kMapOfFloats * time_of(of_floats, p);
  }
  if (l.depthwise && p != linear::kInt8) return l.rows * (kF32Tap * l.weights() + kF32Row);
  if (l.over_maps && p == linear::kInt8)
    return l.rows * ((l.depthwise ? kMapTap : 1) * l.weights() + kMapResult * static_cast<double>(l.n) + kMapPixel);
  if (p == linear::kF32) return l.rows * (kF32Work * l.weights() + kF32Row);
  if (p == linear::kW12A13)
    return l.rows * (kWideProduct * l.weights() + kWideElement * (l.wide_patches ? 1 : l.fresh_share) * static_cast<double>(l.k) +
                     kWideResult * static_cast<double>(l.n) + kWideRow + (l.wide_patches ? kWidePatch : 0));
  const double k = static_cast<double>(l.k), results = kScaleResult * static_cast<double>(l.n);
  if (p == linear::kInt8 && l.quantized_share < 1)
    return l.rows * (l.weights() + (kQuantize * l.quantized_share + kTakenElement) * k + results + kTakenRow);
  return l.rows * ((p == linear::kInt8 ? 1 : kInt8A16Work) * l.weights() + kQuantize * k + results + kQuantizedRow);
}

double weight_bytes(const std::vector<LayerSensitivity>& layers, const PrecisionPlan& plan) {
  double bytes = 0;
  for (const LayerSensitivity& l : layers) {
    const Precision p = plan.of(l.node).precision;
    bytes += l.weights() * (p == linear::kF32 ? 4 : p == linear::kW12A13 ? 2 : 1);
  }
  return bytes;
}

bool is_quicker_in_12_bits(const LayerSensitivity& l) {
  return !l.depthwise && time_of(l, linear::kW12A13) <= kClearlyQuicker * time_of(l, linear::kF32);
}

double more_time(const LayerSensitivity& l, Precision from, Precision to) {
  return std::max(time_of(l, to) - time_of(l, from), kLeastStep * time_of(l, from));
}

double time_of(const std::vector<LayerSensitivity>& layers, const PrecisionPlan& plan) {
  double time = 0;
  for (const LayerSensitivity& l : layers) time += time_of(l, plan.of(l.node).precision);
  return time;
}

std::vector<char> set_free_layers(const std::vector<LayerSensitivity>& layers, AskedPlan& asked, double few) {
  std::vector<char> freed(layers.size());
  double all = 0, taken = 0, slow = 0;
  for (const LayerSensitivity& l : layers) all += l.weights();
  // What saves most time for its bytes comes first: the first convolution over a picture before the one row of a classifier.
  const auto saved = [&](size_t i) {
    const LayerSensitivity& l = layers[i];
    return (time_of(l, asked.plan.of(l.node).precision) - time_of(l, linear::kF32)) / l.weights();
  };
  std::vector<size_t> order(layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return saved(a) > saved(b); });
  for (const size_t i : order) {
    const LayerSensitivity& l = layers[i];
    if (asked.fixed[i] || l.recurrent || saved(i) < 0) continue;
    const bool is_slow = l.fresh_share < 1 && l.rows >= kManyRows && time_of(l, linear::kF32) <= kMuchQuicker * time_of(l, asked.plan.of(l.node).precision);
    const bool fits = taken + l.weights() <= kFewWeights * all;
    if (!fits && !(is_slow && slow + l.weights() <= few)) continue;
    (fits ? taken : slow) += l.weights();
    asked.plan.set(l.node, linear::kF32);
    asked.fixed[i] = freed[i] = 1;
  }
  return freed;
}

double slowdown(const std::vector<LayerSensitivity>& layers, const PrecisionPlan& plan) {
  double all = 0, work = 0;
  for (const LayerSensitivity& l : layers) {
    const Precision p = plan.of(l.node).precision;
    all += l.macs();
    work += l.macs() * work_of(p);
  }
  return all > 0 ? work / all : 1;
}

std::vector<LayerSensitivity> without_maps(std::vector<LayerSensitivity> layers) {
  for (LayerSensitivity& l : layers) l.over_maps = l.keeps_map = false;
  return layers;
}

bool PlanCost::fits(const PrecisionPlan& plan) const {
  if (budget_.slowdown > 0 && slowdown(plan) > budget_.slowdown) return false;
  return bytes(plan) <= budget_.bytes;
}

}  // namespace edgeconv
