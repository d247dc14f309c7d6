// What inference refuses of single nodes, row by row. Importers refuse some of it before; nodes of passes and of bodies come without them.
#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "convert/ir/diagnostics.h"
#include "tests/convert/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
using edgeconv::testing::B;
namespace rp = ert::params::reduce;

struct In {  // an input of the graph, a constant, or nothing
  DType type = DType::kUndefined;
  Shape shape = {};
  std::optional<Tensor> constant = {};
};
In x(Shape s, DType t = DType::kFloat) { return {t, std::move(s), {}}; }
In indices(Shape s) { return x(std::move(s), DType::kInt64); }
In is(const std::vector<int64_t>& v) { return {DType::kInt64, {}, Tensor::ints(v)}; }
In floats(const std::vector<float>& v) {
  return {DType::kFloat, {}, Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(v.size())}, v)};
}
In number(int64_t v) { return {DType::kInt64, {}, Tensor::scalar(v)}; }
const In kAbsent;

ValueId value_of(GraphBuilder& b, const In& in) {
  if (in.constant) return b.g.add_constant("c" + std::to_string(b.g.values.size()), *in.constant);
  return in.type == DType::kUndefined ? kNone : b.input("in" + std::to_string(b.g.inputs.size()), in.type, in.shape);
}

struct Refused {
  const char* words;
  OpKind kind;
  Attributes attrs;
  std::vector<In> inputs;
};

void expect_refused(const Refused& r) {
  SCOPED_TRACE(std::string(op_name(r.kind)) + ": " + r.words);
  GraphBuilder b;
  std::vector<ValueId> ids;
  for (const In& in : r.inputs) ids.push_back(value_of(b, in));
  b.output(b.node(r.kind, ids, r.attrs));
  Diagnostics d;
  std::string said;
  try {
    infer(b.g, d);
    d.check();
  } catch (const FatalError& e) {
    EXPECT_TRUE(e.code() == ExitCode::kMalformed || e.code() == ExitCode::kUnsupported) << static_cast<int>(e.code());
    said = e.what();
  }
  EXPECT_NE(said.find(r.words), std::string::npos) << (said.empty() ? "accepted" : said);
}

TEST(InferRefusals, IndicesAndAxes) {
  for (const Refused& r : {
           Refused{"must be an integer type", OpKind::kGather, AxisAttrs{0}, {x({3}), x({1})}},
           Refused{"axis", OpKind::kGather, AxisAttrs{4}, {x({3}), indices({1})}},
           Refused{"must be an integer type", OpKind::kGatherElements, AxisAttrs{0}, {x({3}), x({1})}},
           Refused{"axis", OpKind::kGatherElements, AxisAttrs{4}, {x({3}), indices({1})}},
           Refused{"must be an integer type", OpKind::kGatherND, GatherNDAttrs{0}, {x({3}), x({1})}},
           Refused{"batch_dims does not fit the ranks", OpKind::kGatherND, GatherNDAttrs{0}, {x({3}), indices({})}},
           Refused{"batch_dims does not fit the ranks", OpKind::kGatherND, GatherNDAttrs{-1}, {x({3}), indices({1})}},
           Refused{"batch_dims does not fit the ranks", OpKind::kGatherND, GatherNDAttrs{2}, {x({3, 1, 1}), indices({3, 1})}},
           Refused{"batch_dims does not fit the ranks", OpKind::kGatherND, GatherNDAttrs{1}, {x({3}), indices({3, 1})}},
           Refused{"(batch) is not a known size", OpKind::kGatherND, GatherNDAttrs{0}, {x({3}), indices({B})}},
           Refused{"an index has 2 coordinates, of data of rank 1", OpKind::kGatherND, GatherNDAttrs{0}, {x({3}), indices({1, 2})}},
           Refused{"batch axis of a GatherND", OpKind::kGatherND, GatherNDAttrs{1}, {x({3, 4}), indices({2, 1})}},
           Refused{"must be an integer type", OpKind::kScatterElements, ScatterAttrs{}, {x({3}), x({1}), x({1})}},
           Refused{"axis", OpKind::kOneHot, AxisAttrs{9}, {indices({3}), number(4), floats({0, 1})}},
           Refused{"has 1 elements where 2 numbers are needed", OpKind::kOneHot, AxisAttrs{0}, {indices({3}), number(4), floats({1})}},
           Refused{"axis", OpKind::kReduce, ReduceAttrs{rp::kSum, {5}, true, false}, {x({3})}},
           Refused{"no vector of integers", OpKind::kReduce, ReduceAttrs{rp::kSum, {}, true, false}, {x({3}), indices({1, 1})}},
           Refused{"axis", OpKind::kSoftmax, AxisAttrs{5}, {x({3})}},
           Refused{"axis", OpKind::kArgMinMax, ArgAttrs{5}, {x({3})}},
           Refused{"axis", OpKind::kTopK, TopKAttrs{5}, {x({3}), is({1})}},
           Refused{"axis", OpKind::kConcat, AxisAttrs{5}, {x({3}), x({3})}},
           Refused{"axis", OpKind::kSplit, SplitAttrs{5, {}, 1}, {x({3})}},
           Refused{"axis", OpKind::kFlatten, AxisAttrs{5}, {x({3})}},
           Refused{"axis", OpKind::kFlatten, AxisAttrs{-5}, {x({3})}},
           Refused{"num_outputs is not the number of outputs", OpKind::kSplit, SplitAttrs{0, {}, 2}, {x({4})}},
           Refused{"", OpKind::kSlice, {}, {x({4}), is({0}), is({1, 2}), is({0})}},
           Refused{"", OpKind::kSlice, {}, {x({4}), is({0}), is({1}), is({0}), is({1, 1})}},
           Refused{"axis", OpKind::kSlice, {}, {x({4}), is({0}), is({1}), is({3})}},
           Refused{"more than one -1", OpKind::kReshape, ReshapeAttrs{}, {x({4}), is({-1, -1})}},
           Refused{"the step of Range is not a known number", OpKind::kRange, {}, {number(0), number(1), number(0)}},
           Refused{"not a single number", OpKind::kConstantOfShape, FillAttrs{Tensor::ints({1, 2})}, {is({2})}},
       })
    expect_refused(r);
}

