// Weights of a finished program in the layouts of --target: every weight is where README.md of kernels_int8 draws it.
#include "convert/program/weight_layout.h"

#include <gtest/gtest.h>

#include "convert/quantize/weights.h"

namespace edgeconv::testing {

namespace {

QuantizedWeights numbered(int64_t n, int64_t k) {
  QuantizedWeights q;
  q.n = n;
  q.k = k;
  for (int64_t i = 0; i < n * k; ++i) q.codes.push_back(static_cast<int8_t>(i * 37 % 255 - 127));
  return q;
}

TargetProgram program_of(const QuantizedWeights& q) {
  TargetProgram p({});
  p.add_constant(ert::params::kPackedN16K4, {DimExpr(q.n), DimExpr(q.k)}, pack_n16k4(q));
  return p;
}

// Panels of `columns` columns, in them groups of `depth` k, in them one column after the other; padding is zero.
void expect_layout(ert::params::Layout layout, int64_t columns, int64_t depth) {
  for (const auto& [n, k] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 16}, {3, 17}, {16, 8}, {33, 65}}) {
    const QuantizedWeights q = numbered(n, k);
    TargetProgram p = program_of(q);
    change_weight_layout(p, layout);
    ASSERT_EQ(p.values[0].dtype, layout);
    const auto bytes = p.values[0].data.as<uint8_t>();
    const int64_t groups = (k + depth - 1) / depth, panels = (n + columns - 1) / columns;
    ASSERT_EQ(static_cast<int64_t>(bytes.size()), panels * columns * groups * depth);
    ASSERT_EQ(value_bytes(p.values[0], {}), static_cast<int64_t>(bytes.size()));
    size_t at = 0;
    for (int64_t panel = 0; panel < panels; ++panel)
      for (int64_t group = 0; group < groups; ++group)
        for (int64_t c = panel * columns; c < (panel + 1) * columns; ++c)
          for (int64_t kk = group * depth; kk < (group + 1) * depth; ++kk, ++at)
            ASSERT_EQ(static_cast<int8_t>(bytes[at]), c < n && kk < k ? q.codes[static_cast<size_t>(c * k + kk)] : 0)
                << "column " << c << " k " << kk << " of " << n << "x" << k;
  }
}

TEST(WeightLayout, N16K4) { expect_layout(ert::params::kPackedN16K4, 16, 4); }
TEST(WeightLayout, N8K8) { expect_layout(ert::params::kPackedN8K8, 8, 8); }
TEST(WeightLayout, N2K16) { expect_layout(ert::params::kPackedN2K16, 2, 16); }

TEST(WeightLayout, ThereAndBack) {
  const QuantizedWeights q = numbered(33, 65);
  TargetProgram p = program_of(q);
  const std::string before(reinterpret_cast<const char*>(p.values[0].data.data()), p.values[0].data.bytes());
  change_weight_layout(p, ert::params::kPackedN2K16);
  change_weight_layout(p, ert::params::kPackedN8K8);
  change_weight_layout(p, ert::params::kPackedN16K4);
  EXPECT_EQ(before, std::string(reinterpret_cast<const char*>(p.values[0].data.data()), p.values[0].data.bytes()));
}

}  // namespace

}  // namespace edgeconv::testing
