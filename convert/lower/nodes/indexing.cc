// Nodes that select by index or make index tensors: Gather and its relatives, Embedding, Range, TopK...
#include <algorithm>
#include <bit>
#include <cmath>

#include "convert/ir/axis.h"
#include "convert/lower/lower.h"
#include "convert/quantize/precision_plan.h"
#include "convert/quantize/weight_store.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;
namespace params = ert::params;

namespace {
int32_t i32(int64_t v) { return static_cast<int32_t>(v); }
int32_t axis_of(const LowerContext& c, const Node& n, int64_t axis) {
  return i32(from_front(axis, static_cast<int64_t>(c.shape(n.in(0)).size())));
}
int32_t element_bits(const Tensor& t, size_t i) {
  return is_float(t.dtype()) ? std::bit_cast<int32_t>(t.to_float().at(i)) : i32(t.to_int64().at(i));
}
}  // namespace

void lower_gather(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kGather, {c.operand(n.in(0)), c.operand(n.in(1))}, {c.result(n.outputs[0])},
       named<params::gather::kIntCount>({{params::gather::kAxis, axis_of(c, n, n.as<AxisAttrs>().axis)}}));
}

// Large tables are stored as int8 rows with a scale each.
void lower_embedding(LowerContext& c, const Node& n) {
  namespace emb = params::embedding;
  const Value& table = c.graph.value(n.in(1));
  const int64_t rows = table.constant->dims()[0], width = table.constant->dims()[1];
  const int ids = c.operand(n.in(0));
  const auto exact = [&] {
    c.op(n, OpCode::kEmbedding, named<emb::kInputCount>({{emb::kIds, ids}, {emb::kTable, c.operand(n.in(1))}, {emb::kScale, -1}}),
         {c.result(n.outputs[0])});
  };
  const PrecisionPlan& plan = c.options.plan;
  if ((!plan.int8_tables && !plan.int16_tables) || rows <= kMostExactRows) return exact();
  const PackedRows q = c.weights.table(c.graph, n.in(1), plan.int16_tables);
  const auto scales = q.scale.as<float>();
  if (std::any_of(scales.begin(), scales.end(), [](float s) { return std::isinf(s); })) return exact();  // a row with -inf
  c.op(n, OpCode::kEmbedding,
       named<emb::kInputCount>({{emb::kIds, ids},
                                {emb::kTable, c.program.add_constant(ert_dtype_of(q.codes.dtype()), {rows, width}, q.codes)},
                                {emb::kScale, c.program.add_constant(ERT_F32, {rows}, q.scale)}}),
       {c.result(n.outputs[0])});
}

void lower_gather_elements(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kGatherElements, {c.operand(n.in(0)), c.operand(n.in(1))}, {c.result(n.outputs[0])},
       named<params::gather::kIntCount>({{params::gather::kAxis, axis_of(c, n, n.as<AxisAttrs>().axis)}}));
}

void lower_gather_nd(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kGatherND, {c.operand(n.in(0)), c.operand(n.in(1))}, {c.result(n.outputs[0])},
       named<params::gather_nd::kIntCount>({{params::gather_nd::kBatchDims, n.as<GatherNDAttrs>().batch_dims}}));
}

void lower_scatter_nd(LowerContext& c, const Node& n) {
  c.op(n, OpCode::kScatterND, {c.operand(n.in(0)), c.operand(n.in(1)), c.operand(n.in(2))}, {c.result(n.outputs[0])},
       named<params::scatter_nd::kIntCount>({{params::scatter_nd::kReduction, n.as<ScatterAttrs>().reduction}}));
}

void lower_scatter_elements(LowerContext& c, const Node& n) {
  const auto& a = n.as<ScatterAttrs>();
  c.op(n, OpCode::kScatterElements, {c.operand(n.in(0)), c.operand(n.in(1)), c.operand(n.in(2))}, {c.result(n.outputs[0])},
       named<params::scatter_elements::kIntCount>(
           {{params::scatter_elements::kAxis, axis_of(c, n, a.axis)}, {params::scatter_elements::kReduction, a.reduction}}));
}

void lower_constant_of_shape(LowerContext& c, const Node& n) {
  const Tensor& value = n.as<FillAttrs>().value;
  c.op(n, OpCode::kFill, {}, {c.result(n.outputs[0])},
       named<params::fill::kIntCount>({{params::fill::kBits, value.elements() ? element_bits(value, 0) : 0}}));
}

