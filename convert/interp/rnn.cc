// LSTM, GRU and RNN as ONNX defines them: directions, layouts, sequence lengths, initial states, peepholes, clip, activations.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "convert/interp/eval.h"
#include "convert/interp/rnn_activations.h"
#include "convert/interp/strided.h"

namespace edgeconv {
namespace {

struct Layer {
  const NodeInputs& c;
  const RnnAttrs& a;
  int64_t sequence, batch, input, hidden, gates, directions;
  std::vector<float> x;           // [sequence, batch, input]
  std::vector<int64_t> lengths;   // per batch row
  std::vector<Activation> f;      // per direction
  std::vector<float> y, h, cell;  // [sequence, directions, batch, hidden], [directions, batch, hidden]
  std::vector<float> gate[3] = {};  // of one row, one number for each hidden unit
};

float clipped(const RnnAttrs& a, float x) { return a.clip > 0 ? std::clamp(x, -a.clip, a.clip) : x; }

// One cell: w holds W*x + Wb and r holds R*h + Rb, gates one after the other; h and cell are updated.
void lstm_cell(Layer& l, const Activation* f, const float* w, const float* r, const float* peephole, float* h, float* cell) {
  const int64_t n = l.hidden;
  float *in = l.gate[0].data(), *forget = l.gate[1].data(), *candidate = l.gate[2].data();
  // Gate g (order: i o f c), of which a peephole sees a cell.
  const auto gate = [&](int64_t g, const Activation& function, const float* seen, float* out) {
    for (int64_t i = 0; i < n; ++i) out[i] = clipped(l.a, w[g * n + i] + r[g * n + i] + (seen ? peephole[g * n + i] * seen[i] : 0.0f));
    activate(l.c, function, n, out, out);
  };
  gate(0, f[0], peephole ? cell : nullptr, in);
  if (l.a.input_forget)
    std::transform(in, in + n, forget, [](float x) { return 1.0f - x; });
  else
    gate(2, f[0], peephole ? cell : nullptr, forget);
  for (int64_t i = 0; i < n; ++i) candidate[i] = clipped(l.a, w[3 * n + i] + r[3 * n + i]);
  activate(l.c, f[1], n, candidate, candidate);
  for (int64_t i = 0; i < n; ++i) cell[i] = forget[i] * cell[i] + in[i] * candidate[i];
  float *out = in, *next = forget;
  gate(1, f[0], peephole ? cell : nullptr, out);
  activate(l.c, f[2], n, cell, next);
  for (int64_t i = 0; i < n; ++i) h[i] = out[i] * next[i];
}

// Weights that many steps multiply with: turned once for the kernels, which would turn them at each step; OpenBLAS takes them as they are.
class StepWeights {
 public:
  // weights: [n, k], k the axis that is summed over.
  StepWeights(Backend backend, int64_t n, int64_t k, const float* weights) : k_(k), n_(n), given_(weights) {
    if (backend == Backend::kOracle) return;
    turned_.resize(static_cast<size_t>(n * k));
    transpose_f32(n, k, weights, k, turned_.data());
  }
  MatrixView view() const { return turned_.empty() ? MatrixView{given_, k_, true} : MatrixView{turned_.data(), n_}; }

