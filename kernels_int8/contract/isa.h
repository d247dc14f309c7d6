// Levels of kernels. A level is an ISA, or a second form of one for other cores or for tests. isa_levels.inc has a row for each. Tests and
// benchmarks walk levels; everybody else asks kernel_table(mask) of dispatch.h, where bits of Isa are the mask.
#pragma once

#include <stdint.h>

namespace ert::kernels {

enum class Level : uint8_t {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) level,
#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds) level,
#include "kernels_int8/contract/isa_levels.inc"
  kCount
};

enum class Isa : uint8_t {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) level = number,
#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds)
#include "kernels_int8/contract/isa_levels.inc"
};
constexpr uint32_t isa_bit(Isa isa) { return 1u << static_cast<uint32_t>(isa); }

// kNeon and what adds to it.
constexpr bool is_neon(Isa isa) {
  switch (isa) {
    case Isa::kNeon:
    case Isa::kNeonInorder:
    case Isa::kDotprod:
    case Isa::kDotprodInorder:
    case Isa::kI8mm: return true;
    default: return false;
  }
}

enum class Cores : uint8_t { kAny, kInOrder };

// One row, without what the CPU must have: that is in terms of platform/, which this folder knows nothing of (rt/base/isa.h). For constants:
// what asks at run time would carry all strings.
struct LevelRow {
  const char* name;
  Isa isa;
  bool has_number;  // false: for tests
  Level base;       // kRef's is kRef
  Cores cores;
  bool built;          // into this program
  const char* builds;  // "architecture: flags, architecture: flags"
};

// "1" where the compiler was given the macro, its own name where it was not.
#define ERT_TEXT(x) #x
#define ERT_VALUE_AS_TEXT(x) ERT_TEXT(x)
#define ERT_BUILT_REF 1

constexpr LevelRow level_row(Level level) {
  switch (level) {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  case Level::level:                                                       \
    return {#name, Isa::level, true, Level::base, Cores::cores, sizeof(ERT_VALUE_AS_TEXT(ERT_BUILT_##ID)) == sizeof("1"), builds};
#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds) \
  case Level::level:                                                     \
    return {#name, Isa::isa, false, Level::base, Cores::cores, sizeof(ERT_VALUE_AS_TEXT(ERT_BUILT_##ID)) == sizeof("1"), builds};
#include "kernels_int8/contract/isa_levels.inc"
    case Level::kCount: break;
  }
  return {"", Isa::kRef, false, Level::kRef, Cores::kAny, false, ""};
}

#undef ERT_TEXT
#undef ERT_VALUE_AS_TEXT

}  // namespace ert::kernels
