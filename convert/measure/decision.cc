// See decision.h.
#include "convert/measure/decision.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "convert/interp/portable_math.h"
#include "kernels_int8/contract/unary.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;

constexpr size_t kMostVisited = 64;
constexpr int kMatrixRank = 3;  // outputs of higher rank with a Softmax are attention weights: nothing is decided by them
constexpr double kLeastProbability = 0.001;

// Elements of its inputs, and nothing computed: also one of several, and a model chosen by the data.
bool is_view(const Node& n) {
  return rearranges(n.kind) || n.kind == OpKind::kConcat || n.kind == OpKind::kCast || n.kind == OpKind::kWhere ||
         n.kind == OpKind::kIf;
}

bool is_mean(const Node& n) { return n.kind == OpKind::kReduce && n.as<ReduceAttrs>().kind == reduce::kMean; }

// What an operator does to the size of one neper on its way from a logarithm to the output; 0 where that depends on the data.
double unit_factor(const Graph& g, const Node& n, ValueId from) {
  if (n.kind != OpKind::kBinary) return 1;
  const auto kind = n.as<BinaryAttrs>().kind;
  if (kind != binary::kMul && kind != binary::kDiv) return 1;
  const ValueId other = n.in(0) == from ? n.in(1) : n.in(0);
  if (other == kNone || !g.value(other).constant || g.value(other).constant->elements() != 1) return 0;
  const double factor = std::fabs(g.value(other).constant->to_float()[0]);
  if (kind == binary::kMul) return factor;
  return n.in(0) == from && factor > 0 ? 1 / factor : 0;
}

struct Walk {
  ValueId value;
  bool only_views;  // between it and the output: behind arithmetic a sigmoid is a gate and no probability
  double unit;
};

}  // namespace

DecidedBy decision_of(const Graph& g, ValueId v) {
  std::vector<Walk> open = {{v, true, 1}};
  std::set<ValueId> seen = {v};
  for (size_t at = 0; at < open.size() && at < kMostVisited; ++at) {
    const Walk w = open[at];
    const Node* p = g.producer(w.value);
    if (!p || p->dead) continue;
    if (p->kind == OpKind::kUnary) {
      const int kind = p->as<UnaryAttrs>().kind;
      if (kind == static_cast<int>(ert::kernels::Unary::kLog)) return {Decision::kLogarithm, w.unit};
      if (kind == static_cast<int>(ert::kernels::Unary::kSigmoid) && w.only_views) return {Decision::kLogit};
      continue;
    }
    if (p->kind == OpKind::kSoftmax && w.only_views && g.value(v).rank() <= kMatrixRank) return {Decision::kLogit};
    const bool view = is_view(*p) || is_mean(*p);
    if (!view && p->kind != OpKind::kBinary) continue;
    for (ValueId in : p->inputs)
      if (in != kNone && !g.value(in).constant && is_float(g.value(in).dtype) && seen.insert(in).second)
        open.push_back({in, w.only_views && view, w.unit * unit_factor(g, *p, in)});
  }
  return {};
}

const char* decision_name(Decision d) {
  switch (d) {
    case Decision::kValue: return "value";
    case Decision::kLogit: return "logit";
    case Decision::kLogarithm: return "logarithm";
  }
  return "";
}

std::string measured_text(const OutputError& e) { return e.scores_before.empty() ? "" : "as scores before " + e.scores_before + ": "; }

const char* agreement_text(const OutputError& e) { return e.scores_before.empty() ? "same argmax" : "same choices"; }

const char* evidence_text(Evidence e) {
  switch (e) {
    case Evidence::kMoves: return "";
    case Evidence::kHardlyMoves: return "hardly moves";
    case Evidence::kStill: return "does not move";
    case Evidence::kConstant: return "is one number";
    case Evidence::kZero: return "is zero";
    case Evidence::kSure: return "is certain of every answer";
    case Evidence::kChaotic: return "is chaotic on every sample";
    case Evidence::kNoNumber: return "is NaN or infinity everywhere";
  }
  return "";
}

const char* evidence_name(Evidence e) {
  switch (e) {
    case Evidence::kMoves: return "moves";
    case Evidence::kHardlyMoves: return "hardly moves";
    case Evidence::kStill: return "still";
    case Evidence::kConstant: return "constant";
    case Evidence::kZero: return "zero";
    case Evidence::kSure: return "certain";
    case Evidence::kChaotic: return "chaotic";
    case Evidence::kNoNumber: return "no number";
  }
  return "";
}

double clipped_probability(double p) { return std::clamp(p, kLeastProbability, 1 - kLeastProbability); }

double clipped_logit(double p) {
  const double clipped = clipped_probability(p);
  return portable_log(clipped / (1 - clipped));
}

}  // namespace edgeconv
