// Dispatch: kernel_list.inc as one constant table per level of isa_levels.inc. A level starts as a copy of its base and overwrites the
// slots that it has. All tables are constants; nothing is written at run time.
#include "kernels_int8/dispatch/dispatch.h"

#include <type_traits>
#include <utility>

namespace ert::kernels {

template <class Slot>
using FunctionOf = std::remove_pointer_t<std::remove_reference_t<Slot>>;
#define ERT_KERNEL(level, slot, name) FunctionOf<decltype(std::declval<KernelTable&>().slot)> name;
#define ERT_UNARY(level, kind, name) void name(size_t n, const float* src, float* dst);
#include "kernels_int8/dispatch/kernel_list.inc"

namespace {

constexpr size_t rows_of(Level level) {
  size_t rows = 0;
#define ERT_KERNEL(row_level, slot, name) rows += level == Level::row_level;
#define ERT_UNARY(row_level, kind, name) rows += level == Level::row_level;
#include "kernels_int8/dispatch/kernel_list.inc"
  return rows;
}

constexpr KernelTable overridden(const KernelTable& base, Level level) {
  KernelTable table = base, own{};
  table.isa = level_row(level).isa;
#define ERT_KERNEL(row_level, slot, name) \
  if (level == Level::row_level) table.slot = own.slot = name;
#define ERT_UNARY(row_level, kind, name) \
  if (level == Level::row_level) table.unary[static_cast<int>(Unary::kind)] = name;
#include "kernels_int8/dispatch/kernel_list.inc"
  // A gemm of the base reads the base's rows. (Compared with null: GCC 10 does not compare functions in constants.)
  for (size_t p = 0; p < static_cast<size_t>(Precision::kCount); ++p) {
    if (own.quantize_rows.entries[p] == nullptr) continue;
    for (size_t l = 0; l < static_cast<size_t>(Layout::kCount); ++l)
      if (own.gemm.entries[p].entries[l] == nullptr) table.gemm.entries[p].entries[l] = nullptr;
  }
  return table;
}

template <Level level>
constexpr KernelTable kTableOf = overridden(kTableOf<level_row(level).base>, level);
template <>
constexpr KernelTable kTableOf<Level::kRef> = overridden(KernelTable{}, Level::kRef);

template <Level level>
constexpr const KernelTable* table_if_built() {
  static_assert(level_row(level).built == (rows_of(level) > 0),
                "kernel_list.inc has rows of the level where it is built, and only there");
  if constexpr (level_row(level).built) return &kTableOf<level>;
  return nullptr;
}

constexpr KernelInfo kKernels[] = {
#define ERT_KERNEL(level, slot, name) {Level::level, #slot, #name},
#define ERT_UNARY(level, kind, name) {Level::level, "unary." #kind, #name},
#include "kernels_int8/dispatch/kernel_list.inc"
};

// One step of the choice among the levels from worse to better.
template <Level level>
void prefer_if_allowed(uint32_t mask, bool in_order, const KernelTable** best) {
  constexpr LevelRow kRow = level_row(level), kBase = level_row(kRow.base);
  if constexpr (kRow.built && level != Level::kRef) {  // lowest_table has the reference
    if ((mask & isa_bit(kRow.isa)) == 0) return;
    // Of two that differ in their order only: the base, unless the mask has this one alone.
    if (kRow.cores == Cores::kInOrder && !in_order && (mask & isa_bit(kBase.isa)) != 0) return;
    *best = &kTableOf<level>;
  }
}

}  // namespace

const KernelTable* level_table(Level level) {
  switch (level) {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  case Level::level:                                                       \
    return table_if_built<Level::level>();
#define ERT_TEST_LEVEL(...) ERT_ISA_LEVEL(__VA_ARGS__)
#include "kernels_int8/contract/isa_levels.inc"
    default: return nullptr;
  }
}

const char* level_name(Level level) {
  switch (level) {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  case Level::level:                                                       \
    return #name;
#define ERT_TEST_LEVEL(...) ERT_ISA_LEVEL(__VA_ARGS__)
#include "kernels_int8/contract/isa_levels.inc"
    default: return nullptr;
  }
}

size_t kernel_count() { return sizeof(kKernels) / sizeof(kKernels[0]); }
KernelInfo kernel_info(size_t i) { return kKernels[i]; }

// The reference's, of the layouts that some level lacks: not all of its table, which firmware has no room for.
constexpr LinearKernels reference_linear(Precision precision, Layout layout) {
  const KernelTable& ref = kTableOf<Level::kRef>;
  bool lacking = false;
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  if constexpr (level_row(Level::level).built) lacking |= kTableOf<Level::level>.gemm[precision][layout] == nullptr;
#define ERT_TEST_LEVEL(...) ERT_ISA_LEVEL(__VA_ARGS__)
#include "kernels_int8/contract/isa_levels.inc"
  if (!lacking || !has_layout(precision, layout)) return {nullptr, nullptr, nullptr, nullptr};
  return {ref.row_bytes[precision], ref.quantize_rows[precision], nullptr, ref.gemm[precision][layout]};
}

constexpr PerEnum<PerEnum<LinearKernels, Layout>, Precision> reference_linears() {
  PerEnum<PerEnum<LinearKernels, Layout>, Precision> all{};
  for (size_t p = 0; p < static_cast<size_t>(Precision::kCount); ++p)
    for (size_t l = 0; l < static_cast<size_t>(Layout::kCount); ++l)
      all.entries[p].entries[l] = reference_linear(static_cast<Precision>(p), static_cast<Layout>(l));
  return all;
}

LinearKernels linear_kernels(const KernelTable& table, Precision precision, Layout layout) {
  static constexpr auto kReference = reference_linears();
#if ERT_WIDE_APART
  if (precision == Precision::kW12A13) return *linked_wide();  // whoever asks has asked has_wide()
#endif
  if (table.gemm[precision][layout] == nullptr) return kReference[precision][layout];
  return {table.row_bytes[precision], table.quantize_rows[precision], table.quantize_pairs[precision], table.gemm[precision][layout]};
}

namespace {

const KernelTable* lowest_table(uint32_t mask) {
#if ERT_BUILT_MVE
  constexpr Level kOwn = Level::kMve;
#elif ERT_BUILT_DSP
  constexpr Level kOwn = Level::kDsp;
#else
  constexpr Level kOwn = Level::kRef;
#endif
  if constexpr (kOwn != Level::kRef)  // firmware for a core that has it
    return (mask & isa_bit(level_row(kOwn).isa)) != 0 || forced_reference() == nullptr ? &kTableOf<kOwn> : forced_reference();
  return &kTableOf<Level::kRef>;
}

}  // namespace

const KernelTable& kernel_table(uint32_t mask, bool in_order) {
  const KernelTable* best = lowest_table(mask);
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) prefer_if_allowed<Level::level>(mask, in_order, &best);
#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds)
#include "kernels_int8/contract/isa_levels.inc"
  return *best;
}

float scalar_log(float x) {
  log_f32_f32_1x1_ref(1, &x, &x);
  return x;
}

float scalar_unary(Unary op, float x) {
  float y = 0.0f;
  kTableOf<Level::kRef>.unary[static_cast<int>(op)](1, &x, &y);
  return y;
}

const char* isa_name(Isa isa) {
  switch (isa) {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  case Isa::level:                                                         \
    return #name;
#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds)
#include "kernels_int8/contract/isa_levels.inc"
  }
  return nullptr;
}

}  // namespace ert::kernels
