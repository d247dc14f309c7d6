// LayerNorm, RMSNorm and softmax of every level against the reference, bit for bit; masks and padding of softmax.
#include <vector>

#include "tests/kernels_int8/drawn_sizes.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

constexpr size_t kWidths[] = {1, 2, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100, 312, 384};
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

class NormTest : public LevelTest {
 protected:
  void compare(size_t m, size_t n, Fill fill, unsigned options, SeededRandom& random) {
    const bool residual = (options & 1) != 0, beta = (options & 2) != 0, rms = (options & 4) != 0, sum = (options & 8) != 0;
    GuardedBuffer<float> src(m * n), other(m * n), gamma(n), shift(n), want(m * n), got(m * n), want_sum(m * n), got_sum(m * n);
    fill_row(src, fill, random);
    fill_row(other, fill, random);
    fill_row(gamma, Fill::kNormal, random);
    fill_row(shift, Fill::kNormal, random);
    for (int pass = 0; pass < 2; ++pass) {
      const KernelTable& t = pass == 0 ? ref() : kernels();
      t.layernorm(m, n, src.data(), residual ? other.data() : nullptr, gamma.data(), beta ? shift.data() : nullptr, 1e-12f, rms,
                  (pass == 0 ? want : got).data(), sum ? (pass == 0 ? want_sum : got_sum).data() : nullptr);
    }
    ASSERT_TRUE(all_same_bits(m * n, want.data(), got.data())) << "n " << n << " options " << options << " " << fill_name(fill);
    if (sum) {
      ASSERT_TRUE(all_same_bits(m * n, want_sum.data(), got_sum.data())) << "sum, n " << n << " options " << options;
    }
  }
};

TEST_P(NormTest, EveryFormOnEveryFill) {
  SeededRandom random;
  for (size_t n : kWidths) {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      for (unsigned options = 0; options < 16; ++options) compare(3, n, static_cast<Fill>(fill), options, random);
    }
  }
}

TEST_P(NormTest, DestinationMayBeSourceOrResidual) {
  SeededRandom random;
  GuardedBuffer<float> src(5 * 50), other(5 * 50), gamma(50), want(5 * 50);
  fill_row(src, Fill::kNormal, random);
  fill_row(other, Fill::kNormal, random);
  fill_row(gamma, Fill::kNormal, random);
  ref().layernorm(5, 50, src.data(), other.data(), gamma.data(), nullptr, 1e-5f, false, want.data(), nullptr);
  std::vector<float> saved(src.data(), src.data() + src.size());
  kernels().layernorm(5, 50, src.data(), other.data(), gamma.data(), nullptr, 1e-5f, false, src.data(), nullptr);
  EXPECT_TRUE(all_same_bits(250, want.data(), src.data()));
  kernels().layernorm(5, 50, saved.data(), other.data(), gamma.data(), nullptr, 1e-5f, false, other.data(), nullptr);
  EXPECT_TRUE(all_same_bits(250, want.data(), other.data()));
}

TEST_P(NormTest, SoftmaxOnEveryFill) {
  SeededRandom random;
  for (size_t n : kWidths) {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      GuardedBuffer<float> src(2 * n), want(2 * n), got(2 * n);
      fill_row(src, static_cast<Fill>(fill), random);
      ref().softmax(2, n, src.data(), want.data());
      kernels().softmax(2, n, src.data(), got.data());
      ASSERT_TRUE(all_same_bits(2 * n, want.data(), got.data())) << "n " << n << " " << fill_name(static_cast<Fill>(fill));
    }
  }
}

// Rows of few values are turned 16 at a time.
TEST_P(NormTest, SoftmaxOfShortRows) {
  SeededRandom random;
  for (size_t n : {1, 2, 3, 7, 8, 9}) {
    for (size_t m : {2, 15, 16, 35}) {
      for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
        GuardedBuffer<float> src(m * n), want(m * n);
        fill_row(src, static_cast<Fill>(fill), random);
        ref().softmax(m, n, src.data(), want.data());
        kernels().softmax(m, n, src.data(), src.data());
        ASSERT_TRUE(all_same_bits(m * n, want.data(), src.data())) << "n " << n << " " << fill_name(static_cast<Fill>(fill));
      }
    }
  }
}

