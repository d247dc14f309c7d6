// Faults that the detectors must show, planted where ERT_FUZZ_CANARY is set (tests/checks/canaries.sh), and nothing otherwise.
#pragma once

#include "tests/fuzz/bound_run.h"

#ifndef ERT_FUZZ_CANARY
#define ERT_FUZZ_CANARY 0
#endif
#if ERT_FUZZ_CANARY == 3
#include <thread>
#endif

namespace ert::fuzz {

enum Canary { kNothing, kOtherBits, kBehindTheArena, kRace, kUninitialised, kOverflow };

// One level gives another bit than the other.
inline void plant_bits([[maybe_unused]] RunResult* result) {
#if ERT_FUZZ_CANARY == 1
  for (Bytes& output : result->outputs) output[0] ^= 1;
#endif
}

inline void plant_memory([[maybe_unused]] uint8_t* arena, [[maybe_unused]] size_t bytes) {
#if ERT_FUZZ_CANARY == 2
  static volatile uint8_t sink;
  sink = arena[bytes];
#elif ERT_FUZZ_CANARY == 3
  uint32_t shared = 0;
  std::thread other([&] { ++shared; });
  ++shared;
  other.join();
  if (shared == 0) std::abort();
#elif ERT_FUZZ_CANARY == 4
  std::vector<uint8_t*> unset;
  unset.push_back(static_cast<uint8_t*>(std::malloc(16)));
  if (*static_cast<volatile uint8_t*>(unset[0]) == 7) std::abort();
  std::free(unset[0]);
#elif ERT_FUZZ_CANARY == 5
  volatile int32_t most = INT32_MAX;
  most = most + static_cast<int32_t>(bytes != 0);
#endif
}

}  // namespace ert::fuzz
