// Local error per layer with the runtime's own kernels, the climb from the noisiest layer on, and the search for a cheaper way up.
#include "convert/quantize/ladder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "convert/interp/interpreter.h"
#include "convert/ir/diagnostics.h"
#include "convert/quantize/weights.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

struct Noise {
  double signal = 0, noise = 0;
};

// y = x W without bias, in fp32 and in int8, on at most this many rows: the figure only ranks layers.
constexpr size_t kRows = 64;
constexpr int64_t kMaxInt8Depth = 65000;  // NUMERICS.md

Noise int8_noise(const Tensor& x, const Value& constant, const std::vector<float>& smooth) {
  const Tensor weight = constant.constant->cast(DType::kFloat).aligned();
  const auto& kernels = ert::kernels::kernel_table(ert_isa_available());
  const size_t k = static_cast<size_t>(weight.dims()[0]), n = static_cast<size_t>(weight.dims()[1]);
  const size_t m = std::min(kRows, static_cast<size_t>(x.elements()) / k);
  const QuantizedWeights q = linear_weights(constant, smooth);
  const std::vector<uint8_t> packed_bytes = pack_n16k4(q);
  Tensor packed(DType::kUint8, {static_cast<int64_t>(packed_bytes.size())});
  std::copy(packed_bytes.begin(), packed_bytes.end(), packed.mutable_data());
  const std::vector<float> inv = smooth.empty() ? std::vector<float>() : inverse(smooth);
  const size_t row_bytes = kernels.quantized_row_bytes(k);
  Tensor lhs(DType::kUint8, {static_cast<int64_t>(row_bytes * m)});
  std::vector<ert::kernels::RowScale> scales(m);
  std::vector<float> exact(m * n), got(m * n);
  const auto rows = static_cast<ptrdiff_t>(k), columns = static_cast<ptrdiff_t>(n);
  kernels.quantize_rows(m, k, x.as<float>().data(), rows, inv.empty() ? nullptr : inv.data(), lhs.mutable_data(), row_bytes,
                        scales.data());
  const ert::kernels::PackedWeights w{reinterpret_cast<const int8_t*>(packed.data()), q.scale.data(), q.colsum.data(), nullptr};
  kernels.gemm_qa8_qw8(m, n, k, lhs.data(), row_bytes, scales.data(), w, got.data(), columns);
  kernels.gemm_f32(m, n, k, x.as<float>().data(), rows, 1, weight.as<float>().data(), columns, nullptr, exact.data(), columns);
  Noise r;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double d = double{got[i]} - exact[i];
    r.signal += double{exact[i]} * exact[i];
    r.noise += d * d;
  }
  return r;
}

Noise int8_noise(const Tensor& x, const Tensor& weight, const std::vector<float>& smooth) {
  Value value;
  value.constant = weight;
  return int8_noise(x, value, smooth);
}

void add(Noise& sum, const Noise& one) {
  sum.signal += one.signal;
  sum.noise += one.noise;
}

// The recurrent products of direction d, on the states that the layer gave: y is [S, B, D * H], weights [D, columns, H].
Noise recurrent_noise(const Tensor& y, const Tensor& weights, int64_t d) {
  const int64_t hidden = weights.dims()[2], columns = weights.dims()[1], directions = weights.dims()[0],
                rows = y.elements() / (directions * hidden);
  Tensor h(DType::kFloat, {rows, hidden}), w(DType::kFloat, {hidden, columns});
  const auto states = y.as<float>(), r = weights.as<float>();
  for (int64_t i = 0; i < rows; ++i)
    std::copy_n(states.begin() + (i * directions + d) * hidden, hidden, h.mut<float>().begin() + i * hidden);
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t k = 0; k < hidden; ++k)
      w.mut<float>()[static_cast<size_t>(k * columns + c)] = r[static_cast<size_t>((d * columns + c) * hidden + k)];
  return int8_noise(h, w, {});
}

linear::Precision forced(PrecisionMode m) {
  return m == PrecisionMode::kFp32 ? linear::kF32 : m == PrecisionMode::kW8A16 ? linear::kInt8A16 : linear::kInt8;
}

