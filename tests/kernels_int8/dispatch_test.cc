// The tables: every slot filled, each row of the kernel list is what its level calls, a forced ISA is the one that runs, names
// follow the grammar; and the rows of isa_levels.inc, from which the levels follow.
#include <cstdlib>
#include <regex.h>

#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "tests/kernels_int8/level_test.h"

namespace ert::kernels {

#define ERT_KERNEL(level, slot, name) \
  std::remove_pointer_t<std::remove_reference_t<decltype(std::declval<KernelTable&>().slot)>> name;
#define ERT_UNARY(level, kind, name) void name(size_t n, const float* src, float* dst);
#include "kernels_int8/dispatch/kernel_list.inc"
#define ERT_CONV_KERNEL(level, slot, name) \
  std::remove_pointer_t<std::remove_reference_t<decltype(std::declval<ConvKernels&>().slot)>> name;
#include "kernels_int8/dispatch/conv_kernel_list.inc"

namespace testing {
namespace {

constexpr Precision kPrecisions[] = {Precision::kW8A8, Precision::kW8A16};

std::vector<Level> built_levels() {
  std::vector<Level> levels;
  for (int i = 0; i < kLevels; ++i) {
    if (level_table(static_cast<Level>(i)) != nullptr) levels.push_back(static_cast<Level>(i));
  }
  return levels;
}

TEST(DispatchTest, EveryListedKernelIsInItsTable) {
  const struct {
    const char* name;
    bool called;
  } rows[] = {
#define ERT_KERNEL(level, slot, name) {#name, level_table(Level::level)->slot == name},
#define ERT_UNARY(level, kind, name) {#name, level_table(Level::level)->unary[static_cast<int>(Unary::kind)] == name},
#include "kernels_int8/dispatch/kernel_list.inc"
  };
  for (const auto& row : rows) EXPECT_TRUE(row.called) << row.name << " is listed but not called";
  EXPECT_EQ(std::size(rows), kernel_count());
}

TEST(DispatchTest, EveryListedConvKernelIsInItsTable) {
  const struct {
    const char* name;
    bool called;
  } rows[] = {
#define ERT_CONV_KERNEL(level, slot, name) {#name, conv_level_table(Level::level).slot == name},
#include "kernels_int8/dispatch/conv_kernel_list.inc"
  };
  for (const auto& row : rows) EXPECT_TRUE(row.called) << row.name << " is listed but not called";
  for (Level level : built_levels()) {
    if (!level_row(level).has_number) continue;
    EXPECT_EQ(&conv_kernels(level_row(level).isa), &conv_level_table(level)) << level_name(level);
  }
}

TEST(DispatchTest, EverySlotOfEveryLevelIsFilled) {
  for (Level level : built_levels()) {
    const KernelTable& t = *level_table(level);
    for (Precision p : kPrecisions) EXPECT_TRUE(t.row_bytes[p] && t.quantize_rows[p] && t.gemm[p][Layout::kN16K4]);
    EXPECT_TRUE(t.row_bytes[Precision::kW12A13] && t.quantize_rows[Precision::kW12A13] && t.gemm[Precision::kW12A13][Layout::kN16K2]);
    EXPECT_NE(t.gelu_quantize_rows, nullptr);
    EXPECT_TRUE(t.gemm_f32 && t.attention_i8 && t.attention_f32 && t.layernorm && t.softmax && t.sum && t.sum_squares);
    EXPECT_TRUE(t.lstm_step && t.gru_step && t.lstm_step_coarse && t.gru_step_coarse);
    for (auto* unary : t.unary) EXPECT_NE(unary, nullptr);
  }
}

// Quantize and GEMM exchange rows in a private format: a level overrides all slots of a precision, or of the rows none.
TEST(DispatchTest, RowFormatsAreNotMixed) {
  for (Level level : built_levels()) {
    std::set<std::string> slots;
    for (size_t i = 0; i < kernel_count(); ++i) {
      if (kernel_info(i).level == level) slots.insert(kernel_info(i).slot);
    }
    for (const std::string precision : {"[Precision::kW8A8]", "[Precision::kW8A16]"}) {
      const size_t own_rows = slots.count("quantize_rows" + precision);
      EXPECT_EQ(slots.count("row_bytes" + precision), own_rows) << level_name(level);
      EXPECT_GE(slots.count("gemm" + precision + "[Layout::kN16K4]"), own_rows) << level_name(level);
    }
    EXPECT_EQ(slots.count("gelu_quantize_rows"), slots.count("quantize_rows[Precision::kW8A8]")) << level_name(level);
  }
}

// Where a level has no GEMM for a layout, it must not inherit one that reads other rows: the reference does all of it.
TEST(DispatchTest, LayoutsFallBackToTheReferenceWhole) {
  const KernelTable& ref = *level_table(Level::kRef);
  int fallbacks = 0;
  for (Level level : built_levels()) {
    const KernelTable& t = *level_table(level);
    for (Layout layout : {Layout::kN16K4, Layout::kN8K8, Layout::kN2K16}) {
      for (Precision precision : kPrecisions) {
        const bool own = t.gemm[precision][layout] != nullptr;
        const LinearKernels got = linear_kernels(t, precision, layout);
        const KernelTable& want = own ? t : ref;
        EXPECT_EQ(got.gemm, want.gemm[precision][layout]) << level_name(level);
        EXPECT_EQ(got.quantize_rows, want.quantize_rows[precision]) << level_name(level);
        EXPECT_EQ(got.row_bytes, want.row_bytes[precision]) << level_name(level);
        EXPECT_EQ(got.gemm == ref.gemm[precision][layout], got.quantize_rows == ref.quantize_rows[precision])
            << level_name(level);
        fallbacks += !own;
      }
    }
  }
  EXPECT_TRUE(fallbacks > 0 || built_levels().size() == 1) << "no level lacks a layout: nothing was tested";
}

TEST(DispatchTest, NamesFollowTheGrammar) {
  // POSIX, because GCC 12 warns inside std::regex when sanitizers are on.
  regex_t grammar;
  ASSERT_EQ(
      regcomp(&grammar, "^[a-z][a-z0-9]*_(f32|qa8|qa16|qa13)_(f32|qa8|qa16|qa13|qs8)(_(f32|qw8|qw8n8k8|qw8n2k16|qw12|qs8))?_[0-9]+x[0-9]+_([a-z0-9_]+)$",
              REG_EXTENDED),
      0);
  constexpr size_t kLevelGroup = 5;
  std::set<std::string> names;
  for (size_t i = 0; i < kernel_count(); ++i) {
    const KernelInfo info = kernel_info(i);
    const std::string name = info.name;
    regmatch_t groups[kLevelGroup + 1];
    ASSERT_EQ(regexec(&grammar, name.c_str(), kLevelGroup + 1, groups, 0), 0) << name;
    EXPECT_EQ(name.substr(static_cast<size_t>(groups[kLevelGroup].rm_so)), level_name(info.level)) << name;
    EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
  }
  EXPECT_NE(regexec(&grammar, "gemm_f32_i4_qw8_8x48_avx2", 0, nullptr, 0), 0);
  regfree(&grammar);
}

TEST(DispatchTest, ForcedIsaIsTheOneThatRuns) {
  int forced = 0;
  for (Level level : built_levels()) {
    if (!level_row(level).has_number) continue;
    const KernelTable& t = kernel_table(isa_bit(level_row(level).isa));
    EXPECT_EQ(t.isa, level_row(level).isa);
    EXPECT_EQ(&t, level_table(level));
    if (level == Level::kRef) continue;
    EXPECT_NE(t.gemm[Precision::kW8A8][Layout::kN16K4], level_table(Level::kRef)->gemm[Precision::kW8A8][Layout::kN16K4])
        << "nothing faster than the reference behind " << level_name(level);
    ++forced;
  }
  EXPECT_EQ(kernel_table(0).isa, Isa::kRef);
  RecordProperty("forced_levels", forced);
}

TEST(DispatchTest, TheBestLevelOfTheMaskWins) {
  uint32_t mask = 0;
  for (Level level : built_levels()) {
    if (!level_row(level).has_number) continue;
    mask |= isa_bit(level_row(level).isa);
    EXPECT_EQ(&kernel_table(mask, true), level_table(level)) << "a row stands behind those that it is better than";
  }
}

TEST(DispatchTest, BestLevelWins) {
  if (!level_row(Level::kAvx512Vnni).built) GTEST_SKIP() << "not an x86-64 build with all levels";
  const uint32_t avx2 = isa_bit(Isa::kAvx2), vnni = isa_bit(Isa::kAvxVnni), wide = isa_bit(Isa::kAvx512Vnni);
  EXPECT_EQ(kernel_table(avx2 | vnni | wide).isa, Isa::kAvx512Vnni);
  EXPECT_EQ(kernel_table(avx2 | vnni).isa, Isa::kAvxVnni);
  EXPECT_EQ(kernel_table(avx2 | isa_bit(Isa::kNeon)).isa, Isa::kAvx2);
}

TEST(DispatchTest, BestArmLevelWins) {
  if (!level_row(Level::kI8mm).built) GTEST_SKIP() << "not an AArch64 build with all levels";
  const uint32_t neon = isa_bit(Isa::kNeon), dot = isa_bit(Isa::kDotprod), i8mm = isa_bit(Isa::kI8mm);
  EXPECT_EQ(kernel_table(neon | dot | i8mm).isa, Isa::kI8mm);
  EXPECT_EQ(kernel_table(neon | dot).isa, Isa::kDotprod);
  EXPECT_EQ(kernel_table(neon).isa, Isa::kNeon);
}

// Cores that issue in order get the levels made for them, where these do the same as the best one.
TEST(DispatchTest, InOrderCoresGetTheirTwins) {
  if (!level_row(Level::kI8mm).built) GTEST_SKIP() << "not an AArch64 build with all levels";
  const uint32_t neon = isa_bit(Isa::kNeon) | isa_bit(Isa::kNeonInorder),
                 dot = isa_bit(Isa::kDotprod) | isa_bit(Isa::kDotprodInorder);
  const uint32_t i8mm = isa_bit(Isa::kI8mm);
  EXPECT_EQ(kernel_table(neon | dot, true).isa, Isa::kDotprodInorder);
  EXPECT_EQ(kernel_table(neon, true).isa, Isa::kNeonInorder);
  EXPECT_EQ(kernel_table(neon | dot, false).isa, Isa::kDotprod);
  EXPECT_EQ(kernel_table(neon, false).isa, Isa::kNeon);
  EXPECT_EQ(kernel_table(neon | dot | i8mm, true).isa, Isa::kI8mm) << "it has no twin";
  // The caller's word comes first.
  EXPECT_EQ(kernel_table(isa_bit(Isa::kDotprod), true).isa, Isa::kDotprod);
  EXPECT_EQ(kernel_table(isa_bit(Isa::kDotprodInorder), false).isa, Isa::kDotprodInorder);
}

TEST(LevelRows, AreInOrderAndNameEachLevelOnce) {
  std::set<std::string> names;
  std::set<Isa> numbers;
  for (int i = 0; i < kLevels; ++i) {
    const LevelRow row = level_row(static_cast<Level>(i));
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_STREQ(level_name(static_cast<Level>(i)), row.name);
    EXPECT_LT(static_cast<int>(row.base), i > 0 ? i : 1) << row.name << " stands before the level that it starts from";
    if (!row.has_number) continue;
    EXPECT_TRUE(numbers.insert(row.isa).second) << row.name << " has the number of another level";
    EXPECT_STREQ(isa_name(row.isa), row.name);
  }
  EXPECT_EQ(isa_name(static_cast<Isa>(31)), nullptr);
}

// A level for cores that issue in order has nothing but an order: where one runs, so does the other.
TEST(LevelRows, TwinsNeedWhatTheirBasesNeed) {
  int twins = 0;
  for (int i = 0; i < kLevels; ++i) {
    const LevelRow row = level_row(static_cast<Level>(i));
    if (row.cores != Cores::kInOrder) continue;
    EXPECT_EQ(needed_features(static_cast<Level>(i)), needed_features(row.base)) << row.name;
    ++twins;
  }
  EXPECT_GT(twins, 0);
}

TEST(LevelRows, ALevelRunsWhereItsFeaturesAre) {
  EXPECT_TRUE(runs_with(0, Level::kRef));
  EXPECT_FALSE(runs_with(0, Level::kNeonInorder));
  EXPECT_TRUE(runs_with(ERT_CPU_NEON, Level::kNeonInorder));
  EXPECT_TRUE(runs_with(ERT_CPU_AVX2 | ERT_CPU_AVX512VNNI, Level::kAvxVnniEvex));
  EXPECT_FALSE(runs_with(ERT_CPU_AVX512VNNI, Level::kAvx512Vnni)) << "it takes row operations from avx2";
  EXPECT_FALSE(runs_with(ERT_CPU_I8MM | ERT_CPU_NEON, Level::kI8mm)) << "it stands on dotprod";
  EXPECT_FALSE(runs_with(ERT_CPU_AVX2, Level::kAvxVnni));
}

TEST(DispatchTest, CpuFeaturesAreSane) {
#if defined(__x86_64__)
  const char* variable = std::getenv("ERT_HIDDEN_CPU_FEATURES");
  const uint32_t hidden = variable == nullptr ? 0 : static_cast<uint32_t>(std::strtoul(variable, nullptr, 0));
  const auto expected = [&](uint32_t feature, bool supported) { return supported && (hidden & feature) == 0 ? feature : 0; };
  const uint32_t cpu = ert_cpu_features();
  EXPECT_EQ(cpu & ERT_CPU_SSE41, expected(ERT_CPU_SSE41, __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1")));
  EXPECT_EQ(cpu & ERT_CPU_AVX2, expected(ERT_CPU_AVX2, __builtin_cpu_supports("avx2")));
  EXPECT_EQ(cpu & ERT_CPU_AVX512VNNI,
            expected(ERT_CPU_AVX512VNNI, __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
                                             __builtin_cpu_supports("avx512vl")));
#else
  EXPECT_EQ(ert_cpu_features() & (ERT_CPU_AVX2 | ERT_CPU_AVXVNNI | ERT_CPU_AVX512VNNI), 0u);
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
