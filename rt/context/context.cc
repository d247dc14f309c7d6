// Making a context: memory, tables, bindings. Running it: run.cc.
#include "rt/context/context.h"

#include <string.h>

#include <new>

#include "rt/base/abi.h"
#include "rt/sizes/dims.h"
#include "rt/base/isa.h"
#include "rt/base/limits.h"
#include "rt/loading/model.h"
#include "rt/context/golden_room.h"
#include "rt/context/pairs.h"
#include "rt/context/states.h"

namespace ert {
namespace {

ert_status check_regions(const ModelState& m, const ert_context* c, const ert_region* mem, uint32_t n) {
  if (mem == nullptr || n == 0 || n > ERT_MAX_REGIONS) return ERT_ERR_ARG;
  for (uint32_t i = 0; i < n; ++i) {
    if (mem[i].base == nullptr || mem[i].bytes > UINTPTR_MAX - reinterpret_cast<uintptr_t>(mem[i].base)) return ERT_ERR_ARG;
    if (reinterpret_cast<uintptr_t>(mem[i].base) % ERT_ARENA_ALIGN != 0) return ERT_ERR_ALIGN;
    if (overlap(mem[i].base, mem[i].bytes, m.blob, static_cast<size_t>(m.header.total_bytes))) return ERT_ERR_ARG;
    if (overlap(mem[i].base, mem[i].bytes, c, sizeof *c)) return ERT_ERR_ARG;
    if (i != 0 && overlap(mem[0].base, mem[0].bytes, mem[i].base, mem[i].bytes)) return ERT_ERR_ARG;
  }
  return ERT_OK;
}

bool customs_registered(const Program& p, const ert_config& cfg) {
  const uint32_t n = p.root->custom_ops() == nullptr ? 0 : p.root->custom_ops()->size();
  for (uint32_t i = 0; i < n; ++i) {
    if (find_custom_op(p, i, cfg) == nullptr) return false;
  }
  return true;
}

ert_status check_and_plan(const ModelState& m, const ert_config& cfg, const int32_t* given, EvalScratch* scratch, int32_t* dims,
                          MemoryPlan* plan) {
  const Program p = program_view(m.blob, m.root);
  if (!customs_registered(p, cfg)) return ERT_ERR_UNSUPPORTED;
  if (!read_dims(p, given, dims)) return ERT_ERR_DIMS;
  return plan_memory(p, cfg, dims, scratch, plan);
}

template <class T>
T* table_at(uint8_t* tables, size_t offset) {
  return static_cast<T*>(static_cast<void*>(tables + offset));
}

void fill_custom_table(ContextState* s, const Program& p, ert_custom_attribute* next) {
  const uint32_t n = p.root->custom_ops() == nullptr ? 0 : p.root->custom_ops()->size();
  for (uint32_t i = 0; i < n; ++i) {
    const auto* attributes = p.root->custom_ops()->Get(i)->attributes();
    s->customs[i] = CustomSlot{find_custom_op(p, i, s->cfg), next, attributes == nullptr ? 0 : attributes->size()};
    for (uint32_t k = 0; k < s->customs[i].n_attributes; ++k, ++next) {
      const fb::CustomAttribute& a = *attributes->Get(k);
      *next = ert_custom_attribute{};
      next->name = a.name()->c_str();
      next->kind = a.kind();
      const bool floats = kind_of(a) == AttributeKind::kFloat || kind_of(a) == AttributeKind::kFloats;
      next->count = floats ? (a.floats() == nullptr ? 0 : a.floats()->size()) : (a.ints() == nullptr ? 0 : a.ints()->size());
      next->ints = a.ints() == nullptr ? nullptr : static_cast<const int32_t*>(static_cast<const void*>(a.ints()->Data()));
      next->floats = a.floats() == nullptr ? nullptr : static_cast<const float*>(static_cast<const void*>(a.floats()->Data()));
      next->string = a.text() == nullptr ? nullptr : a.text()->c_str();
    }
  }
}

void place_values(ContextState* s, const Program& p) {
  for (uint32_t v = 0; v < p.values.size; ++v) {
    const fb::Value& root = p.values[root_value(p, v)];
    if (storage_of(root) == Storage::kArena) s->values[v].data = s->slots[root.index()].base;
  }
}

void make_tables(ContextState* s, const Program& p, const MemoryPlan& plan, uint8_t* tables) {
  const TableLayout& t = plan.tables;
  memset(tables, 0, t.bytes);  // entries of every table: absent, not bound, not placed; states: as before the first run
  s->exprs = table_at<int64_t>(tables, t.exprs);
  s->values = table_at<Operand>(tables, t.values);
  s->operands = table_at<Operand>(tables, t.operands);
  s->inputs = table_at<Binding>(tables, t.inputs);
  s->outputs = table_at<Binding>(tables, t.outputs);
  s->slots = table_at<Slot>(tables, t.slots);
  s->customs = table_at<CustomSlot>(tables, t.customs);
  fill_custom_table(s, p, table_at<ert_custom_attribute>(tables, t.attributes));
  s->row_starts = table_at<int32_t>(tables, t.row_starts);
  s->states = tables + t.states;
  s->state_bytes = t.state_bytes;
  s->golden = tables + t.golden;
}

// All checks are done and the plan fits or not: nothing has been written to the regions yet. The working memory may lie in them.
ert_status build(ContextState* s, const MemoryPlan& plan) {
  const Program p = program_of(*s);
  ert_region free[ERT_MAX_REGIONS] = {s->regions[0], s->n_regions > 1 ? s->regions[1] : ert_region{}};
  Placement place;
  if (!place_tables(plan, free, s->n_regions, &place)) return ERT_ERR_NOMEM;
  make_tables(s, p, plan, place.tables);
  s->scratch = place.scratch;
  s->scratch_stride = plan.scratch_stride;
  if (!evaluate_exprs(p, s->max_dims, s->exprs) || !size_slots(p, s->exprs, s->slots)) return ERT_ERR_LIMIT;
  golden_loan(p, s->exprs, s->slots);
  if (!place_slots(s->slots, p.slots, free, s->n_regions)) return ERT_ERR_NOMEM;
  place_values(s, p);
  find_pairs(s, p);
  bind_states(s, p, false);
  return ERT_OK;
}

bool fits_at_all(const MemoryPlan& plan, const ert_region* mem, uint32_t n) {
  size_t sum = 0;
  for (uint32_t i = 0; i < n; ++i) sum = __builtin_add_overflow(sum, mem[i].bytes, &sum) ? SIZE_MAX : sum;
  return sum >= plan.total;
}

}  // namespace
}  // namespace ert

