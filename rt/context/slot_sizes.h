// The slots of the arena at the dims of evaluated expressions: as many bytes as the largest of their values.
#pragma once

#include "rt/base/bytes.h"
#include "rt/blob/program.h"
#include "rt/sizes/dims.h"

namespace ert {

struct SlotSize {
  uint32_t slot;
  uint32_t first_op;  // nobody writes it before
  size_t bytes;       // a multiple of 64
};

inline bool arena_bytes(const Program& p, uint32_t v, const int64_t* exprs, size_t* out) {
  Operand o;
  size_t bytes;
  return resolve_operand(p, v, exprs, &o) && operand_bytes(o, &bytes) && Bytes(bytes).aligned().get(out);
}

// Calls use(SlotSize) for every slot that has a value. arena_order is sorted by slot and first op, so one pass knows all. False when a size leaves the limits.
template <class Use>
bool each_slot(const Program& p, const int64_t* exprs, const Use& use) {
  SlotSize s{};
  for (uint32_t i = 0; i < p.arena_order.size; ++i) {
    const fb::Value& value = p.values[p.arena_order[i]];
    size_t bytes;
    if (!arena_bytes(p, p.arena_order[i], exprs, &bytes)) return false;
    if (i == 0 || value.index() != s.slot) {
      if (i != 0) use(s);
      s = {value.index(), value.first_op(), 0};
    }
    if (bytes > s.bytes) s.bytes = bytes;
  }
  if (p.arena_order.size != 0) use(s);
  return true;
}

}  // namespace ert
