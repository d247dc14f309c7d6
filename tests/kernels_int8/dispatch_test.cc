// The tables: every slot filled, each row of the kernel list is what its level calls, a forced ISA is the one that runs, names
// follow the grammar.
#include <regex.h>

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>

#include "tests/kernels_int8/level_test.h"

namespace ert::kernels {

#define ERT_KERNEL(level, slot, name) std::remove_pointer_t<decltype(KernelTable::slot)> name;
#define ERT_UNARY(level, kind, name) void name(size_t n, const float* src, float* dst);
#include "kernels_int8/dispatch/kernel_list.inc"

namespace testing {
namespace {

TEST(DispatchTest, EveryListedKernelIsInItsTable) {
  size_t rows = 0;
#define ERT_KERNEL(level, slot, name)                                                        \
  EXPECT_EQ(level_table(Level::level)->slot, &name) << #name << " is listed but not called"; \
  ++rows;
#define ERT_UNARY(level, kind, name)                                                                                         \
  EXPECT_EQ(level_table(Level::level)->unary[static_cast<int>(Unary::kind)], &name) << #name << " is listed but not called"; \
  ++rows;
#include "kernels_int8/dispatch/kernel_list.inc"
  EXPECT_EQ(rows, kernel_count());
}

TEST(DispatchTest, EverySlotOfEveryLevelIsFilled) {
  for (int level = 0; level < static_cast<int>(Level::kCount); ++level) {
    const KernelTable* t = level_table(static_cast<Level>(level));
    if (t == nullptr) continue;
    EXPECT_TRUE(t->quantized_row_bytes && t->quantize_rows && t->gelu_quantize_rows && t->gemm_qa8_qw8);
    EXPECT_TRUE(t->quantized16_row_bytes && t->quantize16_rows && t->gemm_qa16_qw8);
    EXPECT_TRUE(t->gemm_f32 && t->attention_i8 && t->attention_f32 && t->layernorm && t->softmax && t->sum && t->sum_squares);
    EXPECT_TRUE(t->lstm_step && t->gru_step);
    for (auto* unary : t->unary) EXPECT_NE(unary, nullptr);
  }
}

// Quantize and GEMM exchange rows in a private format: a level overrides all slots of a precision or none.
TEST(DispatchTest, RowFormatsAreNotMixed) {
  for (int level = 0; level < static_cast<int>(Level::kCount); ++level) {
    std::set<std::string> slots;
    for (size_t i = 0; i < kernel_count(); ++i) {
      if (kernel_info(i).level == static_cast<Level>(level)) slots.insert(kernel_info(i).slot);
    }
    const auto sharing = {Level::kNeonInorder, Level::kDotprod, Level::kDotprodInorder, Level::kI8mm};
    if (std::find(sharing.begin(), sharing.end(), static_cast<Level>(level)) != sharing.end()) {
      EXPECT_EQ(slots.count("quantize_rows") + slots.count("quantize16_rows"), 0u) << "these share the rows of neon";
      continue;
    }
    EXPECT_EQ(slots.count("quantized_row_bytes"), slots.count("quantize_rows"));
    EXPECT_EQ(slots.count("quantized_row_bytes"), slots.count("gelu_quantize_rows"));
    EXPECT_EQ(slots.count("quantized_row_bytes"), slots.count("gemm_qa8_qw8"));
    EXPECT_EQ(slots.count("quantized16_row_bytes"), slots.count("quantize16_rows"));
    EXPECT_EQ(slots.count("quantized16_row_bytes"), slots.count("gemm_qa16_qw8"));
  }
}

// A level with rows of its own must not inherit a GEMM that reads other rows.
TEST(DispatchTest, LayoutsFallBackToTheReferenceWhole) {
  const KernelTable& ref = *level_table(Level::kRef);
  for (int level = 0; level < static_cast<int>(Level::kCount); ++level) {
    const KernelTable* t = level_table(static_cast<Level>(level));
    if (t == nullptr) continue;
    for (Layout layout : {Layout::kN16K4, Layout::kN8K8, Layout::kN2K16}) {
      for (bool two_digits : {false, true}) {
        const LinearKernels own = linear_kernels(*t, layout, two_digits), of_ref = linear_kernels(ref, layout, two_digits);
        ASSERT_NE(own.gemm, nullptr);
        EXPECT_EQ(own.gemm == of_ref.gemm, own.quantize == of_ref.quantize) << level_name(static_cast<Level>(level));
        EXPECT_EQ(own.gemm == of_ref.gemm, own.row_bytes == of_ref.row_bytes) << level_name(static_cast<Level>(level));
      }
    }
  }
}

TEST(DispatchTest, NamesFollowTheGrammar) {
  // POSIX, because GCC 12 warns inside std::regex when sanitizers are on.
  regex_t grammar;
  ASSERT_EQ(regcomp(&grammar,
                    "^[a-z]+_(f32|qa8|qa16)_(f32|qa8|qa16|qs8)(_(f32|qw8|qw8n8k8|qw8n2k16|qs8))?_[0-9]+x[0-9]+_"
                    "(ref|avx2|avxvnni|avxvnni_evex|avx512vnni|neon|neon_inorder|dotprod|dotprod_inorder|i8mm|dsp|mve)$",
                    REG_EXTENDED | REG_NOSUB),
            0);
  std::set<std::string> names;
  for (size_t i = 0; i < kernel_count(); ++i) {
    const KernelInfo info = kernel_info(i);
    const std::string name = info.name;
    EXPECT_EQ(regexec(&grammar, name.c_str(), 0, nullptr, 0), 0) << name;
    EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
    const std::string suffix = std::string("_") + level_name(info.level);
    EXPECT_EQ(name.substr(name.size() - suffix.size()), suffix);
  }
  EXPECT_NE(regexec(&grammar, "gemm_f32_i4_qw8_8x48_avx2", 0, nullptr, 0), 0);
  regfree(&grammar);
}

TEST(DispatchTest, ForcedIsaIsTheOneThatRuns) {
  int forced = 0;
  for (Level level : {Level::kAvx2, Level::kAvxVnni, Level::kAvx512Vnni, Level::kNeon, Level::kNeonInorder, Level::kDotprod,
                      Level::kDotprodInorder, Level::kI8mm}) {
    if ((built_isa_mask() & isa_bit(level_needs(level))) == 0) continue;
    const KernelTable& t = kernel_table(isa_bit(level_needs(level)));
    EXPECT_EQ(t.isa, level_needs(level));
    EXPECT_EQ(&t, level_table(level));
    EXPECT_NE(t.gemm_qa8_qw8, level_table(Level::kRef)->gemm_qa8_qw8)
        << "nothing faster than the reference behind " << level_name(level);
    ++forced;
  }
  EXPECT_EQ(kernel_table(0).isa, Isa::kRef);
  EXPECT_EQ(kernel_table(isa_bit(Isa::kRef)).isa, Isa::kRef);
  RecordProperty("forced_levels", forced);
}

TEST(DispatchTest, BestLevelWins) {
  const uint32_t avx2 = isa_bit(Isa::kAvx2), vnni = isa_bit(Isa::kAvxVnni), wide = isa_bit(Isa::kAvx512Vnni);
  if ((built_isa_mask() & (avx2 | vnni | wide)) != (avx2 | vnni | wide)) GTEST_SKIP() << "not an x86-64 build with all levels";
  EXPECT_EQ(kernel_table(avx2 | vnni | wide).isa, Isa::kAvx512Vnni);
  EXPECT_EQ(kernel_table(avx2 | vnni).isa, Isa::kAvxVnni);
  EXPECT_EQ(kernel_table(avx2 | isa_bit(Isa::kNeon)).isa, Isa::kAvx2);
}

TEST(DispatchTest, BestArmLevelWins) {
  const uint32_t neon = isa_bit(Isa::kNeon), dot = isa_bit(Isa::kDotprod), i8mm = isa_bit(Isa::kI8mm);
  if ((built_isa_mask() & (neon | dot | i8mm)) != (neon | dot | i8mm)) GTEST_SKIP() << "not an AArch64 build with all levels";
  EXPECT_EQ(kernel_table(neon | dot | i8mm).isa, Isa::kI8mm);
  EXPECT_EQ(kernel_table(neon | dot).isa, Isa::kDotprod);
  EXPECT_EQ(kernel_table(neon).isa, Isa::kNeon);
}

// Cores that issue in order get the levels made for them, where these do the same as the best one.
TEST(DispatchTest, InOrderCoresGetTheirTwins) {
  const uint32_t neon = isa_bit(Isa::kNeon) | isa_bit(Isa::kNeonInorder),
                 dot = isa_bit(Isa::kDotprod) | isa_bit(Isa::kDotprodInorder);
  const uint32_t i8mm = isa_bit(Isa::kI8mm);
  if ((built_isa_mask() & (neon | dot | i8mm)) != (neon | dot | i8mm)) GTEST_SKIP() << "not an AArch64 build with all levels";
  EXPECT_EQ(kernel_table(neon | dot, true).isa, Isa::kDotprodInorder);
  EXPECT_EQ(kernel_table(neon, true).isa, Isa::kNeonInorder);
  EXPECT_EQ(kernel_table(neon | dot, false).isa, Isa::kDotprod);
  EXPECT_EQ(kernel_table(neon, false).isa, Isa::kNeon);
  EXPECT_EQ(kernel_table(neon | dot | i8mm, true).isa, Isa::kI8mm) << "it has no twin";
  // The caller's word comes first.
  EXPECT_EQ(kernel_table(isa_bit(Isa::kDotprod), true).isa, Isa::kDotprod);
  EXPECT_EQ(kernel_table(isa_bit(Isa::kDotprodInorder), false).isa, Isa::kDotprodInorder);
}

TEST(DispatchTest, CpuMaskIsSane) {
  const uint32_t mask = ert_cpu_isa_mask();
  EXPECT_NE(mask & isa_bit(Isa::kRef), 0u);
#if defined(__x86_64__)
  EXPECT_EQ((mask & isa_bit(Isa::kAvx2)) != 0, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ((mask & isa_bit(Isa::kAvx512Vnni)) != 0, __builtin_cpu_supports("avx512vnni") != 0 &&
                                                         __builtin_cpu_supports("avx512bw") != 0 &&
                                                         __builtin_cpu_supports("avx512vl") != 0);
#endif
}

TEST(DispatchTest, ScratchGrowsWithTheKeys) {
  EXPECT_GE(attention_scratch_bytes(1, 1, 1, 1), 1024u);
  EXPECT_LT(attention_scratch_bytes(128, 128, 32, 32), attention_scratch_bytes(128, 256, 32, 32));
  EXPECT_EQ(attention_scratch_bytes(1, 100, 64, 64), attention_scratch_bytes(1, 112, 64, 64));
}

}  // namespace
}  // namespace testing
}  // namespace ert::kernels
