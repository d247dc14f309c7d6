// Packed rows that a blob gets wrong, or that are more than a machine can address: refused before anything runs.
#include <gtest/gtest.h>

#include <functional>

#include "rt/base/limits.h"
#include "tests/rt/packed_encoder.h"

namespace ert::testing {
namespace {

// A mask of bytes [batch, 1] with up to 2^30 rows, and a program that computes nothing with it: |x| of one number. The table of row
// starts is all that grows with the batch.
BlobSpec many_rows() {
  BlobSpec s;
  const uint32_t batch = s.dim("batch", 1, limits::kMaxDim), one = s.constant(1), rows = s.expr(9, batch, one);
  s.add_input("mask", ERT_U8, {batch, one});
  const uint32_t x = s.add_input("x", ERT_F32, {one}), out = s.add_output("out", ERT_F32, {one}, 0);
  s.ops = {{OpCode::kUnary, {static_cast<int32_t>(x)}, {static_cast<int32_t>(out)}, {params::unary::kAbs}, {}}};
  s.program_flags = 1;
  s.packing = {fb::Packing(0, 0, rows, 0)};
  return s;
}

// Four bytes for each of 2^30 + 1 row starts wrapped to four bytes in all on 32-bit machines; the run then wrote behind the arena.
TEST(Packing, RowStartsOfTheLargestBatchDoNotWrap) {
  const AlignedBytes blob = many_rows().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, blob.data(), blob.size()), ERT_OK);
  ert_memory_need need{};
  need.struct_size = sizeof need;
  GuardedRegion small(4096);
  const ert_region too_small = small.region();
  ert_context c;
  const bool addressable = sizeof(size_t) > 4;
  EXPECT_EQ(ert_arena_bytes(&m, nullptr, nullptr, &need), addressable ? ERT_OK : ERT_ERR_LIMIT);
  EXPECT_TRUE(!addressable || need.table_bytes / 4 > static_cast<size_t>(limits::kMaxDim));
  EXPECT_EQ(ert_context_init(&c, &m, nullptr, nullptr, &too_small, 1), addressable ? ERT_ERR_NOMEM : ERT_ERR_LIMIT);

  // For 1000 rows there is memory on every machine.
  const int32_t most = 1000;
  GuardedRegion arena(arena_need(m, nullptr, &most));
  const ert_region region = arena.region();
  ASSERT_EQ(ert_context_init(&c, &m, nullptr, &most, &region, 1), ERT_OK);
  std::vector<uint8_t> mask(1000, 1);
  float x = -3, out = 0;
  const ert_tensor in[] = {tensor(ERT_U8, {most, 1}, mask.data(), mask.size()), float_tensor({1}, &x, 1)},
                   result = float_tensor({}, &out, 1);
  for (uint32_t i = 0; i < 2; ++i) ASSERT_EQ(ert_bind_input(&c, i, &in[i]), ERT_OK);
  ASSERT_EQ(ert_bind_output(&c, 0, &result), ERT_OK);
  EXPECT_EQ(ert_run(&c), ERT_OK);
  EXPECT_EQ(out, 3.0f);
  EXPECT_TRUE(arena.intact());
}

uint32_t rows_expr(const BlobSpec& s) { return s.packing[0].rows(); }

TEST(Packing, HostileMetadataIsRefused) {
  const BlobSpec good = encoder({});
  ASSERT_EQ(open_spec(good), ERT_OK);
  const std::vector<std::pair<const char*, std::function<void(BlobSpec&)>>> cases = {
      {"rows without a mask", [](BlobSpec& s) { s.packing.clear(), s.program_flags = 0; }},
      {"flag without packing", [](BlobSpec& s) { s.packing.clear(); }},
      {"packing without flag", [](BlobSpec& s) { s.program_flags = 0; }},
      {"two masks", [](BlobSpec& s) { s.packing.push_back(s.packing[0]); }},
      {"mask index", [](BlobSpec& s) { s.packing[0] = fb::Packing(2, 0, rows_expr(s), 0); }},
      {"padding mark", [](BlobSpec& s) { s.packing[0] = fb::Packing(1, 2, rows_expr(s), 0); }},
      {"reserved field", [](BlobSpec& s) { s.packing[0] = fb::Packing(1, 0, rows_expr(s), 1); }},
      {"rows index", [](BlobSpec& s) { s.packing[0] = fb::Packing(1, 0, 99, 0); }},
      {"rows that are a dim", [](BlobSpec& s) { s.packing[0] = fb::Packing(1, 0, 0, 0); }},
      {"rows of other axes", [](BlobSpec& s) { s.exprs[rows_expr(s)] = fb::Expr(9, 1, 0, 0, 0); }},
      {"rows of later expressions", [](BlobSpec& s) { s.exprs[rows_expr(s)] = fb::Expr(9, rows_expr(s), 1, 0, 0); }},
      {"float mask",
       [](BlobSpec& s) {
         s.values[s.inputs[1].value].dtype = ERT_F32;
         s.inputs[1].dtype = ERT_F32;
       }},
      {"mask of rank 3",
       [](BlobSpec& s) {
         auto& shape = s.values[s.inputs[1].value].shape;
         shape.push_back(s.values[s.inputs[0].value].shape[0]);
       }},
      {"mask with a computed axis",
       [](BlobSpec& s) {
         const uint32_t sum = s.expr(2, 0, 1);
         s.values[s.inputs[1].value].shape[1] = sum;
         s.exprs[rows_expr(s)] = fb::Expr(9, 0, sum, 0, 0);
       }},
      {"output with packed rows", [](BlobSpec& s) { s.values[s.outputs[0].value].shape[1] = rows_expr(s); }},
      {"output whose size follows from packed rows",
       [](BlobSpec& s) { s.values[s.outputs[0].value].shape[1] = s.expr(7, rows_expr(s), 1); }},
      {"input with packed rows", [](BlobSpec& s) { s.values[s.inputs[0].value].shape[1] = rows_expr(s); }},
      {"more rows than there are numbers", [](BlobSpec& s) { s.dims[0] = fb::Dim(1, 1 << 20), s.dims[1] = fb::Dim(1, 1 << 20); }},
  };
  for (const auto& [what, change] : cases) {
    BlobSpec s = good;
    change(s);
    const ert_status status = open_spec(s);
    EXPECT_TRUE(status == ERT_ERR_MODEL || status == ERT_ERR_LIMIT) << what << ": " << ert_status_str(status);
  }
  BlobSpec s = good;
  s.program_flags = 1u << 31 | 1;
  EXPECT_EQ(open_spec(s), ERT_ERR_VERSION) << "a flag of a later version";
}

}  // namespace
}  // namespace ert::testing
