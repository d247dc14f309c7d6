// Memory: the need is exact, nothing outside the regions is written, one or two regions, refusals at init.
#include <gtest/gtest.h>

#include "rt/base/bytes.h"
#include "rt/base/limits.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

struct Opened {
  explicit Opened(const BlobSpec& spec = small_program()) : blob(spec.build()) {
    EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
  }
  AlignedBytes blob;
  ert_model model{};
};

ert_memory_need need_of(const ert_model& m, const int32_t* dims) {
  ert_memory_need need{};
  need.struct_size = sizeof need;
  EXPECT_EQ(ert_arena_bytes(&m, nullptr, dims, &need), ERT_OK);
  return need;
}

// The values of small_program: two slots of [batch, 4] floats, each rounded up to 64 bytes.
TEST(Arena, ActivationBytesAreTheFormula) {
  Opened o;
  for (int32_t batch = 1; batch <= 8; ++batch) {
    const size_t slot = (static_cast<size_t>(batch) * 16 + 63) / 64 * 64;
    EXPECT_EQ(need_of(o.model, &batch).activation_bytes, 2 * slot) << batch;
  }
  EXPECT_EQ(need_of(o.model, nullptr).bytes, need_of(o.model, (const int32_t[]){8}).bytes) << "no dims = the largest";
}

TEST(Arena, NeedSufficesAndEverySmallerSizeIsRefused) {
  Opened o;
  const int32_t dims[] = {5};
  const size_t need = need_of(o.model, dims).bytes;
  for (size_t bytes = 0; bytes <= need; ++bytes) {
    GuardedRegion arena(bytes);
    const ert_region region = arena.region();
    ert_context c;
    EXPECT_EQ(ert_context_init(&c, &o.model, nullptr, dims, &region, 1), bytes < need ? ERT_ERR_NOMEM : ERT_OK) << bytes;
    EXPECT_TRUE(arena.intact()) << bytes;
    EXPECT_EQ(ert_run(&c), ERT_ERR_STATE) << "not a context, or not bound";
  }
}

// Every byte of the arena may hold anything before init: results must not depend on it.
TEST(Arena, ContentsBeforeInitDoNotMatter) {
  for (int fill : {0x00, 0xFF, 0x7F}) {
    Opened o;
    const size_t need = need_of(o.model, nullptr).bytes;
    SmallContext c;
    GuardedRegion arena(need);
    std::memset(arena.data(), fill, need);
    const ert_region region = arena.region();
    ASSERT_EQ(ert_context_init(&c.context, &c.model, nullptr, nullptr, &region, 1), ERT_OK);
    c.bind(8);
    ASSERT_EQ(ert_run(&c.context), ERT_OK);
    c.expect_results();
    EXPECT_TRUE(arena.intact());
  }
}

TEST(Arena, TwoRegions) {
  SmallContext c;
  const ert_memory_need need = need_of(c.model, nullptr);
  // The first takes tables, scratch and one of the two slots; the rest goes to the second.
  const size_t slot = need.activation_bytes / 2;
  GuardedRegion fast(need.bytes - slot), slow(slot);
  const ert_region regions[] = {fast.region(), slow.region()};
  std::memset(slow.data(), 0x11, slot);
  ASSERT_EQ(ert_context_init(&c.context, &c.model, nullptr, nullptr, regions, 2), ERT_OK);
  c.bind(8);
  ASSERT_EQ(ert_run(&c.context), ERT_OK);
  c.expect_results();
  EXPECT_TRUE(fast.intact());
  EXPECT_TRUE(slow.intact());
  EXPECT_NE(slow.data()[0], 0x11) << "the second region is used";

  GuardedRegion small(slot - 64);
  const ert_region short_regions[] = {fast.region(), small.region()};
  EXPECT_EQ(ert_context_init(&c.context, &c.model, nullptr, nullptr, short_regions, 2), ERT_ERR_NOMEM);
  EXPECT_TRUE(small.intact());
}