// The way up, and then back down where a cheaper way passes too. Layers are sorted from the noisiest on.
class Climb {
 public:
  Climb(const std::map<NodeId, std::vector<float>>& smooth, std::vector<LayerReport>& layers, const std::vector<char>& fixed,
        LowerOptions& options, double gate, std::function<double()> evaluate)
      : smooth_(smooth), layers_(layers), fixed_(fixed), options_(options), gate_(gate), evaluate_(std::move(evaluate)) {}

  void apply() {
    for (const LayerReport& l : layers_) {
      const auto s = smooth_.find(l.node);
      options_.linear[l.node] = {l.precision,
                                 l.precision == linear::kF32 || s == smooth_.end() ? std::vector<float>() : s->second};
    }
  }

  // Each step lifts twice as many of the noisiest layers as the one before, so that even large models need few evaluations.
  bool reaches_gate() {
    if (evaluate_() >= gate_) return true;
    linear::Precision before = linear::kInt8;
    for (const linear::Precision next : {linear::kInt8A16, linear::kF32}) {
      size_t begin = 0;
      for (size_t step = std::max<size_t>(1, layers_.size() / 8); begin < layers_.size(); step *= 2) {
        const size_t end = std::min(layers_.size(), begin + step);
        for (size_t i = begin; i < end; ++i) set(i, next);
        if (apply_and_pass()) {
          if (!find_cheaper(begin, end, before, next)) drop_needless(before, next);
          return true;
        }
        begin = end;
      }
      before = next;
    }
    return false;
  }

 private:
  // Evaluations of each search for something cheaper, and of one step of it.
  static constexpr int kTrials = 24;
  static constexpr size_t kCandidates = 8;

  static double macs(const LayerReport& l) { return static_cast<double>(l.k) * static_cast<double>(l.n); }
  static double noise_per_mac(const LayerReport& l) { return std::pow(10.0, l.local_sqnr_db / -10) / macs(l); }

  void set(size_t layer, linear::Precision p) {
    if (!fixed_[layer]) layers_[layer].precision = p;
  }
  bool apply_and_pass() {
    apply();
    return evaluate_() >= gate_;
  }

  // [begin, end) passes; adds up single layers instead as long as they cost less. Of the candidates with the most noise per
  // multiplication each step lifts the one that helps the output most: what noise does to an output depends on where it arises.
  bool find_cheaper(size_t begin, size_t end, linear::Precision before, linear::Precision next) {
    double budget = 0;
    std::vector<size_t> candidates;
    for (size_t i = begin; i < layers_.size(); ++i) {
      if (fixed_[i]) continue;
      if (i < end) budget += macs(layers_[i]);
      candidates.push_back(i);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](size_t a, size_t b) { return noise_per_mac(layers_[a]) > noise_per_mac(layers_[b]); });
    const std::vector<LayerReport> known = layers_;
    for (size_t i = begin; i < end; ++i) set(i, before);
    for (int trials = 0; trials < kTrials && !candidates.empty();) {
      size_t best = candidates.size();
      double best_cosine = -2;
      for (size_t c = 0; c < candidates.size() && c < kCandidates; ++c) {
        if (macs(layers_[candidates[c]]) >= budget) continue;
        set(candidates[c], next);
        apply();
        const double cosine = evaluate_();
        if (cosine >= gate_) return true;
        set(candidates[c], before);
        ++trials;
        if (cosine > best_cosine) best_cosine = cosine, best = c;
      }
      if (best == candidates.size()) break;
      set(candidates[best], next);
      budget -= macs(layers_[candidates[best]]);
      candidates.erase(candidates.begin() + static_cast<ptrdiff_t>(best));
    }
    layers_ = known;
    apply();
    return false;
  }

  // Takes back what the gate does not need, the most expensive first.
  void drop_needless(linear::Precision before, linear::Precision next) {
    std::vector<size_t> order;
    for (size_t i = 0; i < layers_.size(); ++i)
      if (!fixed_[i] && layers_[i].precision == next) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return macs(layers_[a]) > macs(layers_[b]); });
    for (size_t t = 0; t < order.size() && t < kTrials; ++t) {
      set(order[t], before);
      if (!apply_and_pass()) set(order[t], next);
    }
    apply();
  }

  const std::map<NodeId, std::vector<float>>& smooth_;
  std::vector<LayerReport>& layers_;
  const std::vector<char>& fixed_;
  LowerOptions& options_;
  double gate_;
  std::function<double()> evaluate_;
};

}  // namespace

