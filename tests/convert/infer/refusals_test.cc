// What inference refuses of indices, axes and lists of single nodes, row by row. Importers refuse some of it before; nodes of passes and of bodies come without them.
#include "tests/convert/infer/refused_node.h"

namespace edgeconv_test {
namespace {

namespace rp = ert::params::reduce;

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
           Refused{
               "an index has 2 coordinates, of data of rank 1", OpKind::kGatherND, GatherNDAttrs{0}, {x({3}), indices({1, 2})}},
           Refused{"batch axis of a GatherND", OpKind::kGatherND, GatherNDAttrs{1}, {x({3, 4}), indices({2, 1})}},
           Refused{"must be an integer type", OpKind::kReverseSequence, AxisAttrs{0}, {x({3, 2}), x({2})}},
           Refused{"needs an axis of time", OpKind::kReverseSequence, AxisAttrs{0}, {x({3}), indices({1})}},
           Refused{"its axis of time is neither 0 nor 1", OpKind::kReverseSequence, AxisAttrs{2}, {x({3, 2, 2}), indices({2})}},
           Refused{"its lengths have rank 2", OpKind::kReverseSequence, AxisAttrs{0}, {x({3, 2}), indices({2, 1})}},
           Refused{"batch of a ReverseSequence", OpKind::kReverseSequence, AxisAttrs{1}, {x({3, 2}), indices({2})}},
           Refused{"a sequence of length 4 of 3", OpKind::kReverseSequence, AxisAttrs{0}, {x({3, 2}), is({1, 4})}},
           Refused{"must be an integer type", OpKind::kScatterElements, ScatterAttrs{}, {x({3}), x({1}), x({1})}},
           Refused{"axis", OpKind::kOneHot, AxisAttrs{9}, {indices({3}), number(4), floats({0, 1})}},
           Refused{"has 1 elements where 2 numbers are needed",
                   OpKind::kOneHot,
                   AxisAttrs{0},
                   {indices({3}), number(4), floats({1})}},
           Refused{"axis", OpKind::kReduce, ReduceAttrs{rp::kSum, {5}, true, false}, {x({3})}},
           Refused{"no vector of integers", OpKind::kReduce, ReduceAttrs{rp::kSum, {}, true, false}, {x({3}), indices({1, 1})}},
           Refused{"axis", OpKind::kSoftmax, AxisAttrs{5}, {x({3})}},
           Refused{"axis -1 is outside of the rank 0", OpKind::kSoftmax, AxisAttrs{-1}, {x({})}},  // the blob was refused: exit 1
           Refused{"axis 0 is outside of the rank 0", OpKind::kLogSoftmax, AxisAttrs{0}, {x({})}},
           Refused{"axis", OpKind::kArgMinMax, ArgAttrs{5}, {x({3})}},
           Refused{"axis", OpKind::kTopK, TopKAttrs{5}, {x({3}), is({1})}},
           Refused{"axis 5 is outside", OpKind::kCumSum, CumSumAttrs{}, {x({3}), number(5)}},
           Refused{"axis", OpKind::kConcat, AxisAttrs{5}, {x({3}), x({3})}},
           Refused{"axis", OpKind::kSplit, SplitAttrs{5, {}, 1}, {x({3})}},
           Refused{"axis", OpKind::kFlatten, AxisAttrs{5}, {x({3})}},
           Refused{"axis", OpKind::kFlatten, AxisAttrs{-5}, {x({3})}},
           Refused{"num_outputs is not the number of outputs", OpKind::kSplit, SplitAttrs{0, {}, 2}, {x({4})}},
           Refused{"", OpKind::kSlice, {}, {x({4}), is({0}), is({1, 2}), is({0})}},
           Refused{"", OpKind::kSlice, {}, {x({4}), is({0}), is({1}), is({0}), is({1, 1})}},
           Refused{"axis", OpKind::kSlice, {}, {x({4}), is({0}), is({1}), is({3})}},
           Refused{"axis -1 is given twice", OpKind::kSlice, {}, {x({4, 4}), is({0, 1}), is({4, 3}), is({1, -1})}},
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
           Refused{"updates of rank 4 where data and indices need rank 3",
                   OpKind::kScatterND,
                   plain,
                   {x({4, 4, 4}), indices({2, 1}), x({2, 4, 4, 1})}},
           Refused{"updates of rank 2 where data and indices need rank 3",
                   OpKind::kScatterND,
                   plain,
                   {x({4, 4, 4}), indices({2, 1}), x({2, 16})}},
           Refused{
               "axis 1 of the updates of a ScatterND", OpKind::kScatterND, plain, {x({4, 4, 4}), indices({2, 1}), x({2, 2, 8})}},
           Refused{"axis 0 of the updates of a ScatterND", OpKind::kScatterND, plain, {x({4, 4}), indices({2, 1}), x({1, 4})}},
           Refused{"an index has 4 coordinates, of data of rank 3",
                   OpKind::kScatterND,
                   plain,
                   {x({4, 4, 4}), indices({2, 4}), x({2})}},
           Refused{"an index has -1 coordinates, of data of rank 2",
                   OpKind::kScatterND,
                   plain,
                   {x({4, 4}), indices({2, B}), x({2, 4, 4, 4})}},
           Refused{"need rank 1 or more", OpKind::kScatterND, plain, {x({}), indices({1}), x({})}},
           Refused{"need rank 1 or more", OpKind::kScatterND, plain, {x({4}), indices({}), x({4})}},
           Refused{"must be an integer type", OpKind::kScatterND, plain, {x({3}), x({1, 1}), x({1})}},
           Refused{"reduces bool", OpKind::kScatterND, add, {bools({4, 4}), indices({2, 1}), bools({2, 4})}},
           Refused{"reduces bool", OpKind::kScatterElements, add, {bools({4, 4}), indices({2, 4}), bools({2, 4})}},
           Refused{"updates of rank 3 where data and indices need rank 2",
                   OpKind::kScatterElements,
                   plain,
                   {x({4, 4}), indices({2, 2}), x({2, 2, 1})}},
           Refused{"axis 1 of the updates of a ScatterElements",
                   OpKind::kScatterElements,
                   plain,
                   {x({4, 4}), indices({2, 2}), x({2, 3})}},
           Refused{"indices of rank 1 over data of rank 2", OpKind::kScatterElements, plain, {x({4, 4}), indices({2}), x({2})}},
           Refused{"indices have 5 elements in axis 1, the data has 4",
                   OpKind::kScatterElements,
                   plain,
                   {x({4, 4}), indices({2, 5}), x({2, 5})}},
           Refused{"axis 3 is outside", OpKind::kScatterElements, ScatterAttrs{3, 0}, {x({4, 4}), indices({2, 4}), x({2, 4})}},
           Refused{"indices of rank 1 over data of rank 2", OpKind::kGatherElements, AxisAttrs{0}, {x({4, 4}), indices({2})}},
           Refused{"indices have 5 elements in axis 1, the data has 4",
                   OpKind::kGatherElements,
                   AxisAttrs{0},
                   {x({4, 4}), indices({9, 5})}},
       })
    expect_refused(r);
}

