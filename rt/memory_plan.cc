// Computes and carries out the memory plan: see memory_plan.h.
#include "rt/memory_plan.h"

#include "rt/abi.h"
#include "rt/dims.h"
#include "rt/model.h"

namespace ert {
namespace {

// Sums of table sizes stay far below SIZE_MAX because all counts are limited; values and scratch are added with checks.
size_t take(size_t* end, size_t bytes) {
  const size_t offset = *end;
  *end += align64(bytes);
  return offset;
}

uint32_t most_operands(const Program& p) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < p.ops.size; ++i) most = operand_count(p.ops[i]) > most ? operand_count(p.ops[i]) : most;
  return most;
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

bool within(const fb::Golden& g, const Program& p, const int32_t* max_dims) {
  for (uint32_t i = 0; i < p.dims.size; ++i) {
    if (g.dims()->Get(i) > max_dims[i]) return false;
  }
  return true;
}

// Room for the outputs of the largest golden vector that these dims can replay. Overwrites scratch->exprs.
bool golden_bytes(const Program& p, const int32_t* max_dims, EvalScratch* scratch, size_t* out) {
  *out = 0;
  const uint32_t n = p.root->golden() == nullptr ? 0 : p.root->golden()->size();
  for (uint32_t i = 0; i < n; ++i) {
    const fb::Golden& g = *p.root->golden()->Get(i);
    if (!within(g, p, max_dims)) continue;
    int32_t dims[ERT_MAX_DIMS] = {};
    for (uint32_t d = 0; d < p.dims.size; ++d) dims[d] = g.dims()->Get(d);
    if (!evaluate_exprs(p, dims, scratch->exprs)) return false;
    size_t sum = 0;
    for (uint32_t k = 0; k < p.outputs.size; ++k) {
      Operand o;
      uint64_t bytes;
      if (!resolve_operand(p, p.outputs[k], scratch->exprs, &o)) return false;
      o.dtype = p.output_dtypes[k];
      if (!operand_bytes(o, &bytes) || bytes > SIZE_MAX / 4 - sum) return false;
      sum += align64(static_cast<size_t>(bytes));
    }
    if (sum > *out) *out = sum;
  }
  return true;
}

TableLayout lay_out_tables(const Program& p, size_t row_starts, size_t golden) {
  TableLayout t{};
  t.exprs = take(&t.bytes, p.exprs.size * sizeof(int64_t));
  t.values = take(&t.bytes, p.values.size * sizeof(Operand));
  t.operands = take(&t.bytes, most_operands(p) * sizeof(Operand));
  t.inputs = take(&t.bytes, p.inputs.size * sizeof(Binding));
  t.outputs = take(&t.bytes, p.outputs.size * sizeof(Binding));
  t.slots = take(&t.bytes, p.slots * sizeof(Slot));
  t.customs = take(&t.bytes, custom_count(p) * sizeof(CustomSlot));
  t.attributes = take(&t.bytes, attribute_count(p) * sizeof(ert_custom_attribute));
  t.row_starts = take(&t.bytes, row_starts * sizeof(int32_t));
  t.golden = take(&t.bytes, golden);
  return t;
}

bool arena_bytes(const Program& p, uint32_t v, const int64_t* exprs, size_t* out) {
  Operand o;
  uint64_t bytes;
  if (!resolve_operand(p, v, exprs, &o) || !operand_bytes(o, &bytes) || bytes > SIZE_MAX / 4) return false;
  *out = align64(static_cast<size_t>(bytes));
  return true;
}

// arena_order is sorted by slot, so the largest value of each slot is known when the next slot starts.
bool sum_of_slots(const Program& p, const int64_t* exprs, size_t* out) {
  size_t sum = 0, largest = 0;
  for (uint32_t i = 0; i < p.arena_order.size; ++i) {
    const uint32_t v = p.arena_order[i];
    size_t bytes;
    if (!arena_bytes(p, v, exprs, &bytes)) return false;
    if (i != 0 && p.values[v].index() != p.values[p.arena_order[i - 1]].index()) {
      if (__builtin_add_overflow(sum, largest, &sum)) return false;
      largest = 0;
    }
    if (bytes > largest) largest = bytes;
  }
  return !__builtin_add_overflow(sum, largest, out);
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
  if (!golden_bytes(p, max_dims, scratch, &golden)) return ERT_ERR_LIMIT;
  MemoryPlan plan{};
  if (!evaluate_exprs(p, max_dims, scratch->exprs)) return ERT_ERR_DIMS;
  for (uint32_t v = 0; v < p.values.size; ++v) {
    Operand o;
    uint64_t bytes;
    if (!resolve_operand(p, v, scratch->exprs, &o)) return ERT_ERR_DIMS;
    if (!operand_bytes(o, &bytes)) return ERT_ERR_LIMIT;
  }
  const RowMap rows = row_map(p, scratch->exprs);
  plan.tables = lay_out_tables(p, rows.batch == 0 ? 0 : static_cast<size_t>(rows.batch) + 1, golden);
  if (!sum_of_slots(p, scratch->exprs, &plan.value_bytes)) return ERT_ERR_LIMIT;
  if (!prepare_all(p, &cfg, scratch, &plan.scratch_stride, nullptr)) return ERT_ERR_DIMS;
  plan.scratch_bytes = plan.scratch_stride * cfg.threads;  // both limited: cannot overflow
  if (__builtin_add_overflow(plan.tables.bytes, plan.scratch_bytes, &plan.total) ||
      __builtin_add_overflow(plan.total, plan.value_bytes, &plan.total)) {
    return ERT_ERR_LIMIT;
  }
  *out = plan;
  return ERT_OK;
}

bool size_slots(const Program& p, const int64_t* exprs, Slot* slots) {
  for (uint32_t s = 0; s < p.slots; ++s) slots[s] = Slot{};
  for (uint32_t i = 0; i < p.arena_order.size; ++i) {
    size_t bytes;
    if (!arena_bytes(p, p.arena_order[i], exprs, &bytes)) return false;
    Slot& slot = slots[p.values[p.arena_order[i]].index()];
    if (bytes > slot.bytes) slot.bytes = bytes;
  }
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
  for (uint32_t round = 0; round < n; ++round) {
    Slot* hottest = nullptr;
    for (uint32_t s = 0; s < n; ++s) {
      if (!slots[s].placed && (hottest == nullptr || slots[s].uses > hottest->uses)) hottest = &slots[s];
    }
    hottest->base = take_from(free, regions, hottest->bytes);
    if (hottest->base == nullptr) return false;
    hottest->placed = true;
  }
  return true;
}

}  // namespace ert
