// What the arena holds while each op of a blob runs, at the largest dims: where the RAM goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "convert/run/blob_runner.h"

namespace edgeconv {

struct MemoryTimeline {
  struct LiveValue {
    std::string type;  // dtype and sizes
    size_t bytes;
  };
  struct Step {
    std::string op, name;  // runtime op, source node
    size_t live_bytes;     // values that are alive while it runs
  };
  std::vector<std::pair<std::string, int32_t>> dims;  // at which the bytes hold
  // The arena with one thread: slots that values share, so that they hold at least what is alive at any time; the rest is scratch
  // and tables.
  size_t arena_bytes = 0, slot_bytes = 0;
  // Of the rest: working memory, which the step at scratch_step needs most of; both copies of states; what ert_selftest fills and compares.
  size_t scratch_bytes = 0, scratch_step = 0, state_bytes = 0, selftest_bytes = 0;
  std::vector<Step> steps;
  size_t fullest = 0;                   // the first step with most bytes alive,
  std::vector<LiveValue> fullest_live;  // and which. Of all steps they would be values times ops.
};

MemoryTimeline memory_timeline(const BlobRunner& runner);

// {"dims": {}, "arena_bytes", "slot_bytes", "other_bytes", "steps": [{"op", "name", "live_bytes"}]}
nlohmann::ordered_json timeline_json(const MemoryTimeline& timeline);
// {"dims": {}, "slot_bytes", "other_bytes", "op", "name", "live_bytes", "values": [{"type", "bytes"}], "scratch_bytes", "scratch_op", "scratch_name",
// "state_bytes", "selftest_bytes"}: the step with most bytes alive, and what the other bytes are for; or null.
nlohmann::ordered_json fullest_step_json(const MemoryTimeline& timeline);
std::string fullest_step_text(const nlohmann::ordered_json& step);

}  // namespace edgeconv
