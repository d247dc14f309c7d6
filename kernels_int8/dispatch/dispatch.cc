// Dispatch: kernel_list.inc as one constant table per level. A level starts as a copy of the level below it and overwrites
// the slots that it has. All tables are constants; nothing is written at run time.
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

constexpr KernelTable overridden(KernelTable table, Level level, Isa isa) {
  table.isa = isa;
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

constexpr KernelTable kRefTable = overridden(KernelTable{}, Level::kRef, Isa::kRef);
#if ERT_BUILT_AVX2
constexpr KernelTable kAvx2Table = overridden(kRefTable, Level::kAvx2, Isa::kAvx2);
#endif
#if ERT_BUILT_AVXVNNI
constexpr KernelTable kAvxVnniTable = overridden(kAvx2Table, Level::kAvxVnni, Isa::kAvxVnni);
#endif
#if ERT_BUILT_AVXVNNI_EVEX
constexpr KernelTable kAvxVnniEvexTable = overridden(kAvx2Table, Level::kAvxVnniEvex, Isa::kAvxVnni);
#endif
#if ERT_BUILT_AVX512VNNI
constexpr KernelTable kAvx512VnniTable = overridden(kAvx2Table, Level::kAvx512Vnni, Isa::kAvx512Vnni);
#endif

#if ERT_BUILT_NEON
constexpr KernelTable kNeonTable = overridden(kRefTable, Level::kNeon, Isa::kNeon);
#endif
#if ERT_BUILT_NEON_INORDER
constexpr KernelTable kNeonInorderTable = overridden(kNeonTable, Level::kNeonInorder, Isa::kNeonInorder);
#endif
#if ERT_BUILT_DOTPROD
constexpr KernelTable kDotprodTable = overridden(kNeonTable, Level::kDotprod, Isa::kDotprod);
#endif
#if ERT_BUILT_DOTPROD_INORDER
constexpr KernelTable kDotprodInorderTable = overridden(kDotprodTable, Level::kDotprodInorder, Isa::kDotprodInorder);
#endif
#if ERT_BUILT_I8MM
constexpr KernelTable kI8mmTable = overridden(kDotprodTable, Level::kI8mm, Isa::kI8mm);
#endif
#if ERT_BUILT_DSP
constexpr KernelTable kDspTable = overridden(kRefTable, Level::kDsp, Isa::kDsp);
#endif
#if ERT_BUILT_MVE
constexpr KernelTable kMveTable = overridden(kRefTable, Level::kMve, Isa::kMve);
#endif

constexpr KernelInfo kKernels[] = {
#define ERT_KERNEL(level, slot, name) {Level::level, #slot, #name},
#define ERT_UNARY(level, kind, name) {Level::level, "unary." #kind, #name},
#include "kernels_int8/dispatch/kernel_list.inc"
};

// Best first. The EVEX form of AVX-VNNI is not in it: a CPU that runs it has AVX512-VNNI.
constexpr Level kPreference[] = {Level::kAvx512Vnni,     Level::kAvxVnni, Level::kAvx2,        Level::kI8mm, Level::kDotprod,
                                 Level::kDotprodInorder, Level::kNeon,    Level::kNeonInorder, Level::kMve,  Level::kDsp};

// The level that does the same for cores that issue in order; the level itself where there is none.
constexpr Level in_order_twin(Level level) {
  return level == Level::kDotprod ? Level::kDotprodInorder : level == Level::kNeon ? Level::kNeonInorder : level;
}

}  // namespace

const KernelTable* level_table(Level level) {
  switch (level) {
    case Level::kRef: return &kRefTable;
#if ERT_BUILT_AVX2
    case Level::kAvx2: return &kAvx2Table;
#endif
#if ERT_BUILT_AVXVNNI
    case Level::kAvxVnni: return &kAvxVnniTable;
#endif
#if ERT_BUILT_AVXVNNI_EVEX
    case Level::kAvxVnniEvex: return &kAvxVnniEvexTable;
#endif
#if ERT_BUILT_AVX512VNNI
    case Level::kAvx512Vnni: return &kAvx512VnniTable;
#endif
#if ERT_BUILT_NEON
    case Level::kNeon: return &kNeonTable;
#endif
#if ERT_BUILT_NEON_INORDER
    case Level::kNeonInorder: return &kNeonInorderTable;
#endif
#if ERT_BUILT_DOTPROD
    case Level::kDotprod: return &kDotprodTable;
#endif
#if ERT_BUILT_DOTPROD_INORDER
    case Level::kDotprodInorder: return &kDotprodInorderTable;
#endif
#if ERT_BUILT_I8MM
    case Level::kI8mm: return &kI8mmTable;
#endif
#if ERT_BUILT_DSP
    case Level::kDsp: return &kDspTable;
#endif
#if ERT_BUILT_MVE
    case Level::kMve: return &kMveTable;
#endif
    default: return nullptr;
  }
}

const char* level_name(Level level) {
  if (level == Level::kAvxVnniEvex) return "avxvnni_evex";
  return isa_name(level_needs(level));
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
  return own.gemm != nullptr ? own : of(kRefTable);
}

uint32_t built_isa_mask() {
  uint32_t mask = isa_bit(Isa::kRef);
  for (Level level : kPreference) {
    if (level_table(level) != nullptr) mask |= isa_bit(level_needs(level));
  }
  return mask;
}

const KernelTable& kernel_table(uint32_t mask, bool in_order) {
  const auto of = [mask](Level level) {
    const KernelTable* table = level_table(level);
    return table != nullptr && (mask & isa_bit(table->isa)) != 0 ? table : nullptr;
  };
  for (Level level : kPreference) {
    const KernelTable* const table = of(level);
    if (table == nullptr) continue;
    const KernelTable* const twin = in_order ? of(in_order_twin(level)) : nullptr;
    return twin != nullptr ? *twin : *table;
  }
  return kRefTable;
}

float scalar_unary(Unary op, float x) {
  float y = 0.0f;
  kRefTable.unary[static_cast<int>(op)](1, &x, &y);
  return y;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kRef: return "ref";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvxVnni: return "avxvnni";
    case Isa::kAvx512Vnni: return "avx512vnni";
    case Isa::kAmx: return "amx";
    case Isa::kNeon: return "neon";
    case Isa::kDotprod: return "dotprod";
    case Isa::kI8mm: return "i8mm";
    case Isa::kNeonInorder: return "neon_inorder";
    case Isa::kDotprodInorder: return "dotprod_inorder";
    case Isa::kDsp: return "dsp";
    case Isa::kMve: return "mve";
  }
  return "unknown";
}

}  // namespace ert::kernels
