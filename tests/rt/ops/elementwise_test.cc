// Unary, Binary, Where and Cast against scalar expectations, with all broadcasts up to rank 8.
#include <gtest/gtest.h>
#include <math.h>
#include <string.h>

#include <cmath>
#include <limits>

#include "kernels_int8/ref/scalar_pow.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

namespace bin = params::binary;
namespace un = params::unary;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kIntMin = INT32_MIN, kIntMax = INT32_MAX;

uint32_t bits(float v) {
  uint32_t b;
  memcpy(&b, &v, 4);
  return b;
}

// Same bits, except that any NaN equals any NaN.
void expect_same(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]) && std::isnan(got[i])) continue;
    EXPECT_EQ(bits(got[i]), bits(want[i])) << i << ": " << got[i] << " instead of " << want[i];
  }
}

std::vector<float> unary(int32_t kind, std::vector<float> x, float alpha = 1.0f) {
  const int32_t n = static_cast<int32_t>(x.size());
  return run_for<float>({&kOpUnary, {f32({n}, std::move(x))}, {empty(ERT_F32, {n})}, {kind}, {alpha}, {}});
}

TEST(Unary, ExactKinds) {
  expect_same(unary(un::kNeg, {0.0f, -1.5f, kInf}), {-0.0f, 1.5f, -kInf});
  expect_same(unary(un::kAbs, {-0.0f, -1.5f, -kInf}), {0.0f, 1.5f, kInf});
  expect_same(unary(un::kSqrt, {0.0f, 2.0f, kInf, -1.0f}), {0.0f, std::sqrt(2.0f), kInf, kNaN});
  expect_same(unary(un::kReciprocal, {0.0f, 3.0f, -kInf}), {kInf, 1.0f / 3.0f, -0.0f});
  expect_same(unary(un::kSign, {-0.0f, 3.0f, -2.0f, kNaN}), {-0.0f, 1.0f, -1.0f, kNaN});
  expect_same(unary(un::kSquare, {3.0f, -0.5f}), {9.0f, 0.25f});
  expect_same(unary(un::kLeakyRelu, {-2.0f, 2.0f, 0.0f}, 0.25f), {-0.5f, 2.0f, 0.0f});
}

TEST(Unary, RoundingMatchesTheCLibrary) {
  std::vector<float> x = {0.0f,       -0.0f,       0.5f,  -0.5f, 1.5f,  2.5f, -2.5f,  0.49999997f, 8388607.5f,
                          8388608.0f, -8388609.0f, 1e30f, kInf,  -kInf, kNaN, 1e-30f, -1e-30f};
  for (float v : noise(300, 1)) x.push_back(v * 1000.0f);
  std::vector<float> floors, ceils, rounds;
  for (float v : x) {
    floors.push_back(std::floor(v));
    ceils.push_back(std::ceil(v));
    rounds.push_back(std::nearbyint(v));
  }
  expect_same(unary(un::kFloor, x), floors);
  expect_same(unary(un::kCeil, x), ceils);
  expect_same(unary(un::kRound, x), rounds);
}

TEST(Unary, EveryKernelIsTheScalarFunction) {
  const std::vector<float> x = noise(77, 3);
  for (int k = 0; k < static_cast<int>(kernels::Unary::kCount); ++k) {
    std::vector<float> want;
    for (float v : x) want.push_back(kernels::scalar_unary(static_cast<kernels::Unary>(k), v));
    expect_same(unary(k, x), want);
  }
}

TEST(Unary, EluAndCelu) {
  const std::vector<float> x = {-3.0f, -0.25f, 0.0f, 2.0f};
  const std::vector<float> elu = unary(un::kElu, x, 1.5f), celu = unary(un::kCelu, x, 2.0f);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(elu[i], x[i] < 0 ? 1.5 * (std::exp(x[i]) - 1.0) : x[i], 2e-6);
    EXPECT_NEAR(celu[i], std::max(0.0, double{x[i]}) + std::min(0.0, 2.0 * (std::exp(x[i] / 2.0) - 1.0)), 2e-6);
  }
}

