// Inference of reductions, normalizations and searches along an axis.
#include <algorithm>

#include "convert/infer/dispatch.h"

namespace edgeconv {
namespace {

namespace rp = ert::params::reduce;

// Contents of a reduction of all elements, or of a vector.
void reduce_elements(NodeInference& c, rp::Kind kind, bool whole) {
  const auto e = c.elements(0);
  if (!e || !whole) return;
  DimExpr acc(kind == rp::kProd ? 1 : 0);
  if ((kind == rp::kMax || kind == rp::kMin) && e->empty()) return;
  for (size_t i = 0; i < e->size(); ++i) {
    const DimExpr& x = (*e)[i];
    switch (kind) {
      case rp::kSum: acc = acc + x; break;
      case rp::kProd: acc = acc * x; break;
      case rp::kSumSquare: acc = acc + x * x; break;
      case rp::kMax: acc = i == 0 ? x : DimExpr::max(acc, x); break;
      case rp::kMin: acc = i == 0 ? x : DimExpr::min(acc, x); break;
      default: return;
    }
  }
  c.set_elements(0, {acc});
}

}  // namespace

void infer_reduce(NodeInference& c) {
  const ReduceAttrs& a = c.node().as<ReduceAttrs>();
  std::vector<int64_t> axes = a.axes;
  if ((a.kind == rp::kLogSum || a.kind == rp::kLogSumExp) && !is_float(c.dtype(0)))
    return c.problem("it takes the logarithm of integers", "cast its input to float32");
  if (c.has(1)) {
    if (!is_integer(c.dtype(1)) || c.rank(1) > 1) return c.invalid("its axes are no vector of integers");
    const auto v = c.ints(1);
    if (!v) return c.data_dependent(1);
    axes = *v;
  }
  const Shape& in = c.shape(0);
  if (axes.empty() && a.noop_with_empty_axes) {
    c.set(0, c.dtype(0), in);
    return;
  }
  std::vector<bool> drop(in.size(), axes.empty());
  for (int64_t x : axes) {
    const auto ax = c.axis(x, c.rank(0));
    if (!ax) return;
    drop[static_cast<size_t>(*ax)] = true;
  }
  Shape out;
  bool whole = true;
  for (size_t i = 0; i < in.size(); ++i) {
    whole = whole && (drop[i] || in[i] == DimExpr(1));
    if (!drop[i]) {
      out.push_back(in[i]);
    } else if (a.keep_dims) {
      out.push_back(DimExpr(1));
    }
  }
  c.set(0, c.dtype(0), std::move(out));
  reduce_elements(c, a.kind, whole);
}

void infer_softmax(NodeInference& c) {
  if (const auto* a = std::get_if<AxisAttrs>(&c.node().attrs); a && !c.axis(a->axis, c.rank(0))) return;
  c.set(0, c.dtype(0), c.shape(0));
}

// Scale and bias have the sizes of the normalized axes, or 1; the outermost may be missing.
static bool stretches(NodeInference& c, size_t input, const Shape& axes) {
  const Shape own = c.shape(input);
  if (own.size() > axes.size()) {
    c.invalid("'" + c.input_name(input) + "' has rank " + std::to_string(own.size()) + ", " + std::to_string(axes.size()) + " axes are normalized");
    return false;
  }
  for (size_t i = 0; i < own.size(); ++i)
    if (own[i] != DimExpr(1) && !c.unify(axes[axes.size() - own.size() + i], own[i], "the scale of a normalization")) return false;
  return true;
}

void infer_layer_normalization(NodeInference& c) {
  const auto ax = c.axis(c.node().as<NormAttrs>().axis, c.rank(0));
  if (!ax) return;
  const Shape x = c.shape(0);
  for (const size_t i : {1, 2})
    if (c.has(i) && !stretches(c, i, Shape(x.begin() + *ax, x.end()))) return;
  // Mixed files: fp16 scale beside fp32 data.
  c.set(0, c.dtype(0), x);
  Shape statistics = x;
  for (size_t i = static_cast<size_t>(*ax); i < statistics.size(); ++i) statistics[i] = DimExpr(1);
  const DType t = c.dtype(0) == DType::kDouble ? DType::kDouble : DType::kFloat;
  c.set(1, t, statistics);
  c.set(2, t, statistics);
}

// Groups have a scale and a bias for each of them (opset 18), or for each channel. False, and the node is invalid, where they are known to have neither.
static bool groups_fit(NodeInference& c, const Shape& x) {
  const auto wrong = [&c](const std::string& why) {
    c.invalid(why);
    return false;
  };
  if (x.size() < 2) return wrong("it needs an axis of channels");
  const int64_t groups = c.node().as<GroupNormAttrs>().groups;
  const std::optional<int64_t> channels = x[1].constant();
  if (channels && *channels % groups != 0) return wrong("the channels are no multiple of the groups");
  std::optional<int64_t> counts[2];
  for (size_t i = 0; i < 2; ++i) {
    DimExpr values(1);
    for (const DimExpr& d : Shape(c.shape(i + 1))) values = values * d;
    counts[i] = values.constant();
    if (counts[i] && channels && *counts[i] != groups && *counts[i] != *channels) return wrong("its scale and bias need a value for each group, or for each channel");
  }
  if (counts[0] && counts[1] && *counts[0] != *counts[1])
    return wrong("its scale has " + std::to_string(*counts[0]) + " values, its bias " + std::to_string(*counts[1]));
  return true;
}

void infer_batch_normalization(NodeInference& c) {
  const Shape x = c.shape(0);
  const OpKind kind = c.node().kind;
  const size_t end = kind == OpKind::kBatchNormalization ? 5 : kind == OpKind::kInstanceNormalization ? 3 : 1;
  if (x.empty()) return c.invalid("it needs an axis of channels");
  for (size_t i = 1; i < end; ++i) {
    DimExpr values(1);
    for (const DimExpr& d : Shape(c.shape(i))) values = values * d;
    if (!c.unify(x.size() > 1 ? x[1] : DimExpr(1), values, "the parameters of a normalization")) return;
  }
  if (kind == OpKind::kGroupNormalization && !groups_fit(c, x)) return;
  c.set(0, c.dtype(0), x);
}

void infer_cumsum(NodeInference& c) {
  if (!c.is_single(1)) return;
  const auto axis = c.ints(1);
  if (!axis) return c.data_dependent(1);
  if (!c.axis(axis->at(0), c.rank(0))) return;
  c.set(0, c.dtype(0), c.shape(0));
}

void infer_arg_min_max(NodeInference& c) {
  const ArgAttrs& a = c.node().as<ArgAttrs>();
  const auto ax = c.axis(a.axis, c.rank(0));
  if (!ax) return;
  Shape out = c.shape(0);
  if (a.keep_dims) {
    out[static_cast<size_t>(*ax)] = DimExpr(1);
  } else {
    out.erase(out.begin() + *ax);
  }
  c.set(0, DType::kInt64, std::move(out));
}

void infer_topk(NodeInference& c) {
  const auto ax = c.axis(c.node().as<TopKAttrs>().axis, c.rank(0));
  if (!ax || !c.is_single(1)) return;
  const auto k = c.elements(1);
  if (!k) return c.data_dependent(1);
  Shape out = c.shape(0);
  const auto size = out[static_cast<size_t>(*ax)].constant(), most = k->at(0).constant();
  if (size && most && *most > *size)
    return c.invalid("k is " + std::to_string(*most) + ", the axis has " + std::to_string(*size) + " elements");
  out[static_cast<size_t>(*ax)] = k->at(0);
  c.set(0, c.dtype(0), out);
  c.set(1, DType::kInt64, std::move(out));
}

}  // namespace edgeconv
