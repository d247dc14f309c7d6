// Columns of a Linear's result that a Gather picks, repeats or puts in another order are columns of its weights: the channels that a depthwise
// convolution with more outputs than inputs reads several times (EEGNet, DepthwiseConv2D's depth_multiplier). Where there are more columns
// then, they must cost less than copying numbers does.
#include <algorithm>

#include "convert/ir/axis.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

constexpr int64_t kPanel = 16;             // columns that are multiplied together, whether they are there or not
constexpr int64_t kProductsOfACopy = 16;  // that take as long as copying a number by its index

// The columns that the node picks, none of them counted from the end; nullopt: it is no such Gather.
std::optional<std::vector<int64_t>> picked_columns(const Graph& g, const Node& gather, int64_t columns) {
  const int64_t axis = gather.as<AxisAttrs>().axis, rank = g.value(gather.in(0)).rank();
  const Value& indices = g.value(gather.in(1));
  if (!indices.constant || indices.constant->rank() != 1 || !is_last_axis(axis, rank)) return {};
  std::vector<int64_t> picked = indices.constant->to_int64();
  for (int64_t& i : picked) {
    i = from_front(i, columns);
    if (i < 0 || i >= columns) return {};
  }
  return picked;
}

bool costs_less(int64_t depth, int64_t columns, int64_t picked) {
  const int64_t panels = (columns + kPanel - 1) / kPanel;
  return picked <= panels * kPanel || depth * (picked - columns) <= kProductsOfACopy * picked;
}

// The columns of a float tensor [.., columns].
Tensor columns_of(const Tensor& t, const std::vector<int64_t>& picked) {
  const int64_t columns = t.dims().back(), rows = t.elements() / columns;
  std::vector<int64_t> dims = t.dims();
  dims.back() = static_cast<int64_t>(picked.size());
  const std::vector<float> from = t.to_float();
  std::vector<float> to;
  to.reserve(static_cast<size_t>(rows) * picked.size());
  for (int64_t row = 0; row < rows; ++row)
    for (const int64_t c : picked) to.push_back(from[static_cast<size_t>(row * columns + c)]);
  return Tensor::of(DType::kFloat, std::move(dims), to);
}

}  // namespace

int pass_fold_gather_columns(Graph& g, Diagnostics&) {
  return fuse_reader_of_linear(g, OpKind::kGather, [&](const Node& n, const Node& gather, const Users&) -> std::optional<FusedLinear> {
    const ValueId w = n.in(1), bias = n.in(2);
    const auto known = [&](ValueId v) { return g.value(v).constant && g.value(v).dtype == DType::kFloat && g.value(v).rank() >= 1; };
    if (gather.in(0) != n.outputs[0] || !known(w) || g.value(w).rank() != 2 || (bias != kNone && !known(bias))) return {};
    const int64_t depth = g.value(w).constant->dims()[0], columns = g.value(w).constant->dims()[1];
    const auto picked = picked_columns(g, gather, columns);
    if (columns < 1 || !picked || picked->empty() || !costs_less(depth, columns, static_cast<int64_t>(picked->size()))) return {};
    if (bias != kNone && g.value(bias).constant->dims().back() != columns) return {};
    FusedLinear fused{n.inputs, n.as<LinearAttrs>()};
    fused.inputs[1] = g.add_constant(g.value(w).name + "/columns", columns_of(*g.value(w).constant, *picked));
    if (bias != kNone) fused.inputs[2] = g.add_constant(g.value(bias).name + "/columns", columns_of(*g.value(bias).constant, *picked));
    return fused;
  });
}

}  // namespace edgeconv
