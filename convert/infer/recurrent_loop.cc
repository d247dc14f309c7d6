// See recurrent_loop.h. The body is looked at in a round of unknown number; what it carries is told apart, then cells are found in it.
#include "convert/infer/recurrent_loop.h"

#include <algorithm>

#include "convert/infer/infer.h"
#include "convert/infer/inline_bodies.h"
#include "convert/infer/loop_condition.h"
#include "convert/infer/loop_rounds.h"
#include "convert/infer/recurrent_cell.h"
#include "convert/infer/recurrent_layers.h"
#include "convert/infer/step_values.h"
#include "convert/infer/zeros.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

// The Loop with a body that runs to its end as often as `count` says.
struct CountedLoop {
  std::vector<ValueId> inputs, outputs;
  size_t carried;
  DimExpr count;
  std::vector<std::optional<int64_t>> counters;
};

constexpr int64_t kFarCount = INT32_MAX;  // no number of rounds, but a way to say that the condition ends them, as no count is

// Bodies within bodies would be inferred again and again, for nothing.
bool may_be_recurrent(const Graph& body) {
  const auto any = [&](const std::initializer_list<OpKind> kinds) {
    return std::any_of(body.nodes.begin(), body.nodes.end(),
                       [&](const Node& n) { return !n.dead && std::find(kinds.begin(), kinds.end(), n.kind) != kinds.end(); });
  };
  return any({OpKind::kMatMul}) && !any({OpKind::kIf, OpKind::kLoop}) && body.import_problems.empty();
}

std::optional<CountedLoop> counted_loop(const Graph& g, const Node& n) {
  const SubgraphAttrs& a = n.as<SubgraphAttrs>();
  if (a.bodies.size() != 1 || a.carried < 0 || !may_be_recurrent(*a.bodies[0])) return {};
  const Graph& body = *a.bodies[0];
  CountedLoop loop{n.inputs, n.outputs, static_cast<size_t>(a.carried), DimExpr(kFarCount), {}};
  if (n.in(0) != kNone) {
    if (const auto known = known_scalar(g, n.in(0)))
      loop.count = DimExpr(*known);
    else if (const auto count = number_of(g, n.in(0)))
      loop.count = *count;
    else
      return {};
  }
  if (body.inputs.size() != n.inputs.size() || body.outputs.size() != n.outputs.size() + 1 ||
      loop.carried + 2 > n.inputs.size() || loop.carried > n.outputs.size())
    return {};
  if (loop.count.constant().value_or(0) >= kFarCount) {
    const auto rounds = rounds_by_condition(g, n.inputs, body, loop.carried);
    if (!rounds) return {};
    loop.count = *rounds;
  }
  if (!lets_first_round_run(g, n.in(1), loop.count)) return {};
  const CountedRounds counted = counted_rounds(g, n.inputs, body, loop.carried, loop.count);
  if (!runs_to_the_end(body) && !counted.condition_holds) return {};
  loop.counters = counted.counters;
  return loop;
}

class RecurrentLoop {
 public:
  RecurrentLoop(const Graph& g, const Graph& source, CountedLoop loop) : g_(g), loop_(std::move(loop)), source_(source) {
    const auto users = g.users();
    for (const ValueId v : loop_.outputs)
      read_.push_back(v != kNone && (!users[static_cast<size_t>(v)].empty() || g.is_output(v)));
    body_ = body_in_round(g_, loop_.inputs, source_, loop_.counters);
  }

  std::optional<RecurrentLayers> layers() {
    if (!know_states() || !know_mask() || !find_cells() || !carried_are_known() || !scans_are_known()) return {};
    return std::move(r_);
  }

  std::optional<FoldBudget> left_to_fold() const { return body_.fold_budget; }

 private:
  using Result = RecurrentLayers::Result;

  ValueId in(size_t carried) const { return body_.inputs[carried + 2]; }
  ValueId out(size_t carried) const { return body_.outputs[carried + 1]; }
  bool handed_on(size_t i) const { return same_rows(source_, source_.outputs[i + 1]) == source_.inputs[i + 2]; }