void lower_range(LowerContext& c, const Node& n) {
  const auto start = c.elements(n.in(0)), step = c.elements(n.in(2));
  if (is_float(c.graph.value(n.outputs[0]).dtype) || !start || !step || !step->at(0).constant())
    return c.unsupported(n, "its start or step is not an integer known from the inputs' shapes",
                         "use integer positions, for example torch.arange(x.shape[1])");
  c.op(n, OpCode::kRange, {}, {c.result(n.outputs[0])},
       named<params::range::kIntCount>(
           {{params::range::kStartExpr, c.expr(start->at(0))}, {params::range::kStep, i32(*step->at(0).constant())}}));
}

void lower_cumsum(LowerContext& c, const Node& n) {
  const auto axis = c.elements(n.in(1));
  if (!axis || !axis->at(0).constant()) return c.unsupported(n, "its axis is computed", "use a constant axis");
  const auto& a = n.as<CumSumAttrs>();
  c.op(n, OpCode::kCumSum, {c.operand(n.in(0))}, {c.result(n.outputs[0])},
       named<params::cumsum::kIntCount>({{params::cumsum::kAxis, axis_of(c, n, *axis->at(0).constant())},
                                         {params::cumsum::kExclusive, a.exclusive},
                                         {params::cumsum::kReverse, a.reverse}}));
  c.wrap_narrow(n, n.outputs[0]);
}

void lower_trilu(LowerContext& c, const Node& n) {
  DimExpr diagonal = 0;
  if (n.in(1) != kNone) {
    const auto k = c.elements(n.in(1));
    if (!k) return c.unsupported(n, "its diagonal depends on the data", "use a constant diagonal");
    diagonal = k->at(0);
  }
  c.op(n, OpCode::kTrilu, {c.operand(n.in(0))}, {c.result(n.outputs[0])},
       named<params::trilu::kIntCount>(
           {{params::trilu::kUpper, n.as<TriluAttrs>().upper}, {params::trilu::kDiagonalExpr, c.expr(diagonal)}}));
}

void lower_one_hot(LowerContext& c, const Node& n) {
  const Value& values = c.graph.value(n.in(2));
  if (!values.constant) return c.unsupported(n, "its on and off values are computed", "use constants");
  const int64_t rank = static_cast<int64_t>(c.shape(n.outputs[0]).size()), axis = n.as<AxisAttrs>().axis;
  const int indices = c.as_dtype(n, c.operand(n.in(0)), ERT_I32, c.shape(n.in(0)));  // ONNX allows floats
  c.op(n, OpCode::kOneHot, {indices}, {c.result(n.outputs[0])},
       named<params::one_hot::kIntCount>({{params::one_hot::kAxis, from_front(axis, rank)},
                                          {params::one_hot::kOnBits, element_bits(*values.constant, 1)},
                                          {params::one_hot::kOffBits, element_bits(*values.constant, 0)}}));
}

void lower_arg_min_max(LowerContext& c, const Node& n) {
  const auto& a = n.as<ArgAttrs>();
  c.op(n, OpCode::kArgMinMax, {c.operand(n.in(0))}, {c.result(n.outputs[0])},
       named<params::arg_min_max::kIntCount>({{params::arg_min_max::kAxis, axis_of(c, n, a.axis)},
                                              {params::arg_min_max::kMax, a.max},
                                              {params::arg_min_max::kSelectLast, a.select_last}}));
}

void lower_topk(LowerContext& c, const Node& n) {
  const auto& a = n.as<TopKAttrs>();
  const Shape& shape = c.shape(n.outputs[0] != kNone ? n.outputs[0] : n.outputs[1]);
  const auto out = [&](size_t i, uint8_t dtype) {
    return i < n.outputs.size() && n.outputs[i] != kNone ? c.result(n.outputs[i]) : c.temporary(dtype, shape);
  };
  const int values = out(0, runtime_dtype(c.graph.value(n.in(0)).dtype)), indices = out(1, ERT_I32);
  c.op(n, OpCode::kTopK, {c.operand(n.in(0))}, {values, indices},
       named<params::topk::kIntCount>({{params::topk::kAxis, axis_of(c, n, a.axis)},
                                       {params::topk::kLargest, a.largest},
                                       {params::topk::kSorted, a.sorted}}));
}

}  // namespace edgeconv
