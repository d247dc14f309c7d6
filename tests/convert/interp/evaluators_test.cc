// Evaluators one by one: results at the edges of types and reductions that no operator of ONNX's own cases gives them, and what they refuse that inference
// refuses before them in a whole graph (folding and bodies of If and Loop come without it). Both backends.
#include "tests/convert/interp/evaluator_cases.h"

namespace edgeconv_test {
namespace {

class Evaluators : public EvaluatorTest {};

INSTANTIATE_TEST_SUITE_P(Backends, Evaluators, ::testing::Values(Backend::kOracle, Backend::kCanonical),
                         [](const auto& p) { return p.param == Backend::kOracle ? "oracle" : "canonical"; });

TEST_P(Evaluators, BinaryFunctions) {
  const Tensor mixed = row({5, -5, 5, -5, 6}), by = row({3, 3, -3, -3, 3});
  const int64_t least = std::numeric_limits<int64_t>::min();
  for (const Case& c : {
           binary("the divisor's sign", bp::kMod, mixed, by, {2, 1, -1, -2, 0}),
           binary("the dividend's sign", bp::kFmod, mixed, by, {2, -2, 2, -2, 0}),
           binary("least, NaN wins", bp::kMin, row({kNan, 1, 2, 1}), row({1, kNan, 1, 2}), {kNan, kNan, 1, 1}),
           binary("largest, NaN wins", bp::kMax, row({kNan, 1, 2, 1}), row({1, kNan, 1, 2}), {kNan, kNan, 2, 2}),
           binary("slopes", bp::kPRelu, row({-2, 3}), row({4, 4}), {-8, 3}),
           binary("slopes of integers", bp::kPRelu, ints({-2, 3}), ints({4, 4}), {-8, 3}, DType::kInt64),
           binary("integers to the power of negative ones", bp::kPow, ints({1, -1, -1, 2}), ints({-3, -3, -2, -1}), {1, -1, 1, 0},
                  DType::kInt64),
           binary("integers to the power of integers", bp::kPow, ints({3, -2}), ints({4, 3}), {81, -8}, DType::kInt64),
           binary("an integer to the power of a float", bp::kPow, ints({9}), row({0.5}), {3}, DType::kInt64),
           binary("a float to the power of an integer", bp::kPow, row({0.5}), ints({2}), {0.25}),
           binary("what wraps", bp::kDiv, ints({least}), ints({-1}), {static_cast<double>(least)}, DType::kInt64),
           binary("rests by -1", bp::kMod, ints({least, 7}), ints({-1, -1}), {0, 0}, DType::kInt64),
           binary("rests of integers", bp::kMod, ints({5, -5, 6}), ints({-3, 3, 3}), {-1, 1, 0}, DType::kInt64),
           binary("rests of integers as in C", bp::kFmod, ints({5, -5}), ints({-3, 3}), {2, -2}, DType::kInt64),
           binary("widths that differ", bp::kAdd, row({1}), tensor(DType::kDouble, {1}, {0.5}), {1.5}, DType::kDouble),
           binary("bits", bp::kXor, ints({6, 1}), ints({3, 1}), {5, 0}, DType::kInt64),
           binary("some of them", bp::kOr, ints({6, 1}), ints({3, 2}), {7, 3}, DType::kInt64),
           binary("doubles compare", bp::kLess, tensor(DType::kDouble, {2}, {1, 3}), tensor(DType::kDouble, {2}, {2, 2}), {1, 0},
                  DType::kBool),
           binary("numbers above 2^63 compare", bp::kGreater, tensor(DType::kUint64, {1}, {0x1p63}),
                  tensor(DType::kUint64, {1}, {1}), {1}, DType::kBool),
           refused("integer division by zero", OpKind::kBinary, BinaryAttrs{bp::kDiv}, {ints({1}), ints({0})}),
           refused("integer division by zero", OpKind::kBinary, BinaryAttrs{bp::kMod}, {ints({1}), ints({0})}),
           refused("not defined for floats", OpKind::kBinary, BinaryAttrs{bp::kXor}, {row({1}), row({1})}),
           refused("operands of different types", OpKind::kBinary, BinaryAttrs{bp::kAdd}, {row({1}), ints({1})}),
           refused("shapes do not broadcast", OpKind::kBinary, BinaryAttrs{bp::kAdd}, {row({1, 2}), row({1, 2, 3})}),
       })
    check(c);
}

TEST_P(Evaluators, UnaryFunctions) {
  const auto unary = [](const char* name, int kind, Tensor x, Numbers want, DType t) {
    return gives(name, OpKind::kUnary, UnaryAttrs{kind, 1}, {std::move(x)}, std::move(want), t);
  };
  for (const Case& c : {
           unary("squares of integers", un::kSquare, ints({-3, 2}), {9, 4}, DType::kInt64),
           unary("integers are whole", un::kFloor, ints({-3}), {-3}, DType::kInt64),
           unary("integers are whole upwards", un::kCeil, ints({-3}), {-3}, DType::kInt64),
           unary("integers are round", un::kRound, ints({-3}), {-3}, DType::kInt64),
           unary("signs", un::kSign, ints({-3, 0, 8}), {-1, 0, 1}, DType::kInt64),
           unary("doubles by a kernel", static_cast<int>(ert::kernels::Unary::kTanh), tensor(DType::kDouble, {2}, {0, 0.5}),
                 {0, std::tanh(0.5)}, DType::kDouble),
           unary("doubles by expm1", un::kElu, tensor(DType::kDouble, {2}, {-1, 2}), {std::expm1(-1.0), 2}, DType::kDouble),
           unary("doubles exactly", un::kSquare, tensor(DType::kDouble, {1}, {3}), {9}, DType::kDouble),
           unary("six at most", static_cast<int>(ert::kernels::Unary::kRelu6), row({-1, 3, 9, kNan}), {0, 3, 6, kNan},
                 DType::kFloat),
           refused("not defined for integers", OpKind::kUnary, UnaryAttrs{un::kSqrt, 0}, {ints({4})}),
           refused("the two values have different types", OpKind::kWhere, {},
                   {tensor(DType::kBool, {1}, {1}), row({1}), ints({1})}),
           refused("shapes do not broadcast", OpKind::kWhere, {}, {tensor(DType::kBool, {1}, {1}), row({1, 2}), row({1, 2, 3})}),
           refused("the condition is not bool", OpKind::kWhere, {}, {ints({1}), row({1}), row({2})}),
           gives("the wider of two", OpKind::kWhere, {},
                 {tensor(DType::kBool, {2}, {1, 0}), row({1}), tensor(DType::kDouble, {1}, {2})}, {1, 2}, DType::kDouble),
       })
    check(c);
}

TEST_P(Evaluators, Reductions) {
  for (const Case& c : {
           reduce("sizes", rp::kL1, row({-1, 2, -3}), {6}),
           reduce("length", rp::kL2, row({3, 4}), {5}),
           reduce("squares", rp::kSumSquare, row({3, -4}), {25}),
           reduce("product", rp::kProd, row({2, -3, 4}), {-24}),
           reduce("log of the sum", rp::kLogSum, row({1, 2}), {std::log(3.0)}),
           reduce("log of exponentials", rp::kLogSumExp, row({1000, 1000}), {1000 + std::log(2.0)}),
           reduce("log of exponentials that are 0", rp::kLogSumExp, row({-kInf, -kInf}), {-kInf}),
           reduce("NaN is the largest", rp::kMax, row({1, kNan, 2}), {kNan}),
           reduce("and the least", rp::kMin, row({1, kNan, 2}), {kNan}),
           reduce("sizes of doubles", rp::kL1, tensor(DType::kDouble, {2}, {-1, 2}), {3}, DType::kDouble),
           reduce("sizes of integers", rp::kL1, ints({-1, 2}), {3}, DType::kInt64),
           reduce("length of integers", rp::kL2, ints({3, 4}), {5}, DType::kInt64),
           reduce("squares of integers", rp::kSumSquare, ints({3, -4}), {25}, DType::kInt64),
           reduce("mean of integers", rp::kMean, ints({1, 4}), {2}, DType::kInt64),
           reduce("largest of no bytes", rp::kMax, tensor(DType::kInt8, {0}, {}), {-128}, DType::kInt8),
           reduce("least of no bytes", rp::kMin, tensor(DType::kInt8, {0}, {}), {127}, DType::kInt8),
           reduce("largest of no numbers without sign", rp::kMax, tensor(DType::kUint8, {0}, {}), {0}, DType::kUint8),
           reduce("least of no numbers without sign", rp::kMin, tensor(DType::kUint8, {0}, {}), {255}, DType::kUint8),
           reduce("all of nothing", rp::kMin, tensor(DType::kBool, {0}, {}), {1}, DType::kBool),
           reduce("any of nothing", rp::kMax, tensor(DType::kBool, {0}, {}), {0}, DType::kBool),
           refused("the mean of no elements", OpKind::kReduce, ReduceAttrs{rp::kMean, {0}, true, false}, {ints({})}),
           refused("not defined for integers", OpKind::kReduce, ReduceAttrs{rp::kLogSum, {0}, true, false}, {ints({1})}),
           refused("axis 3 is outside of rank 1", OpKind::kReduce, ReduceAttrs{rp::kSum, {3}, true, false}, {row({1})}),
       })
    check(c);
}

TEST_P(Evaluators, MadeTensors) {
  for (const Case& c : {
           gives("downwards", OpKind::kRange, {},
                 {Tensor::scalar(int64_t{5}), Tensor::scalar(int64_t{0}), Tensor::scalar(int64_t{-2})}, {5, 3, 1}, DType::kInt64),
           gives("none", OpKind::kRange, {}, {Tensor::scalar(int64_t{5}), Tensor::scalar(int64_t{0}), Tensor::scalar(int64_t{2})},
                 {}, DType::kInt64),
           gives("fractions", OpKind::kRange, {}, {Tensor::scalar(1.0f), Tensor::scalar(2.0f), Tensor::scalar(0.5f)}, {1, 1.5}),
           refused("a step of 0", OpKind::kRange, {},
                   {Tensor::scalar(int64_t{0}), Tensor::scalar(int64_t{1}), Tensor::scalar(int64_t{0})}),
           refused(
               "bounds or step are not usable", OpKind::kRange, {},
               {Tensor::scalar(int64_t{-2}), Tensor::scalar(std::numeric_limits<int64_t>::max()), Tensor::scalar(int64_t{1})}),
           refused("bounds or step are not usable", OpKind::kRange, {},
                   {Tensor::scalar(0.0f), Tensor::scalar(1.0f), Tensor::scalar(0.0f)}),
           refused("is not a single number", OpKind::kRange, {}, {row({0, 1}), row({1}), row({1})}),
           gives("ones on the diagonal", OpKind::kEyeLike, {}, {f({2, 3}, Numbers(6))}, {1, 0, 0, 0, 1, 0}),
           gives("of another type", OpKind::kEyeLike, CastAttrs{DType::kInt64}, {f({1, 1}, {0})}, {1}, DType::kInt64),
           refused("needs a matrix", OpKind::kEyeLike, {}, {row({1})}),
           refused("not one element", OpKind::kConstantOfShape, FillAttrs{ints({1, 2})}, {ints({2})}),
           gives("zeros", OpKind::kConstantOfShape, FillAttrs{}, {ints({2})}, {0, 0}),
           gives("the largest, NaN first", OpKind::kTopK, TopKAttrs{}, {row({1, kNan, 3}), ints({2})}, {kNan, 3}),
           refused("larger than the axis", OpKind::kTopK, TopKAttrs{}, {row({1}), ints({2})}),
           refused("the axis is empty", OpKind::kArgMinMax, ArgAttrs{}, {row({})}),
       })
    check(c);
}

// Gates of an RNN with one unit: x = 1, weights of 1, no recurrence.
TEST_P(Evaluators, ActivationsOfAnRnn) {
  struct Row {
    const char* name;
    std::vector<float> alpha, beta;
    double x, want;
  };
  for (const Row& r :
       {Row{"relu", {}, {}, -1, 0}, Row{"softplus", {}, {}, 0, std::log(2.0)}, Row{"affine", {2}, {3}, 5, 13},
        Row{"leakyrelu", {0.5f}, {}, -4, -2}, Row{"leakyrelu", {}, {}, -4, -0.04}, Row{"thresholdedrelu", {2}, {}, 1, 0},
        Row{"thresholdedrelu", {2}, {}, 3, 3}, Row{"scaledtanh", {2}, {3}, 0.1, 2 * std::tanh(0.3)},
        Row{"hardsigmoid", {}, {}, 1, 0.7}, Row{"hardsigmoid", {1}, {0}, 7, 1}, Row{"elu", {2}, {}, -1, 2 * std::expm1(-1.0)},
        Row{"elu", {2}, {}, 3, 3}, Row{"softsign", {}, {}, 3, 0.75}, Row{"tanh", {}, {}, 1, std::tanh(1.0)},
        Row{"sigmoid", {}, {}, 0, 0.5}}) {
    RnnAttrs a;
    a.kind = "RNN";
    a.hidden = 1;
    a.activations = {r.name};
    a.alpha = r.alpha;
    a.beta = r.beta;
    check(gives(r.name, OpKind::kRnn, a, {f({1, 1, 1}, {r.x}), f({1, 1, 1}, {1}), f({1, 1, 1}, {0})}, {r.want}));
  }
  RnnAttrs unknown;
  unknown.kind = "RNN";
  unknown.hidden = 1;
  unknown.activations = {"cosine"};
  check(refused("'cosine' is not supported", OpKind::kRnn, unknown, {f({1, 1, 1}, {1}), f({1, 1, 1}, {1}), f({1, 1, 1}, {0})}));
}

}  // namespace
}  // namespace edgeconv_test