// A ScatterND whose updates had one axis too many, of size 1, ended in exit 1 (seed 19490 of MutationTest.NodeTestsWithOddConstants): the host counted elements only.
TEST(InferRefusals, UpdatesAndIndicesOfWrongShapes) {
  const ScatterAttrs plain, add{0, ert::params::scatter::kAdd};
  const auto bools = [](Shape s) { return x(std::move(s), DType::kBool); };
  for (const Refused& r : {
           Refused{"updates of rank 4 where data and indices need rank 3", OpKind::kScatterND, plain, {x({4, 4, 4}), indices({2, 1}), x({2, 4, 4, 1})}},
           Refused{"updates of rank 2 where data and indices need rank 3", OpKind::kScatterND, plain, {x({4, 4, 4}), indices({2, 1}), x({2, 16})}},
           Refused{"axis 1 of the updates of a ScatterND", OpKind::kScatterND, plain, {x({4, 4, 4}), indices({2, 1}), x({2, 2, 8})}},
           Refused{"axis 0 of the updates of a ScatterND", OpKind::kScatterND, plain, {x({4, 4}), indices({2, 1}), x({1, 4})}},
           Refused{"an index has 4 coordinates, of data of rank 3", OpKind::kScatterND, plain, {x({4, 4, 4}), indices({2, 4}), x({2})}},
           Refused{"an index has -1 coordinates, of data of rank 2", OpKind::kScatterND, plain, {x({4, 4}), indices({2, B}), x({2, 4, 4, 4})}},
           Refused{"need rank 1 or more", OpKind::kScatterND, plain, {x({}), indices({1}), x({})}},
           Refused{"need rank 1 or more", OpKind::kScatterND, plain, {x({4}), indices({}), x({4})}},
           Refused{"must be an integer type", OpKind::kScatterND, plain, {x({3}), x({1, 1}), x({1})}},
           Refused{"reduces bool", OpKind::kScatterND, add, {bools({4, 4}), indices({2, 1}), bools({2, 4})}},
           Refused{"reduces bool", OpKind::kScatterElements, add, {bools({4, 4}), indices({2, 4}), bools({2, 4})}},
           Refused{"updates of rank 3 where data and indices need rank 2", OpKind::kScatterElements, plain, {x({4, 4}), indices({2, 2}), x({2, 2, 1})}},
           Refused{"axis 1 of the updates of a ScatterElements", OpKind::kScatterElements, plain, {x({4, 4}), indices({2, 2}), x({2, 3})}},
           Refused{"indices of rank 1 over data of rank 2", OpKind::kScatterElements, plain, {x({4, 4}), indices({2}), x({2})}},
           Refused{"indices have 5 elements in axis 1, the data has 4", OpKind::kScatterElements, plain, {x({4, 4}), indices({2, 5}), x({2, 5})}},
           Refused{"axis 3 is outside", OpKind::kScatterElements, ScatterAttrs{3, 0}, {x({4, 4}), indices({2, 4}), x({2, 4})}},
           Refused{"indices of rank 1 over data of rank 2", OpKind::kGatherElements, AxisAttrs{0}, {x({4, 4}), indices({2})}},
           Refused{"indices have 5 elements in axis 1, the data has 4", OpKind::kGatherElements, AxisAttrs{0}, {x({4, 4}), indices({9, 5})}},
       })
    expect_refused(r);
}

