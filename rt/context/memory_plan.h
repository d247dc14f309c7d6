// The exact RAM need of a context as a function of the largest dims, and where everything goes. ert_arena_bytes and
// ert_context_init use this one formula, so need - 1 bytes is refused and need bytes suffices.
//
//   tables    sizes, values, bindings, slots, custom ops, starts of packed rows, states, room for ert_selftest
//   scratch   threads * the largest scratch of one op
//   values    one block per slot: the largest of the slot's values at max_dims
// Every block is rounded up to 64 bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/include/ert.h"
#include "rt/ops/op.h"
#include "rt/sizes/prepare.h"
#include "rt/blob/program.h"

namespace ert {

struct Binding {
  static constexpr uint8_t kNone = 0, kOwn = 1, kCallers = 2;
  void* data = nullptr;  // null = not bound
  size_t bytes = 0;
  uint32_t dtype = 0;
  uint32_t rank = 0;
  uint8_t state = kNone;             // part of a state: the context's copy, or the caller's tensor in its place
  int32_t shape[ERT_MAX_RANK] = {};  // inputs only
};

struct Slot {
  uint8_t* base = nullptr;
  size_t bytes = 0;
  uint32_t uses = 0;  // operands that read or write it: hotter slots go to the faster region
  bool placed = false;
  bool lent = false;  // to an input of golden vectors (golden_room.h): such slots lie side by side, in their order
};

struct CustomSlot {
  const ert_custom_op* op = nullptr;
  const ert_custom_attribute* attributes = nullptr;
  uint32_t n_attributes = 0;
};

// Byte offsets in the table block.
struct TableLayout {
  size_t exprs, values, operands, inputs, outputs, slots, customs, attributes, row_starts, states, golden;
  size_t state_bytes;  // of one of the two copies
  size_t bytes;
};

struct MemoryPlan {
  TableLayout tables;
  size_t scratch_stride;  // of one thread
  size_t scratch_bytes;   // of all threads
  size_t value_bytes;
  size_t total;
};

// max_dims has been checked. Returns OK, DIMS (these dims give an impossible shape), LIMIT.
ert_status plan_memory(const Program& p, const ert_config& cfg, const int32_t* max_dims, EvalScratch* scratch, MemoryPlan* out);

// Fills bytes and uses of each slot for the dims of exprs; false when a size leaves the limits.
bool size_slots(const Program& p, const int64_t* exprs, Slot* slots);

// Blocks go to the first region where they still fit, in this order: tables, scratch, slots from the most to the least used.
struct Placement {
  uint8_t* tables;
  uint8_t* scratch;
};
bool place_tables(const MemoryPlan& plan, ert_region* free, uint32_t regions, Placement* out);
bool place_slots(Slot* slots, uint32_t n, ert_region* free, uint32_t regions);

}  // namespace ert
