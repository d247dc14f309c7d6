// Levels of the kernel list. A level is an ISA, or a second encoding of one that exists so that more machines can test the
// same source (AVX-VNNI in its EVEX form). Tests and ert-bench walk levels; everybody else asks kernel_table(mask).
#pragma once

#include <stdint.h>

namespace ert::kernels {

// Values equal ert_isa in ert.h; kept apart because this folder includes nothing.
enum class Isa : uint8_t {
  kRef = 0,
  kAvx2 = 1,
  kAvxVnni = 2,
  kAvx512Vnni = 3,
  kAmx = 4,
  kNeon = 8,
  kDotprod = 9,
  kI8mm = 10,
  kNeonInorder = 11,
  kDotprodInorder = 12,
  kDsp = 16,
  kMve = 17
};

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

}  // namespace ert::kernels