// Ended in exit 4, "the model does not take the inputs that the conversion made up ... Give real inputs", where none help.
TEST(InferRefusals, ConstantIndicesOutsideOfTheData) {
  const auto at = [](const std::vector<int64_t>& dims, const std::vector<int64_t>& v) { return In{DType::kInt64, {}, Tensor::of<int64_t>(DType::kInt64, dims, v)}; };
  const char* outside = "index 4 is outside of axis 1 of size 4";
  for (const Refused& r : {
           Refused{outside, OpKind::kGather, AxisAttrs{1}, {x({3, 4}), at({2}, {3, 4})}},
           Refused{"index -5 is outside of axis 1 of size 4", OpKind::kGather, AxisAttrs{-1}, {x({B, 4}), at({}, {-5})}},
           Refused{outside, OpKind::kGatherElements, AxisAttrs{1}, {x({3, 4}), at({1, 2}, {-4, 4})}},
           Refused{outside, OpKind::kGatherND, GatherNDAttrs{0}, {x({5, 4}), at({2, 2}, {4, 0, 0, 4})}},
           Refused{outside, OpKind::kGatherND, GatherNDAttrs{1}, {x({2, 4}), at({2, 1}, {0, 4})}},
           Refused{outside, OpKind::kScatterElements, ScatterAttrs{1, 0}, {x({3, 4}), at({1, 2}, {0, 4}), x({1, 2})}},
           Refused{outside, OpKind::kScatterND, ScatterAttrs{}, {x({5, 4}), at({2, 2}, {4, 0, 0, 4}), x({2})}},
       })
    expect_refused(r);
  GraphBuilder b;  // the first axis may have a fifth row
  b.output(b.node(OpKind::kGather, {b.input("x", DType::kFloat, {B, 4}), b.g.add_constant("i", Tensor::ints({4}))}, AxisAttrs{0}));
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.ok());
}

