// The converter's memory plan is not trusted: arena_order lists all arena values by slot and time, so one pass over
// neighbours proves that no two live values share a slot.
#include "rt/sizes/dims.h"
#include "rt/verify/semantics.h"

namespace ert {
namespace {

uint64_t place_in_order(const fb::Value& v) { return uint64_t{v.index()} << 32 | v.first_op(); }

bool same_bytes(const Program& p, uint32_t a, uint32_t b, const int64_t* exprs) {
  Operand x, y;
  size_t x_bytes, y_bytes;
  return resolve_operand(p, a, exprs, &x) && resolve_operand(p, b, exprs, &y) && operand_bytes(x, &x_bytes) &&
         operand_bytes(y, &y_bytes) && x_bytes == y_bytes;
}

}  // namespace

bool in_place_allowed(const Program& p, uint32_t op_index, uint32_t prev, uint32_t next) {
  const fb::Op& op = p.ops[op_index];
  const OpDef* def = find_op(op.code());
  const int32_t output = operand_of(p, op, op.n_inputs());
  if (def == nullptr || output < 0 || root_value(p, static_cast<uint32_t>(output)) != next) return false;
  // Of one dtype and, for all dims, of as many bytes (sharing_is_exact): then it has as many elements, and is not broadcast.
  if (p.values[prev].dtype() != p.values[next].dtype()) return false;
  bool read = false;
  for (uint32_t k = 0; k < op.n_inputs(); ++k) {
    const int32_t v = operand_of(p, op, k);
    if (v < 0 || root_value(p, static_cast<uint32_t>(v)) != prev) continue;
    if (!def->may_replace(k)) return false;
    read = true;
  }
  return read;
}

bool sharing_is_exact(const Program& p, const int64_t* exprs) {
  for (uint32_t v = 0; v < p.values.size; ++v) {
    if (storage_of(p.values[v]) == Storage::kAlias && !same_bytes(p, v, root_value(p, v), exprs)) return false;
  }
  for (uint32_t i = 1; i < p.arena_order.size; ++i) {
    const uint32_t prev = p.arena_order[i - 1], next = p.arena_order[i];
    const fb::Value &a = p.values[prev], &b = p.values[next];
    if (a.index() == b.index() && a.last_op() == b.first_op() && !same_bytes(p, prev, next, exprs)) return false;
  }
  return true;
}

bool verify_lifetimes(const Program& p) {
  uint32_t arena_values = 0;
  for (uint32_t v = 0; v < p.values.size; ++v) arena_values += storage_of(p.values[v]) == Storage::kArena;
  if (p.arena_order.size != arena_values) return false;
  for (uint32_t i = 0; i < p.arena_order.size; ++i) {
    const uint32_t next = p.arena_order[i];
    if (next >= p.values.size || storage_of(p.values[next]) != Storage::kArena) return false;
    if (i == 0) continue;
    const fb::Value& b = p.values[next];
    const fb::Value& a = p.values[p.arena_order[i - 1]];
    // Strictly rising, so no value occurs twice: with the count right, all of them are listed.
    if (place_in_order(a) >= place_in_order(b)) return false;
    if (a.index() != b.index() || b.first_op() > a.last_op()) continue;
    if (b.first_op() != a.last_op() || !in_place_allowed(p, b.first_op(), p.arena_order[i - 1], next)) return false;
  }
  return true;
}

}  // namespace ert
