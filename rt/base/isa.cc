// ISA levels: names, availability, choice.
#include "rt/base/isa.h"

#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds)
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  static_assert(ERT_ISA_##ID == number && number < 32, "ert_isa in ert.h numbers the levels as isa_levels.inc does");
#include "kernels_int8/contract/isa_levels.inc"

namespace ert {
namespace {

using kernels::Level;

constexpr bool builds_for_in_order_cores() {
  for (int i = 0; i < static_cast<int>(Level::kCount); ++i) {
    const kernels::LevelRow row = kernels::level_row(static_cast<Level>(i));
    if (row.built && row.cores == kernels::Cores::kInOrder) return true;
  }
  return false;
}

bool cores_in_order() {
  if constexpr (builds_for_in_order_cores()) return ert_cpu_in_order() != 0;
  return false;
}

// In firmware, whose core has its level.
constexpr bool kReferenceIsOptional = kernels::level_row(Level::kDsp).built || kernels::level_row(Level::kMve).built;

template <Level level>
uint32_t bit_if_it_runs(uint32_t cpu_features) {
  if constexpr (level == Level::kRef && kReferenceIsOptional) {
    return kernels::forced_reference() == nullptr ? 0 : kernels::isa_bit(kernels::Isa::kRef);
  } else if constexpr (kernels::level_row(level).built) {
    constexpr uint32_t kNeeded = needed_features(level);
    return (kNeeded & ~cpu_features) == 0 ? kernels::isa_bit(kernels::level_row(level).isa) : 0;
  }
  return 0;
}

uint32_t levels_that_run(uint32_t cpu_features) {
  return 0
#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds)
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) | bit_if_it_runs<Level::level>(cpu_features)
#include "kernels_int8/contract/isa_levels.inc"
      ;
}

}  // namespace

const kernels::KernelTable* choose_kernels(uint32_t isa_mask) {
  const uint32_t usable = ert_isa_available() & (isa_mask == 0 ? ~0u : isa_mask);
  return usable == 0 ? nullptr : &kernels::kernel_table(usable, cores_in_order());
}

}  // namespace ert

uint32_t ert_isa_available(void) { return ert::levels_that_run(ert_cpu_features()); }

const char* ert_isa_name(ert_isa isa) { return ert::kernels::isa_name(static_cast<ert::kernels::Isa>(isa)); }