TEST(InferRefusals, LayersAndWindows) {
  RnnAttrs lstm;
  lstm.kind = "LSTM", lstm.hidden = 2;
  const auto transposed = [](auto change) {
    ConvTransposeAttrs a;
    change(a);
    return a;
  };
  ConvAttrs pool;
  pool.kernel = {2, 2};
  DepthwiseConvAttrs depthwise;
  depthwise.window = {{3}, {1}, {1}, {0}, {0}};
  const PatchesAttrs patches{{{3}, {1}, {1}, {0}, {0}}, 0, 4};
  for (const Refused& r : {
           Refused{"x, W and R need rank 3", OpKind::kRnn, lstm, {x({1, 1, 3}), x({8, 3}), x({1, 8, 2})}},
           Refused{"x, W and R need rank 3", OpKind::kRnn, lstm, {x({1, 1, 3}), x({1, 8, 3}), x({8, 2})}},
           Refused{"must be a float type", OpKind::kRnn, lstm, {indices({1, 1, 3}), x({1, 8, 3}), x({1, 8, 2})}},
           Refused{"input size of LSTM", OpKind::kRnn, lstm, {x({1, 1, 3}), x({1, 8, 4}), x({1, 8, 2})}},
           Refused{"hidden size of LSTM", OpKind::kRnn, lstm, {x({1, 1, 3}), x({1, 8, 3}), x({1, 8, 5})}},
           Refused{"sequence_lens of LSTM",
                   OpKind::kRnn,
                   lstm,
                   {x({1, 2, 3}), x({1, 8, 3}), x({1, 8, 2}), kAbsent, x({3}, DType::kInt32)}},
           Refused{"initial state of LSTM",
                   OpKind::kRnn,
                   lstm,
                   {x({1, 2, 3}), x({1, 8, 3}), x({1, 8, 2}), kAbsent, kAbsent, x({1, 5, 2})}},
           Refused{"the kernel does not fit the rank", OpKind::kMaxPool, pool, {x({1, 2, 9})}},
           Refused{"the kernel does not fit the rank", OpKind::kMaxPool, pool, {x({1, 2})}},
           Refused{"channels of a Conv", OpKind::kConv, ConvAttrs{}, {x({1, 3, 9}), x({4, 2, 1})}},
           Refused{"equal rank of at least 3", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3}), x({3, 2})}},
           Refused{"equal rank of at least 3", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3, 9}), x({3, 2})}},
           Refused{"the kernel size is not constant", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3, 9}), x({3, 2, B})}},
           Refused{"channels of a ConvTranspose", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3, 9}), x({4, 2, 3})}},
           Refused{"do not divide into 2 groups",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) { a.group = 2; }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"do not fit the rank",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) {
                     a.strides = {1, 1};
                   }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"do not fit the rank",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) {
                     a.dilations = {1, 1};
                   }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"do not fit the rank",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) {
                     a.output_padding = {0, 0};
                   }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"do not fit the rank",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) { a.pads = {0}; }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"output_shape does not fit the rank",
                   OpKind::kConvTranspose,
                   transposed(
                       [](auto& a) {
                         a.output_shape = {9, 9};
                       }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"it needs an axis of channels",
                   OpKind::kBatchNormalization,
                   BatchNormAttrs{},
                   {x({}), x({1}), x({1}), x({1}), x({1})}},
           Refused{"it needs an axis of channels", OpKind::kGroupNormalization, GroupNormAttrs{1}, {x({3}), x({1}), x({1})}},
           Refused{"no multiple of the groups", OpKind::kGroupNormalization, GroupNormAttrs{2}, {x({1, 3}), x({2}), x({2})}},
           Refused{
               "its scale has 2 values, its bias 4", OpKind::kGroupNormalization, GroupNormAttrs{2}, {x({1, 4}), x({2}), x({4})}},
           Refused{"do not fit the axes", OpKind::kResize, ResizeAttrs{}, {x({1, 2}), floats({1})}},
           Refused{"axis",
                   OpKind::kResize,
                   ResizeAttrs{ResizeAttrs::kNearest, ResizeAttrs::kHalfPixel, ResizeAttrs::kFloor, 0, false, false, {7}},
                   {x({1}), floats({1})}},
           Refused{"a scale is not positive", OpKind::kResize, ResizeAttrs{}, {x({1}), floats({-1})}},
           Refused{"a dynamic size times", OpKind::kResize, ResizeAttrs{}, {x({B}), floats({0.3f})}},
           Refused{"the result has no elements", OpKind::kResize, ResizeAttrs{}, {x({3}), kAbsent, is({0})}},
           Refused{"needs an axis for the signal", OpKind::kDft, DftAttrs{0}, {x({3})}},
           Refused{"its length is not one number", OpKind::kDft, DftAttrs{1}, {x({1, 8, 1}), is({4, 4})}},
           Refused{"its length is 0", OpKind::kDft, DftAttrs{1}, {x({1, 8, 1}), number(0)}},
           Refused{"frame step is not a positive number", OpKind::kStft, StftAttrs{}, {x({1, 9}), number(0), floats({1, 1})}},
           Refused{"frame step is not a positive number", OpKind::kStft, StftAttrs{}, {x({1, 9}), is({1, 1}), floats({1, 1})}},
           Refused{"its frame length is not one number", OpKind::kStft, StftAttrs{}, {x({1, 9}), number(1), kAbsent, is({1, 1})}},
           Refused{"its window has rank 2", OpKind::kStft, StftAttrs{}, {x({1, 9}), number(1), x({2, 1})}},
           Refused{"window and frame length", OpKind::kStft, StftAttrs{}, {x({1, 9}), number(1), floats({1, 1}), number(3)}},
           Refused{"channels of a DepthwiseConv", OpKind::kDepthwiseConv, depthwise, {x({1, 9, 4}), x({3, 5})}},
           Refused{"fault of a pass", OpKind::kDepthwiseConv, depthwise, {x({1, 9, 9, 4}), x({3, 4})}},
           Refused{"fault of a pass", OpKind::kDepthwiseConv, depthwise, {x({1, 9, 4}), x({3})}},
           Refused{"Patches need a map of the window's rank", OpKind::kPatches, patches, {x({1, 9, 9, 4})}},
       })
    expect_refused(r);
}

