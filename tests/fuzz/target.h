// What a fuzz target is. Each has a file of its own and is built twice: with libFuzzer (preset fuzz; fuzz_main.cc), and into the replay of
// seeds and found cases that the quick tests run (replay_test.cc), which needs no clang.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/random_numbers.h"

namespace ert::fuzz {

using Bytes = std::vector<uint8_t>;
using testing::RandomNumbers;

struct Target {
  const char* name;
  void (*run)(const uint8_t* data, size_t bytes);  // ends the process where a promise is broken
  // A change that gets further than random bytes do. False: nothing suits these bytes, and the fuzzer changes them its own way.
  bool (*mutate)(Bytes* bytes, RandomNumbers* random);
};

// Says what is wrong and aborts, so that the fuzzer keeps the input.
[[noreturn]] void finding(const char* what, long long value = 0);

// CPU time of this thread: on a busy machine a wall clock would show hangs that are none.
double cpu_seconds();

// Calls f and reports it where it takes more CPU time than that.
template <class F>
void within_seconds(double most, const char* what, const F& f) {
  const double start = cpu_seconds();
  f();
  const double taken = cpu_seconds() - start;
  if (taken > most) finding(what, static_cast<long long>(taken * 1000));
}

#if defined(__SANITIZE_ADDRESS__)
constexpr double kSlower = 8;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
constexpr double kSlower = 8;
#else
constexpr double kSlower = 1;
#endif
#else
constexpr double kSlower = 1;
#endif

#define ERT_FUZZ_TARGET(name) const Target& target_##name();
#include "tests/fuzz/targets.inc"
#undef ERT_FUZZ_TARGET

}  // namespace ert::fuzz
