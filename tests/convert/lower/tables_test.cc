// Embedding tables in the three ways that a plan may ask for.
#include <gtest/gtest.h>

#include <cmath>

#include "convert/quantize/weight_store.h"
#include "rt/blob/header.h"
#include "rt/blob/kinds.h"
#include "rt/schema/program_generated.h"
#include "tests/convert/lower/run_lowered.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kRows = 200, kWidth = 8;

struct Lowered {
  uint32_t flags = 0;
  std::vector<uint32_t> dtypes;  // of constants of the table's shape
  double worst = 0;              // error of an element, in shares of its row's largest
};

class TablesTest : public ::testing::Test {
 protected:
  TablesTest() {
    ids = b.input("ids", {kRows}, DType::kInt64);
    Tensor t(DType::kFloat, {kRows, kWidth});
    for (size_t i = 0; i < t.mut<float>().size(); ++i)
      t.mut<float>()[i] = std::sin(static_cast<float>(i)) * static_cast<float>(1 + i / kWidth);
    rows = t.to_float();
    table = b.constant(std::move(t));
    b.output(b.node(OpKind::kEmbedding, {ids, table}));
    finish(b.g);
  }

  Lowered lowered(bool int8, bool int16) {
    LowerOptions options;
    options.plan.int8_tables = int8;
    options.plan.int16_tables = int16;
    std::vector<int64_t> all(kRows);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    WeightStore store;
    options.weights = &store;
    const DimPlan dims = plan_dims(b.g, {});
    options.dim_range = dims.range;
    Diagnostics d;
    const Tensor blob = write_blob(build_program(b.g, options, d), {"p", "s", "{}", 0, {}});
    Lowered result;
    const ert::fb::Program* p = ert::fb::GetProgram(blob.data() + ert::kHeaderBytes);
    result.flags = p->flags();
    for (const ert::fb::Value* v : *p->values())
      if (static_cast<ert::Storage>(v->storage()) == ert::Storage::kConstant && v->rank() == 2)
        result.dtypes.push_back(v->dtype());
    const std::vector<float> got = BlobRunner(blob.data(), blob.bytes()).run({Tensor::ints(all)})[0].to_float();
    for (size_t r = 0; r < kRows; ++r) {
      float most = 0;
      for (size_t i = r * kWidth; i < (r + 1) * kWidth; ++i) most = std::max(most, std::fabs(rows[i]));
      for (size_t i = r * kWidth; i < (r + 1) * kWidth; ++i)
        result.worst = std::max(result.worst, std::fabs(double{got[i]} - rows[i]) / most);
    }
    return result;
  }

  GraphBuilder b;
  ValueId ids, table;
  std::vector<float> rows;
};

TEST_F(TablesTest, SixteenBitsAre256TimesAsFineAndFlagged) {
  const Lowered narrow = lowered(true, false), wide = lowered(false, true), exact = lowered(false, false);
  EXPECT_EQ(narrow.dtypes, std::vector<uint32_t>{ERT_I8});
  EXPECT_EQ(wide.dtypes, std::vector<uint32_t>{ERT_I16});
  EXPECT_EQ(exact.dtypes, std::vector<uint32_t>{ERT_F32});
  EXPECT_LT(narrow.worst, 0.51 / 127);
  EXPECT_GT(narrow.worst, 0.4 / 127);
  EXPECT_LT(wide.worst, 0.51 / 32767);
  EXPECT_EQ(exact.worst, 0);
  // A runtime of before refuses what it does not know: a flag, by ERT_ERR_VERSION.
  EXPECT_EQ(wide.flags & ert::kFlagTables16, ert::kFlagTables16);
  EXPECT_EQ((narrow.flags | exact.flags) & ert::kFlagTables16, 0u);
}

// What came in int8 would not become finer.
TEST_F(TablesTest, IntegersOfTheFileStayInt8) {
  auto q = std::make_shared<QuantizedConstant>();
  q->codes = Tensor(DType::kInt8, {kRows, kWidth});
  q->scale = {0.5f};
  b.g.value(table).quantized = q;
  EXPECT_EQ(lowered(false, true).dtypes, std::vector<uint32_t>{ERT_I8});
}

}  // namespace

}  // namespace edgeconv::testing