TEST(InferRefusals, FusedNodes) {
  const AttentionAttrs attention{1, 1, 2, 2, 1.0f, false, 0, 0, 0};
  const RopeAttrs rope{1, 2, 2, 0, false};
  const GluAttrs glu{0, 2, 0, 0};
  const In rows = x({1, 3, 2});
  for (const Refused& r : {
           Refused{"Linear needs x and a weight matrix", OpKind::kLinear, LinearAttrs{}, {x({}), x({2, 1})}},
           Refused{"Linear needs x and a weight matrix", OpKind::kLinear, LinearAttrs{}, {rows, x({2})}},
           Refused{"inner size of a Linear", OpKind::kLinear, LinearAttrs{}, {rows, x({3, 1})}},
           Refused{"bias of a Linear", OpKind::kLinear, LinearAttrs{}, {rows, x({2, 1}), x({4})}},
           Refused{"Attention needs q, k and v of rank 3", OpKind::kAttention, attention, {x({2}), rows, rows}},
           Refused{"Attention needs q, k and v of rank 3", OpKind::kAttention, attention, {rows, x({2}), rows}},
           Refused{"Attention needs q, k and v of rank 3", OpKind::kAttention, attention, {rows, rows, x({2})}},
           Refused{"key and value rows", OpKind::kAttention, attention, {rows, rows, x({1, 4, 2})}},
           Refused{"batch of an Attention", OpKind::kAttention, attention, {x({2, 3, 2}), rows, rows}},
           Refused{"bias and mask of an Attention need rank 4", OpKind::kAttention, attention, {rows, rows, rows, x({3})}},
           Refused{"fault of a pass", OpKind::kRope, rope, {x({2}), rows, rows}},
           Refused{"fault of a pass", OpKind::kRope, rope, {rows, x({2}), rows}},
           Refused{"fault of a pass", OpKind::kRope, rope, {rows, rows, x({2})}},
           Refused{"positions of a Rope", OpKind::kRope, rope, {rows, x({1, 4, 2}), rows}},
           Refused{"positions of a Rope", OpKind::kRope, rope, {rows, rows, x({1, 4, 2})}},
           Refused{"Glu needs operands of one rank", OpKind::kGlu, glu, {x({}), x({})}},
           Refused{"Glu needs operands of one rank", OpKind::kGlu, glu, {rows, x({2})}},
           Refused{"operands of a Glu", OpKind::kGlu, glu, {rows, x({1, 4, 2})}},
           Refused{"the residual of a Norm has another rank", OpKind::kNorm, FusedNormAttrs{}, {rows, x({2}), x({2})}},
           Refused{"residual of a Norm", OpKind::kNorm, FusedNormAttrs{}, {rows, x({1, 4, 2}), x({2})}},
           Refused{"Embedding needs a table of rank 2", OpKind::kEmbedding, {}, {indices({3}), x({2})}},
           Refused{"MeanPool needs rank 3", OpKind::kMeanPool, PoolAttrs{}, {x({2})}},
           Refused{"weights of a MeanPool", OpKind::kMeanPool, PoolAttrs{}, {rows, x({2, 3})}},
           Refused{"weights of a MeanPool", OpKind::kMeanPool, PoolAttrs{}, {rows, x({1, 4})}},
       })
    expect_refused(r);
}

}  // namespace
}  // namespace edgeconv_test
