// Elementwise nodes write over an input that nothing else wants: what is wanted stays as it was, and results are those of a tensor of their own.
#include <gtest/gtest.h>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/ir/diagnostics.h"
#include "tests/convert/graph_builder.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;
namespace bp = ert::params::binary;

class Overwritten : public testing::TestWithParam<Backend> {
 protected:
  ValueId negated(ValueId v) { return b.node(OpKind::kUnary, {v}, UnaryAttrs{ert::params::unary::kNeg}); }
  ValueId binary(bp::Kind kind, ValueId v, ValueId w) { return b.node(OpKind::kBinary, {v, w}, BinaryAttrs{kind}); }
  std::vector<float> of(std::vector<ValueId> outputs, size_t which = 0) {
    b.g.outputs = std::move(outputs);
    return interpret(b.g, {x_values}, {GetParam(), {}})[which].to_float();
  }
  GraphBuilder b;
  const ValueId x = b.input("x", DType::kFloat, {2, 3});
  const Tensor x_values = Tensor::of<float>(DType::kFloat, {2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<float> as_given{1, 2, 3, 4, 5, 6};
};

INSTANTIATE_TEST_SUITE_P(Backends, Overwritten, testing::Values(Backend::kOracle, Backend::kCanonical),
                         [](const auto& i) { return i.param == Backend::kOracle ? "oracle" : "canonical"; });

TEST_P(Overwritten, EitherOperand) {
  const ValueId row = b.floats({3}, {10, 20, 30});
  EXPECT_EQ(of({binary(bp::kSub, negated(x), row)}), (std::vector<float>{-11, -22, -33, -14, -25, -36}));
  EXPECT_EQ(of({binary(bp::kSub, row, negated(x))}), (std::vector<float>{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(of({binary(bp::kSub, b.floats({2, 1}, {7, 9}), negated(x))}), (std::vector<float>{8, 9, 10, 13, 14, 15}));
  EXPECT_EQ(of({binary(bp::kMul, negated(x), b.scalar(2.0f))}), (std::vector<float>{-2, -4, -6, -8, -10, -12}));
}

TEST_P(Overwritten, NotWhatIsReadAgain) {
  const ValueId y = negated(x), twice = binary(bp::kAdd, y, y), sum = binary(bp::kSub, y, x);
  EXPECT_EQ(of({twice, sum}, 1), (std::vector<float>{-2, -4, -6, -8, -10, -12}));
  EXPECT_EQ(of({twice, sum}), (std::vector<float>{-2, -4, -6, -8, -10, -12}));
}

TEST_P(Overwritten, NeitherInputsOfTheModelNorItsOutputs) {
  const ValueId y = negated(x), z = binary(bp::kMul, y, b.scalar(3.0f));
  EXPECT_EQ(of({z, y}), (std::vector<float>{-3, -6, -9, -12, -15, -18}));
  EXPECT_EQ(of({z, y}, 1), (std::vector<float>{-1, -2, -3, -4, -5, -6}));
  EXPECT_EQ(of({binary(bp::kMul, x, b.scalar(3.0f))}), (std::vector<float>{3, 6, 9, 12, 15, 18}));
  EXPECT_EQ(x_values.to_float(), as_given);
}

TEST_P(Overwritten, NotWhatAViewShares) {
  const ValueId y = negated(x), view = b.node(OpKind::kReshape, {y, b.ints({3, 2})}, ReshapeAttrs{}),
                z = binary(bp::kMul, view, b.scalar(3.0f)), sum = binary(bp::kAdd, y, x);
  EXPECT_EQ(of({z, sum}, 1), (std::vector<float>{0, 0, 0, 0, 0, 0}));
}

TEST_P(Overwritten, NotBySomethingLarger) {
  const ValueId row = negated(b.node(OpKind::kReduce, {x}, ReduceAttrs{ert::params::reduce::kMax, {0}, false, false}));
  EXPECT_EQ(of({binary(bp::kAdd, row, x)}), (std::vector<float>{-3, -3, -3, 0, 0, 0}));
  EXPECT_EQ(of({binary(bp::kLess, negated(x), b.scalar(-3.0f))}), (std::vector<float>{0, 0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace edgeconv_test
