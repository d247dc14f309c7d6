// See decision.h.
#include "convert/measure/decision.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "kernels_int8/contract/unary.h"
#include "rt/op_params.h"

namespace edgeconv {

namespace {

namespace reduce = ert::params::reduce;

constexpr size_t kMostVisited = 64;
constexpr int kMatrixRank = 3;  // outputs of higher rank with a Softmax are attention weights: nothing is decided by them
constexpr double kLeastProbability = 0.001;

bool is_view(const Node& n) {
  switch (n.kind) {
    case OpKind::kReshape:
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze:
    case OpKind::kFlatten:
    case OpKind::kTranspose:
    case OpKind::kSlice:
    case OpKind::kSplit:
    case OpKind::kConcat:
    case OpKind::kIdentity:
    case OpKind::kExpand:
    case OpKind::kCast:
    case OpKind::kGather: return true;
    default: return false;
  }
}

bool is_mean(const Node& n) { return n.kind == OpKind::kReduce && n.as<ReduceAttrs>().kind == reduce::kMean; }

}  // namespace

Decision decision_of(const Graph& g, ValueId v) {
  // Views first: behind arithmetic a sigmoid is a gate and no probability.
  std::vector<std::pair<ValueId, bool>> open = {{v, true}};
  std::set<ValueId> seen = {v};
  for (size_t at = 0; at < open.size() && at < kMostVisited; ++at) {
    const auto [value, only_views] = open[at];
    const Node* p = g.producer(value);
    if (!p || p->dead) continue;
    if (p->kind == OpKind::kUnary) {
      const int kind = p->as<UnaryAttrs>().kind;
      if (kind == static_cast<int>(ert::kernels::Unary::kLog)) return Decision::kLogarithm;
      if (kind == static_cast<int>(ert::kernels::Unary::kSigmoid) && only_views) return Decision::kLogit;
      continue;
    }
    if (p->kind == OpKind::kSoftmax && only_views && g.value(v).rank() <= kMatrixRank) return Decision::kLogit;
    const bool view = is_view(*p) || is_mean(*p);
    if (!view && p->kind != OpKind::kBinary && p->kind != OpKind::kWhere) continue;
    for (ValueId in : p->inputs)
      if (in != kNone && !g.value(in).constant && is_float(g.value(in).dtype) && seen.insert(in).second)
        open.emplace_back(in, only_views && view);
  }
  return Decision::kValue;
}

const char* decision_name(Decision d) {
  switch (d) {
    case Decision::kValue: return "value";
    case Decision::kLogit: return "logit";
    case Decision::kLogarithm: return "logarithm";
  }
  return "";
}

double portable_log(double x) {
  constexpr double kLn2 = 0.693147180559945309417;
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // in [0.5, 1)
  if (m < 0.70710678118654752) m *= 2, --exponent;
  const double s = (m - 1) / (m + 1), q = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * q + 1.0 / k;
  return exponent * kLn2 + 2 * s * sum;
}

double clipped_logit(double p) {
  const double clipped = std::clamp(p, kLeastProbability, 1 - kLeastProbability);
  return portable_log(clipped / (1 - clipped));
}

}  // namespace edgeconv