TEST_P(NormTest, SoftmaxOfColumnsIsThatOfRows) {
  if (kernels().softmax_columns == nullptr) return;  // of profile M and the reference
  SeededRandom random;
  for (size_t n : {1, 2, 3, 5, 9, 16, 17, 50}) {
    for (size_t columns : {1, 15, 16, 37}) {
      for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
        GuardedBuffer<float> rows(columns * n), src((n - 1) * (columns + 3) + columns);
        fill_row(rows, static_cast<Fill>(fill), random);
        if (fill == 0) rows[0] = std::numeric_limits<float>::quiet_NaN();
        if (fill == 1)
          for (size_t i = 0; i < n; ++i) rows[i] = kMinusInfinity;
        for (size_t i = 0; i < columns * n; ++i) src[i % n * (columns + 3) + i / n] = rows[i];
        ref().softmax(columns, n, rows.data(), rows.data());
        kernels().softmax_columns(n, columns, src.data(), columns + 3, src.data());
        for (size_t i = 0; i < columns * n; ++i)
          ASSERT_TRUE(all_same_bits(1, &rows[i], &src[i % n * (columns + 3) + i / n])) << n << " " << columns << " " << i;
      }
    }
  }
}

TEST_P(NormTest, SoftmaxOfHiddenRowIsZero) {
  for (size_t n : kWidths) {
    GuardedBuffer<float> src(n);
    for (size_t i = 0; i < n; ++i) src[i] = kMinusInfinity;
    kernels().softmax(1, n, src.data(), src.data());
    const std::vector<float> zeros(n, 0.0f);
    EXPECT_TRUE(all_same_bits(n, zeros.data(), src.data())) << n;
  }
}

// Also beside nothing but -inf, whose maximum is -inf too.
TEST_P(NormTest, SoftmaxOfANanIsNan) {
  SeededRandom random;
  for (float beside : {kMinusInfinity, 1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    for (size_t n : kWidths) {
      GuardedBuffer<float> src(2 * n), want(2 * n), got(2 * n);
      for (size_t i = 0; i < 2 * n; ++i) src[i] = i < n ? beside : 0.5f;
      src[static_cast<size_t>(random.integer(0, static_cast<int>(n) - 1))] = std::numeric_limits<float>::quiet_NaN();
      ref().softmax(2, n, src.data(), want.data());
      kernels().softmax(2, n, src.data(), got.data());
      for (size_t i = 0; i < 2 * n; ++i) {
        ASSERT_EQ(std::isnan(want[i]), i < n) << n;
        ASSERT_EQ(std::isnan(got[i]), i < n) << n;
      }
    }
  }
}

// Hidden entries at the end, -inf or just far below, change no bit of the rest and are exactly zero.
TEST_P(NormTest, SoftmaxDoesNotDependOnPadding) {
  SeededRandom random;
  for (float hidden : {kMinusInfinity, -3.4e38f, -10000.0f}) {
    for (size_t n : kWidths) {
      const size_t padded = n + static_cast<size_t>(random.integer(1, 40));
      GuardedBuffer<float> src(n), longer(padded), want(n), got(padded);
      fill_row(src, Fill::kNormal, random);
      for (size_t i = 0; i < padded; ++i) longer[i] = i < n ? src[i] : hidden;
      kernels().softmax(1, n, src.data(), want.data());
      kernels().softmax(1, padded, longer.data(), got.data());
      ASSERT_TRUE(all_same_bits(n, want.data(), got.data())) << n;
      for (size_t i = n; i < padded; ++i) ASSERT_EQ(got[i], 0.0f);
    }
  }
}

TEST_P(NormTest, DrawnSizes) {
  SeededRandom random;
  for (unsigned i = 0; i < 40; ++i) {
    const size_t n = drawn_size(i % 4 == 0 ? 100000 : 300, random), m = drawn_within(1 << 14, n, 40, random);
    compare(m, n, Fill::kNormal, i % 16, random);
    GuardedBuffer<float> src(m * n), want(m * n), got(m * n);
    fill_row(src, Fill::kNormal, random);
    ref().softmax(m, n, src.data(), want.data());
    kernels().softmax(m, n, src.data(), got.data());
    ASSERT_TRUE(all_same_bits(m * n, want.data(), got.data())) << m << " rows of " << n;
  }
}

ERT_INSTANTIATE_LEVELS(NormTest);

}  // namespace
}  // namespace ert::kernels::testing
