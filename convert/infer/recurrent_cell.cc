// See recurrent_cell.h.
#include "convert/infer/recurrent_cell.h"

#include <algorithm>
#include <string>

#include "convert/infer/step_affine.h"
#include "convert/infer/step_values.h"

namespace edgeconv {
namespace {

namespace binary = ert::params::binary;
using ert::kernels::Unary;

// A gate: its activation, and what that is of.
struct Gate {
  std::string activation;
  ValueId argument = kNone;
};

// What goes into one gate, whose recurrent half may have a bias of its own.
struct GateWeights {
  AffineColumns columns;
  std::vector<float> recurrent;  // [hidden, hidden]
  std::vector<float> recurrent_bias;
};

using Factors = std::vector<ValueId>;

class CellMatch {
 public:
  CellMatch(const Graph& g, const std::vector<CarriedState>& states, size_t h, ValueId mask)
      : g_(g), states_(states), h_(h), mask_(mask), n_(states[h].columns) {}

  std::optional<RecurrentCell> match() {
    const Polynomial& next = states_[h_].next;
    if (next.size() == 3) return gru(next);
    if (next.size() != 1 || next.begin()->second != 1) return {};
    const Factors& f = next.begin()->first;
    if (f.size() == 1) return simple(f[0]);
    if (f.size() != 2) return {};
    auto cell = lstm(f[0], f[1]);
    return cell ? cell : lstm(f[1], f[0]);
  }

 private:
  std::optional<Polynomial> expanded(ValueId v) const {
    const auto p = polynomial(g_, v);
    return p && mask_ != kNone ? where(*p, mask_, true) : p;
  }

  std::optional<Gate> gate(ValueId v) const {
    const Node* p = g_.producer(v);
    if (!p || p->kind != OpKind::kUnary) return {};
    const int kind = p->as<UnaryAttrs>().kind;
    if (kind == static_cast<int>(Unary::kSigmoid)) return Gate{"Sigmoid", p->in(0)};
    if (kind == static_cast<int>(Unary::kTanh)) return Gate{"Tanh", p->in(0)};
    if (kind == static_cast<int>(Unary::kRelu)) return Gate{"Relu", p->in(0)};
    return {};
  }

  // Of x W + h R + b: R taken out.
  std::optional<GateWeights> weights(ValueId argument) const {
    auto columns = affine_columns(g_, argument, 0, n_);
    if (!columns || rows_of(g_, argument) != rows_of(g_, states_[h_].old)) return {};
    GateWeights w{std::move(*columns), {}, {}};
    const auto at = w.columns.products.find(states_[h_].old);
    if (at == w.columns.products.end()) return {};
    w.recurrent = std::move(at->second.matrix);
    w.columns.products.erase(at);
    return w;
  }

  std::optional<RecurrentCell> simple(ValueId h) const {
    const auto f = gate(h);
    const auto w = f ? weights(f->argument) : std::nullopt;
    return w ? cell("RNN", {f->activation}, {*w}) : std::nullopt;
  }

  // h' = o * f(c'), c' = f * c + i * g
  std::optional<RecurrentCell> lstm(ValueId o, ValueId shown) const {
    const auto output = gate(o), squashed = gate(shown);
    const auto c_next = squashed ? expanded(squashed->argument) : std::nullopt;
    if (!output || !c_next || c_next->size() != 2) return {};
    for (size_t c = 0; c < states_.size(); ++c) {
      if (c == h_ || states_[c].columns != n_ || states_[c].next != *c_next) continue;
      ValueId forget = kNone;
      Factors added;
      for (const auto& [factors, by] : *c_next) {
        if (factors.size() != 2 || by != 1) return {};
        const bool first = factors[0] == states_[c].old, kept = first || factors[1] == states_[c].old;
        if (kept) forget = factors[first ? 1 : 0];
        if (!kept) added = factors;
      }
      if (forget == kNone || added.empty()) return {};
      auto match = lstm_gates(c, *output, *squashed, forget, added[0], added[1]);
      return match ? match : lstm_gates(c, *output, *squashed, forget, added[1], added[0]);
    }
    return {};
  }

