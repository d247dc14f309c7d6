// What an ert_model holds: where the verified blob is. Nothing else, so it can be copied and shared.
#pragma once

#include "rt/sizes/eval_memory.h"
#include "rt/blob/header.h"
#include "rt/include/ert.h"
#include "rt/blob/program.h"

namespace ert {

struct ModelState {
  uint64_t magic;
  const uint8_t* blob;
  const fb::Program* root;
  Header header;
  LentMemory lent;
  const fb::Segment* segment_table;  // for ert_recheck, which must not ask the metadata where it is
  uint32_t segments;
};
static_assert(sizeof(ModelState) <= sizeof(ert_model), "ert_model is caller storage of fixed size");

// Null unless m was filled by ert_model_open.
const ModelState* model_state(const ert_model* m);

// The caller's dims, or the model's maxima for null. False when one is outside [min, max].
bool read_dims(const Program& p, const int32_t* dims, int32_t* out);

}  // namespace ert