// Together they have room, but each block goes to one of them as a whole.
TEST(Arena, BlocksAreNotCut) {
  Opened o;
  const ert_memory_need need = need_of(o.model, nullptr);
  const size_t slot = need.activation_bytes / 2;
  const auto init = [&](size_t first, size_t second) {
    GuardedRegion a(first), b(second);
    const ert_region regions[] = {a.region(), b.region()};
    ert_context c;
    const ert_status status = ert_context_init(&c, &o.model, nullptr, nullptr, regions, 2);
    EXPECT_TRUE(a.intact() && b.intact());
    EXPECT_EQ(ert_run(&c), ERT_ERR_STATE);
    return status;
  };
  EXPECT_EQ(init(need.table_bytes + slot, slot), ERT_OK);
  EXPECT_EQ(init(64, need.bytes), ERT_OK) << "the first may have room for none";
  EXPECT_EQ(init(need.table_bytes - 64, need.table_bytes - 64), ERT_ERR_NOMEM) << "tables";
  EXPECT_EQ(init(need.table_bytes + slot / 2, slot + slot / 2), ERT_ERR_NOMEM) << "slots";
}

// A caller that is newer than the library: what the library does not know stays zero. One that is older gets what it knows.
TEST(Arena, StructsOfAnotherAge) {
  Opened o;
  struct {
    ert_memory_need known;
    uint8_t later[24];
  } need;
  std::memset(&need, 0x5A, sizeof need);
  need.known.struct_size = sizeof need;
  ASSERT_EQ(ert_arena_bytes(&o.model, nullptr, nullptr, &need.known), ERT_OK);
  EXPECT_EQ(need.known.struct_size, sizeof need);
  for (const uint8_t b : need.later) EXPECT_EQ(b, 0);
  ert_memory_need old;
  std::memset(&old, 0x5A, sizeof old);
  const ert_memory_need before = old;
  old.struct_size = offsetof(ert_memory_need, table_bytes);
  ASSERT_EQ(ert_arena_bytes(&o.model, nullptr, nullptr, &old), ERT_OK);
  EXPECT_EQ(old.bytes, need.known.bytes);
  EXPECT_EQ(old.table_bytes, before.table_bytes) << "untouched";
  old.struct_size = 0;
  EXPECT_EQ(ert_arena_bytes(&o.model, nullptr, nullptr, &old), ERT_ERR_ARG);
  EXPECT_EQ(ert_arena_bytes(&o.model, nullptr, nullptr, nullptr), ERT_ERR_ARG);
  struct {
    ert_config known;
    uint8_t later[24];
  } cfg{};
  cfg.known.struct_size = sizeof cfg;
  EXPECT_EQ(ert_arena_bytes(&o.model, &cfg.known, nullptr, &need.known), ERT_OK);
  cfg.later[23] = 1;
  EXPECT_EQ(ert_arena_bytes(&o.model, &cfg.known, nullptr, &need.known), ERT_ERR_ARG)
      << "asks for what the library does not know";
}

