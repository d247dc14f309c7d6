// QuantizeMap, MapToFloat, MapMaxPool and MapMean against plain loops; and what prepare refuses.
#include <gtest/gtest.h>

#include "rt/ops/map_operands.h"
#include "tests/rt/ops/map_case.h"

namespace ert::test {
namespace {

OpCase quantize_case(const Tensor& x, const Tensor& factors) {
  return {&kOpQuantizeMap, {x, factors}, {empty(ERT_U8, x.dims), empty(ERT_I32, {x.dims[0], x.dims[1], 2})}, {}, {}, {}};
}

TEST(QuantizeMap, EveryRowHasARangeOfItsOwn) {
  Tensor x = noisy({2, 3, 5, 7}, 1);
  float* v = static_cast<float*>(static_cast<void*>(x.bytes.data()));
  const size_t row = 5 * 7;
  for (size_t i = 0; i < row; ++i) v[row + i] = 0.0f;             // a row of zeros
  for (size_t i = 0; i < row; ++i) v[2 * row + i] = 3.0f + v[i];  // 0 belongs to a range
  for (size_t i = 0; i < row; ++i) v[3 * row + i] *= 1e-3f;
  v[4 * row + 3] = std::nanf("");
  OpCase c = quantize_case(x, absent());
  run(c);
  const Tensor &q = c.outputs[0], &scales = c.outputs[1];
  for (size_t r = 0; r < 6; ++r) {
    float low = 0.0f, high = 0.0f;
    for (size_t i = 0; i < row; ++i) {
      low = std::min(low, v[r * row + i]);
      high = std::max(high, v[r * row + i]);
    }
    if (r == 4) {
      EXPECT_TRUE(std::isnan(scale_of(scales, r)));
      continue;
    }
    EXPECT_EQ(scale_of(scales, r), (high - low) / 255.0f) << r;
    for (size_t i = 0; i < row; ++i) {
      const float back = static_cast<float>(q.bytes[r * row + i] - zero_point_of(scales, r)) * scale_of(scales, r);
      EXPECT_NEAR(back, v[r * row + i], scale_of(scales, r) * 1.01f) << r << " " << i;
    }
  }
}

TEST(QuantizeMap, FactorsMultiplyBefore) {
  const Tensor x = noisy({1, 4, 3, 9}, 1), factors = noisy({9}, 2);
  std::vector<float> scaled = x.as<float>();
  for (size_t i = 0; i < scaled.size(); ++i) scaled[i] = scaled[i] * factors.as<float>()[i % 9];
  OpCase with = quantize_case(x, factors), without = quantize_case(f32(x.dims, scaled), absent());
  run(with);
  run(without);
  EXPECT_EQ(with.outputs[0].bytes, without.outputs[0].bytes);
  EXPECT_EQ(with.outputs[1].bytes, without.outputs[1].bytes);
}

// An image with its channels first gives the map of the same with its channels last.
TEST(QuantizeMap, ChannelsFirst) {
  for (const bool with_factors : {false, true})
    for (const int32_t channels : {1, 3, 17}) {
      const int32_t n = 2, h = 3, w = 5;
      const Tensor planes = noisy({n, channels, h, w}, 1), factors = with_factors ? noisy({channels}, 2) : absent();
      const std::vector<float> v = planes.as<float>();
      std::vector<float> last(v.size());
      for (size_t i = 0; i < last.size(); ++i) {
        const size_t c = i % static_cast<size_t>(channels), x = i / static_cast<size_t>(channels) % 5,
                     y = i / static_cast<size_t>(channels) / 5 % 3, image = i / static_cast<size_t>(channels) / 15;
        last[i] = v[((image * static_cast<size_t>(channels) + c) * 3 + y) * 5 + x];
      }
      OpCase want = quantize_case(f32({n, h, w, channels}, last), factors), got = want;
      got.inputs[0] = planes;
      got.ints = {1};
      run(want);
      run(got);
      EXPECT_EQ(want.outputs[0].bytes, got.outputs[0].bytes) << channels;
      EXPECT_EQ(want.outputs[1].bytes, got.outputs[1].bytes) << channels;
    }
}

TEST(QuantizeMap, RefusesPlanesThatAreNoMaps) {
  const OpCase good = {
      &kOpQuantizeMap, {noisy({1, 4, 2, 3}, 1), absent()}, {empty(ERT_U8, {1, 2, 3, 4}), empty(ERT_I32, {1, 2, 2})}, {1}, {}, {}};
  OpCase c = good;
  run(c);
  for (const std::vector<int32_t>& ints : std::vector<std::vector<int32_t>>{{}, {0}, {2}, {-1}, {1, 1}}) {
    c = good;
    c.ints = ints;
    EXPECT_FALSE(prepares(c)) << (ints.empty() ? 0 : ints[0]);
  }
}

TEST(MapToFloat, ValuesTimesFactors) {
  for (bool factors : {false, true}) {
    const MapTensors m = some_map({2, 3, 5, 37}, 1);
    const Tensor f = factors ? noisy({37}, 2) : absent();
    EXPECT_EQ(run_for<float>({&kOpMapToFloat, {m.q, m.scales, f}, {empty(ERT_F32, m.q.dims)}, {}, {}, {}}),
              values_of(m, f.as<float>()));
  }
}

TEST(MapMean, SumsOfRowsInOrder) {
  for (bool flat : {false, true}) {
    const MapTensors m = some_map({3, 6, 5, 19}, 1);
    const Tensor f = noisy({19}, 2);
    std::vector<float> want;
    for (int32_t image = 0; image < 3; ++image)
      for (int32_t ch = 0; ch < 19; ++ch) {
        float t = 0.0f;
        for (int32_t h = 0; h < 6; ++h) {
          const size_t row = static_cast<size_t>(image * 6 + h);
          int32_t sum = 0;
          for (int32_t w = 0; w < 5; ++w)
            sum += m.q.bytes[(row * 5 + static_cast<size_t>(w)) * 19 + static_cast<size_t>(ch)] - zero_point_of(m.scales, row);
          t = t + static_cast<float>(sum) * scale_of(m.scales, row);
        }
        t = t / 30.0f;
        want.push_back(t * f.as<float>()[static_cast<size_t>(ch)]);
      }
    EXPECT_EQ(
        run_for<float>({&kOpMapMean, {m.q, m.scales, f}, {empty(ERT_F32, flat ? Dims{3, 19} : Dims{3, 1, 1, 19})}, {}, {}, {}}),
        want);
  }
}

OpCase pool_case(const MapTensors& m, const ConvAxis& rows, const ConvAxis& columns) {
  const Dims out{m.q.dims[0], rows.out(), columns.out(), m.q.dims[3]};
  return {&kOpMapMaxPool,
          {m.q, m.scales},
          {empty(ERT_U8, out), empty(ERT_I32, {out[0], out[1], 2})},
          {rows.kernel, rows.stride, rows.dilation, rows.begin, rows.end, columns.kernel, columns.stride, columns.dilation,
           columns.begin, columns.end},
          {},
          {}};
}

TEST(MapMaxPool, TheLargestValueUnderTheWindow) {
  for (int32_t kernel = 1; kernel <= 5; ++kernel)
    for (int32_t stride = 1; stride <= 3; ++stride)
      for (int32_t dilation = 1; dilation <= 2; ++dilation)
        for (int32_t pad = 0; pad < kernel; ++pad) {
          const ConvAxis rows{11, kernel, stride, dilation, pad, 0}, columns{13, kernel, stride, dilation, 0, pad};
          if (!rows.fits() || !columns.fits()) continue;
          const MapTensors m = some_map({2, 11, 13, 6}, 1);
          const std::vector<float> x = values_of(m, {});
          std::vector<float> largest;
          OpCase c = pool_case(m, rows, columns);
          for_each_index(c.outputs[0].dims, [&](const Dims& at) {
            float best = -INFINITY;
            for (int32_t i = 0; i < kernel; ++i)
              for (int32_t j = 0; j < kernel; ++j) {
                const int32_t h = at[1] * stride + i * dilation - rows.begin, w = at[2] * stride + j * dilation - columns.begin;
                if (h < 0 || h >= 11 || w < 0 || w >= 13) continue;
                best = std::max(best, x[static_cast<size_t>(((at[0] * 11 + h) * 13 + w) * 6 + at[3])]);
              }
            largest.push_back(best);
          });
          run(c);
          OpCase q = quantize_case(f32(c.outputs[0].dims, largest), absent());
          run(q);
          EXPECT_EQ(c.outputs[0].bytes, q.outputs[0].bytes) << kernel << " " << stride << " " << dilation << " " << pad;
          EXPECT_EQ(c.outputs[1].bytes, q.outputs[1].bytes);
        }
}

TEST(MapMaxPool, EveryOutputNeedsAnInput) {
  const MapTensors m = some_map({1, 5, 5, 3}, 1);
  EXPECT_TRUE(prepares(pool_case(m, {5, 2, 1, 1, 1, 1}, {5, 2, 1, 1, 1, 1})));
  EXPECT_FALSE(prepares(pool_case(m, {5, 2, 1, 1, 2, 0}, {5})));
  EXPECT_FALSE(prepares(pool_case(m, {5}, {5, 2, 1, 1, 0, 2})));
}

// Without a look at each output, of which a blob may have 2^30. A dilation larger than the input may step over all of it: refused with padding before.
TEST(MapMaxPool, EmptyWindowsAreFoundFromTheEnds) {
  int accepted = 0, refused = 0;
  for (int32_t size = 1; size <= 4; ++size)
    for (int32_t kernel = 1; kernel <= 4; ++kernel)
      for (int32_t stride = 1; stride <= 2; ++stride)
        for (int32_t dilation = 1; dilation <= 5; ++dilation)
          for (int32_t begin = -2; begin <= 8; ++begin)
            for (int32_t end = -2; end <= 8; ++end) {
              const ConvAxis a{size, kernel, stride, dilation, begin, end};
              if (!a.fits()) continue;
              bool all = true;
              for (int32_t o = 0; o < a.out(); ++o) {
                bool inside = false;
                for (int32_t i = 0; i < kernel; ++i) {
                  const int32_t at = o * stride - begin + i * dilation;
                  inside |= at >= 0 && at < size;
                }
                all &= inside;
              }
              const bool ok = prepares(pool_case(some_map({1, 3, size, 2}, 1), {3}, a));
              EXPECT_EQ(ok, all && (dilation <= size || begin <= 0))
                  << size << " " << kernel << " " << stride << " " << dilation << " " << begin << " " << end;
              ++(ok ? accepted : refused);
            }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

// Padding is any number of pixels: the steps of its copies, and of windows that are mostly padding, once wrapped.
TEST(MapRows, StepsDoNotWrap) {
  constexpr uint64_t kMost = uint64_t{1} << 47;
  EXPECT_EQ(ops::steps_of(uint64_t{1} << 62, 8), kMost);
  EXPECT_EQ(ops::steps_of(uint64_t{1} << 40, 1 << 8), kMost);
  EXPECT_EQ(ops::steps_of(123, 1000), 123000u);
  EXPECT_EQ(ops::steps_of(123, 0), 0u);
}

TEST(MapRows, Refusals) {
  const MapTensors m = some_map({1, 4, 5, 3}, 1);
  const Tensor x = noisy({1, 4, 5, 3}, 2);
  const auto refused = [](OpCase c, auto change) {
    EXPECT_TRUE(prepares(c));
    change(c);
    return !prepares(c);
  };
  const OpCase quantize = quantize_case(x, absent());
  EXPECT_TRUE(refused(quantize, [](OpCase& c) { c.inputs[0].dtype = ERT_I32; }));
  EXPECT_TRUE(refused(quantize, [](OpCase& c) { c.outputs.pop_back(); }));
  EXPECT_TRUE(refused(quantize, [](OpCase& c) { c.outputs[0] = empty(ERT_U8, {1, 4, 5, 4}); }));
  EXPECT_TRUE(refused(quantize, [](OpCase& c) { c.outputs[1] = empty(ERT_F32, {1, 4, 2}); }));
  EXPECT_TRUE(refused(quantize, [](OpCase& c) { c.inputs[1] = noisy({4}, 1); }));
  const OpCase restore = {&kOpMapToFloat, {m.q, m.scales}, {empty(ERT_F32, m.q.dims)}, {}, {}, {}};
  EXPECT_TRUE(refused(restore, [](OpCase& c) { c.inputs[1] = empty(ERT_I32, {1, 5, 2}); }));
  EXPECT_TRUE(refused(restore, [](OpCase& c) { c.outputs[0] = empty(ERT_F32, {1, 4, 5, 2}); }));
  EXPECT_TRUE(refused(restore, [](OpCase& c) { c.inputs.push_back(noisy({2}, 1)); }));
  const OpCase mean = {&kOpMapMean, {m.q, m.scales}, {empty(ERT_F32, {1, 1, 1, 3})}, {}, {}, {}};
  EXPECT_TRUE(refused(mean, [](OpCase& c) { c.outputs[0] = empty(ERT_F32, {1, 2, 1, 3}); }));
  EXPECT_TRUE(refused(mean, [](OpCase& c) { c.outputs[0] = empty(ERT_F32, {1, 4}); }));
  EXPECT_TRUE(refused(mean, [](OpCase& c) { c.outputs[0] = empty(ERT_F32, {3}); }));
  const OpCase pool = pool_case(m, {4, 2}, {5, 2});
  EXPECT_TRUE(refused(pool, [](OpCase& c) { c.ints.pop_back(); }));
  EXPECT_TRUE(refused(pool, [](OpCase& c) { c.outputs[0] = empty(ERT_U8, {1, 3, 4, 2}); }));
  EXPECT_TRUE(refused(pool, [](OpCase& c) { c.ints[0] = 0; }));
}

}  // namespace
}  // namespace ert::test
