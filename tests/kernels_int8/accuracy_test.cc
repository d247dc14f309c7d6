// The canonical functions against double precision: the errors that NUMERICS.md states. All levels give the reference's bits
// (unary_test), so measuring the reference measures them all.
#include <cmath>
#include <vector>

#include "kernels_int8/dispatch/dispatch.h"
#include "kernels_int8/ref/elementary.h"
#include "kernels_int8/ref/scalar_pow.h"
#include "tests/kernels_int8/level_test.h"

namespace ert::kernels::testing {
namespace {

class AccuracyTest : public ::testing::Test {
 protected:
  struct Error {
    double ulp = 0.0;       // in units of the last place of the exact result
    double absolute = 0.0;  // divided by max(1, |x|)
  };

  // Walks floats of both signs whose bit patterns are 1009 apart.
  template <class Exact>
  static Error measure(Unary op, float lo, float hi, Exact exact) {
    Error error;
    for (uint64_t pattern = 0; pattern < (1ull << 32); pattern += 1009) {
      const uint32_t bits = static_cast<uint32_t>(pattern);
      float x;
      std::memcpy(&x, &bits, sizeof(x));
      if (!(x >= lo && x <= hi) || std::fpclassify(x) == FP_SUBNORMAL) continue;
      const double want = exact(static_cast<double>(x));
      const double difference = std::fabs(static_cast<double>(scalar_unary(op, x)) - want);
      error.absolute = std::max(error.absolute, difference / std::max(1.0, std::fabs(static_cast<double>(x))));
      if (std::fabs(want) < 0x1p-125) continue;
      error.ulp = std::max(error.ulp, difference / std::ldexp(1.0, std::ilogb(want) - 23));
    }
    return error;
  }

