// Evaluators on operands that inference refuses first in a whole graph, or that no operator of ONNX's own cases has: see evaluators_test.cc.
#include "tests/convert/interp/evaluator_cases.h"

namespace edgeconv_test {
namespace {

class OddOperands : public EvaluatorTest {};

INSTANTIATE_TEST_SUITE_P(Backends, OddOperands, ::testing::Values(Backend::kOracle, Backend::kCanonical),
                         [](const auto& p) { return p.param == Backend::kOracle ? "oracle" : "canonical"; });

TEST_P(OddOperands, ListsThatDoNotFit) {
  const Tensor x = ints({1, 2, 3, 4}), matrix = i({2, 2}, {1, 2, 3, 4});
  for (const Case& c : {
           refused("differ in length", OpKind::kSlice, {}, {x, ints({0}), ints({1, 2})}),
           refused("differ in length", OpKind::kSlice, {}, {x, ints({0}), ints({1}), ints({0, 0})}),
           refused("differ in length", OpKind::kSlice, {}, {x, ints({0}), ints({1}), ints({0}), ints({1, 1})}),
           refused("larger than the axis", OpKind::kSplit, SplitAttrs{0, {}, 0}, {x, ints({-1})}),
           refused("axis out of range", OpKind::kFlatten, AxisAttrs{3}, {matrix}),
           refused("axis out of range", OpKind::kFlatten, AxisAttrs{-3}, {matrix}),
           gives("an axis from the end", OpKind::kFlatten, AxisAttrs{-1}, {matrix}, {1, 2, 3, 4}, DType::kInt64),
           refused("different types or ranks", OpKind::kConcat, AxisAttrs{0}, {x, matrix}),
           refused("outside of rank 1", OpKind::kConcat, AxisAttrs{-2}, {x, x}),
           refused("outside of rank 1", OpKind::kConcat, AxisAttrs{1}, {x, x}),
           refused("the fill value has another type", OpKind::kPad, PadAttrs{}, {x, ints({1, 0}), row({0})}),
           refused("the fill value has another type", OpKind::kPad, PadAttrs{}, {x, ints({1, 0}), ints({})}),
           gives("nothing is padded by a value", OpKind::kPad, PadAttrs{}, {ints({}), ints({1, 1}), ints({7})}, {7, 7}, DType::kInt64),
           gives("no elements at all", OpKind::kPad, PadAttrs{}, {i({0, 2}, {}), ints({0, 1, 0, 0})}, {}, DType::kInt64),
           gives("the rest of nothing", OpKind::kReshape, ReshapeAttrs{true}, {i({0, 2}, {}), ints({0, -1})}, {}, DType::kInt64),
           gives("zeros that are sizes", OpKind::kReshape, ReshapeAttrs{true}, {i({0, 2}, {}), ints({2, 0})}, {}, DType::kInt64),
           gives("a slice of nothing", OpKind::kSlice, {}, {ints({}), ints({0}), ints({5}), ints({0}), ints({2})}, {}, DType::kInt64),
       })
    check(c);
}

TEST_P(OddOperands, IndicesThatDoNotFit) {
  const Tensor matrix = f({2, 2}, {1, 2, 3, 4});
  const ScatterAttrs plain;
  for (const Case& c : {
           refused("indices do not fit the rank", OpKind::kGatherND, GatherNDAttrs{0}, {matrix, Tensor::scalar(int64_t{0})}),
           refused("indices do not fit the rank", OpKind::kGatherND, GatherNDAttrs{1}, {matrix, ints({0})}),
           refused("indices do not fit the rank", OpKind::kGatherND, GatherNDAttrs{0}, {matrix, ints({0, 0, 0})}),
           gives("rows without elements", OpKind::kGatherND, GatherNDAttrs{0}, {f({2, 0}, {}), i({1, 1}, {1})}, {}),
           refused("indices do not fit the rank", OpKind::kScatterND, plain, {matrix, Tensor::scalar(int64_t{0}), row({1})}),
           refused("indices do not fit the rank", OpKind::kScatterND, plain, {matrix, i({1, 3}, {0, 0, 0}), row({1})}),
           refused("need the rank of the data and equal shapes", OpKind::kScatterElements, plain, {matrix, ints({0}), row({1})}),
           refused("need the rank of the data and equal shapes", OpKind::kScatterElements, plain,
                   {matrix, i({1, 1}, {0}), f({1, 2}, {1, 2})}),
           refused("outside of the table of 2 rows", OpKind::kEmbedding, {}, {ints({-3}), matrix}),
       })
    check(c);
}

TEST_P(OddOperands, CountsAndSequences) {
  const Tensor steps = f({2, 2}, {1, 2, 3, 4});
  const auto whole = [](int64_t v) { return Tensor::scalar(v); };
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  for (const Case& c : {
           refused("needs a matrix", OpKind::kEyeLike, {}, {row({1, 2})}),
           gives("in its own type", OpKind::kEyeLike, CastAttrs{DType::kUndefined}, {steps}, {1, 0, 0, 1}),
           refused("a length for each sequence", OpKind::kReverseSequence, AxisAttrs{0}, {row({1, 2}), ints({1})}),
           refused("a length for each sequence", OpKind::kReverseSequence, AxisAttrs{0}, {steps, ints({1})}),
           refused("a sequence of length -1 of 2", OpKind::kReverseSequence, AxisAttrs{0}, {steps, ints({1, -1})}),
           refused("a sequence of length 3 of 2", OpKind::kReverseSequence, AxisAttrs{0}, {steps, ints({1, 3})}),
           gives("sequences of nothing", OpKind::kReverseSequence, AxisAttrs{0}, {f({2, 2, 0}, {}), ints({1, 2})}, {}),
           refused("one depth and two values", OpKind::kOneHot, AxisAttrs{-1}, {ints({0}), whole(2), row({1})}),
           refused("one depth and two values", OpKind::kOneHot, AxisAttrs{-1}, {ints({0}), ints({2, 2}), row({0, 1})}),
           refused("a negative depth", OpKind::kOneHot, AxisAttrs{-1}, {ints({0}), whole(-1), row({0, 1})}),
           gives("indices outside, along the last axis", OpKind::kOneHot, {}, {ints({-3, 0, 2}), whole(2), row({0, 1})}, {0, 0, 1, 0, 0, 0}),
           refused("bounds or step are not usable", OpKind::kRange, {}, {whole(least), whole(most), whole(1)}),
           refused("bounds or step are not usable", OpKind::kRange, {}, {whole(most), whole(least), whole(-1)}),
           refused("bounds or step are not usable", OpKind::kRange, {}, {whole(0), whole(-1), whole(least)}),
           refused("bounds or step are not usable", OpKind::kRange, {},
                   {Tensor::scalar(0.0f), Tensor::scalar(1e30f), Tensor::scalar(1e-5f)}),
           refused("bounds or step are not usable", OpKind::kRange, {},
                   {Tensor::scalar(0.0f), Tensor::scalar(1.0f), Tensor::scalar(0.0f)}),
           refused("is not a single number", OpKind::kRange, {}, {whole(0), ints({1, 2}), whole(1)}),
           refused("is not a single number", OpKind::kRange, {}, {row({0, 1}), row({1}), row({1})}),
           refused("the axis is empty", OpKind::kArgMinMax, ArgAttrs{0}, {row({})}),
           refused("is larger than the axis", OpKind::kTopK, TopKAttrs{0}, {row({1, 2}), ints({3})}),
           refused("is larger than the axis", OpKind::kTopK, TopKAttrs{0}, {row({1, 2}), ints({-1})}),
           gives("sizes from the end", OpKind::kShape, ShapeAttrs{-1, -1}, {f({2, 3}, Numbers(6))}, {}, DType::kInt64),
           gives("sizes behind the end", OpKind::kShape, ShapeAttrs{1, 9}, {f({2, 3}, Numbers(6))}, {3}, DType::kInt64),
       })
    check(c);
}

TEST_P(OddOperands, ProductsAndFusedNodes) {
  const Tensor x = f({1, 2, 2}, {1, 2, 3, 4});
  const AttentionAttrs heads{1, 1, 2, 0, 1.0f, false, 0, 0, 0}, two_for_three{3, 2, 1, 0, 1.0f, false, 0, 0, 0};
  for (const Case& c : {
           gives("no rows", OpKind::kMatMul, {}, {f({0, 2}, {}), f({2, 1}, {1, 2})}, {}),
           gives("no columns", OpKind::kMatMul, {}, {f({1, 2}, {1, 2}), f({2, 0}, {})}, {}),
           gives("sums of nothing", OpKind::kMatMul, {}, {f({1, 0}, {}), f({0, 2}, {})}, {0, 0}),
           refused("do not fit", OpKind::kLinear, LinearAttrs{}, {Tensor::scalar(1.0f), f({2, 1}, {1, 1})}),
           refused("does not broadcast to the scores", OpKind::kAttention, heads, {x, x, x, f({2, 1, 1, 2}, Numbers(4))}),
           refused("heads", OpKind::kAttention, two_for_three, {f({1, 1, 3}, Numbers(3)), f({1, 1, 2}, Numbers(2)), f({1, 1, 2}, Numbers(2))}),
           refused("heads", OpKind::kAttention, heads, {x, x, f({2, 2, 2}, Numbers(8))}),
           refused("gamma or beta has the wrong size", OpKind::kNorm, FusedNormAttrs{}, {x, kAbsent, row({1, 1}), row({1})}),
           refused("strings are not supported", OpKind::kCast, CastAttrs{DType::kString}, {row({1})}),
           refused("not defined for integers", OpKind::kReduce, ReduceAttrs{rp::kLogSum, {0}, false, false}, {ints({1, 2})}),
           refused("not defined for integers", OpKind::kBinary, BinaryAttrs{static_cast<bp::Kind>(31)}, {ints({1}), ints({2})}),
       })
    check(c);
}

}  // namespace
}  // namespace edgeconv_test