TEST(Arena, RegionsAreChecked) {
  Opened o;
  const size_t need = need_of(o.model, nullptr).bytes;
  GuardedRegion arena(2 * need);
  ert_context c;
  const auto init = [&](std::vector<ert_region> r) {
    return ert_context_init(&c, &o.model, nullptr, nullptr, r.data(), static_cast<uint32_t>(r.size()));
  };
  EXPECT_EQ(init({{arena.data(), need}}), ERT_OK);
  EXPECT_EQ(ert_context_init(&c, &o.model, nullptr, nullptr, nullptr, 1), ERT_ERR_ARG);
  EXPECT_EQ(init({}), ERT_ERR_ARG);
  const ert_region good = {arena.data(), need};
  EXPECT_EQ(ert_context_init(&c, &o.model, nullptr, nullptr, &good, 0), ERT_ERR_ARG);
  EXPECT_EQ(ert_context_init(nullptr, &o.model, nullptr, nullptr, &good, 1), ERT_ERR_ARG);
  EXPECT_EQ(ert_context_init(&c, nullptr, nullptr, nullptr, &good, 1), ERT_ERR_ARG);
  struct {
    alignas(64) uint8_t before[64];
    ert_context inside;
  } place;
  const ert_region over = {place.before, sizeof place};
  EXPECT_EQ(ert_context_init(&place.inside, &o.model, nullptr, nullptr, &over, 1), ERT_ERR_ARG) << "over the context";
  EXPECT_EQ(init({{arena.data(), need}, {arena.data() + need, 64}, {arena.data() + need + 64, 64}}), ERT_ERR_ARG)
      << "three regions";
  EXPECT_EQ(init({{nullptr, need}}), ERT_ERR_ARG);
  EXPECT_EQ(init({{arena.data(), SIZE_MAX}}), ERT_ERR_ARG) << "wraps";
  EXPECT_EQ(init({{arena.data() + 32, need}}), ERT_ERR_ALIGN);
  EXPECT_EQ(init({{arena.data(), need}, {arena.data() + 64, need}}), ERT_ERR_ARG) << "overlapping";
  EXPECT_EQ(init({{o.blob.data(), need}}), ERT_ERR_ARG) << "on the blob";
  EXPECT_EQ(init({{arena.data(), need}, {arena.data() + 64, 0}}), ERT_OK) << "nothing overlaps nothing";
  EXPECT_EQ(init({{o.blob.data() + 64, 0}}), ERT_ERR_NOMEM);
  const size_t aligned_in_blob = o.blob.size() / 64 * 64 - 64;
  EXPECT_EQ(init({{o.blob.data() + aligned_in_blob, need}}), ERT_ERR_ARG) << "on the blob's end";
}

TEST(Arena, DimsAndConfigAreChecked) {
  Opened o;
  ert_memory_need need{};
  need.struct_size = sizeof need;
  for (int32_t bad : {0, 9, -1, INT32_MAX, INT32_MIN})
    EXPECT_EQ(ert_arena_bytes(&o.model, nullptr, &bad, &need), ERT_ERR_DIMS) << bad;
  ert_config cfg = config_of_size();
  cfg.threads = 2;
  EXPECT_EQ(ert_arena_bytes(&o.model, &cfg, nullptr, &need), ERT_ERR_ARG) << "threads without parallel_for";
  cfg = config_of_size();
  cfg.custom_op_count = 1;
  EXPECT_EQ(ert_arena_bytes(&o.model, &cfg, nullptr, &need), ERT_ERR_ARG);
  cfg = config_of_size();
  cfg.reserved = 1;
  EXPECT_EQ(ert_arena_bytes(&o.model, &cfg, nullptr, &need), ERT_ERR_ARG);
  GuardedRegion arena(1 << 16);
  const ert_region region = arena.region();
  ert_context c;
  EXPECT_EQ(ert_context_init(&c, &o.model, &cfg, nullptr, &region, 1), ERT_ERR_ARG);
  cfg = config_of_size();
  cfg.parallel_for = [](void*, uint32_t tasks, ert_task task, void* arg) {
    for (uint32_t i = 0; i < tasks; ++i) task(arg, i, 0);
  };
  cfg.threads = limits::kMaxThreads;
  EXPECT_EQ(ert_arena_bytes(&o.model, &cfg, nullptr, &need), ERT_OK);
  cfg.threads = limits::kMaxThreads + 1;
  EXPECT_EQ(ert_arena_bytes(&o.model, &cfg, nullptr, &need), ERT_ERR_ARG);
  ert_model closed{};
  EXPECT_EQ(ert_arena_bytes(&closed, nullptr, nullptr, &need), ERT_ERR_ARG);
  EXPECT_EQ(ert_arena_bytes(nullptr, nullptr, nullptr, &need), ERT_ERR_ARG);
}