TEST(Unary, IntegersAndBooleans) {
  const auto ints = [](int32_t kind, std::vector<int32_t> x) {
    const int32_t n = static_cast<int32_t>(x.size());
    return run_for<int32_t>({&kOpUnary, {i32({n}, std::move(x))}, {empty(ERT_I32, {n})}, {kind}, {}, {}});
  };
  EXPECT_EQ(ints(un::kNeg, {1, 0, kIntMin}), (std::vector<int32_t>{-1, 0, kIntMin}));
  EXPECT_EQ(ints(un::kAbs, {-5, 5, kIntMin}), (std::vector<int32_t>{5, 5, kIntMin}));
  EXPECT_EQ(ints(un::kSign, {-5, 0, 7}), (std::vector<int32_t>{-1, 0, 1}));
  EXPECT_EQ(ints(un::kSquare, {-5, 65536}), (std::vector<int32_t>{25, 0}));
  EXPECT_EQ(run_for<uint8_t>({&kOpUnary, {boolean({3}, {0, 1, 2})}, {empty(ERT_BOOL, {3})}, {un::kNot}, {}, {}}),
            (std::vector<uint8_t>{1, 0, 0}));
  const Tensor x = f32({4}, {0.0f, kNaN, -kInf, 1.0f});
  EXPECT_EQ(run_for<uint8_t>({&kOpUnary, {x}, {empty(ERT_BOOL, {4})}, {un::kIsNaN}, {}, {}}), (std::vector<uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(run_for<uint8_t>({&kOpUnary, {x}, {empty(ERT_BOOL, {4})}, {un::kIsInf}, {}, {}}), (std::vector<uint8_t>{0, 0, 1, 0}));
}

TEST(Unary, LongInputsAreSplitOverThreads) { unary(un::kSquare, noise(70001, 4)); }

struct Broadcast {
  Dims a, b, out;
};
const Broadcast kBroadcasts[] = {
    {{}, {}, {}},
    {{5}, {}, {5}},
    {{}, {3, 4}, {3, 4}},
    {{3, 4}, {4}, {3, 4}},
    {{3, 1}, {1, 4}, {3, 4}},
    {{2, 3, 4}, {3, 1}, {2, 3, 4}},
    {{2, 1, 4}, {2, 3, 1}, {2, 3, 4}},
    {{1, 1}, {1, 1, 1}, {1, 1, 1}},
    {{2, 2, 2, 2, 2, 2, 2, 2}, {2, 1, 2, 1, 2, 1, 2, 1}, {2, 2, 2, 2, 2, 2, 2, 2}},
    {{1, 2, 1, 3, 1, 2, 1, 3}, {2, 1, 2, 1, 2, 1, 2, 1}, {2, 2, 2, 3, 2, 2, 2, 3}},
    {{64, 300}, {300}, {64, 300}},
    {{64, 300}, {64, 1}, {64, 300}},
    {{4, 1, 130}, {70, 1}, {4, 70, 130}},
    {{0, 4}, {1, 4}, {0, 4}},
    {{200, 300}, {200, 300}, {200, 300}},
    {{200, 300}, {1}, {200, 300}},
    // A short row that is repeated
    {{300, 10}, {10}, {300, 10}},
    {{7, 40, 10}, {7, 1, 10}, {7, 40, 10}},
    {{2, 3001, 3}, {3}, {2, 3001, 3}},
    {{9, 64}, {64}, {9, 64}},
    {{9, 65}, {65}, {9, 65}},
};

TEST(Binary, BroadcastsLikeNumpy) {
  for (const Broadcast& shape : kBroadcasts) {
    for (bool swapped : {false, true}) {
      const Tensor a = noisy(swapped ? shape.b : shape.a, 1), b = noisy(swapped ? shape.a : shape.b, 2);
      const std::vector<float> x = a.as<float>(), y = b.as<float>();
      std::vector<float> want;
      for_each_index(shape.out, [&](const Dims& index) {
        want.push_back(x[static_cast<size_t>(broadcast_at(a.dims, index))] - y[static_cast<size_t>(broadcast_at(b.dims, index))]);
      });
      expect_same(run_for<float>({&kOpBinary, {a, b}, {empty(ERT_F32, shape.out)}, {bin::kSub}, {}, {}}), want);
    }
  }
}

TEST(Binary, RefusesShapesThatAreNotTheBroadcast) {
  const auto accepts = [](Dims a, Dims b, Dims out) {
    return prepares({&kOpBinary, {empty(ERT_F32, a), empty(ERT_F32, b)}, {empty(ERT_F32, out)}, {bin::kAdd}, {}, {}});
  };
  EXPECT_TRUE(accepts({2, 3}, {3}, {2, 3}));
  EXPECT_FALSE(accepts({2, 3}, {2}, {2, 3}));
  EXPECT_FALSE(accepts({2, 3}, {3}, {2, 4}));
  EXPECT_FALSE(accepts({1, 3}, {3}, {2, 3}));
  EXPECT_FALSE(accepts({2, 3}, {3}, {1, 2, 3}));
  EXPECT_FALSE(accepts({2, 3}, {1, 2, 3}, {2, 3}));
}

std::vector<float> floats(int32_t kind, std::vector<float> a, std::vector<float> b) {
  const int32_t n = static_cast<int32_t>(a.size());
  return run_for<float>({&kOpBinary, {f32({n}, std::move(a)), f32({n}, std::move(b))}, {empty(ERT_F32, {n})}, {kind}, {}, {}});
}
std::vector<int32_t> ints(int32_t kind, std::vector<int32_t> a, std::vector<int32_t> b) {
  const int32_t n = static_cast<int32_t>(a.size());
  return run_for<int32_t>({&kOpBinary, {i32({n}, std::move(a)), i32({n}, std::move(b))}, {empty(ERT_I32, {n})}, {kind}, {}, {}});
}

TEST(Binary, FloatKinds) {
  expect_same(floats(bin::kAdd, {1e30f, 1.0f}, {1e30f, -1.0f}), {2e30f, 0.0f});
  expect_same(floats(bin::kMul, {3.0f, kInf}, {-2.0f, 0.0f}), {-6.0f, kNaN});
  expect_same(floats(bin::kDiv, {1.0f, -1.0f, 0.0f}, {3.0f, 0.0f, 0.0f}), {1.0f / 3.0f, -kInf, kNaN});
  expect_same(floats(bin::kPow, {2.0f, 9.0f, -2.0f}, {3.0f, 0.5f, 2.0f}), {8.0f, 3.0f, 4.0f});
  expect_same(floats(bin::kMin, {1.0f, kNaN, 2.0f}, {2.0f, 1.0f, kNaN}), {1.0f, kNaN, kNaN});
  expect_same(floats(bin::kMax, {1.0f, kNaN, 2.0f}, {2.0f, 1.0f, kNaN}), {2.0f, kNaN, kNaN});
  expect_same(floats(bin::kPRelu, {-2.0f, 2.0f}, {0.5f, 0.5f}), {-1.0f, 2.0f});
}

TEST(Binary, SquaresArePowers) {
  const std::vector<float> x = {2.0f, -3.5f, 1.0f, -0.0f, kInf, -kInf, kNaN, 1e30f, 1e-30f};
  std::vector<float> want;
  for (float v : x) want.push_back(kernels::scalar_pow(v, 2.0f));
  const auto n = static_cast<int32_t>(x.size());
  expect_same(run_for<float>({&kOpBinary, {f32({n}, x), f32({}, {2.0f})}, {empty(ERT_F32, {n})}, {bin::kPow}, {}, {}}), want);
  expect_same(run_for<float>({&kOpBinary, {f32({n}, x), f32({1, 1}, {2.0f})}, {empty(ERT_F32, {1, n})}, {bin::kPow}, {}, {}}),
              want);
  expect_same(
      run_for<float>({&kOpBinary, {f32({}, {2.0f}), f32({3}, {1.0f, 2.0f, 3.0f})}, {empty(ERT_F32, {3})}, {bin::kPow}, {}, {}}),
      {2, 4, 8});
}

TEST(Binary, RemaindersAreExact) {
  std::vector<float> a = {5.5f, -5.5f, 5.5f, -5.5f, 1e30f, 1e-30f, kInf, 1.0f, 0.0f, -4.0f, 3.0f, 1e38f, kNaN, 1.0f};
  std::vector<float> b = {2.0f, 2.0f, -2.0f, -2.0f, 3.0f, 1e30f, 2.0f, 0.0f, 3.0f, 2.0f, kInf, 1e-30f, 1.0f, kNaN};
  for (float v : noise(500, 5)) a.push_back(v * 1e6f);
  for (float v : noise(500, 6)) b.push_back(v);
  std::vector<float> want;
  for (size_t i = 0; i < a.size(); ++i) want.push_back(std::fmod(a[i], b[i]));
  expect_same(floats(bin::kFmod, a, b), want);
  expect_same(floats(bin::kMod, {5.5f, -5.5f, 5.5f, -5.5f, 4.0f, 4.0f}, {2.0f, 2.0f, -2.0f, -2.0f, 2.0f, -2.0f}),
              {1.5f, 0.5f, -0.5f, -1.5f, 0.0f, -0.0f});
}

TEST(Binary, IntegersWrapAndNeverTrap) {
  EXPECT_EQ(ints(bin::kAdd, {kIntMax, -1}, {1, 1}), (std::vector<int32_t>{kIntMin, 0}));
  EXPECT_EQ(ints(bin::kSub, {kIntMin}, {1}), (std::vector<int32_t>{kIntMax}));
  EXPECT_EQ(ints(bin::kMul, {65536, kIntMin}, {65536, -1}), (std::vector<int32_t>{0, kIntMin}));
  EXPECT_EQ(ints(bin::kDiv, {7, -7, 5, kIntMin}, {2, 2, 0, -1}), (std::vector<int32_t>{3, -3, 0, kIntMin}));
  EXPECT_EQ(ints(bin::kMod, {7, -7, 7, -7, 5, kIntMin}, {3, 3, -3, -3, 0, -1}), (std::vector<int32_t>{1, 2, -2, -1, 0, 0}));
  EXPECT_EQ(ints(bin::kFmod, {7, -7, 7, -7, 5, kIntMin}, {3, 3, -3, -3, 0, -1}), (std::vector<int32_t>{1, -1, 1, -1, 0, 0}));
  EXPECT_EQ(ints(bin::kPow, {3, 2, -1, 1, 2, 0}, {4, 31, -3, -9, -1, 0}), (std::vector<int32_t>{81, kIntMin, -1, 1, 0, 1}));
  EXPECT_EQ(ints(bin::kMin, {1, -5}, {2, -6}), (std::vector<int32_t>{1, -6}));
  EXPECT_EQ(ints(bin::kMax, {1, -5}, {2, -6}), (std::vector<int32_t>{2, -5}));
}

TEST(Binary, ComparisonsAndLogicGiveBooleans) {
  const auto compare = [](int32_t kind) {
    const std::vector<float> x = {1.0f, 2.0f, 3.0f, kNaN}, y = {2.0f, 2.0f, 2.0f, 2.0f};
    return run_for<uint8_t>({&kOpBinary, {f32({4}, x), f32({4}, y)}, {empty(ERT_BOOL, {4})}, {kind}, {}, {}});
  };
  EXPECT_EQ(compare(bin::kEqual), (std::vector<uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(compare(bin::kLess), (std::vector<uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(compare(bin::kLessOrEqual), (std::vector<uint8_t>{1, 1, 0, 0}));
  EXPECT_EQ(compare(bin::kGreater), (std::vector<uint8_t>{0, 0, 1, 0}));
  EXPECT_EQ(compare(bin::kGreaterOrEqual), (std::vector<uint8_t>{0, 1, 1, 0}));
  const auto logic = [](int32_t kind) {
    return run_for<uint8_t>(
        {&kOpBinary, {boolean({4}, {0, 0, 1, 2}), boolean({4}, {0, 1, 0, 1})}, {empty(ERT_BOOL, {4})}, {kind}, {}, {}});
  };
  EXPECT_EQ(logic(bin::kAnd), (std::vector<uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(logic(bin::kOr), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(logic(bin::kXor), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(logic(bin::kEqual), (std::vector<uint8_t>{1, 0, 0, 1}));
  EXPECT_EQ(run_for<uint8_t>({&kOpBinary,
                              {boolean({1, 200}, std::vector<uint8_t>(200, 1)), boolean({2, 1}, {0, 1})},
                              {empty(ERT_BOOL, {2, 200})},
                              {bin::kAnd},
                              {},
                              {}})[250],
            1);
}

TEST(Binary, ComparisonsOfIntegersAtTheirEnds) {
  const std::vector<int32_t> x = {kIntMin, 1, 2, kIntMax, 3}, y = {kIntMax, 1, -2, kIntMin, 4};
  const auto compare = [&](int32_t kind) {
    return run_for<uint8_t>({&kOpBinary, {i32({5}, x), i32({5}, y)}, {empty(ERT_BOOL, {5})}, {kind}, {}, {}});
  };
  EXPECT_EQ(compare(bin::kEqual), (std::vector<uint8_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(compare(bin::kLess), (std::vector<uint8_t>{1, 0, 0, 0, 1}));
  EXPECT_EQ(compare(bin::kLessOrEqual), (std::vector<uint8_t>{1, 1, 0, 0, 1}));
  EXPECT_EQ(compare(bin::kGreater), (std::vector<uint8_t>{0, 0, 1, 1, 0}));
  EXPECT_EQ(compare(bin::kGreaterOrEqual), (std::vector<uint8_t>{0, 1, 1, 1, 0}));
  EXPECT_FALSE(prepares({&kOpBinary, {i32({5}, x), i32({5}, y)}, {empty(ERT_I32, {5})}, {bin::kPRelu}, {}, {}}));
}

TEST(Where, BroadcastsAllThree) {
  const Tensor p = boolean({2, 1, 1}, {1, 0}), a = noisy({3, 1}, 1), b = noisy({1, 4}, 2);
  std::vector<float> want;
  for_each_index({2, 3, 4}, [&](const Dims& i) {
    want.push_back(i[0] == 0 ? a.as<float>()[static_cast<size_t>(i[1])] : b.as<float>()[static_cast<size_t>(i[2])]);
  });
  expect_same(run_for<float>({&kOpWhere, {p, a, b}, {empty(ERT_F32, {2, 3, 4})}, {}, {}, {}}), want);
  EXPECT_EQ(
      run_for<uint8_t>(
          {&kOpWhere, {boolean({3}, {1, 0, 7}), boolean({3}, {0, 1, 0}), boolean({}, {1})}, {empty(ERT_BOOL, {3})}, {}, {}, {}}),
      (std::vector<uint8_t>{0, 1, 0}));
  OpCase big = {&kOpWhere,
                {boolean({1, 300}, std::vector<uint8_t>(300, 1)), noisy({200, 300}, 3), f32({}, {0.0f})},
                {empty(ERT_F32, {200, 300})},
                {},
                {},
                {}};
  big.inputs[0].bytes[7] = 0;
  run(big);
  EXPECT_EQ(big.outputs[0].as<float>()[307], 0.0f);
  EXPECT_EQ(big.outputs[0].as<float>()[308], big.inputs[1].as<float>()[308]);
}

TEST(Cast, EveryPair) {
  const Tensor x = f32({9}, {1.9f, -1.9f, kNaN, kInf, -kInf, 3e9f, -0.0f, 300.0f, -2147483648.0f});
  const auto cast = [](const Tensor& t, uint8_t to) { return OpCase{&kOpCast, {t}, {empty(to, t.dims)}, {}, {}, {}}; };
  EXPECT_EQ(run_for<int32_t>(cast(x, ERT_I32)), (std::vector<int32_t>{1, -1, 0, kIntMax, kIntMin, kIntMax, 0, 300, kIntMin}));
  EXPECT_EQ(run_for<uint8_t>(cast(x, ERT_U8)), (std::vector<uint8_t>{1, 0, 0, 255, 0, 255, 0, 255, 0}));
  EXPECT_EQ(run_for<int8_t>(cast(x, ERT_I8)), (std::vector<int8_t>{1, -1, 0, 127, -128, 127, 0, 127, -128}));
  EXPECT_EQ(run_for<uint8_t>(cast(x, ERT_BOOL)), (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 0, 1, 1}));
  expect_same(run_for<float>(cast(x, ERT_F32)), x.as<float>());
  const Tensor i = i32({4}, {300, -1, 0, 16777217});
  expect_same(run_for<float>(cast(i, ERT_F32)), {300.0f, -1.0f, 0.0f, 16777216.0f});
  EXPECT_EQ(run_for<uint8_t>(cast(i, ERT_U8)), (std::vector<uint8_t>{44, 255, 0, 1}));
  EXPECT_EQ(run_for<int8_t>(cast(i, ERT_I8)), (std::vector<int8_t>{44, -1, 0, 1}));
  EXPECT_EQ(run_for<uint8_t>(cast(i, ERT_BOOL)), (std::vector<uint8_t>{1, 1, 0, 1}));
  EXPECT_EQ(run_for<int32_t>(cast(boolean({3}, {0, 1, 9}), ERT_I32)), (std::vector<int32_t>{0, 1, 1}));
  EXPECT_EQ(run_for<int32_t>(cast(i8({2}, {-128, 5}), ERT_I32)), (std::vector<int32_t>{-128, 5}));
  EXPECT_EQ(run_for<int32_t>(cast(u8({2}, {255, 5}), ERT_I32)), (std::vector<int32_t>{255, 5}));
  run_for<int32_t>(cast(noisy({50000}, 1), ERT_I32));
}

}  // namespace
}  // namespace ert::test
