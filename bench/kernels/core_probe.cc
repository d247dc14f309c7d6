// core_probe CPU...: prints "CPU GMAC/s" per core: what the widest int8 instruction reaches there at this moment, nothing else in the
// loop. A core whose other hardware thread works for another virtual machine gives two thirds of it, which no counter of the
// guest shows. Prints 0 on CPUs for which no such instruction is known.
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "bench/kernels/clock_and_peak.h"
#include "kernels_int8/isa.h"
#include "platform/cpu_features.h"

namespace {

constexpr double kSeconds = 0.002;

bool stay_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

using ert::kernels::Level;

Level widest_level() {
  const uint32_t cpu = ert_cpu_isa_mask();
  for (const Level level : {Level::kAvx512Vnni, Level::kAvxVnni, Level::kAvx2}) {
    if ((cpu & ert::kernels::isa_bit(ert::kernels::level_needs(level))) != 0) return level;
  }
  return Level::kRef;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: core_probe CPU...\n");
    return 2;
  }
  const Level level = widest_level();
  for (int i = 1; i < argc; ++i) {
    const int cpu = std::atoi(argv[i]);
    if (cpu < 0 || cpu >= CPU_SETSIZE || !stay_on(cpu)) {
      std::fprintf(stderr, "core_probe: this process may not use core %s\n", argv[i]);
      return 2;
    }
    std::printf("%d %.1f\n", cpu, ert::bench::macs_per_second(level, kSeconds) * 1e-9);
  }
  return 0;
}
