// Levels of the kernel list. A level is an ISA, or a second encoding of one that exists so that more machines can test the
// same source (AVX-VNNI in its EVEX form). Tests and ert-bench walk levels; everybody else asks kernel_table(mask).
#pragma once

#include "kernels_int8/kernel_table.h"

namespace ert::kernels {

enum class Level : uint8_t {
  kRef,
  kAvx2,
  kAvxVnni,
  kAvxVnniEvex,
  kAvx512Vnni,
  kNeon,
  kNeonInorder,
  kDotprod,
  kDotprodInorder,
  kI8mm,
  kDsp,
  kMve,
  kCount
};

constexpr uint32_t isa_bit(Isa isa) { return 1u << static_cast<uint32_t>(isa); }

// The ISA that the CPU must have to run the level (bit of ert_cpu_isa_mask).
constexpr Isa level_needs(Level level) {
  switch (level) {
    case Level::kAvx2: return Isa::kAvx2;
    case Level::kAvxVnni: return Isa::kAvxVnni;
    case Level::kAvxVnniEvex: return Isa::kAvx512Vnni;
    case Level::kAvx512Vnni: return Isa::kAvx512Vnni;
    case Level::kNeon: return Isa::kNeon;
    case Level::kNeonInorder: return Isa::kNeonInorder;
    case Level::kDotprod: return Isa::kDotprod;
    case Level::kDotprodInorder: return Isa::kDotprodInorder;
    case Level::kI8mm: return Isa::kI8mm;
    case Level::kDsp: return Isa::kDsp;
    case Level::kMve: return Isa::kMve;
    default: return Isa::kRef;
  }
}

// The table of one level, every slot filled; null if the level is not compiled in. Says nothing about the CPU.
const KernelTable* level_table(Level level);
const char* level_name(Level level);

// One row of kernel_list.inc, for listings.
struct KernelInfo {
  Level level;
  const char* slot;
  const char* name;
};
size_t kernel_count();
KernelInfo kernel_info(size_t i);

}  // namespace ert::kernels
