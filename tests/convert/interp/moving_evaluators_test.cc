// Evaluators that move elements, and fused nodes: see evaluators_test.cc.
#include "tests/convert/interp/evaluator_cases.h"

namespace edgeconv_test {
namespace {

class MovingEvaluators : public EvaluatorTest {};

INSTANTIATE_TEST_SUITE_P(Backends, MovingEvaluators, ::testing::Values(Backend::kOracle, Backend::kCanonical),
                         [](const auto& p) { return p.param == Backend::kOracle ? "oracle" : "canonical"; });

TEST_P(MovingEvaluators, ScatteredAndGathered) {
  for (const DType t : {DType::kFloat, DType::kDouble, DType::kInt64, DType::kInt32, DType::kUint8, DType::kInt8}) {
    const auto scatter = [&](const char* name, int reduction, Numbers want) {
      return gives(name, OpKind::kScatterElements, ScatterAttrs{0, reduction},
                   {tensor(t, {3}, {5, 2, 9}), ints({0, 2}), tensor(t, {2}, {7, 3})}, std::move(want), t);
    };
    check(scatter("sums", sc::kAdd, {12, 2, 12}));
    check(scatter("products", sc::kMul, {35, 2, 27}));
    check(scatter("least", sc::kMin, {5, 2, 3}));
    check(scatter("largest", sc::kMax, {7, 2, 9}));
    check(scatter("replaced", sc::kReplace, {7, 2, 3}));
  }
  const Tensor matrix = f({2, 2}, {1, 2, 3, 4});
  for (const Case& c : {
           refused("not supported for the type", OpKind::kScatterElements, ScatterAttrs{0, sc::kAdd},
                   {tensor(DType::kBool, {1}, {1}), ints({0}), tensor(DType::kBool, {1}, {1})}),
           refused("equal shapes", OpKind::kScatterElements, ScatterAttrs{}, {matrix, ints({0}), row({1})}),
           refused("another type", OpKind::kScatterElements, ScatterAttrs{}, {row({1}), ints({0}), ints({1})}),
           refused("larger than the data", OpKind::kScatterElements, ScatterAttrs{1, 0},
                   {matrix, i({3, 1}, {0, 0, 0}), f({3, 1}, {0, 0, 0})}),
           refused("indices do not fit the rank", OpKind::kScatterND, ScatterAttrs{}, {row({1}), i({1, 2}, {0, 0}), row({1})}),
           refused("another type", OpKind::kScatterND, ScatterAttrs{}, {row({1}), i({1, 1}, {0}), ints({1})}),
           refused("the wrong size", OpKind::kScatterND, ScatterAttrs{}, {matrix, i({1, 1}, {0}), row({1})}),
           gives("rows replaced", OpKind::kScatterND, ScatterAttrs{}, {matrix, i({1, 1}, {1}), f({1, 2}, {8, 9})}, {1, 2, 8, 9}),
           refused("outside of an axis of size 1", OpKind::kGather, AxisAttrs{0}, {row({1}), ints({-2})}),
           refused("rank of the data", OpKind::kGatherElements, AxisAttrs{0}, {matrix, ints({0})}),
           refused("larger than the data", OpKind::kGatherElements, AxisAttrs{0}, {matrix, i({1, 3}, {0, 0, 0})}),
           refused("indices do not fit the rank", OpKind::kGatherND, GatherNDAttrs{0}, {row({1}), i({1, 2}, {0, 0})}),
           refused("indices do not fit the rank", OpKind::kGatherND, GatherNDAttrs{2}, {matrix, i({2, 1}, {0, 0})}),
           refused("batch axes differ", OpKind::kGatherND, GatherNDAttrs{1}, {matrix, i({1, 1}, {0})}),
       })
    check(c);
}

TEST_P(MovingEvaluators, MovedElements) {
  const Tensor x = row({1, 2, 3, 4}), matrix = f({2, 2}, {1, 2, 3, 4});
  const auto padded = [&](const char* name, int mode, std::vector<int64_t> pads, Tensor from, Numbers want) {
    return gives(name, OpKind::kPad, PadAttrs{mode}, {std::move(from), ints(std::move(pads))}, std::move(want));
  };
  for (const Case& c : {
           padded("mirrored", pad::kReflect, {2, 5}, row({1, 2, 3}), {3, 2, 1, 2, 3, 2, 1, 2, 3, 2}),
           padded("mirrored, of one", pad::kReflect, {2, 1}, row({7}), {7, 7, 7, 7}),
           padded("the ends", pad::kEdge, {1, 2}, row({1, 2}), {1, 1, 2, 2, 2}),
           padded("around", pad::kWrap, {3, 1}, row({1, 2}), {2, 1, 2, 1, 2, 1}),
           padded("cut", pad::kConstant, {-1, -2}, x, {2}),
           refused("cuts off more than the axis has", OpKind::kPad, PadAttrs{}, {x, ints({-3, -3})}),
           refused("two entries per axis", OpKind::kPad, PadAttrs{}, {x, ints({1})}),
           refused("another type", OpKind::kPad, PadAttrs{}, {x, ints({1, 1}), ints({0})}),
           refused("0 copies a size that the input does not have", OpKind::kReshape, ReshapeAttrs{}, {x, ints({4, 0})}),
           refused("more than one -1", OpKind::kReshape, ReshapeAttrs{}, {x, ints({-1, -1})}),
           refused("a negative size", OpKind::kReshape, ReshapeAttrs{}, {x, ints({-2})}),
           refused("does not fit the target shape", OpKind::kReshape, ReshapeAttrs{}, {x, ints({3, -1})}),
           refused("does not fit the target shape", OpKind::kReshape, ReshapeAttrs{}, {x, ints({3})}),
           refused("is not of size 1", OpKind::kSqueeze, AxesAttrs{{0}}, {x}),
           refused("an axis is given twice", OpKind::kUnsqueeze, AxesAttrs{{0, 0}}, {x}),
           refused("axis out of range", OpKind::kFlatten, AxisAttrs{5}, {x}),
           refused("perm does not fit the rank", OpKind::kTranspose, TransposeAttrs{{0, 1, 2}}, {matrix}),
           refused("perm names an axis twice", OpKind::kTranspose, TransposeAttrs{{0, 0}}, {matrix}),
           gives("reversed axes", OpKind::kTranspose, TransposeAttrs{}, {matrix}, {1, 3, 2, 4}),
           refused("a step of 0", OpKind::kSlice, {}, {x, ints({0}), ints({2}), ints({0}), ints({0})}),
           refused("larger than the axis", OpKind::kSplit, SplitAttrs{0, {}, 0}, {x, ints({9})}),
           refused("different types or ranks", OpKind::kConcat, AxisAttrs{0}, {x, ints({1})}),
           refused("inputs differ in axis", OpKind::kConcat, AxisAttrs{0}, {matrix, f({1, 3}, {1, 2, 3})}),
           refused("does not broadcast", OpKind::kExpand, {}, {x, ints({3})}),
           refused("repeats does not fit the rank", OpKind::kTile, {}, {x, ints({1, 2})}),
           refused("a negative repeat", OpKind::kTile, {}, {x, ints({-1})}),
       })
    check(c);
}

TEST_P(MovingEvaluators, FusedNodes) {
  const Tensor x = f({1, 2, 2}, {1, 2, 3, 4}), w = f({2, 1}, {1, 1});
  AttentionAttrs heads{1, 1, 2, 0, 1.0f, false, 0, 0, 0};
  const auto attention = [&](auto change) {
    AttentionAttrs a = heads;
    change(a);
    return a;
  };
  for (const Case& c : {
           refused("do not fit", OpKind::kLinear, LinearAttrs{}, {x, f({3, 1}, {1, 1, 1})}),
           refused("do not fit", OpKind::kLinear, LinearAttrs{}, {x, row({1, 1})}),
           refused("one value per column", OpKind::kLinear, LinearAttrs{}, {x, w, row({1, 2})}),
           refused("need rank 3", OpKind::kAttention, heads, {row({1}), x, x}),
           refused("need rank 3", OpKind::kAttention, heads, {x, row({1}), x}),
           refused("need rank 3", OpKind::kAttention, heads, {x, x, row({1})}),
           refused("heads", OpKind::kAttention, attention([](AttentionAttrs& a) { a.heads = 0; }), {x, x, x}),
           refused("heads", OpKind::kAttention, attention([](AttentionAttrs& a) { a.kv_heads = 0; }), {x, x, x}),
           refused("heads", OpKind::kAttention, attention([](AttentionAttrs& a) { a.q_first = 1; }), {x, x, x}),
           refused("heads", OpKind::kAttention, attention([](AttentionAttrs& a) { a.k_first = 1; }), {x, x, x}),
           refused("heads", OpKind::kAttention, attention([](AttentionAttrs& a) { a.v_first = 1; }), {x, x, x}),
           refused("heads", OpKind::kAttention, heads, {x, f({2, 2, 2}, Numbers(8)), x}),
           refused("heads", OpKind::kAttention, heads, {x, x, f({1, 3, 2}, Numbers(6))}),
           refused("does not broadcast to the scores", OpKind::kAttention, heads, {x, x, x, f({1, 1, 1, 5}, Numbers(5))}),
           gives("no keys", OpKind::kAttention, heads, {x, f({1, 0, 2}, {}), f({1, 0, 2}, {})}, {0, 0, 0, 0}),
           refused("needs an axis", OpKind::kNorm, FusedNormAttrs{}, {Tensor::scalar(1.0f), kAbsent, row({1})}),
           refused("another shape", OpKind::kNorm, FusedNormAttrs{}, {x, row({1, 2}), row({1, 1})}),
           refused("gamma or beta has the wrong size", OpKind::kNorm, FusedNormAttrs{}, {x, kAbsent, row({1, 1, 1})}),
           refused("the table needs rank 2", OpKind::kEmbedding, {}, {ints({0}), row({1})}),
           refused("outside of the table of 2 rows", OpKind::kEmbedding, {}, {ints({5}), f({2, 1}, {1, 2})}),
           refused("x needs rank 3", OpKind::kMeanPool, PoolAttrs{}, {row({1}), row({1})}),
           refused("shape of the first two axes", OpKind::kMeanPool, PoolAttrs{}, {x, row({1})}),
           gives("the mean of all rows", OpKind::kMeanPool, PoolAttrs{}, {x}, {2, 3}),
           refused("needs an axis", OpKind::kL2Normalize, PoolAttrs{}, {Tensor::scalar(1.0f)}),
       })
    check(c);
}

}  // namespace
}  // namespace edgeconv_test