using namespace ert;

ert_status ert_arena_bytes(const ert_model* model, const ert_config* cfg, const int32_t* max_dims, ert_memory_need* out) {
  const ModelState* m = model_state(model);
  ert_config config;
  if (m == nullptr || out == nullptr || read_config(cfg, &config) != ERT_OK) return ERT_ERR_ARG;
  EvalMemory memory(program_view(m->blob, m->root), m->lent);
  int32_t dims[ERT_MAX_DIMS] = {};
  MemoryPlan plan;
  const ert_status status = check_and_plan(*m, config, max_dims, memory.scratch(), dims, &plan);
  if (status != ERT_OK) return status;
  ert_memory_need need{};
  need.alignment = ERT_ARENA_ALIGN;
  need.bytes = plan.total;
  need.activation_bytes = plan.value_bytes;
  need.scratch_bytes = plan.scratch_bytes;
  need.table_bytes = plan.tables.bytes;
  return write_struct(need, out) ? ERT_OK : ERT_ERR_ARG;
}

ert_status ert_context_init(ert_context* c, const ert_model* model, const ert_config* cfg, const int32_t* max_dims,
                            const ert_region* mem, uint32_t region_count) {
  const ModelState* m = model_state(model);
  ert_config config;
  if (c == nullptr || m == nullptr || read_config(cfg, &config) != ERT_OK) return ERT_ERR_ARG;
  memset(c, 0, sizeof *c);
  if (m->header.security_counter < config.min_security_counter) return ERT_ERR_ROLLBACK;
  const kernels::KernelTable* kernels = choose_kernels(config.isa_mask);
  if (kernels == nullptr) return ERT_ERR_ISA;
  const ert_status regions = check_regions(*m, c, mem, region_count);
  if (regions != ERT_OK) return regions;
  EvalMemory memory(program_view(m->blob, m->root), m->lent);
  MemoryPlan plan;
  ContextState* s = new (c) ContextState{};
  const ert_status status = check_and_plan(*m, config, max_dims, memory.scratch(), s->max_dims, &plan);
  if (status != ERT_OK) return status;
  if (!fits_at_all(plan, mem, region_count)) return ERT_ERR_NOMEM;
  s->blob = m->blob;
  s->blob_bytes = static_cast<size_t>(m->header.total_bytes);
  s->root = m->root;
  s->cfg = config;
  s->kernels = kernels;
  s->cores = find_cores(config.threads);
  s->n_regions = region_count;
  for (uint32_t i = 0; i < region_count; ++i) s->regions[i] = mem[i];
  const ert_status built = build(s, plan);
  if (built != ERT_OK) return built;  // magic stays unset: not a context
  s->why = no_error();
  s->magic = kContextMagic;
  s->seal = seal_of(*s);
  return ERT_OK;
}

ert_status ert_context_isa(const ert_context* c, ert_isa* out) {
  const ContextState* s = reinterpret_cast<const ContextState*>(c);
  if (s == nullptr || out == nullptr) return ERT_ERR_ARG;
  if (s->magic != kContextMagic) return ERT_ERR_STATE;
  *out = static_cast<ert_isa>(s->kernels->isa);
  return ERT_OK;
}

ert_status ert_last_error(const ert_context* c, ert_error_detail* out) {
  const ContextState* s = reinterpret_cast<const ContextState*>(c);
  if (s == nullptr || out == nullptr) return ERT_ERR_ARG;
  if (s->magic != kContextMagic || s->busy != 0) return ERT_ERR_STATE;
  return write_struct(s->why, out) ? ERT_OK : ERT_ERR_ARG;
}
