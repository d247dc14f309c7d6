// Subnormals are zero in every op's arithmetic and comparisons (NUMERICS.md, rule 2 of section 1). The harness demands the bits of the
// FPU's flush-to-zero mode from the ops that a target without an FPU has.
#include <gtest/gtest.h>

#include "tests/kernels_int8/fills.h"
#include "tests/rt/ops/op_harness.h"
#include "tests/rt/ops/ops_without_fpu.h"
#include "tests/support/seeded_random.h"

namespace ert::test {
namespace {

namespace bin = params::binary;
namespace red = params::reduce;
namespace un = params::unary;
using kernels::testing::Fill;

class SubnormalTest : public ::testing::TestWithParam<Fill> {
 protected:
  Tensor row(Dims dims) {
    int64_t n = 1;
    for (int32_t d : dims) n *= d;
    std::vector<float> values(static_cast<size_t>(n));
    kernels::testing::fill_row(values, GetParam(), random_);
    return f32(std::move(dims), std::move(values));
  }
  // Runs the op in both builds; op_harness.cc compares.
  void check(const OpDef& op, std::vector<Tensor> inputs, std::vector<Tensor> outputs, std::vector<int32_t> ints,
             std::vector<float> floats = {}) {
    OpCase c = {&op, std::move(inputs), std::move(outputs), std::move(ints), std::move(floats), {}};
    ASSERT_TRUE(is_op_without_fpu(op.name)) << op.name;
    SCOPED_TRACE(::testing::Message() << op.name << " " << (c.ints.empty() ? 0 : c.ints[0]));
    EXPECT_EQ(run(c), ERT_OK);
  }
  ert::testing::SeededRandom random_;
};

TEST_P(SubnormalTest, Unary) {
  for (int32_t kind = un::kNeg; kind <= un::kCelu; ++kind) {
    if (kind == un::kNot || kind == un::kSqrt) continue;
    const uint8_t dtype = kind == un::kIsNaN || kind == un::kIsInf ? ERT_BOOL : ERT_F32;
    check(kOpUnary, {row({200})}, {empty(dtype, {200})}, {kind}, {0.25f});
    check(kOpUnary, {row({200})}, {empty(dtype, {200})}, {kind}, {0x1p-10f});
  }
  Tensor positive = row({200});
  for (size_t i = 3; i < positive.bytes.size(); i += 4) positive.bytes[i] &= 0x7f;
  check(kOpUnary, {positive}, {empty(ERT_F32, {200})}, {un::kSqrt});
}

TEST_P(SubnormalTest, Binary) {
  for (int32_t kind = bin::kAdd; kind <= bin::kPRelu; ++kind) {
    if (kind == bin::kAnd || kind == bin::kOr || kind == bin::kXor) continue;
    const bool compares = kind >= bin::kEqual && kind <= bin::kXor;
    check(kOpBinary, {row({20, 10}), row({10})}, {empty(compares ? ERT_BOOL : ERT_F32, {20, 10})}, {kind});
  }
}

TEST_P(SubnormalTest, Reduce) {
  for (int32_t kind = red::kSum; kind <= red::kLogSumExp; ++kind) {
    check(kOpReduce, {row({8, 33})}, {empty(ERT_F32, {8, 1})}, {kind, 2});
    check(kOpReduce, {row({8, 33})}, {empty(ERT_F32, {1, 33})}, {kind, 1});
  }
  for (int32_t last : {0, 1}) {
    for (int32_t largest : {0, 1}) check(kOpArgMinMax, {row({7, 40})}, {empty(ERT_I32, {7, 1})}, {1, largest, last});
  }
  for (int32_t largest : {0, 1})
    check(kOpTopK, {row({7, 40})}, {empty(ERT_F32, {7, 9}), empty(ERT_I32, {7, 9})}, {1, largest, 1});
  for (const int32_t kind : {params::pool::kMax, params::pool::kSum}) {
    check(kOpPool, {row({40, 7})}, {empty(ERT_F32, {40, 7})}, {kind, 0, 3, 1, 1, 1, 1});
    check(kOpPool, {row({7, 40})}, {empty(ERT_F32, {7, 20})}, {kind, 1, 2, 2, 1, 0, 0});
  }
  check(kOpCumSum, {row({3, 50})}, {empty(ERT_F32, {3, 50})}, {1, 0, 0});
  check(kOpCumSum, {row({3, 50})}, {empty(ERT_F32, {3, 50})}, {0, 1, 1});
}

TEST_P(SubnormalTest, Rows) {
  check(kOpSoftmax, {row({5, 30})}, {empty(ERT_F32, {5, 30})}, {1, 1});
  check(kOpSoftmax, {row({5, 30})}, {empty(ERT_F32, {5, 30})}, {0, 0});
  check(kOpL2Normalize, {row({5, 30})}, {empty(ERT_F32, {5, 30})}, {}, {0x1p-30f});
  check(kOpMeanPool, {row({2, 6, 20}), row({2, 6})}, {empty(ERT_F32, {2, 20})}, {}, {1e-9f});
  check(kOpGlu, {row({4, 30}), row({4, 30})}, {empty(ERT_F32, {4, 30})}, {static_cast<int32_t>(kernels::Unary::kSilu), 0, 0});
  check(kOpRope, {row({1, 6, 32}), row({1, 6, 12}), row({1, 6, 12})}, {empty(ERT_F32, {1, 6, 32})}, {2, 16, 12, 0, 0});
  check(kOpMatMul, {row({5, 8}), row({8, 9})}, {empty(ERT_F32, {5, 9})}, {0}, {0x1p-20f});
  check(kOpLayerNorm, {row({4, 40}), row({4, 40}), row({40}), row({40})}, {empty(ERT_F32, {4, 40})}, {0}, {1e-12f});
}

TEST_P(SubnormalTest, Indexing) {
  check(kOpCast, {row({100})}, {empty(ERT_BOOL, {100})}, {});
  check(kOpCast, {row({100})}, {empty(ERT_I32, {100})}, {});
  const Tensor ids = i32({6}, {0, 5, 3, 3, 1, 5});
  Tensor table = empty(ERT_I8, {6, 24});
  for (size_t i = 0; i < table.bytes.size(); ++i) table.bytes[i] = static_cast<uint8_t>(i * 37);
  check(kOpEmbedding, {ids, table, row({6})}, {empty(ERT_F32, {6, 24})}, {});
  for (int32_t reduction = 1; reduction <= 4; ++reduction) {
    check(kOpScatterND, {row({6, 10}), i32({6, 1}, {0, 5, 3, 3, 1, 5}), row({6, 10})}, {empty(ERT_F32, {6, 10})}, {reduction});
    check(kOpScatterElements, {row({6}), ids, row({6})}, {empty(ERT_F32, {6})}, {0, reduction});
  }
}

// Forms of the cells that are no kernel: clip, peepholes, a forget gate made from the input gate, a GRU that resets before its product.
TEST_P(SubnormalTest, RecurrentCells) {
  namespace rec = params::recurrence;
  const auto k = [](kernels::Unary u) { return static_cast<int32_t>(u); };
  const std::vector<int32_t> usual = {k(kernels::Unary::kSigmoid), k(kernels::Unary::kTanh), k(kernels::Unary::kTanh)};
  for (const auto& [kind, gates, input_forget] :
       {std::tuple{rec::kLstm, 4, 0}, {rec::kLstm, 4, 1}, {rec::kGru, 3, 0}, {rec::kRnn, 1, 0}}) {
    const int32_t h = 16, n = gates * h;
    std::vector<Tensor> inputs = {row({3, 2, n}),
                                  absent(),
                                  row({1, 2, h}),
                                  kind == rec::kLstm ? row({1, 2, h}) : absent(),
                                  kind == rec::kLstm ? row({1, 3 * h}) : absent(),
                                  row({h, n}),
                                  absent(),
                                  absent(),
                                  row({n})};
    std::vector<Tensor> outputs = {empty(ERT_F32, {3, 2, h}), empty(ERT_F32, {1, 2, h})};
    if (kind == rec::kLstm) outputs.push_back(empty(ERT_F32, {1, 2, h}));
    std::vector<int32_t> ints = {kind, params::linear::kF32, rec::kForward, 0, input_forget};
    ints.insert(ints.end(), usual.begin(), usual.end());
    check(kOpRecurrence, inputs, outputs, ints, {0.75f});
  }
}

INSTANTIATE_TEST_SUITE_P(Fills, SubnormalTest,
                         ::testing::Values(Fill::kNormal, Fill::kTiny, Fill::kSubnormal, Fill::kMixed, Fill::kNegativeZero),
                         [](const auto& fill) {
                           return fill.param == Fill::kNegativeZero ? std::string("negative_zero")
                                                                    : std::string(kernels::testing::fill_name(fill.param));
                         });

// On the least normals arithmetic itself gives subnormals.
TEST(Subnormal, SumsAndDifferencesOfLeastNormals) {
  const Tensor a = f32({6}, {0x1.8p-126f, 0x1p-126f, -0x1p-126f, 0x1.4p-126f, 0x1p-126f, -0x1.cp-125f});
  const Tensor b = f32({6}, {0x1p-126f, 0x1.8p-126f, 0x1.8p-126f, -0x1p-126f, -0x1p-126f, 0x1.8p-126f});
  for (int32_t kind : {bin::kAdd, bin::kSub, bin::kMul, bin::kDiv, bin::kMod, bin::kFmod, bin::kMin, bin::kMax}) {
    OpCase c = {&kOpBinary, {a, b}, {empty(ERT_F32, {6})}, {kind}, {}, {}};
    EXPECT_EQ(run(c), ERT_OK);
  }
  EXPECT_EQ(run_for<float>({&kOpBinary, {a, b}, {empty(ERT_F32, {6})}, {bin::kSub}, {}, {}})[0], 0.0f);
}

}  // namespace
}  // namespace ert::test
