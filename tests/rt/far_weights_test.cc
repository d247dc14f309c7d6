// Layers whose weights lie beyond a near cache are split, fetched and handed over in other ways: a context of two of them and a norm.
#include <gtest/gtest.h>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/ops/op_params.h"
#include "tests/support/context_fixture.h"
#include "tests/support/pool.h"
#include "tests/support/seeded_random.h"

namespace ert::testing {
namespace {

// Rows [1, 300] x 1024 through two Linears of weights beyond a near cache, the first of which hands quantized rows to the second where
// that takes 8 bits, and a LayerNorm behind them that adds x.
BlobSpec far_program(int32_t second_precision) {
  constexpr size_t kDepth = 1024;
  BlobSpec s;
  const uint32_t rows = s.dim("rows", 1, 300), depth = s.constant(kDepth);
  const uint32_t x = s.add_input("x", ERT_F32, {rows, depth});
  SeededRandom random;
  struct Weights {
    uint32_t codes, colsum;
  };
  const auto weights = [&] {
    std::vector<int8_t> codes(kDepth * kDepth);
    std::vector<int32_t> sums(kDepth);
    for (size_t column = 0; column < kDepth; ++column) {
      for (size_t k = 0; k < kDepth; ++k) {
        const auto code = static_cast<int8_t>(static_cast<int32_t>(random.bits() % 255) - 127);
        codes[kernels::packed_offset(kernels::Layout::kN16K4, column, k, kDepth)] = code;
        sums[column] += code;
      }
    }
    std::vector<float> lines(codes.size() / sizeof(float)), sum_bits(kDepth);
    std::memcpy(lines.data(), codes.data(), codes.size());
    std::memcpy(sum_bits.data(), sums.data(), sums.size() * sizeof(int32_t));
    return Weights{s.add_constant(params::kPackedN16K4, {depth, depth}, lines), s.add_constant(ERT_I32, {depth}, sum_bits)};
  };
  const Weights w1 = weights(), w2 = weights();
  const uint32_t scale = s.add_constant(ERT_F32, {depth}, std::vector<float>(kDepth, 0.0001f));
  const uint32_t gamma = s.add_constant(ERT_F32, {depth}, std::vector<float>(kDepth, 1.5f));
  const uint32_t a = s.add({ERT_F32, {rows, depth}, 0, 0, 0, 0, 1}), b = s.add({ERT_F32, {rows, depth}, 0, 1, 0, 1, 2});
  const uint32_t y = s.add_output("y", ERT_F32, {rows, depth}, 2);
  const auto op = [&](params::OpCode code, std::vector<uint32_t> inputs, uint32_t out, std::vector<int32_t> ints,
                      std::vector<float> floats) {
    s.ops.push_back({code, {inputs.begin(), inputs.end()}, {static_cast<int32_t>(out)}, std::move(ints), std::move(floats)});
  };
  op(params::OpCode::kLinear, {x, w1.codes, UINT32_MAX, scale, w1.colsum}, a,
     {params::linear::kInt8, static_cast<int32_t>(kernels::Unary::kGeluCoarse)}, {});
  op(params::OpCode::kLinear, {a, w2.codes, UINT32_MAX, scale, w2.colsum}, b, {second_precision, params::linear::kNoActivation},
     {});
  op(params::OpCode::kLayerNorm, {b, x, gamma}, y, {0}, {1e-5f});
  s.slots = 2;
  s.arena_order = {a, b};
  return s;
}

class FarWeights : public ::testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Precision, FarWeights, ::testing::Values(params::linear::kInt8, params::linear::kInt8A16));

// Blocks, handing over and the norm behind depend on threads and rows; the bits and the planned scratch must not.
TEST_P(FarWeights, EveryNumberOfRowsAndThreadsGivesTheSameBits) {
  const AlignedBytes blob = far_program(GetParam()).build();
  ert_model model{};
  ASSERT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
  std::vector<float> x(300 * 1024), expected, y(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 251) - 125.0f;
  for (uint32_t threads : {1u, 2u, 3u}) {
    Pool pool(threads);
    ert_config cfg = config_of_size();
    cfg.threads = threads;
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = pool.get();
    GuardedRegion arena(arena_need(model, &cfg));
    const ert_region region = arena.region();
    ert_context context{};
    ASSERT_EQ(ert_context_init(&context, &model, &cfg, nullptr, &region, 1), ERT_OK);
    for (int32_t rows : {300, 256, 129, 128, 100, 40, 7, 1}) {
      const size_t count = static_cast<size_t>(rows) * 1024;
      const ert_tensor in = float_tensor({rows, 1024}, x.data(), count), out = float_tensor({}, y.data(), count);
      ASSERT_EQ(ert_bind_input(&context, 0, &in), ERT_OK);
      ASSERT_EQ(ert_bind_output(&context, 0, &out), ERT_OK);
      ASSERT_EQ(ert_run(&context), ERT_OK) << rows;
      if (expected.empty()) expected = y;
      EXPECT_EQ(std::memcmp(y.data(), expected.data(), count * sizeof(float)), 0) << threads << " threads, " << rows << " rows";
    }
    EXPECT_TRUE(arena.intact());
  }
}

}  // namespace
}  // namespace ert::testing