 private:
  int64_t k_, n_;
  const float* given_;
  std::vector<float> turned_;
};

// rh_weights: R of the candidate gate, [hidden, hidden], for linear_before_reset = 0.
void gru_cell(Layer& l, const Activation* f, const float* w, const float* r, MatrixView rh_weights, const float* rh_bias, float* h) {
  const int64_t n = l.hidden;
  float *update = l.gate[0].data(), *reset = l.gate[1].data(), *candidate = l.gate[2].data();
  for (int64_t i = 0; i < n; ++i) {  // order: z r h
    update[i] = clipped(l.a, w[i] + r[i]);
    reset[i] = clipped(l.a, w[n + i] + r[n + i]);
  }
  activate(l.c, f[0], n, update, update);
  activate(l.c, f[0], n, reset, reset);
  if (!l.a.linear_before_reset) {
    for (int64_t i = 0; i < n; ++i) reset[i] *= h[i];
    matmul_f32(l.c.backend, 1, n, n, {reset, n}, rh_weights, candidate, n);
  }
  for (int64_t i = 0; i < n; ++i) {
    const float recurrent = l.a.linear_before_reset ? reset[i] * r[2 * n + i] : candidate[i] + (rh_bias ? rh_bias[i] : 0.0f);
    candidate[i] = clipped(l.a, w[2 * n + i] + recurrent);
  }
  activate(l.c, f[1], n, candidate, candidate);
  for (int64_t i = 0; i < n; ++i) h[i] = (1.0f - update[i]) * candidate[i] + update[i] * h[i];
}

// out[rows, gates * hidden] = src * weights^T (+ bias)
std::vector<float> project(const Layer& l, int64_t rows, int64_t k, const float* src, MatrixView weights, const float* bias) {
  const int64_t n = l.gates * l.hidden;
  std::vector<float> out(static_cast<size_t>(rows * n));
  matmul_f32(l.c.backend, rows, n, k, {src, k}, weights, out.data(), n);
  for (int64_t row = 0; bias && row < rows; ++row)
    for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(row * n + i)] += bias[i];
  return out;
}

// What one direction computes with. w: products of the input, with bias; row t * batch + b starts at w + row * stride.
struct Direction {
  const float* w;
  int64_t stride;
  const float* recurrent;  // [gates * hidden, hidden]
  const float* bias;       // of the recurrent products, or null
  const float* peephole;   // or null
};

void run_direction(Layer& l, int64_t d, const Direction& of) {
  const NodeInputs& c = l.c;
  const int64_t n = l.hidden, g = l.gates * n, state = l.batch * n;
  const Activation* f = l.f.data() + static_cast<size_t>(d) * (l.f.size() / static_cast<size_t>(l.directions));
  const bool backward = d == 1 || l.a.direction == "reverse";
  float* h = l.h.data() + d * state;
  float* cell = l.cell.data() + d * state;
  const StepWeights recurrent(c.backend, g, n, of.recurrent);
  const bool needs_candidate = l.a.kind == "GRU" && !l.a.linear_before_reset;
  const StepWeights candidate(c.backend, needs_candidate ? n : 0, n, of.recurrent + (needs_candidate ? 2 * n * n : 0));
  for (int64_t t = 0; t < l.sequence; ++t) {
    const std::vector<float> r = project(l, l.batch, n, h, recurrent.view(), of.bias);
    for (int64_t b = 0; b < l.batch; ++b) {
      const int64_t length = l.lengths[static_cast<size_t>(b)];
      if (t >= length) continue;  // past the end: state stays, the output is zero
      const int64_t at = backward ? length - 1 - t : t;
      const float* wx = of.w + (at * l.batch + b) * of.stride;
      const float* rh = r.data() + b * g;
      if (l.a.kind == "LSTM") {
        lstm_cell(l, f, wx, rh, of.peephole, h + b * n, cell + b * n);
      } else if (l.a.kind == "GRU") {
        gru_cell(l, f, wx, rh, candidate.view(), of.bias ? of.bias + 2 * n : nullptr, h + b * n);
      } else {
        for (int64_t i = 0; i < n; ++i) h[b * n + i] = clipped(l.a, wx[i] + rh[i]);
        activate(c, f[0], n, h + b * n, h + b * n);
      }
      std::memcpy(l.y.data() + ((at * l.directions + d) * l.batch + b) * n, h + b * n, static_cast<size_t>(n) * sizeof(float));
    }
  }
}

Tensor from_floats(const Dims& dims, const std::vector<float>& v) { return Tensor::of<float>(DType::kFloat, dims, v); }

Tensor swapped(const Tensor& t, const std::vector<size_t>& perm) {
  const Dims own = row_major_strides(t.dims());
  Dims dims, strides;
  for (size_t p : perm) {
    dims.push_back(t.dims()[p]);
    strides.push_back(own[p]);
  }
  return strided_copy(t, dims, strides);
}

std::vector<float> floats_of(const Tensor& t) { return {t.as<float>().begin(), t.as<float>().end()}; }

// Initial state as [directions, batch, hidden]; zeros where absent.
std::vector<float> initial(const NodeInputs& c, size_t i, bool layout, const Dims& dims) {
  if (!c.has(i)) return std::vector<float>(static_cast<size_t>(product(dims)), 0.0f);
  const Tensor t = layout ? swapped(c.in(i), {1, 0, 2}) : c.in(i);
  if (t.dims() != dims) c.fail("an initial state has the wrong shape");
  return floats_of(t);
}

void check_weights(const NodeInputs& c, const Layer& l) {
  const int64_t g = l.gates * l.hidden;
  const auto want = [&](size_t i, const Dims& dims, const char* what) {
    if (c.has(i) && c.in(i).dims() != dims) c.fail(std::string(what) + " has the wrong shape");
  };
  want(1, {l.directions, g, l.input}, "W");
  want(2, {l.directions, g, l.hidden}, "R");
  want(3, {l.directions, 2 * g}, "B");
  want(4, {l.batch}, "sequence_lens");
  want(7, {l.directions, 3 * l.hidden}, "P");
}

// Lengths, initial states and room for the results, from the inputs at these places.
void begin(Layer& l, size_t lengths, size_t initial_h, size_t initial_c) {
  const NodeInputs& c = l.c;
  l.f = activations_of(l.a, static_cast<size_t>(l.directions));
  l.lengths.assign(static_cast<size_t>(l.batch), l.sequence);
  if (c.has(lengths)) l.lengths = c.in(lengths).to_int64();
  for (int64_t n : l.lengths) {
    if (n < 0 || n > l.sequence)
      c.fail("a sequence length of " + std::to_string(n) + " for " + std::to_string(l.sequence) + " steps");
  }
  const Dims state{l.directions, l.batch, l.hidden};
  l.h = initial(c, initial_h, l.a.layout, state);
  l.cell = initial(c, initial_c, l.a.layout, state);
  l.y.assign(static_cast<size_t>(l.sequence * product(state)), 0.0f);
  for (std::vector<float>& gate : l.gate) gate.resize(static_cast<size_t>(l.hidden));
}

}  // namespace

