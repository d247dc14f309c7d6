// Rows of kW8A8 are rows of fours (contract/quantized_rows.h): a row of pieces that are copied from another is one of the same scale. rt/ops/conv.cc builds rows so.
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

class RowsOfFoursTest : public LevelTest {};

TEST_P(RowsOfFoursTest, PiecesAreTheRowsTheyComeFrom) {
  const auto row_bytes = kernels().row_bytes[Precision::kW8A8];
  const auto quantize = kernels().quantize_rows[Precision::kW8A8];
  const size_t bytes = row_bytes(64) / 64;
  ASSERT_EQ(row_bytes(64) % 64, 0u);
  SeededRandom random;
  for (size_t k : {20, 48, 64, 100, 132, 1000})
    for (size_t first = 0; first + 8 <= k; first += 4) {
      std::vector<float> whole(k), part;
      for (float& v : whole) v = random.uniform(-1.0f, 1.0f);
      whole[k - 1] = 2.0f;  // both rows have these ends
      whole[k - 2] = -1.5f;
      part.assign(whole.begin() + static_cast<ptrdiff_t>(first), whole.end());
      ert::testing::GuardedBuffer<uint8_t> a(row_bytes(k)), b(row_bytes(part.size()));
      RowScale of_whole, of_part;
      quantize(1, k, whole.data(), static_cast<ptrdiff_t>(k), nullptr, a.data(), row_bytes(k), &of_whole);
      quantize(1, part.size(), part.data(), static_cast<ptrdiff_t>(part.size()), nullptr, b.data(), row_bytes(part.size()),
               &of_part);
      ASSERT_EQ(of_whole.scale, of_part.scale);
      ASSERT_EQ(of_whole.zero_point, of_part.zero_point);
      const size_t fours = part.size() / 4 * 4;
      EXPECT_TRUE(std::equal(b.data(), b.data() + fours * bytes, a.data() + first * bytes)) << k << " values from " << first;
    }
}

ERT_INSTANTIATE_LEVELS(RowsOfFoursTest);

}  // namespace
}  // namespace ert::kernels::testing
