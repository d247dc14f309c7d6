// What an ert_context holds. The struct lives in the caller's ert_context; the tables it points to live in the arena.
#pragma once

#include "rt/base/error_detail.h"
#include "rt/include/ert.h"
#include "rt/context/memory_plan.h"
#include "rt/ops/op.h"
#include "rt/blob/program.h"

namespace ert {

struct ContextState {
  uint64_t magic;  // kContextMagic after init; anything else is not a context
  const uint8_t* blob;
  size_t blob_bytes;
  const fb::Program* root;
  ert_config cfg;
  const kernels::KernelTable* kernels;

  // Tables in the arena.
  int64_t* exprs;     // evaluated for `dims`
  Operand* values;    // shapes for `dims`; addresses of arena values and constants
  Operand* operands;  // of the op being prepared or run
  Binding* inputs;
  Binding* outputs;
  Slot* slots;
  int32_t* row_starts;  // of the packed rows; empty table when the program packs nothing
  CustomSlot* customs;
  uint8_t* states;     // two copies of all states
  size_t state_bytes;  // of one copy
  size_t state_copy;   // where the copy begins that the next run reads
  uint8_t* golden;     // outputs of ert_selftest, and inputs that it makes
  uint8_t* scratch;
  size_t scratch_stride;
  ert_region regions[ERT_MAX_REGIONS];
  uint32_t n_regions;

  int32_t max_dims[ERT_MAX_DIMS];
  int32_t dims[ERT_MAX_DIMS];  // that exprs, values and every op's prepare stand for, if prepared
  int32_t rows;                // packed rows likewise, or kEveryRow
  uint32_t prepared;
  uint32_t next_op;      // 0 = the next step starts a run
  uint32_t done_ahead;   // an op that the one before it has already done; 0 = none
  uint32_t keep_values;  // every op leaves its result as the blob describes it: for tools that look between ops

  ert_error_detail why;  // the last refusal; cleared when a call begins

  Cores cores;

  uint64_t seal;  // checksum of everything above, renewed when a call returns
  uint32_t busy;  // a call is under way; not sealed
};
static_assert(sizeof(ContextState) <= sizeof(ert_context), "ert_context is caller storage of fixed size");

// Enters a call on a context: refuses one that is not initialised (STATE), already in a call (STATE) or damaged (INTEGRITY).
// Leaving seals the context again.
class ContextCall {
 public:
  explicit ContextCall(ert_context* c);
  ~ContextCall();
  ContextCall(const ContextCall&) = delete;
  ContextCall& operator=(const ContextCall&) = delete;
  ert_status status() const { return status_; }
  ContextState& state() const { return *state_; }

 private:
  ContextState* state_ = nullptr;
  ert_status status_ = ERT_OK;
};

constexpr uint64_t kContextMagic = 0x7478746E6F747265u;
uint64_t seal_of(const ContextState& s);

// [a, a + a_bytes) and [b, b + b_bytes) share a byte. Compares distances, so nothing can wrap.
inline bool overlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const uintptr_t x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return x <= y ? y - x < a_bytes && b_bytes != 0 : x - y < b_bytes && a_bytes != 0;
}

inline Program program_of(const ContextState& s) { return program_view(s.blob, s.root); }

// context.cc: sets keep_values.
ert_status keep_values(ert_context* c);

// config.cc: the caller's configuration with defaults filled in and checked. Null = defaults.
ert_status read_config(const ert_config* in, ert_config* out);

// bound_dims.cc: dims from the shapes of the bound inputs. STATE when one is not bound, INPUT when axes contradict, DIMS out of range.
ert_status dims_of_inputs(const ContextState& s, const Program& p, int32_t* dims, ert_error_detail* why);

// evaluate.cc: sizes, shapes and every op's prepare for these dims and packed rows. Returns OK or DIMS; on failure prepared is 0.
ert_status evaluate_dims(ContextState* s, const Program& p, const int32_t* dims, int32_t rows);
// The same, unless the context stands there already. Restarts ert_step when it does not.
ert_status evaluate_if_new(ContextState* s, const Program& p, const int32_t* dims, int32_t rows);
// Copies the operands of an op into s.operands and describes the op.
OpContext gather_operands(const ContextState& s, const Program& p, uint32_t op);

}  // namespace ert