// Ended in exit 4, "the model does not take the inputs that the conversion made up ... Give real inputs", where none help.
TEST(InferRefusals, ConstantIndicesOutsideOfTheData) {
  const auto at = [](const std::vector<int64_t>& dims, const std::vector<int64_t>& v) {
    return In{DType::kInt64, {}, Tensor::of<int64_t>(DType::kInt64, dims, v)};
  };
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
  b.output(
      b.node(OpKind::kGather, {b.input("x", DType::kFloat, {B, 4}), b.g.add_constant("i", Tensor::ints({4}))}, AxisAttrs{0}));
  Diagnostics d;
  infer(b.g, d);
  EXPECT_TRUE(d.ok());
}

// A Slice whose axes were a matrix of one element ended in exit 1: inference counted elements, and lowering took it for none.
TEST(InferRefusals, ListsThatAreMatrices) {
  expect_refused({"is float32 where integers are needed", OpKind::kReshape, ReshapeAttrs{}, {x({2, 3}), floats({3, 2})}});
  expect_refused({"is float32 where integers are needed", OpKind::kResize, ResizeAttrs{}, {x({2}), kAbsent, floats({4})}});
  expect_refused({"takes the logarithm of integers", OpKind::kReduce, ReduceAttrs{rp::kLogSumExp, {0}, true, false}, {indices({3})}});
  const In one = In{DType::kInt64, {}, Tensor::of<int64_t>(DType::kInt64, {1, 1}, {1})}, list = is({1}), map = x({1, 1, 1, 1});
  const char* words = "has rank 2 where a list is needed";
  for (const Refused& r : {
           Refused{words, OpKind::kSlice, {}, {map, one, list}},
           Refused{words, OpKind::kSlice, {}, {map, list, one}},
           Refused{words, OpKind::kSlice, {}, {map, list, list, one}},
           Refused{words, OpKind::kSlice, {}, {map, list, list, list, one}},
           Refused{words, OpKind::kSplit, SplitAttrs{}, {map, one}},
           Refused{words, OpKind::kPad, PadAttrs{}, {map, is({1, 1}), kAbsent, one}},
           Refused{words, OpKind::kSqueeze, AxesAttrs{}, {map, one}},
           Refused{words, OpKind::kUnsqueeze, AxesAttrs{}, {map, one}},
           Refused{words, OpKind::kReshape, ReshapeAttrs{}, {map, one}},
           Refused{words, OpKind::kExpand, {}, {map, one}},
           Refused{words, OpKind::kTile, {}, {map, one}},
           Refused{words, OpKind::kConstantOfShape, {}, {one}},
           Refused{words, OpKind::kResize, ResizeAttrs{}, {map, kAbsent, one}},
       })
    expect_refused(r);
}

}  // namespace
}  // namespace edgeconv_test