// Inputs: RnnAttrs in ir/attributes.h. The same loop with the products of the input given.
Results eval_recurrence(const NodeInputs& c) {
  const RnnAttrs& a = c.node.as<RnnAttrs>();
  const int64_t gates = a.kind == "LSTM" ? 4 : (a.kind == "GRU" ? 3 : 1), directions = a.direction == "bidirectional" ? 2 : 1;
  const Dims &p = c.in(0).dims(), &r = c.in(1).dims();
  if (p.size() != 3 || r.size() != 3 || r[0] != directions || r[1] != gates * r[2] || p[2] != directions * r[1])
    c.fail("products or weights have the wrong shape");
  Layer l{c, a, p[0], p[1], 0, r[2], gates, directions, {}, {}, {}, {}, {}, {}};
  begin(l, 3, 4, 5);
  for (int64_t d = 0; d < directions; ++d) {
    run_direction(l, d,
                  {c.in(0).as<float>().data() + d * r[1], p[2], c.in(1).as<float>().data() + d * r[1] * r[2],
                   c.has(2) ? c.in(2).as<float>().data() + d * r[1] : nullptr,
                   c.has(6) ? c.in(6).as<float>().data() + d * 3 * r[2] : nullptr});
  }
  const Dims state{directions, l.batch, l.hidden};
  const Tensor y = swapped(from_floats({l.sequence, directions, l.batch, l.hidden}, l.y), {0, 2, 1, 3});
  return {y.reshaped({l.sequence, l.batch, directions * l.hidden}), from_floats(state, l.h), from_floats(state, l.cell)};
}

Results eval_rnn(const NodeInputs& c) {
  const RnnAttrs& a = c.node.as<RnnAttrs>();
  if (c.in(0).rank() != 3 || c.in(1).rank() != 3 || c.in(2).rank() != 3) c.fail("x, W and R need rank 3");
  const Tensor x = a.layout ? swapped(c.in(0), {1, 0, 2}) : c.in(0);
  Layer l{c,
          a,
          x.dims()[0],
          x.dims()[1],
          x.dims()[2],
          c.in(2).dims()[2],
          a.kind == "LSTM" ? 4 : (a.kind == "GRU" ? 3 : 1),
          a.direction == "bidirectional" ? 2 : 1,
          floats_of(x),
          {},
          {},
          {},
          {},
          {}};
  check_weights(c, l);
  begin(l, 4, 5, 6);
  const Dims state{l.directions, l.batch, l.hidden};
  const int64_t g = l.gates * l.hidden;
  for (int64_t d = 0; d < l.directions; ++d) {
    const float* bias = c.has(3) ? c.in(3).as<float>().data() + d * 2 * g : nullptr;
    const std::vector<float> w = project(l, l.sequence * l.batch, l.input, l.x.data(),
                                         {c.in(1).as<float>().data() + d * g * l.input, l.input, true}, bias);
    run_direction(l, d,
                  {w.data(), g, c.in(2).as<float>().data() + d * g * l.hidden, bias ? bias + g : nullptr,
                   c.has(7) ? c.in(7).as<float>().data() + d * 3 * l.hidden : nullptr});
  }
  Results r{from_floats({l.sequence, l.directions, l.batch, l.hidden}, l.y), from_floats(state, l.h), from_floats(state, l.cell)};
  if (a.layout) {
    r[0] = swapped(r[0], {2, 0, 1, 3});
    r[1] = swapped(r[1], {1, 0, 2});
    r[2] = swapped(r[2], {1, 0, 2});
  }
  return r;
}

}  // namespace edgeconv