  std::optional<RecurrentCell> lstm_gates(size_t c, const Gate& output, const Gate& squashed, ValueId forget_gate,
                                          ValueId input_gate, ValueId candidate_gate) const {
    const auto forget = gate(forget_gate), input = gate(input_gate), candidate = gate(candidate_gate);
    if (!forget || !input || !candidate || input->activation != output.activation || forget->activation != output.activation)
      return {};
    std::vector<GateWeights> w;
    for (const Gate& part : {*input, output, *forget, *candidate}) {
      auto of = weights(part.argument);
      if (!of) return {};
      w.push_back(std::move(*of));
    }
    auto r = cell("LSTM", {output.activation, candidate->activation, squashed.activation}, w);
    if (r) r->c = c;
    return r;
  }

  // h' = (1 - z) * n + z * h, or with z for 1 - z, whose argument has the other sign.
  std::optional<RecurrentCell> gru(const Polynomial& next) const {
    const ValueId h = states_[h_].old;
    ValueId alone = kNone, z = kNone, n = kNone;
    for (const auto& [factors, by] : next)
      if (factors.size() == 1 && by == 1) alone = factors[0];
    const bool swapped = alone == h;
    const auto partner = [](const Factors& f, ValueId v) {
      return f.size() != 2 ? kNone : f[0] == v ? f[1] : f[1] == v ? f[0] : kNone;
    };
    for (const auto& [factors, by] : next) {  // what is taken away of the one, and added of the other
      if (by == -1) z = partner(factors, alone);
    }
    if (alone == kNone || z == kNone) return {};
    for (const auto& [factors, by] : next)
      if (by == 1 && factors.size() == 2) n = partner(factors, z);
    if (n == kNone || (!swapped && n != h)) return {};
    const ValueId candidate = swapped ? n : alone;
    const auto update = gate(z), proposed = gate(candidate);
    auto z_weights = update ? weights(update->argument) : std::nullopt;
    if (!z_weights || !proposed || (swapped && update->activation != "Sigmoid")) return {};
    if (swapped) negate(*z_weights);
    return gru_candidate(*update, *z_weights, *proposed);
  }

  static void negate(std::vector<float>& v) {
    for (float& x : v) x = -x;
  }
  static void negate(GateWeights& w) {
    negate(w.recurrent);
    negate(w.columns.bias);
    for (auto& [value, p] : w.columns.products) negate(p.matrix);
    for (auto& [columns, factors] : w.columns.multiplied) negate(factors);
  }

  std::optional<RecurrentCell> gru_candidate(const Gate& update, const GateWeights& z, const Gate& proposed) const {
    auto columns = affine_columns(g_, proposed.argument, 0, n_);
    const ValueId h = states_[h_].old;
    if (!columns || rows_of(g_, proposed.argument) != rows_of(g_, h)) return {};
    GateWeights n{std::move(*columns), {}, {}};
    std::optional<Gate> reset;
    bool linear_before_reset = false;
    for (auto at = n.columns.products.begin(); at != n.columns.products.end() && !reset; ++at) {  // (r * h) R
      const auto p = expanded(at->first);
      if (!p || p->size() != 1 || p->begin()->second != 1 || p->begin()->first.size() != 2) continue;
      const Factors& f = p->begin()->first;
      if (f[0] != h && f[1] != h) continue;
      reset = gate(f[f[0] == h ? 1 : 0]);
      n.recurrent = std::move(at->second.matrix);
      at = n.columns.products.erase(at);
      if (!reset) return {};
      break;
    }
    for (auto at = n.columns.multiplied.begin(); at != n.columns.multiplied.end() && !reset; ++at) {  // r * (h R + b)
      const Node* p = g_.producer(at->first.first);
      if (!p || p->kind != OpKind::kBinary || p->as<BinaryAttrs>().kind != binary::kMul || at->first.second != 0 ||
          std::any_of(at->second.begin(), at->second.end(), [](float x) { return x != 1.0f; }))
        continue;
      for (size_t i = 0; i < 2 && !reset; ++i) {
        const auto recurrent = weights(p->in(1 - i));
        if (!recurrent || !recurrent->columns.products.empty() || !recurrent->columns.multiplied.empty()) continue;
        reset = gate(same_rows(g_, p->in(i)));
        n.recurrent = recurrent->recurrent;
        n.recurrent_bias = recurrent->columns.bias;
      }
      if (!reset) continue;
      n.columns.multiplied.erase(at);
      linear_before_reset = true;
      break;
    }
    const auto r = reset ? weights(reset->argument) : std::nullopt;
    if (!r || reset->activation != update.activation) return {};
    auto match = cell("GRU", {update.activation, proposed.activation}, {z, *r, n});
    if (match) match->attrs.linear_before_reset = linear_before_reset;
    return match;
  }

