// See class_scores.h.
#include "convert/measure/class_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert/ir/axis.h"

namespace edgeconv {

namespace {

constexpr int kMostSteps = 32;

std::optional<ClassScores> chosen_by(const Graph& g, const Node& n, ValueId chosen, const char* name, int64_t axis) {
  const Value& scores = g.value(n.in(0));
  if (scores.constant || !is_float(scores.dtype) || scores.rank() < 1) return {};
  return ClassScores{chosen, n.in(0), from_front(axis, scores.rank()), fmt::format("{}, axis {}", name, axis)};
}

bool is_list_of_labels(const Graph& g, ValueId v) {
  const auto& constant = g.value(v).constant;
  return constant && constant->rank() == 1 && !is_float(constant->dtype());
}

}  // namespace

std::optional<ClassScores> class_scores(const Graph& g, ValueId v) {
  for (int step = 0; step < kMostSteps; ++step) {
    const Node* n = v == kNone ? nullptr : g.producer(v);
    if (!n || n->dead) return {};
    if (n->kind == OpKind::kArgMinMax) {
      const auto& a = n->as<ArgAttrs>();
      return chosen_by(g, *n, v, a.max ? "ArgMax" : "ArgMin", a.axis);
    }
    if (n->kind == OpKind::kTopK) {
      if (n->outputs.size() < 2 || n->outputs[1] != v) return {};
      return chosen_by(g, *n, v, "TopK", n->as<TopKAttrs>().axis);
    }
    if (n->kind == OpKind::kGather && is_list_of_labels(g, n->in(0)))
      v = n->in(1);
    else if (n->kind == OpKind::kCast || rearranges(n->kind))
      v = n->in(0);
    else
      return {};
  }
  return {};
}

Tensor rows_of_scores(const Tensor& scores, int64_t axis, bool less_mean) {
  const Tensor floats = scores.cast(DType::kFloat).aligned();
  const std::vector<int64_t>& from = floats.dims();
  const auto at = from.begin() + axis;
  std::vector<int64_t> dims(from.begin(), at);
  dims.insert(dims.end(), at + 1, from.end());
  dims.push_back(*at);
  size_t inner = 1;
  for (auto d = at + 1; d != from.end(); ++d) inner *= static_cast<size_t>(*d);
  Tensor rows(DType::kFloat, std::move(dims));
  const auto width = static_cast<size_t>(*at), all = static_cast<size_t>(rows.elements());
  const auto in = floats.as<float>();
  const auto out = rows.mut<float>();
  for (size_t row = 0; row * width < all; ++row) {
    const size_t first = row / inner * inner * width + row % inner;
    double sum = 0, count = 0;
    for (size_t i = 0; i < width; ++i) {
      const float score = in[first + i * inner];
      out[row * width + i] = score;
      if (std::isfinite(score)) sum += score, ++count;
    }
    if (!less_mean || count == 0) continue;
    for (float& score : out.subspan(row * width, width)) score = static_cast<float>(score - sum / count);
  }
  return rows;
}

Tensor scores_in_shape(const Tensor& held, const std::vector<int64_t>& dims, const std::optional<TokenMask>& mask) {
  if (held.dims() == dims || held.dtype() == DType::kUndefined) return held;
  if (!mask || dims.size() < 3 || dims[0] != mask->batch || dims[1] != mask->sequence || held.elements() == 0) return {};
  Tensor whole(DType::kFloat, dims);
  const auto rows = static_cast<size_t>(dims[0] * dims[1]), width = static_cast<size_t>(whole.elements()) / std::max<size_t>(rows, 1);
  if (width == 0) return {};
  const std::vector<size_t> place = packed_places(*mask, rows, static_cast<size_t>(held.elements()) / width);
  if (place.empty()) return {};
  const auto in = held.as<float>();
  const auto out = whole.mut<float>();
  for (size_t r = 0; r < rows; ++r)
    if (mask->token[r]) std::copy_n(in.begin() + static_cast<ptrdiff_t>(place[r] * width), width, out.begin() + static_cast<ptrdiff_t>(r * width));
  return whole;
}

}  // namespace edgeconv
