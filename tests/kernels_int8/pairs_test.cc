// Sums, products, maxima and LeakyRelu of every level that has kernels for them against the loops that they stand for, bit for bit.
#include <algorithm>
#include <limits>

#include "rt/ops/scalar_arithmetic.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

class PairsTest : public LevelTest {};

constexpr size_t kRowSizes[] = {1, 7, 15, 16, 17, 31, 32, 33, 48, 65, 1000};
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
constexpr float kOdd[] = {kNaN, kInf, -kInf, 0.0f, -0.0f, 0x1p-130f, -0x1p-130f, 1.0f, -1.0f};

TEST_P(PairsTest, AreWhatTheLoopsGive) {
  const struct {
    const char* name;
    RowPairFn kernel;
    float (*loop)(float, float);
  } pairs[] = {{"add", kernels().add_rows, ops::plus}, {"multiply", kernels().multiply_rows, ops::times}, {"larger", kernels().larger_of_rows, ops::max_of}};
  SeededRandom random;
  for (const auto& pair : pairs) {
    if (pair.kernel == nullptr) continue;  // the loops run there
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      for (size_t n : kRowSizes) {
        GuardedBuffer<float> a(n), b(n), want(n), got(n);
        fill_row(a, static_cast<Fill>(fill), random);
        fill_row(b, static_cast<Fill>(n % static_cast<size_t>(Fill::kCount)), random);
        for (size_t i = 0; i < n; i += 5) {  // every odd value beside every other, and beside itself
          a[i] = kOdd[i / 5 % std::size(kOdd)];
          b[i] = kOdd[(i / 5 + fill) % std::size(kOdd)];
        }
        for (size_t i = 0; i < n; ++i) want[i] = pair.loop(a[i], b[i]);
        pair.kernel(n, a.data(), b.data(), got.data());
        ASSERT_TRUE(all_same_bits(n, want.data(), got.data())) << pair.name << " " << n << " " << fill_name(static_cast<Fill>(fill));
        pair.kernel(n, a.data(), b.data(), b.data());
        ASSERT_TRUE(all_same_bits(n, want.data(), b.data())) << pair.name << " in place " << n;
      }
    }
  }
}

TEST_P(PairsTest, ManyRowsAreWhatTheLoopsGive) {
  const struct {
    const char* name;
    RowsDownFn kernel;
    float (*loop)(float, float);
  } folds[] = {{"add", kernels().add_down, ops::plus}, {"largest", kernels().largest_down, ops::max_of}};
  SeededRandom random;
  for (const auto& fold : folds) {
    if (fold.kernel == nullptr) continue;  // the loops run there
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      for (size_t n : {1, 15, 16, 33, 100}) {
        for (size_t count : {0, 1, 9}) {
          const size_t step = n + 3;
          GuardedBuffer<float> x(count == 0 ? 0 : (count - 1) * step + n), acc(n), want(n);
          fill_row(x, static_cast<Fill>(fill), random);
          fill_row(acc, static_cast<Fill>(n % static_cast<size_t>(Fill::kCount)), random);
          for (size_t i = 0; i < x.size(); i += 5) x[i] = kOdd[i / 5 % std::size(kOdd)];
          for (size_t i = 0; i < n; ++i) {
            want[i] = acc[i];
            for (size_t row = 0; row < count; ++row) want[i] = fold.loop(want[i], x[row * step + i]);
          }
          fold.kernel(count, static_cast<ptrdiff_t>(step), n, x.data(), acc.data());
          ASSERT_TRUE(all_same_bits(n, want.data(), acc.data())) << fold.name << " " << count << " x " << n << " " << fill_name(static_cast<Fill>(fill));
        }
      }
    }
  }
}

TEST_P(PairsTest, LeakyReluAndItsLeast) {
  if (kernels().leaky_relu == nullptr) return;  // the loops run there
  SeededRandom random;
  for (float alpha : {1.0f, 0.2f, 0.0f, -0.5f}) {
    for (float least : {-kInf, -0.4f, 0.0f, 0.1f}) {
      for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
        for (size_t n : kRowSizes) {
          GuardedBuffer<float> src(n), want(n);
          fill_row(src, static_cast<Fill>(fill), random);
          for (size_t i = 0; i < n; i += 5) src[i] = kOdd[i / 5 % std::size(kOdd)];
          for (size_t i = 0; i < n; ++i) want[i] = ops::max_of(least, ops::leaky(src[i], alpha));
          kernels().leaky_relu(n, alpha, least, src.data(), src.data());
          ASSERT_TRUE(all_same_bits(n, want.data(), src.data())) << alpha << " " << least << " " << fill_name(static_cast<Fill>(fill));
        }
      }
    }
  }
}

ERT_INSTANTIATE_LEVELS(PairsTest);

}  // namespace
}  // namespace ert::kernels::testing
