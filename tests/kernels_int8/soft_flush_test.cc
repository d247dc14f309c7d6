// The reference without an FPU: the same sources with F32 as the class that flushes in software (ERT_FLUSH_IN_SOFTWARE), run with
// the processor's flush-to-zero mode off, give the bits of the ordinary build with the mode on.
#include <algorithm>
#include <vector>

#include "kernels_int8/dispatch/dispatch.h"
#include "kernels_int8/ref/float32.h"
#include "rt/base/float_mode.h"
#include "tests/kernels_int8/fills.h"
#include "tests/support/same_bits.h"
#include "tests/support/seeded_random.h"

namespace ert_soft::kernels {

// Defined by the reference sources compiled once more with -Dert=ert_soft.
#define ERT_KERNEL(level, slot, name)
#define ERT_UNARY(level, kind, name) void name(size_t n, const float* src, float* dst);
#define ERT_LIST_REFERENCE_ONLY 1
#include "kernels_int8/dispatch/kernel_list.inc"
void softmax_f32_f32_1x1_ref(size_t m, size_t n, const float* src, float* dst);
void lstm_f32_f32_1x1_ref(size_t n, const float* gates, size_t gate_stride, const float* projected, float* c, float* h);
void gru_f32_f32_1x1_ref(size_t n, const float* gates, size_t gate_stride, const float* projected, float* h);
void layernorm_f32_f32_1x1_ref(size_t m, size_t n, const float* src, const float* residual, const float* gamma, const float* beta,
                               float eps, bool rms, float* dst, float* sum_out);
void gemm_f32_f32_f32_1x1_ref(size_t m, size_t n, size_t k, const float* lhs, ptrdiff_t lhs_stride, ptrdiff_t lhs_k_stride,
                              const float* rhs, ptrdiff_t rhs_stride, const float* bias, float* dst, ptrdiff_t dst_stride);

}  // namespace ert_soft::kernels

namespace ert::kernels::testing {
namespace {

namespace soft = ert_soft::kernels;
using ert::testing::all_same_bits;
using ert::testing::SeededRandom;

using UnaryFn = void (*)(size_t, const float*, float*);

struct SoftUnary {
  Unary op;
  UnaryFn run;
};
constexpr SoftUnary kSoftUnary[] = {
#define ERT_KERNEL(level, slot, name)
#define ERT_UNARY(level, kind, name) {Unary::kind, soft::name},
#include "kernels_int8/dispatch/kernel_list.inc"
};

// Runs `hard` in ert's float mode and `soft` in the default mode on the same row.
template <class Hard, class Soft>
void compare(size_t n, const char* what, Hard hard, Soft soft_run) {
  std::vector<float> want(n), got(n);
  {
    const FloatMode float_mode;
    hard(want.data());
  }
  soft_run(got.data());
  ASSERT_TRUE(all_same_bits(n, want.data(), got.data())) << what;
}

class SoftFlushTest : public ::testing::TestWithParam<Fill> {
 protected:
  std::vector<float> row(size_t n) {
    std::vector<float> x(n);
    fill_row(x, GetParam(), random_);
    return x;
  }
  SeededRandom random_;
  const KernelTable& hard_ = kernel_table(0);
};

TEST_P(SoftFlushTest, Unary) {
  const std::vector<float> x = row(500);
  for (const SoftUnary& s : kSoftUnary) {
    compare(
        500, "unary", [&](float* y) { hard_.unary[static_cast<int>(s.op)](500, x.data(), y); },
        [&](float* y) { s.run(500, x.data(), y); });
  }
}

TEST_P(SoftFlushTest, Rows) {
  const std::vector<float> x = row(300), gamma = row(100);
  compare(
      300, "softmax", [&](float* y) { hard_.softmax(3, 100, x.data(), y); },
      [&](float* y) { soft::softmax_f32_f32_1x1_ref(3, 100, x.data(), y); });
  compare(
      300, "layernorm",
      [&](float* y) { hard_.layernorm(3, 100, x.data(), nullptr, gamma.data(), nullptr, 0.0f, false, y, nullptr); },
      [&](float* y) {
        soft::layernorm_f32_f32_1x1_ref(3, 100, x.data(), nullptr, gamma.data(), nullptr, 0.0f, false, y, nullptr);
      });
  compare(
      100, "gemm", [&](float* y) { hard_.gemm_f32(10, 10, 30, x.data(), 30, 1, x.data(), 10, nullptr, y, 10); },
      [&](float* y) { soft::gemm_f32_f32_f32_1x1_ref(10, 10, 30, x.data(), 30, 1, x.data(), 10, nullptr, y, 10); });
}

TEST_P(SoftFlushTest, RecurrentCells) {
  const std::vector<float> gates = row(400), projected = row(400), state = row(100);
  // c before h: both are results.
  compare(
      200, "lstm",
      [&](float* y) {
        std::copy(state.begin(), state.end(), y);
        hard_.lstm_step(100, gates.data(), 100, projected.data(), y, y + 100);
      },
      [&](float* y) {
        std::copy(state.begin(), state.end(), y);
        soft::lstm_f32_f32_1x1_ref(100, gates.data(), 100, projected.data(), y, y + 100);
      });
  compare(
      100, "gru",
      [&](float* y) {
        std::copy(state.begin(), state.end(), y);
        hard_.gru_step(100, gates.data(), 100, projected.data(), y);
      },
      [&](float* y) {
        std::copy(state.begin(), state.end(), y);
        soft::gru_f32_f32_1x1_ref(100, gates.data(), 100, projected.data(), y);
      });
}

INSTANTIATE_TEST_SUITE_P(Fills, SoftFlushTest,
                         ::testing::Values(Fill::kNormal, Fill::kHuge, Fill::kTiny, Fill::kSubnormal, Fill::kMixed,
                                           Fill::kOneOutlier),
                         [](const auto& fill) { return std::string(fill_name(fill.param)); });

// Canary: with the mode off the ordinary build differs on subnormals, so the comparison above is not vacuous.
TEST(SoftFlushCanaryTest, DefaultModeDiffers) {
  if (ERT_FLUSH_IN_SOFTWARE) GTEST_SKIP() << "the ordinary build flushes in software too";
  SeededRandom random;
  std::vector<float> x(64), in_mode(64), in_default(64);
  fill_row(x, Fill::kSubnormal, random);
  const KernelTable& t = kernel_table(0);
  {
    const FloatMode float_mode;
    t.unary[static_cast<int>(Unary::kSilu)](64, x.data(), in_mode.data());
  }
  t.unary[static_cast<int>(Unary::kSilu)](64, x.data(), in_default.data());
  EXPECT_FALSE(all_same_bits(64, in_mode.data(), in_default.data()));
}

}  // namespace
}  // namespace ert::kernels::testing
