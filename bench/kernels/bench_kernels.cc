// Speed of every kernel of kernel_list.inc at every level that this CPU has, by Google Benchmark. GEMMs and attention report
// MAC per cycle and the share of the level's measured peak (clock_and_peak.h), the other kernels cycles per element.
//
//   bench_kernels --benchmark_filter='avx512vnni/gemm_f32_qa8_qw8_.*'
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

#include "bench/kernels/clock_and_peak.h"
#include "bench/kernels/gemm_benchmarks.h"
#include "bench/kernels/row_benchmarks.h"
#include "kernels_int8/contract/isa.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/base/isa.h"

namespace ert::bench {
namespace {

using kernels::KernelTable;
using kernels::Level;

double g_peak[static_cast<int>(Level::kCount)];

// Returns false for a slot that this program does not know, so that a new kernel cannot stay unmeasured silently.
bool add_kernel(const kernels::KernelInfo& kernel, const KernelTable* table) {
  const std::string slot = kernel.slot;
  const std::string prefix = std::string(kernels::level_name(kernel.level)) + "/" + kernel.name;
  if (slot.find("row_bytes[") == 0) return true;  // arithmetic on one number
  const double peak = g_peak[static_cast<int>(kernel.level)];
  return add_gemm(prefix, table, peak, slot) || add_row_kernel(prefix, table, peak, slot);
}

int add_all() {
  const uint32_t cpu = ert_cpu_features();
  int skipped = 0;
  for (size_t i = 0; i < kernels::kernel_count(); ++i) {
    const kernels::KernelInfo kernel = kernels::kernel_info(i);
    if (!runs_with(cpu, kernel.level)) {
      ++skipped;
      continue;
    }
    double& peak = g_peak[static_cast<int>(kernel.level)];
    if (peak == 0) peak = peak_mac_per_cycle(kernel.level);
    if (!add_kernel(kernel, kernels::level_table(kernel.level))) {
      std::fprintf(stderr, "bench_kernels: no benchmark for slot %s (%s)\n", kernel.slot, kernel.name);
      return 1;
    }
  }
  std::fprintf(stderr, "clock %.2f GHz; peak MAC/cycle:", clock_hz() / 1e9);
  for (int level = 0; level < static_cast<int>(Level::kCount); ++level) {
    if (g_peak[level] > 0) std::fprintf(stderr, " %s %.1f", kernels::level_name(static_cast<Level>(level)), g_peak[level]);
  }
  std::fprintf(stderr, "; kernels skipped because this CPU lacks the level: %d\n", skipped);
  return 0;
}

}  // namespace
}  // namespace ert::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (ert::bench::add_all() != 0) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
