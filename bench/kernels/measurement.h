// What all kernel benchmarks need: buffers, inputs, the timed loop in cycles, the counters.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/kernels/clock_and_peak.h"
#include "kernels_int8/contract/isa.h"
#include "kernels_int8/contract/packed_layout.h"

namespace ert::bench {

struct FreeDeleter {
  void operator()(void* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<void, FreeDeleter>;

// 64-byte aligned zeros.
inline Buffer aligned_buffer(size_t bytes) {
  Buffer buffer(std::aligned_alloc(64, kernels::round_up(bytes, 64)));
  std::memset(buffer.get(), 0, kernels::round_up(bytes, 64));
  return buffer;
}

inline std::vector<float> normal_floats(size_t n) {
  std::mt19937 generator(1);
  std::normal_distribution<float> distribution;
  std::vector<float> values(n);
  for (float& x : values) x = distribution(generator);
  return values;
}

// CPU time of this thread, so that other processes do not count.
inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Runs the benchmark's loop; returns the cycles of one iteration.
template <typename Body>
double cycles_per_iteration(benchmark::State& state, const Body& body) {
  const double hz = clock_hz();
  const double start = cpu_seconds();
  for (auto _ : state) {
    body();
    benchmark::ClobberMemory();
  }
  return (cpu_seconds() - start) * hz / static_cast<double>(state.iterations());
}

// A peak of 0 means that the level has none.
inline void report_macs(benchmark::State& state, double peak, double macs, double cycles) {
  state.counters["MAC/cycle"] = macs / cycles;
  if (peak > 0) state.counters["%peak"] = 100 * macs / cycles / peak;
}

template <typename Body>
void add(const std::string& name, const Body& body) {
  benchmark::RegisterBenchmark(name.c_str(), body);
}

}  // namespace ert::bench