  // The body in a round, with the weights that are handed on as they came, and the states that are not.
  bool know_states() {
    for (size_t i = 0; i < loop_.carried; ++i) {
      const Value& outer = g_.value(loop_.inputs[i + 2]);
      if (!handed_on(i) || !outer.constant) continue;
      body_.value(in(i)).constant = outer.constant;
      body_.value(in(i)).shape = outer.shape;
    }
    Diagnostics ignored;
    infer(body_, ignored);
    for (size_t i = 0; i < loop_.carried; ++i) {
      if (handed_on(i) || loop_.counters[i]) continue;
      const Value& v = body_.value(in(i));
      if (!is_float(v.dtype) && !read_[i]) continue;
      if (v.dtype != DType::kFloat || v.rank() != 2 || !v.shape->back().constant()) return false;
      if (rows_of(body_, in(i)) != rows_of(body_, out(i)) || g_.value(loop_.inputs[i + 2]).shape != v.shape) return false;
      const auto next = expanded(out(i));
      if (!next || (!states_.empty() && r_.batch != v.shape->front())) return false;
      r_.batch = v.shape->front();
      places_.push_back(i);
      states_.push_back({in(i), *v.shape->back().constant(), *next});
      whole_.push_back(*next);
    }
    r_.steps = loop_.count;
    return !states_.empty();
  }

  // What is zero is left away.
  std::optional<Polynomial> expanded(ValueId v) const {
    auto p = polynomial(body_, v);
    for (size_t i = 2; p && i < body_.inputs.size(); ++i) {
      const bool same = i >= 2 + loop_.carried || handed_on(i - 2);
      if (same && is_zero(g_, loop_.inputs[i])) p = where(*p, body_.inputs[i], false);
    }
    return p;
  }

  // At most one.
  bool know_mask() {
    for (const Polynomial& p : whole_)
      for (const auto& [factors, by] : p)
        for (const ValueId v : factors) {
          if (body_.value(v).dtype != DType::kBool || v == mask_) continue;
          if (mask_ != kNone) return false;
          mask_ = v;
        }
    if (mask_ == kNone) return true;
    for (size_t s = 0; s < states_.size(); ++s) states_[s].next = where(whole_[s], mask_, true);
    const Value& v = body_.value(mask_);
    if (v.shape && shape_elements(*v.shape) == r_.batch) r_.mask = scanned(mask_);
    return r_.mask.has_value();
  }

  // In a step that is left out.
  bool stays(size_t state) const {
    return mask_ == kNone || where(whole_[state], mask_, false) == Polynomial{{{states_[state].old}, 1.0}};
  }

  // What `v` is a part of for each round.
  std::optional<ScannedTensor> scanned(ValueId v) const {
    const Node* p = body_.producer(v);
    if (!p || p->kind != OpKind::kGather) return {};
    const auto at = std::find(body_.inputs.begin() + 2, body_.inputs.end(), p->in(0));
    const Value& index = body_.value(p->in(1));
    if (at == body_.inputs.end() || !index.elements || index.elements->size() != 1) return {};
    const size_t i = static_cast<size_t>(at - body_.inputs.begin());
    if (i < 2 + loop_.carried && !handed_on(i - 2)) return {};
    ScannedTensor s{loop_.inputs[i], p->as<AxisAttrs>().axis, index.elements->front() != this_round()};
    if (s.backward && index.elements->front() != loop_.count - this_round() - DimExpr(1)) return {};
    const Value& whole = g_.value(s.whole);
    s.axis = from_front(s.axis, whole.rank());
    if (!whole.shape || s.axis >= whole.rank() || (*whole.shape)[static_cast<size_t>(s.axis)] != loop_.count) return {};
    return s;
  }

  bool find_cells() {
    std::vector<RecurrentCell> cells;
    used_.resize(states_.size());
    for (size_t s = 0; s < states_.size(); ++s) {
      if (used_[s] || !stays(s)) continue;
      auto cell = recurrent_cell(body_, states_, s, mask_);
      if (!cell) continue;
      if (cell->c && (used_[*cell->c] || !stays(*cell->c))) return false;
      used_[s] = true;
      if (cell->c) used_[*cell->c] = true;
      cells.push_back(std::move(*cell));
    }
    // Each behind those that it reads.
    for (bool more = true; more;) {
      more = false;
      for (RecurrentCell& cell : cells) {
        if (cell.inputs.empty() || !take(cell)) continue;
        cell.inputs.clear();
        more = true;
      }
    }
    return !cells.empty() && r_.layers.size() == cells.size();
  }

  bool take(const RecurrentCell& cell) {
    const auto initial = [&](size_t s) { return loop_.inputs[places_[s] + 2]; };
    RecurrentLayers::Layer l{cell.attrs, cell.w, cell.r, cell.b, {}, initial(cell.h), cell.c ? initial(*cell.c) : kNone};
    for (const ValueId v : cell.inputs) {
      const auto from = input(v);
      if (!from) return false;
      l.inputs.push_back(*from);
    }
    const size_t i = r_.layers.size();
    r_.layers.push_back(std::move(l));
    r_.results.resize(loop_.outputs.size());
    hidden_.push_back(cell.h);
    r_.results[places_[cell.h]] = {Result::kLastH, i, kNone, {}};
    if (cell.c) r_.results[places_[*cell.c]] = {Result::kLastC, i, kNone, {}};
    return true;
  }

