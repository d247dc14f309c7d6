// A context of a model with inputs of its own making, in memory of exactly the size that it asks for: what the target open_run compares two of.
#pragma once

#include <memory>

#include "rt/include/ert.h"
#include "tests/fuzz/exact_bytes.h"

namespace ert::fuzz {

constexpr size_t kMostArena = 64 << 10, kMostTensors = 64 << 10;
constexpr uint64_t kMostMacs = 1 << 18;

struct Way {
  uint32_t isa_mask = 1;
  uint32_t threads = 0;  // more than 1: tasks run backwards, dealt out to as many
  bool steps = false;    // ert_step instead of ert_run
  bool two_regions = false;
};

// One run with everything around it.
struct RunResult {
  ert_status status = ERT_OK, selftest = ERT_OK;
  std::vector<Bytes> outputs;
  std::vector<uint32_t> dtypes;
};

// The dims to run with: smallest ones, some of them raised a little. False where they would take more memory or work than the limits above.
bool choose_dims(const ert_model& m, const uint8_t* blob, RandomNumbers* random, int32_t* dims);

// Everything about the inputs comes from `seed`.
RunResult run_bound(const ert_model& m, const uint8_t* blob, const int32_t* dims, uint32_t seed, const Way& way);

}  // namespace ert::fuzz
