// A recurrent layer with random weights, as operands of the op and by the formulas of ONNX in double.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {

namespace rec = params::recurrence;
namespace lin = params::linear;
using kernels::Unary;

struct Shape {
  int32_t kind, direction, steps, batch, hidden;
  bool linear_before_reset = false, input_forget = false;
  float clip = 0;
  int32_t directions() const { return direction == rec::kBidirectional ? 2 : 1; }
  int32_t gates() const { return kind == rec::kLstm ? 4 : kind == rec::kGru ? 3 : 1; }
  int32_t padded() const { return (hidden + 15) / 16 * 16; }
  int32_t columns() const { return gates() * padded(); }
};

// One layer: the real weights of every direction as [gates * hidden, hidden], exact in int8 with `scale`.
struct Layer {
  Shape s;
  std::vector<std::vector<double>> r;    // per direction
  std::vector<std::vector<float>> bias;  // per direction [gates * hidden]
  OpCase op;
};

constexpr float kScale = 1.0f / 256;

inline size_t at(int64_t i) { return static_cast<size_t>(i); }

inline std::vector<int32_t> activations(int32_t kind) {
  const auto k = [](Unary u) { return static_cast<int32_t>(u); };
  if (kind == rec::kRnn) return {k(Unary::kTanh), k(Unary::kTanh), k(Unary::kTanh)};
  return {k(Unary::kSigmoid), k(Unary::kTanh), k(Unary::kTanh)};
}

inline void add_weights(Layer& l, int32_t precision, uint32_t seed) {
  const Shape& s = l.s;
  const int32_t n = s.columns(), h = s.hidden;
  std::vector<int8_t> codes(at(n) * at(h), 0);
  std::vector<float> matrix(codes.size(), 0.0f), bias(at(n), 0.0f);
  std::vector<int32_t> colsum(at(n), 0);
  const std::vector<float> random = noise(int64_t{s.gates()} * h * h, seed);
  l.r.emplace_back();
  l.bias.push_back(noise(s.gates() * h, seed + 1));
  for (int32_t g = 0; g < s.gates(); ++g) {
    for (int32_t j = 0; j < h; ++j) {
      const int32_t column = g * s.padded() + j;
      bias[at(column)] = l.bias.back()[at(g * h + j)];
      for (int32_t k = 0; k < h; ++k) {
        const int8_t code = static_cast<int8_t>(random[at((g * h + j) * h + k)] * 127);
        codes[at(column * h + k)] = code;
        matrix[at(k * n + column)] = static_cast<float>(code) * kScale;
        colsum[at(column)] += code;
        l.r.back().push_back(double{static_cast<float>(code)} * kScale);
      }
    }
  }
  if (precision == lin::kF32) {
    l.op.inputs.insert(l.op.inputs.end(), {f32({h, n}, matrix), absent(), absent()});
  } else {
    l.op.inputs.insert(l.op.inputs.end(),
                       {packed_n16k4(n, h, codes), f32({n}, std::vector<float>(at(n), kScale)), i32({n}, colsum)});
  }
  l.op.inputs.push_back(f32({n}, bias));
}

inline Layer layer_of(const Shape& s, int32_t precision, const std::vector<int32_t>& lengths, bool states, bool peepholes,
                      uint32_t seed = 5) {
  const int32_t d = s.directions();
  Layer l = {s, {}, {}, {&kOpRecurrence, {noisy({s.steps, s.batch, d * s.gates() * s.hidden}, seed)}, {}, {}, {s.clip}, {}}};
  l.op.inputs.push_back(lengths.empty() ? absent() : i32({s.batch}, lengths));
  l.op.inputs.push_back(states ? noisy({d, s.batch, s.hidden}, seed + 10) : absent());
  l.op.inputs.push_back(states && s.kind == rec::kLstm ? noisy({d, s.batch, s.hidden}, seed + 11) : absent());
  l.op.inputs.push_back(peepholes ? noisy({d, 3 * s.hidden}, seed + 12) : absent());
  l.op.ints = {s.kind, precision, s.direction, s.linear_before_reset, s.input_forget};
  for (int32_t i = 0; i < d; ++i) {
    add_weights(l, precision, seed + 20 + static_cast<uint32_t>(i) * 7);
    for (int32_t a : activations(s.kind)) l.op.ints.push_back(a);
  }
  l.op.outputs = {empty(ERT_F32, {s.steps, s.batch, d * s.hidden}), empty(ERT_F32, {d, s.batch, s.hidden})};
  if (s.kind == rec::kLstm) l.op.outputs.push_back(l.op.outputs[1]);
  return l;
}

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// One row in one direction, by the formulas of the ONNX specification; writes y, h, c as the op lays them out.
struct Reference {
  const Layer& l;
  std::vector<double> y, h, c;

