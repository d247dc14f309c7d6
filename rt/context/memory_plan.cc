// Computes and carries out the memory plan: see memory_plan.h.
#include "rt/context/memory_plan.h"

#include "rt/base/abi.h"
#include "rt/base/bytes.h"
#include "rt/context/golden_room.h"
#include "rt/context/slot_sizes.h"
#include "rt/context/states.h"
#include "rt/sizes/dims.h"
#include "rt/loading/model.h"

namespace ert {
namespace {

// Offset of a table of n entries behind the ones before. Of use only if `end` is possible once all tables are taken.
size_t take(Bytes* end, uint32_t n, size_t entry_bytes) {
  const size_t offset = end->value();
  *end = *end + (Bytes(n) * Bytes(entry_bytes)).aligned();
  return offset;
}

uint32_t custom_count(const Program& p) { return p.root->custom_ops() == nullptr ? 0 : p.root->custom_ops()->size(); }

uint32_t attribute_count(const Program& p) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < custom_count(p); ++i) {
    const auto* attributes = p.root->custom_ops()->Get(i)->attributes();
    n += attributes == nullptr ? 0 : attributes->size();
  }
  return n;
}

bool lay_out_tables(const Program& p, const int64_t* exprs, uint32_t row_starts, size_t golden, TableLayout* out) {
  TableLayout t{};
  if (!state_bytes(p, exprs, &t.state_bytes)) return false;
  Bytes end;
  t.exprs = take(&end, p.exprs.size, sizeof(int64_t));
  t.values = take(&end, p.values.size, sizeof(Operand));
  t.operands = take(&end, operand_room(p), sizeof(Operand));
  t.inputs = take(&end, p.inputs.size, sizeof(Binding));
  t.outputs = take(&end, p.outputs.size, sizeof(Binding));
  t.slots = take(&end, p.slots, sizeof(Slot));
  t.customs = take(&end, custom_count(p), sizeof(CustomSlot));
  t.attributes = take(&end, attribute_count(p), sizeof(ert_custom_attribute));
  t.row_starts = take(&end, row_starts, sizeof(int32_t));
  t.states = take(&end, 2, t.state_bytes);
  t.golden = take(&end, 1, golden);
  *out = t;
  return end.get(&out->bytes);
}

bool sum_of_slots(const Program& p, const int64_t* exprs, size_t* out) {
  Bytes sum;
  return each_slot(p, exprs, [&](const SlotSize& s) { sum = sum + Bytes(s.bytes); }) && sum.get(out);
}

uint8_t* take_from(ert_region* free, uint32_t regions, size_t bytes) {
  for (uint32_t r = 0; r < regions; ++r) {
    if (free[r].bytes < bytes) continue;
    uint8_t* base = static_cast<uint8_t*>(free[r].base);
    free[r].base = base + bytes;
    free[r].bytes -= bytes;
    return base;
  }
  return nullptr;
}

}  // namespace

ert_status plan_memory(const Program& p, const ert_config& cfg, const int32_t* max_dims, EvalScratch* scratch, MemoryPlan* out) {
  size_t golden;
  if (!golden_room(p, max_dims, scratch, &golden)) return ERT_ERR_LIMIT;
  MemoryPlan plan{};
  if (!evaluate_exprs(p, max_dims, scratch->exprs)) return ERT_ERR_DIMS;
  for (uint32_t v = 0; v < p.values.size; ++v) {
    Operand o;
    size_t bytes;
    if (!resolve_operand(p, v, scratch->exprs, &o)) return ERT_ERR_DIMS;
    if (!operand_bytes(o, &bytes)) return ERT_ERR_LIMIT;
  }
  const RowMap rows = row_map(p, scratch->exprs);
  const uint32_t row_starts = rows.batch == 0 ? 0 : static_cast<uint32_t>(rows.batch) + 1;
  if (!lay_out_tables(p, scratch->exprs, row_starts, golden, &plan.tables) || !sum_of_slots(p, scratch->exprs, &plan.value_bytes))
    return ERT_ERR_LIMIT;
  if (!prepare_all(p, &cfg, scratch, &plan.scratch_stride)) return ERT_ERR_DIMS;
  const Bytes working = Bytes(plan.scratch_stride) * Bytes(cfg.threads);
  const Bytes total = Bytes(plan.tables.bytes) + working + Bytes(plan.value_bytes);
  if (!working.get(&plan.scratch_bytes) || !total.get(&plan.total)) return ERT_ERR_LIMIT;
  *out = plan;
  return ERT_OK;
}

bool size_slots(const Program& p, const int64_t* exprs, Slot* slots) {
  for (uint32_t s = 0; s < p.slots; ++s) slots[s] = Slot{};
  if (!each_slot(p, exprs, [&](const SlotSize& s) { slots[s.slot].bytes = s.bytes; })) return false;
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    for (uint32_t k = 0; k < operand_count(p.ops[i]); ++k) {
      const int32_t v = operand_of(p, p.ops[i], k);
      if (v < 0) continue;
      const fb::Value& root = p.values[root_value(p, static_cast<uint32_t>(v))];
      if (storage_of(root) == Storage::kArena) ++slots[root.index()].uses;
    }
  }
  return true;
}

bool place_tables(const MemoryPlan& plan, ert_region* free, uint32_t regions, Placement* out) {
  out->tables = take_from(free, regions, plan.tables.bytes);
  if (out->tables == nullptr) return false;
  out->scratch = take_from(free, regions, plan.scratch_bytes);
  return out->scratch != nullptr;
}

bool place_slots(Slot* slots, uint32_t n, ert_region* free, uint32_t regions) {
  for (;;) {
    Slot* hottest = nullptr;
    for (uint32_t s = 0; s < n; ++s) {
      if (!slots[s].placed && (hottest == nullptr || slots[s].uses > hottest->uses)) hottest = &slots[s];
    }
    if (hottest == nullptr) return true;
    const auto together = [&](const Slot& s) { return &s == hottest || (hottest->lent && s.lent); };
    size_t bytes = 0;  // the plan added up the same
    for (uint32_t s = 0; s < n; ++s) bytes += together(slots[s]) ? slots[s].bytes : 0;
    uint8_t* base = take_from(free, regions, bytes);
    if (base == nullptr) return false;
    for (uint32_t s = 0; s < n; ++s) {
      if (!together(slots[s])) continue;
      slots[s].base = base;
      slots[s].placed = true;
      base += slots[s].bytes;
    }
  }
}

}  // namespace ert
