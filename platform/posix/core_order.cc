// Cores by the identification that Linux shows of each: see core_order.h.
#include "platform/posix/core_order.h"

#include <stdint.h>

#include "platform/posix/core_files.h"

namespace {

// Implementer and part number of MIDR_EL1.
struct Core {
  uint8_t implementer;
  uint16_t part;
};
constexpr Core kInOrder[] = {
    {0x41, 0xd02},  // Cortex-A34
    {0x41, 0xd03},  // Cortex-A53
    {0x41, 0xd04},  // Cortex-A35
    {0x41, 0xd05},  // Cortex-A55
    {0x41, 0xd46},  // Cortex-A510
    {0x41, 0xd80},  // Cortex-A520
    {0x51, 0x801},  // Kryo 2xx Silver, an A53
    {0x51, 0x803},  // Kryo 3xx Silver, an A55
    {0x51, 0x805},  // Kryo 4xx Silver, an A55
};

bool issues_in_order(uint64_t midr) {
  for (const Core& core : kInOrder) {
    if ((midr >> 24 & 0xff) == core.implementer && (midr >> 4 & 0xfff) == core.part) return true;
  }
  return false;
}

}  // namespace

int ert_cores_in_order(const char* folder) {
  bool some = false;
  for (unsigned core = 0; core < ERT_MOST_CORES && ert_core_exists(folder, core) != 0; ++core) {
    const uint64_t midr = ert_core_number(folder, core, "/regs/identification/midr_el1");
    if (midr == 0) continue;  // switched off
    if (!issues_in_order(midr)) return 0;
    some = true;
  }
  return some ? 1 : 0;
}