  std::optional<RecurrentCell> cell(const std::string& kind, std::vector<std::string> activations,
                                    const std::vector<GateWeights>& gates) const {
    RecurrentCell r;
    r.h = h_;
    r.attrs.kind = kind;
    r.attrs.hidden = n_;
    r.attrs.activations = std::move(activations);
    std::vector<std::pair<ValueId, int64_t>> parts;
    int64_t inputs = 0, taken = 0;
    const auto place = [&](ValueId v, int64_t columns) {
      const auto at = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == v; });
      if (at != parts.end()) return;
      parts.push_back({v, inputs});
      r.inputs.push_back(v);
      inputs += columns;
    };
    for (const GateWeights& w : gates) {
      for (const auto& [v, p] : w.columns.products) place(v, p.rows);
      for (const auto& [from, factors] : w.columns.multiplied)
        place(from.first, rows_of(g_, from.first)->columns.constant().value_or(0));
      for (const auto& [v, p] : w.columns.products) taken += p.rows;
      taken += static_cast<int64_t>(w.columns.multiplied.size()) * n_;
    }
    if (inputs > 2 * taken) return {};  // a wide value of which little is read: w would be mostly zeros
    for (const CarriedState& s : states_)
      if (inputs == 0 || std::find(r.inputs.begin(), r.inputs.end(), s.old) != r.inputs.end()) return {};
    fill(r, gates, parts, inputs);
    return r;
  }

  void fill(RecurrentCell& cell, const std::vector<GateWeights>& gates, const std::vector<std::pair<ValueId, int64_t>>& parts,
            int64_t inputs) const {
    const int64_t rows = static_cast<int64_t>(gates.size()) * n_;
    cell.w = Tensor(DType::kFloat, {1, rows, inputs});
    cell.r = Tensor(DType::kFloat, {1, rows, n_});
    cell.b = Tensor(DType::kFloat, {1, 2 * rows});
    const auto w = cell.w.mut<float>(), r = cell.r.mut<float>(), b = cell.b.mut<float>();
    const auto start = [&](ValueId v) {
      return std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == v; })->second;
    };
    for (size_t gate = 0; gate < gates.size(); ++gate)
      for (int64_t j = 0; j < n_; ++j) {
        const GateWeights& from = gates[gate];
        const int64_t row = static_cast<int64_t>(gate) * n_ + j;
        const auto column = static_cast<size_t>(j);
        for (const auto& [v, p] : from.columns.products)
          for (int64_t k = 0; k < p.rows; ++k)
            w[static_cast<size_t>(row * inputs + start(v) + k)] += p.matrix[static_cast<size_t>(k * n_ + j)];
        for (const auto& [of, factors] : from.columns.multiplied)
          w[static_cast<size_t>(row * inputs + start(of.first) + of.second + j)] += factors[column];
        for (int64_t k = 0; k < n_; ++k) r[static_cast<size_t>(row * n_ + k)] = from.recurrent[static_cast<size_t>(k * n_ + j)];
        b[static_cast<size_t>(row)] = from.columns.bias[column];
        if (!from.recurrent_bias.empty()) b[static_cast<size_t>(rows + row)] = from.recurrent_bias[column];
      }
  }

  const Graph& g_;
  const std::vector<CarriedState>& states_;
  const size_t h_;
  const ValueId mask_;
  const int64_t n_;
};

}  // namespace

std::optional<RecurrentCell> recurrent_cell(const Graph& body, const std::vector<CarriedState>& states, size_t h, ValueId mask) {
  return CellMatch(body, states, h, mask).match();
}

}  // namespace edgeconv
