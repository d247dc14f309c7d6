// Chains and floods of single instructions, in asm so that the compiler cannot change what is measured.
#include "bench/kernels/clock_and_peak.h"

#include <algorithm>
#include <chrono>

namespace ert::bench {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Smallest time of a few tries of run().
template <typename Run>
double best_seconds(const Run& run) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double start = now();
    run();
    best = std::min(best, now() - start);
  }
  return best;
}

constexpr long kIterations = 100000;

#if defined(__x86_64__)
#define ERT_REPEAT_12(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11)
#define ERT_TEXT(x) #x
// Two lines of 32 products each, as kernels_int8/avx2/signed_bytes.h does them.
#define ERT_SIGNED_BYTES(i)                                                                                            \
  "vpxor %%ymm14, %%ymm15, %%ymm12\n\tvpmaddubsw %%ymm12, %%ymm15, %%ymm12\n\tvpxor %%ymm14, %%ymm15, %%ymm13\n\t"     \
  "vpmaddubsw %%ymm13, %%ymm15, %%ymm13\n\tvpaddw %%ymm13, %%ymm12, %%ymm12\n\tvpmaddwd %%ymm15, %%ymm12, %%ymm12\n\t" \
  "vpaddd %%ymm12, %%ymm" ERT_TEXT(i) ", %%ymm" ERT_TEXT(i) "\n\t"
#define ERT_VNNI_VEX(i) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" ERT_TEXT(i) "\n\t"
#define ERT_VNNI_EVEX(i) "vpdpbusd %%ymm14, %%ymm15, %%ymm" ERT_TEXT(i) "\n\t"
#define ERT_VNNI_512(i) "vpdpbusd %%zmm14, %%zmm15, %%zmm" ERT_TEXT(i) "\n\t"
#define ERT_CLOBBERS                                                                                                           \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", \
      "xmm15"

void flood(kernels::Level level) {
  for (long i = 0; i < kIterations; ++i) {
    switch (level) {
      case kernels::Level::kAvx2: __asm__ volatile(ERT_REPEAT_12(ERT_SIGNED_BYTES)::: ERT_CLOBBERS); break;
      case kernels::Level::kAvxVnni: __asm__ volatile(ERT_REPEAT_12(ERT_VNNI_VEX)::: ERT_CLOBBERS); break;
      case kernels::Level::kAvxVnniEvex: __asm__ volatile(ERT_REPEAT_12(ERT_VNNI_EVEX)::: ERT_CLOBBERS); break;
      case kernels::Level::kAvx512Vnni: __asm__ volatile(ERT_REPEAT_12(ERT_VNNI_512)::: ERT_CLOBBERS); break;
      default: break;
    }
  }
}

int macs_per_flood_step(kernels::Level level) {
  switch (level) {
    case kernels::Level::kAvx2: return 12 * 64;
    case kernels::Level::kAvxVnni:
    case kernels::Level::kAvxVnniEvex: return 12 * 32;
    case kernels::Level::kAvx512Vnni: return 12 * 64;
    default: return 0;
  }
}
#else
void flood(kernels::Level) {}
int macs_per_flood_step(kernels::Level) { return 0; }
#endif

}  // namespace

double clock_hz() {
  constexpr int kAdds = 8;
  const double seconds = best_seconds([] {
    long x = 1;
    const long step = 1;  // in a register: some cores add small constants while renaming, in no time
    for (long i = 0; i < kIterations; ++i) {
#if defined(__x86_64__)
#define ERT_ADD "add %1, %0\n\t"
#else
#define ERT_ADD "add %0, %0, %1\n\t"
#endif
      __asm__ volatile(ERT_ADD ERT_ADD ERT_ADD ERT_ADD ERT_ADD ERT_ADD ERT_ADD ERT_ADD : "+r"(x) : "r"(step));
    }
  });
  return kIterations * kAdds / seconds;
}

bool has_flood(kernels::Level level) { return macs_per_flood_step(level) != 0; }

double peak_mac_per_cycle(kernels::Level level) {
  const int macs = macs_per_flood_step(level);
  if (macs == 0) return 0;
  const double hz = clock_hz();
  return macs * kIterations / (best_seconds([level] { flood(level); }) * hz);
}

double macs_per_second(kernels::Level level, double seconds) {
  const int macs = macs_per_flood_step(level);
  if (macs == 0) return 0;
  const double start = now();
  double taken = 0, done = 0;
  for (; taken < seconds; taken = now() - start, done += static_cast<double>(macs) * kIterations) flood(level);
  return done / taken;
}

}  // namespace ert::bench
