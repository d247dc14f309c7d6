// Proves: whatever ert_model_open accepts runs inside its exactly sized arena and the bound tensors, in bounded time, and gives the same status and the same
// bits on two instruction sets, with one region or two, with ert_run or ert_step, and however threads share the work.
#include <cmath>
#include <cstring>

#include "rt/blob/crc32c.h"
#include "tests/fuzz/blob_mutator.h"
#include "tests/fuzz/bound_run.h"
#include "tests/fuzz/canary.h"

namespace ert::fuzz {
namespace {

constexpr double kMostSeconds = 0.5 * kSlower;

// Another level than the reference, if the machine has one.
uint32_t other_level(RandomNumbers* random) {
  const uint32_t available = ert_isa_available() & ~1u;
  if (available == 0) return 1;
  for (;;) {
    const uint32_t bit = 1u << random->integer(0, 31);
    if ((available & bit) != 0) return bit;
  }
}

// Two NaNs are equal: sign and payload are not part of the contract.
bool same(const Bytes& a, const Bytes& b, uint32_t dtype) {
  if (a.size() != b.size()) return false;
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0) return true;
  if (dtype != ERT_F32) return false;
  for (size_t i = 0; i + 4 <= a.size(); i += 4) {
    float x, y;
    std::memcpy(&x, a.data() + i, 4);
    std::memcpy(&y, b.data() + i, 4);
    if (std::memcmp(&x, &y, 4) != 0 && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

void compare(const RunResult& a, const RunResult& b) {
  if (a.status != b.status) finding("the levels give different statuses: first * 100 + second", a.status * 100 + b.status);
  if (a.selftest != b.selftest) finding("the levels give different selftests", a.selftest * 100 + b.selftest);
  if (a.outputs.size() != b.outputs.size()) finding("different numbers of outputs");
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    if (!same(a.outputs[i], b.outputs[i], a.dtypes[i]))
      finding("the levels give different bits in output", static_cast<long long>(i));
  }
}

void run(const uint8_t* data, size_t bytes) {
  ExactBytes blob(bytes);
  if (bytes != 0) std::memcpy(blob.data(), data, bytes);
  ert_model m;
  if (ert_model_open(&m, blob.data(), bytes) != ERT_OK) return;
  const uint32_t seed = crc32c(0, data, bytes);
  const char key[3] = {static_cast<char>(1 + seed % 250), static_cast<char>(1 + (seed >> 8) % 250), 0};
  RandomNumbers random(key);
  int32_t dims[ERT_MAX_DIMS] = {};
  if (!choose_dims(m, blob.data(), &random, dims)) return;
  const Way reference;
  Way other;
  other.isa_mask = other_level(&random);
  other.threads = static_cast<uint32_t>(random.integer(1, 3));
  other.steps = random.integer(0, 1) != 0;
  other.two_regions = random.integer(0, 1) != 0;
  within_seconds(kMostSeconds, "two runs took so many ms", [&] {
    RunResult a = run_bound(m, blob.data(), dims, seed, reference);
    plant_bits(&a);
    compare(a, run_bound(m, blob.data(), dims, seed, other));
  });
}

}  // namespace

const Target& target_open_run() {
  static const Target target = {"open_run", run, mutate_blob};
  return target;
}

}  // namespace ert::fuzz