std::vector<LayerReport> measure_layers(const Graph& g, const std::vector<std::vector<Tensor>>& inputs,
                                        const std::map<NodeId, std::vector<float>>& smooth) {
  std::map<NodeId, Noise> noise;
  InterpreterOptions options;
  options.backend = Backend::kCanonical;
  options.observe = [&](const Node& n, const std::vector<Tensor>& values) {
    const NodeId id = static_cast<NodeId>(&n - g.nodes.data());
    if (n.kind == OpKind::kRecurrence) {
      const Tensor weights = g.value(n.in(1)).constant->cast(DType::kFloat).aligned();
      for (int64_t d = 0; d < weights.dims()[0]; ++d)
        add(noise[id], recurrent_noise(values[static_cast<size_t>(n.outputs[0])], weights, d));
    }
    // Longer sums would overflow the int32 accumulators: such a layer stays fp32.
    if (n.kind != OpKind::kLinear || g.value(n.in(1)).constant->dims()[0] > kMaxInt8Depth) return;
    const auto s = smooth.find(id);
    const Noise one = int8_noise(values[static_cast<size_t>(n.in(0))].cast(DType::kFloat).aligned(), g.value(n.in(1)),
                                 s == smooth.end() ? std::vector<float>() : s->second);
    add(noise[id], one);
  };
  for (const auto& set : inputs) interpret(g, set, options);
  std::vector<LayerReport> layers;
  for (const auto& [id, sum] : noise) {
    const Node& n = g.node(id);
    const auto& dims = g.value(n.in(1)).constant->dims();
    const bool recurrent = n.kind == OpKind::kRecurrence;
    layers.push_back({id, n.origin.node, recurrent ? dims[2] : dims[0], recurrent ? dims[0] * dims[1] : dims[1],
                      sum.noise > 0 ? 10 * std::log10(sum.signal / sum.noise) : std::numeric_limits<double>::infinity(),
                      linear::kInt8});
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const LayerReport& a, const LayerReport& b) { return a.local_sqnr_db < b.local_sqnr_db; });
  return layers;
}

void choose_precision(const PrecisionRequest& request, const std::map<NodeId, std::vector<float>>& smooth,
                      std::vector<LayerReport>& layers, LowerOptions& options,
                      const std::function<double(const LowerOptions&)>& evaluate) {
  for (const auto& override : request.overrides) {
    const std::string& pattern = override.first;
    if (std::none_of(layers.begin(), layers.end(), [&](const LayerReport& l) { return glob_match(pattern, l.name); })) {
      std::string names;
      for (size_t i = 0; i < layers.size() && i < 12; ++i) names += "\n  " + layers[i].name;
      throw FatalError(ExitCode::kUsage, "--precision '" + pattern + "=...' matches no layer; layers are" + names +
                                             (layers.size() > 12 ? "\n  ..." : ""));
    }
  }
  std::vector<char> fixed(layers.size(), request.mode != PrecisionMode::kAuto);
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i].precision = forced(request.mode);
    for (const auto& [pattern, mode] : request.overrides)
      if (glob_match(pattern, layers[i].name)) {
        layers[i].precision = forced(mode);
        fixed[i] = true;
      }
  }
  Climb climb(smooth, layers, fixed, options, request.target_cosine, [&] { return evaluate(options); });
  climb.apply();
  if (request.mode != PrecisionMode::kAuto || climb.reaches_gate()) return;
  // With every Linear exact, attention and tables are what is left.
  options.int8_attention = false;
  if (evaluate(options) >= request.target_cosine) return;
  options.int8_tables = false;
}

bool glob_match(const std::string& pattern, const std::string& text) {
  // Iterative matcher with one backtrack point: linear in practice, no recursion on hostile patterns.
  size_t p = 0, t = 0, star = std::string::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace edgeconv