  std::optional<RecurrentLayers::Input> input(ValueId v) const {
    const auto rows = rows_of(body_, v);
    if (!rows || rows->rows != r_.batch || !rows->columns.constant()) return {};
    if (const auto layer = layer_with(expanded(v))) return RecurrentLayers::Input{layer, {}};
    const auto s = scanned(v);
    if (!s || g_.value(s->whole).rank() != 3 || g_.value(s->whole).dtype != DType::kFloat) return {};
    const Shape& whole = *g_.value(s->whole).shape;
    if (whole[s->axis == 0 ? 1 : 0] != r_.batch || whole[s->axis == 2 ? 1 : 2] != rows->columns) return {};
    return RecurrentLayers::Input{{}, *s};
  }

  // Whose hidden state this is, in a step that is run.
  std::optional<size_t> layer_with(const std::optional<Polynomial>& p) const {
    if (!p) return {};
    for (size_t i = 0; i < hidden_.size(); ++i)
      if (states_[hidden_[i]].next == (mask_ == kNone ? *p : where(*p, mask_, true))) return i;
    return {};
  }

  // What is no state of a cell has its last output, or nobody reads it.
  bool carried_are_known() {
    for (size_t i = 0; i < loop_.carried; ++i) {
      const ValueId start = loop_.inputs[i + 2];
      if (handed_on(i)) r_.results[i] = {Result::kValue, 0, start, {}};
      if (loop_.counters[i]) r_.results[i] = {Result::kNumber, 0, start, DimExpr(*loop_.counters[i]) + loop_.count};
    }
    for (size_t s = 0; s < states_.size(); ++s) {
      if (used_[s] || !read_[places_[s]]) continue;
      const auto layer = stays(s) ? layer_with(states_[s].next) : std::nullopt;
      if (!layer) return false;
      r_.results[places_[s]] = {Result::kLastOutput, *layer, loop_.inputs[places_[s] + 2], {}};
    }
    for (size_t i = 0; i < loop_.carried; ++i)
      if (!read_[i]) r_.results[i] = {};
    return true;
  }

  bool scans_are_known() {
    for (size_t o = loop_.carried; o < loop_.outputs.size(); ++o) {
      if (!read_[o]) continue;
      const auto steps = scan(body_.outputs[o + 1]);
      if (!steps) return false;
      r_.results[o] = *steps;
    }
    return true;
  }

  std::optional<Result> scan(ValueId v) const {
    const auto p = expanded(v);
    const auto layer = layer_with(p);
    if (!layer || body_.value(v).shape != body_.value(states_[hidden_[*layer]].old).shape) return {};
    if (mask_ == kNone) return Result{Result::kSteps, *layer, kNone, {}};
    const Polynomial left_out = where(*p, mask_, false);
    if (left_out.empty()) return Result{Result::kStepsOrZero, *layer, r_.layers[*layer].h, {}};
    for (size_t s = 0; s < states_.size(); ++s) {
      const bool same = stays(s) && states_[s].next == states_[hidden_[*layer]].next;
      if (same && left_out == Polynomial{{{states_[s].old}, 1.0}})
        return Result{Result::kSteps, *layer, loop_.inputs[places_[s] + 2], {}};
    }
    return {};
  }

  const Graph& g_;
  const CountedLoop loop_;
  const Graph& source_;
  Graph body_;
  std::vector<bool> read_;      // of each output
  std::vector<size_t> places_;  // of states among what is carried
  std::vector<CarriedState> states_;
  std::vector<Polynomial> whole_;  // of each state, with the mask
  std::vector<bool> used_;         // of each state: a cell has it
  std::vector<size_t> hidden_;     // of each layer: its state
  ValueId mask_ = kNone;
  RecurrentLayers r_;
};

}  // namespace

bool replace_recurrent_loop(Graph& g, NodeId n) {
  auto loop = counted_loop(g, g.node(n));
  if (!loop) return false;
  RecurrentLoop recurrent(g, *g.node(n).as<SubgraphAttrs>().bodies[0], std::move(*loop));
  const auto layers = recurrent.layers();
  g.fold_budget = recurrent.left_to_fold();
  if (layers) write_recurrent_layers(g, n, *layers);
  return layers.has_value();
}

}  // namespace edgeconv