  explicit Reference(const Layer& layer) : l(layer) {
    const Shape& s = l.s;
    y.assign(at(s.steps * s.batch * s.directions() * s.hidden), 0);
    h.assign(at(s.directions() * s.batch * s.hidden), 0);
    c = h;
    const auto fill = [&](uint32_t input, std::vector<double>& state) {
      if (!l.op.inputs[input].dtype) return;
      const std::vector<float> v = l.op.inputs[input].as<float>();
      state.assign(v.begin(), v.end());
    };
    fill(rec::kInitialH, h);
    fill(rec::kInitialC, c);
    for (int32_t d = 0; d < s.directions(); ++d)
      for (int32_t b = 0; b < s.batch; ++b) run(d, b);
  }

  double product(int32_t d, int32_t gate, int32_t j, const std::vector<double>& state) const {
    double sum = l.bias[at(d)][at(gate * l.s.hidden + j)];
    for (int32_t k = 0; k < l.s.hidden; ++k) sum += l.r[at(d)][at((gate * l.s.hidden + j) * l.s.hidden + k)] * state[at(k)];
    return sum;
  }
  double clipped(double x) const { return l.s.clip > 0 ? std::clamp<double>(x, -l.s.clip, l.s.clip) : x; }
  double peephole(int32_t d, int32_t which, int32_t j) const {
    const Tensor& p = l.op.inputs[rec::kPeepholes];
    return p.dtype ? p.as<float>()[at((d * 3 + which) * l.s.hidden + j)] : 0.0;
  }

  void step(int32_t d, const float* x, std::vector<double>& hs, std::vector<double>& cs) const {
    const int32_t n = l.s.hidden;
    const std::vector<double> old = hs;
    std::vector<double> scaled(at(n));
    if (l.s.kind == rec::kGru)
      for (int32_t j = 0; j < n; ++j) scaled[at(j)] = sigmoid(clipped(x[n + j] + product(d, 1, j, old))) * old[at(j)];
    for (int32_t j = 0; j < n; ++j) {
      const auto gate = [&](int32_t g) { return x[g * n + j] + product(d, g, j, old); };
      if (l.s.kind == rec::kRnn) hs[at(j)] = std::tanh(clipped(gate(0)));
      if (l.s.kind == rec::kGru) {
        const double z = sigmoid(clipped(gate(0))), r = sigmoid(clipped(gate(1)));
        const double recurrent = l.s.linear_before_reset ? r * product(d, 2, j, old) : product(d, 2, j, scaled);
        hs[at(j)] = (1 - z) * std::tanh(clipped(x[2 * n + j] + recurrent)) + z * old[at(j)];
      }
      if (l.s.kind == rec::kLstm) {
        const double before = cs[at(j)], in = sigmoid(clipped(gate(0) + peephole(d, 0, j) * before));
        const double forget = l.s.input_forget ? 1 - in : sigmoid(clipped(gate(2) + peephole(d, 2, j) * before));
        cs[at(j)] = forget * before + in * std::tanh(clipped(gate(3)));
        hs[at(j)] = sigmoid(clipped(gate(1) + peephole(d, 1, j) * cs[at(j)])) * std::tanh(cs[at(j)]);
      }
    }
  }

  void run(int32_t d, int32_t b) {
    const Shape& s = l.s;
    const Tensor& lengths = l.op.inputs[rec::kLengths];
    const int32_t length = lengths.dtype ? lengths.as<int32_t>()[at(b)] : s.steps, n = s.hidden;
    const std::vector<float> projected = l.op.inputs[rec::kProjected].as<float>();
    const int64_t state = (d * s.batch + b) * n;
    std::vector<double> hs(h.begin() + state, h.begin() + state + n), cs(c.begin() + state, c.begin() + state + n);
    for (int32_t i = 0; i < length; ++i) {
      const int32_t t = d == 1 || s.direction == rec::kReverse ? length - 1 - i : i;
      step(d, projected.data() + ((t * s.batch + b) * s.directions() + d) * s.gates() * n, hs, cs);
      std::copy(hs.begin(), hs.end(), y.begin() + ((t * s.batch + b) * s.directions() + d) * n);
    }
    std::copy(hs.begin(), hs.end(), h.begin() + state);
    std::copy(cs.begin(), cs.end(), c.begin() + state);
  }
};

}  // namespace ert::test
