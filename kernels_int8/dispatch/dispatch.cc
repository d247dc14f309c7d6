// Dispatch: kernel_list.inc as one constant table per level of isa_levels.inc. A level starts as a copy of its base and overwrites the
// slots that it has. All tables are constants; nothing is written at run time.
#include "kernels_int8/dispatch/dispatch.h"

#include <type_traits>

namespace ert::kernels {

#define ERT_KERNEL(level, slot, name) std::remove_pointer_t<decltype(KernelTable::slot)> name;
#define ERT_UNARY(level, kind, name) void name(size_t n, const float* src, float* dst);
#include "kernels_int8/dispatch/kernel_list.inc"

namespace {

// A level with a row format of its own does not inherit GEMMs for the one below.
constexpr bool has_own_rows(Level level) {
#define ERT_KERNEL(row_level, slot, name) \
  if (level == Level::row_level && __builtin_strcmp(#slot, "quantize_rows") == 0) return true;
#define ERT_UNARY(row_level, kind, name)
#include "kernels_int8/dispatch/kernel_list.inc"
  return false;
}

constexpr size_t rows_of(Level level) {
  size_t rows = 0;
#define ERT_KERNEL(row_level, slot, name) rows += level == Level::row_level;
#define ERT_UNARY(row_level, kind, name) rows += level == Level::row_level;
#include "kernels_int8/dispatch/kernel_list.inc"
  return rows;
}

constexpr KernelTable overridden(KernelTable table, Level level) {
  table.isa = level_row(level).isa;
  if (has_own_rows(level)) {
    table.gemm_qa8_qw8_n8k8 = table.gemm_qa8_qw8_n2k16 = nullptr;
    table.gemm_qa16_qw8_n8k8 = table.gemm_qa16_qw8_n2k16 = nullptr;
  }
#define ERT_KERNEL(row_level, slot, name) \
  if (level == Level::row_level) table.slot = name;
#define ERT_UNARY(row_level, kind, name) \
  if (level == Level::row_level) table.unary[static_cast<int>(Unary::kind)] = name;
#include "kernels_int8/dispatch/kernel_list.inc"
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
  if constexpr (kRow.built) {
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

LinearKernels linear_kernels(const KernelTable& table, Layout layout, bool two_digits) {
  const auto of = [&](const KernelTable& t) -> LinearKernels {
    const bool n8k8 = layout == Layout::kN8K8, n2k16 = layout == Layout::kN2K16;
    if (two_digits) {
      return {t.quantized16_row_bytes, t.quantize16_rows,
              n8k8    ? t.gemm_qa16_qw8_n8k8
              : n2k16 ? t.gemm_qa16_qw8_n2k16
                      : t.gemm_qa16_qw8};
    }
    return {t.quantized_row_bytes, t.quantize_rows, n8k8 ? t.gemm_qa8_qw8_n8k8 : n2k16 ? t.gemm_qa8_qw8_n2k16 : t.gemm_qa8_qw8};
  };
  const LinearKernels own = of(table);
  return own.gemm != nullptr ? own : of(kTableOf<Level::kRef>);
}

const KernelTable& kernel_table(uint32_t mask, bool in_order) {
  const KernelTable* best = &kTableOf<Level::kRef>;
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) prefer_if_allowed<Level::level>(mask, in_order, &best);
#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds)
#include "kernels_int8/contract/isa_levels.inc"
  return *best;
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