TEST(Isa, ForcingALevelThatIsMissingIsRefused) {
  Opened o;
  GuardedRegion arena(need_of(o.model, nullptr).bytes);
  const ert_region region = arena.region();
  ert_context c;
  ert_config cfg = config_of_size();
  ASSERT_NE(ert_isa_available() & ERT_ISA_BIT(ERT_ISA_REF), 0u);
  for (int isa = 0; isa < 32; ++isa) {
    cfg.isa_mask = 1u << isa;
    const bool available = (ert_isa_available() >> isa & 1) != 0;
    ASSERT_EQ(ert_context_init(&c, &o.model, &cfg, nullptr, &region, 1), available ? ERT_OK : ERT_ERR_ISA) << isa;
    ert_isa got;
    if (!available) continue;
    ASSERT_EQ(ert_context_isa(&c, &got), ERT_OK);
    EXPECT_EQ(got, isa) << "the forced level is the one that runs";
    EXPECT_EQ(ert_context_isa(&c, nullptr), ERT_ERR_ARG);
  }
  ert_isa got;
  EXPECT_EQ(ert_context_isa(nullptr, &got), ERT_ERR_ARG);
  EXPECT_EQ(ert_isa_name(static_cast<ert_isa>(31)), nullptr);
  EXPECT_STREQ(ert_isa_name(ERT_ISA_AVX512VNNI), "avx512vnni");
}

// Room for the golden outputs: 256 outputs of 2^24 - 1 bytes, which share their bytes in the blob, are 2^32 bytes in the arena, 0 where
// that wraps.
TEST(Arena, GoldenOutputsThatShareTheirBytesDoNotWrap) {
  constexpr uint32_t kOutputBytes = (1u << 24) - 1;
  BlobSpec s;
  const uint32_t size = s.constant(kOutputBytes);
  BlobSpec::Golden golden{{}, 0, {}};
  for (uint32_t i = 0; i < limits::kMaxOutputs; ++i) {
    const uint32_t out = s.add_output("out" + std::to_string(i), ERT_BOOL, {size}, i);
    s.ops.push_back({params::OpCode::kFill, {}, {static_cast<int32_t>(out)}, {1}, {}});
    golden.offsets.push_back(0);
  }
  s.segments.push_back({std::vector<uint8_t>(kOutputBytes, 1), 1});
  s.golden = {golden};
  Opened o(s);
  ert_memory_need need{};
  need.struct_size = sizeof need;
  const bool addressable = sizeof(size_t) > 4;
  EXPECT_EQ(ert_arena_bytes(&o.model, nullptr, nullptr, &need), addressable ? ERT_OK : ERT_ERR_LIMIT);
  EXPECT_TRUE(!addressable || need.table_bytes / limits::kMaxOutputs >= kOutputBytes);
}

// Sums and products of sizes: exact up to PTRDIFF_MAX, impossible for good beyond.
TEST(Bytes, WhatCannotBeStaysImpossible) {
  const Bytes most(PTRDIFF_MAX), impossible = most + Bytes(1);
  EXPECT_TRUE(most.possible());
  EXPECT_FALSE(impossible.possible());
  EXPECT_FALSE(Bytes(UINT64_MAX).possible());
  EXPECT_FALSE(most.aligned().possible());
  EXPECT_FALSE((impossible + impossible).possible());
  EXPECT_FALSE((impossible + Bytes(0)).possible());
  EXPECT_FALSE((impossible * Bytes(0)).possible());
  EXPECT_FALSE((Bytes(0) * impossible).possible());
  EXPECT_FALSE((most + most + Bytes(2)).possible()) << "2^32 or 2^64: wraps to 0";
  EXPECT_FALSE((most * Bytes(4)).possible());
  EXPECT_FALSE(impossible.aligned().possible());
  EXPECT_FALSE(impossible.aligned().aligned().possible());
  EXPECT_EQ((Bytes(3) * Bytes(5) + Bytes(2)).value(), 17u);
  EXPECT_EQ(Bytes(0).aligned().value(), 0u);
  EXPECT_EQ(Bytes(1).aligned().value(), 64u);
  EXPECT_EQ(Bytes(64).aligned().value(), 64u);
  EXPECT_EQ((Bytes(0) * Bytes(7)).value(), 0u);
}

}  // namespace
}  // namespace ert::testing
