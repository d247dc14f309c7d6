// See first_readers.h.
#include "convert/dims/first_readers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "convert/ir/median.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

constexpr size_t kMostVisited = 256;  // values on the way to the first operators

// A kernel over one axis, in data of one or two spatial dimensions.
bool one_dimensional(const Shape& weights) {
  size_t wide = 0;
  for (size_t a = 2; a < weights.size(); ++a) wide += weights[a] != DimExpr(1);
  return weights.size() == 3 || (weights.size() == 4 && wide <= 1);
}

// What values are multiplied by, of a constant that scales all of them or each of a few channels; nothing where these differ much.
std::optional<float> scale_of(const Value& v) {
  constexpr int64_t kMostChannels = 16;
  constexpr float kAlike = 8;
  if (!v.constant || !is_float(v.constant->dtype()) || v.constant->elements() < 1 || v.constant->elements() > kMostChannels)
    return std::nullopt;
  const std::vector<float> scales = v.constant->to_float();
  if (scales.size() == 1) return scales[0];
  float sum = 0, least = std::fabs(scales[0]), most = least;
  for (const float s : scales) {
    sum += std::fabs(s);
    least = std::min(least, std::fabs(s));
    most = std::max(most, std::fabs(s));
  }
  if (!(most <= kAlike * least)) return std::nullopt;
  return sum / static_cast<float>(scales.size());
}

// Of the middle kernel. Colours of a picture vary by a quarter of their range, and by a quarter of that from one pixel to the next.
float response_of(const Tensor& weights) {
  constexpr float kSpread = 0.25f, kDetail = 0.06f;
  constexpr int64_t kMostElements = 1 << 20;
  const int64_t kernels = weights.dims()[0];
  if (!is_float(weights.dtype()) || kernels < 1 || weights.elements() < kernels || weights.elements() > kMostElements) return 0;
  const std::vector<float> w = weights.to_float();
  const auto size = static_cast<size_t>(weights.elements() / kernels);
  std::vector<float> responses;
  for (size_t k = 0; k < static_cast<size_t>(kernels); ++k) {
    float sum = 0, squares = 0;
    for (size_t i = k * size; i < (k + 1) * size; ++i) sum += w[i], squares += w[i] * w[i];
    responses.push_back(std::sqrt(kSpread * kSpread * sum * sum + kDetail * kDetail * squares));
  }
  const float middle = median(std::move(responses));
  return std::isfinite(middle) ? middle : 0;
}

void read_conv(const Graph& g, const Node& n, FirstReaders& found) {
  const Value& weights = g.value(n.in(1));
  if (!weights.shape || weights.shape->size() < 3 || found.conv1d || found.conv2d) return;
  (one_dimensional(*weights.shape) ? found.conv1d : found.conv2d) = true;
  found.channels = (*weights.shape)[1].constant().value_or(0);
  if (found.conv2d && weights.constant && n.kind == OpKind::kConv) found.response = response_of(*weights.constant);
  for (size_t a = 2; a < weights.shape->size(); ++a)
    found.kernel = std::max(found.kernel, (*weights.shape)[a].constant().value_or(0));
}

// Whether a layer that reads x, made of an input of two axes, takes the leading one for frames: what it takes for the batch is one.
bool goes_along_frames(const Graph& g, const Node& n, const Shape& input) {
  const auto& x = g.value(n.in(0)).shape;
  if (input.size() != 2 || input[0] == DimExpr(1) || input[1] == DimExpr(1) || !x || x->size() < 3) return false;
  if (n.kind == OpKind::kRnn) return (*x)[0] != DimExpr(1) && (*x)[1] == DimExpr(1) && (*x)[2] == input[1];
  return x->size() == 4 && (*x)[0] == DimExpr(1) && (*x)[1] == DimExpr(1) && (*x)[2] != DimExpr(1) && (*x)[3] != DimExpr(1);
}