 private:
  FloatMode float_mode_;
};

constexpr float kAll = 3.4e38f;
double gelu(double x) { return 0.5 * x * std::erfc(-x * 0.70710678118654752440); }
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

TEST_F(AccuracyTest, Exp) {
  EXPECT_LT(measure(Unary::kExp, -87.0f, 88.72f, [](double x) { return std::exp(x); }).ulp, 1.0);
}
// Far below zero the rounding of x*log2e counts most; weights that small round to nothing.
TEST_F(AccuracyTest, ExpOfAttentionWeights) {
  double near = 0.0, far = 0.0;
  for (float x = -87.0f; x <= 0.0f; x += 0x1p-12f) {
    const double want = std::exp(static_cast<double>(x));
    const double error = std::fabs(static_cast<double>(to_float(exp_of_weight(x))) / want - 1.0);
    (x >= -11.0f ? near : far) = std::max(x >= -11.0f ? near : far, error);
  }
  EXPECT_LT(near, 3.2e-6);
  EXPECT_LT(far, 7.5e-6);
  EXPECT_EQ(to_float(exp_of_weight(-87.0f)) >= 0x1p-126f, true) << "no weight is subnormal";
}
TEST_F(AccuracyTest, Tanh) {
  EXPECT_LT(measure(Unary::kTanh, -kAll, kAll, [](double x) { return std::tanh(x); }).ulp, 2.0);
}
TEST_F(AccuracyTest, Erf) {
  EXPECT_LT(measure(Unary::kErf, -kAll, kAll, [](double x) { return std::erf(x); }).ulp, 3.0);
}
TEST_F(AccuracyTest, GeluErf) { EXPECT_LT(measure(Unary::kGeluErf, -kAll, kAll, gelu).absolute, 3.6e-7); }
TEST_F(AccuracyTest, GeluCoarse) { EXPECT_LT(measure(Unary::kGeluCoarse, -kAll, kAll, gelu).absolute, 1.75e-4); }
TEST_F(AccuracyTest, SigmoidCoarse) { EXPECT_LT(measure(Unary::kSigmoidCoarse, -kAll, kAll, logistic).absolute, 2.6e-5); }
TEST_F(AccuracyTest, TanhCoarse) {
  EXPECT_LT(measure(Unary::kTanhCoarse, -kAll, kAll, [](double x) { return std::tanh(x); }).absolute, 5.2e-5);
}
TEST_F(AccuracyTest, GeluTanh) {
  const auto exact = [](double x) { return x * logistic(2.0 * 0.79788456080286535588 * (x + 0.044715 * x * x * x)); };
  EXPECT_LT(measure(Unary::kGeluTanh, -1e9f, 1e9f, exact).absolute, 1.5e-7);
}
TEST_F(AccuracyTest, Sigmoid) { EXPECT_LT(measure(Unary::kSigmoid, -87.0f, kAll, logistic).ulp, 2.5); }
TEST_F(AccuracyTest, Silu) {
  EXPECT_LT(measure(Unary::kSilu, -87.0f, kAll, [](double x) { return x * logistic(x); }).ulp, 3.0);
}
TEST_F(AccuracyTest, Log) {
  EXPECT_LT(measure(Unary::kLog, 0x1p-126f, kAll, [](double x) { return std::log(x); }).ulp, 0.51);
}
TEST_F(AccuracyTest, Sin) {
  EXPECT_LT(measure(Unary::kSin, -kAll, kAll, [](double x) { return std::sin(x); }).ulp, 0.51);
}
TEST_F(AccuracyTest, Cos) {
  EXPECT_LT(measure(Unary::kCos, -kAll, kAll, [](double x) { return std::cos(x); }).ulp, 0.51);
}
TEST_F(AccuracyTest, Softplus) { EXPECT_LT(measure(Unary::kSoftplus, -86.0f, kAll, softplus).ulp, 0.51); }
TEST_F(AccuracyTest, Mish) {
  EXPECT_LT(measure(Unary::kMish, -80.0f, kAll, [](double x) { return x * std::tanh(softplus(x)); }).ulp, 4.0);
}
TEST_F(AccuracyTest, Elu) {
  EXPECT_LT(measure(Unary::kElu, -kAll, kAll, [](double x) { return x > 0 ? x : std::expm1(x); }).absolute, 6e-8);
}

TEST_F(AccuracyTest, SpecialValues) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(scalar_unary(Unary::kExp, inf), inf);
  EXPECT_EQ(scalar_unary(Unary::kExp, -inf), 0.0f);
  EXPECT_EQ(scalar_unary(Unary::kExp, 0.0f), 1.0f);
  EXPECT_EQ(scalar_unary(Unary::kExp, -87.5f), 0.0f);
  EXPECT_EQ(scalar_unary(Unary::kTanh, 100.0f), 1.0f);
  EXPECT_EQ(scalar_unary(Unary::kTanh, -inf), -1.0f);
  EXPECT_EQ(scalar_unary(Unary::kErf, -9.0f), -1.0f);
  EXPECT_EQ(scalar_unary(Unary::kGeluErf, -30.0f), 0.0f);
  EXPECT_EQ(scalar_unary(Unary::kGeluErf, 30.0f), 30.0f);
  for (const float x : {3.953125f, 4.0f, 30.0f, 1e30f}) {
    EXPECT_EQ(scalar_unary(Unary::kGeluCoarse, x), x) << "the polynomial is 1/2 exactly at the cap";
    EXPECT_EQ(scalar_unary(Unary::kGeluCoarse, -x), 0.0f);
  }
  EXPECT_EQ(scalar_unary(Unary::kTanhCoarse, 0.0f), 0.0f) << "a state of zeros stays";
  EXPECT_EQ(scalar_unary(Unary::kSigmoidCoarse, 0.0f), 0.5f);
  for (const float x : {11.0f, 88.0f, inf}) {
    EXPECT_EQ(scalar_unary(Unary::kTanhCoarse, x), 1.0f);
    EXPECT_EQ(scalar_unary(Unary::kTanhCoarse, -x), -1.0f);
  }
  EXPECT_EQ(scalar_unary(Unary::kSigmoidCoarse, inf), 1.0f);
  EXPECT_LT(scalar_unary(Unary::kSigmoidCoarse, -inf), 1e-9f);
  EXPECT_EQ(scalar_unary(Unary::kLog, 0.0f), -inf);
  EXPECT_EQ(scalar_unary(Unary::kLog, 1.0f), 0.0f);
  EXPECT_TRUE(std::isnan(scalar_unary(Unary::kLog, -1.0f)));
  EXPECT_TRUE(std::isnan(scalar_unary(Unary::kSin, inf)));
  for (int op = 0; op < static_cast<int>(Unary::kCount); ++op) {
    EXPECT_TRUE(std::isnan(scalar_unary(static_cast<Unary>(op), std::nanf("")))) << "NaN is not hidden by op " << op;
  }
}

TEST_F(AccuracyTest, PowAgreesWithC) {
  SeededRandom random;
  for (int i = 0; i < 400000; ++i) {
    const float x = std::ldexp(random.uniform(0.5f, 1.0f), random.integer(-120, 120));
    const float y = random.uniform(-4.0f, 4.0f) * (i % 3 == 0 ? 20.0f : 1.0f);
    const double want = std::pow(static_cast<double>(x), static_cast<double>(y));
    if (!(want > 0x1p-125 && want < 0x1p127)) continue;
    EXPECT_LT(std::fabs(scalar_pow(x, y) - want) / std::ldexp(1.0, std::ilogb(want) - 23), 0.51) << x << " " << y;
  }
}

TEST_F(AccuracyTest, PowSpecialCasesAreThoseOfC) {
  const float inf = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f,  -0.0f, 1.0f,  -1.0f, 2.0f,  -2.0f, 0.25f, -0.25f,       3.0f,
                          -3.0f, 0.5f,  -0.5f, 7.0f,  -8.0f, inf,   -inf,  std::nanf("")};
  for (float x : values) {
    for (float y : values) {
      // The canonical form of x^-1/2 rounds twice.
      const float want = y == -0.5f && x > 0.0f ? 1.0f / std::sqrt(x) : std::pow(x, y);
      EXPECT_TRUE(ert::testing::same_bits(want, scalar_pow(x, y)))
          << x << " ^ " << y << " is " << scalar_pow(x, y) << " not " << want;
    }
  }
}

// Attention and LayerNorm against the textbook in double: catches a contract that all levels follow but that is wrong.
TEST_F(AccuracyTest, LayerNormAndSoftmaxAgainstDouble) {
  SeededRandom random;
  constexpr size_t n = 384;
  std::vector<float> x(n), gamma(n), beta(n), norm(n), soft(n);
  for (size_t i = 0; i < n; ++i) x[i] = random.normal() + 2.0f, gamma[i] = random.normal(), beta[i] = random.normal();
  const KernelTable& t = kernel_table(0);
  t.layernorm(1, n, x.data(), nullptr, gamma.data(), beta.data(), 1e-5f, false, norm.data(), nullptr);
  t.softmax(1, n, x.data(), soft.data());
  double mean = 0.0, variance = 0.0, sum = 0.0;
  for (float v : x) mean += v / static_cast<double>(n), sum += std::exp(static_cast<double>(v));
  for (float v : x) variance += (v - mean) * (v - mean) / n;
  for (size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(norm[i], (x[i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i], 2e-6);
    EXPECT_NEAR(soft[i] * sum, std::exp(static_cast<double>(x[i])), 1e-6 * std::exp(static_cast<double>(x[i])));
  }
}

}  // namespace
}  // namespace ert::kernels::testing
