// See clock.h.
#include "bench/clock.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "bench/context_parts.h"

namespace ert::bench {

double clock_loop_us() {
  constexpr int kTries = 6, kSteps = 100000;
  double best = 0;
  uint32_t x = 1;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t start = ert_clock_ns();
    for (int step = 0; step < kSteps; ++step) {
      x = x * 1664525u + 1013904223u;  // each step waits for the one before
      __asm__ volatile("" : "+r"(x));
    }
    const double us = us_since(start);
    if (i == 0 || us < best) best = us;
  }
  return best;
}

std::string clock_warning(const std::vector<double>& loop_us) {
  constexpr double kMost = 1.1;
  if (loop_us.empty()) return {};
  const auto [least, most] = std::minmax_element(loop_us.begin(), loop_us.end());
  if (*least <= 0 || *most <= kMost * *least) return {};
  char text[256];
  std::snprintf(text, sizeof text,
                "the clock wandered: the same loop of arithmetic took %.0f to %.0f us between the measurements, so rows differ "
                "by up to %.0f %% for that "
                "alone; fix the frequency, or measure again on an idle machine",
                *least, *most, 100 * (*most / *least - 1));
  return text;
}

}  // namespace ert::bench