// Whether v is a square, moved or not.
bool is_square(const Graph& g, ValueId v) {
  constexpr int kMostMoves = 4;
  for (int moves = 0; moves < kMostMoves; ++moves) {
    const Node* p = v == kNone ? nullptr : g.producer(v);
    if (!p) return false;
    if (p->kind == OpKind::kUnary) return p->as<UnaryAttrs>().kind == ert::params::unary::kSquare;
    if (p->kind == OpKind::kBinary) {
      const int kind = p->as<BinaryAttrs>().kind;
      if (kind == binary::kPow && p->in(1) != kNone) {
        const auto& exponent = g.value(p->in(1)).constant;
        return exponent && exponent->elements() == 1 && exponent->to_float()[0] == 2;
      }
      return kind == binary::kMul && p->in(0) == p->in(1);
    }
    if (!moves_input(p->kind, 0)) return false;
    v = p->in(0);
  }
  return false;
}

// Whether squares of v meet other squares in a sum.
bool squares_are_paired(const Graph& g, const std::vector<std::vector<NodeId>>& users, ValueId v) {
  constexpr size_t kMostReaders = 16;
  std::vector<ValueId> open = {v};
  for (size_t at = 0; at < open.size() && at < kMostReaders; ++at)
    for (const NodeId id : users[static_cast<size_t>(open[at])]) {
      const Node& n = g.node(id);
      if (n.dead || n.outputs[0] == kNone) continue;
      const bool sum = n.kind == OpKind::kBinary && n.as<BinaryAttrs>().kind == binary::kAdd;
      if (sum && n.in(0) != n.in(1) && is_square(g, n.in(0)) && is_square(g, n.in(1))) return true;
      if (n.in(0) == open[at] && (is_square(g, n.outputs[0]) || moves_input(n.kind, 0))) open.push_back(n.outputs[0]);
    }
  return false;
}

}  // namespace

bool passes_values(const Node& n, size_t input) {
  switch (n.kind) {
    case OpKind::kCast:
    case OpKind::kBinary:
    case OpKind::kWhere:
    case OpKind::kBatchNormalization: return true;
    case OpKind::kPad: return input == 0;
    default: return moves_input(n.kind, input);
  }
}

FirstReaders first_readers(const Graph& g, const std::vector<std::vector<NodeId>>& users, ValueId input) {
  FirstReaders found;
  std::vector<ValueId> open = {input};
  std::set<ValueId> seen = {input};
  for (size_t at = 0; at < open.size() && at < kMostVisited; ++at) {
    for (const NodeId id : users[static_cast<size_t>(open[at])]) {
      const Node& n = g.node(id);
      if (n.dead) continue;
      const auto position = static_cast<size_t>(std::find(n.inputs.begin(), n.inputs.end(), open[at]) - n.inputs.begin());
      if ((n.kind == OpKind::kConv || n.kind == OpKind::kConvInteger) && position == 0) read_conv(g, n, found);
      if (n.kind == OpKind::kStft && position == 0 && !found.conv1d && !found.conv2d) {
        found.conv1d = true;  // over one channel, as the same transform written with a Conv
        found.channels = 1;
        if (n.in(2) != kNone && g.value(n.in(2)).shape) found.kernel = (*g.value(n.in(2)).shape)[0].constant().value_or(0);
      }
      const bool matmul = n.kind == OpKind::kMatMul || n.kind == OpKind::kLinear;
      if (matmul && position == 0) found.matmul = true;
      if ((matmul || n.kind == OpKind::kConv) && position == 0 && n.outputs[0] != kNone) found.power |= squares_are_paired(g, users, n.outputs[0]);
      if (n.kind == OpKind::kRnn && position >= 5) found.recurrent.insert(id);
      if ((n.kind == OpKind::kRnn || n.kind == OpKind::kConv) && position == 0 && g.value(input).shape)
        found.recording |= goes_along_frames(g, n, *g.value(input).shape);
      if (n.kind == OpKind::kBinary) {
        const ValueId other = n.in(1 - position);
        if (const auto v = other == kNone ? std::nullopt : scale_of(g.value(other))) {
          const auto kind = n.as<BinaryAttrs>().kind;
          if (kind == binary::kMul) found.factor *= *v;
          if (kind == binary::kDiv && position == 0 && *v != 0) found.factor /= *v;
        }
      }
      if (!passes_values(n, position)) continue;
      for (ValueId v : n.outputs)
        if (v != kNone && seen.insert(v).second) open.push_back(v);
    }
  }
  return found;
}

}  // namespace edgeconv
