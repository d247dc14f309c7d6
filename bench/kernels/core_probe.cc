// core_probe CPU...: prints "CPU GMAC/s" per core: what the widest int8 instruction reaches there at this moment, on all of them at
// once, nothing else in the loop. A core whose other hardware thread works for another virtual machine gives two thirds of it, and two that are
// threads of one core at the moment half each, which no counter of the guest shows. Prints 0 on CPUs for which no such
// instruction is known.
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/kernels/clock_and_peak.h"
#include "kernels_int8/contract/isa.h"
#include "rt/base/isa.h"

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
  const uint32_t cpu = ert_cpu_features();
  for (int i = static_cast<int>(Level::kCount) - 1; i > 0; --i) {
    const Level level = static_cast<Level>(i);
    if (ert::bench::has_flood(level) && ert::runs_with(cpu, level)) return level;
  }
  return Level::kRef;
}

struct Probe {
  int cpu;
  bool allowed;
  double macs_per_second;
};

// Starts when all of them stand on their cores.
void measure(Probe* p, Level level, std::atomic<size_t>* missing) {
  p->allowed = p->cpu >= 0 && p->cpu < CPU_SETSIZE && stay_on(p->cpu);
  --*missing;
  while (*missing != 0) std::this_thread::yield();
  if (p->allowed) p->macs_per_second = ert::bench::macs_per_second(level, kSeconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: core_probe CPU...\n");
    return 2;
  }
  const Level level = widest_level();
  std::vector<Probe> probes;
  for (int i = 1; i < argc; ++i) probes.push_back({std::atoi(argv[i]), false, 0.0});
  std::atomic<size_t> missing{probes.size()};
  std::vector<std::thread> threads;
  for (Probe& p : probes) threads.emplace_back(measure, &p, level, &missing);
  for (std::thread& t : threads) t.join();
  for (const Probe& p : probes) {
    if (!p.allowed) {
      std::fprintf(stderr, "core_probe: this process may not use core %d\n", p.cpu);
      return 2;
    }
  }
  for (const Probe& p : probes) std::printf("%d %.1f\n", p.cpu, p.macs_per_second * 1e-9);
  return 0;
}
