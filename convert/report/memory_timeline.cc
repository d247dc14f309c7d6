// By the lifetimes in the blob and the runtime's own sizes.
#include "convert/report/memory_timeline.h"
#include "convert/files/json.h"

#include <algorithm>
#include <stdexcept>

#include "rt/base/bytes.h"
#include "rt/sizes/dims.h"
#include "rt/loading/model.h"
#include "rt/ops/op.h"

namespace edgeconv {

MemoryTimeline memory_timeline(const BlobRunner& runner) {
  MemoryTimeline t;
  std::vector<int32_t> dims;
  for (const NamedDim& d : runner.dims()) {
    t.dims.emplace_back(d.name, d.max);
    dims.push_back(d.max);
  }
  t.arena_bytes = runner.memory(dims, {}).bytes;
  const ert::ModelState& state = *ert::model_state(&runner.model());
  const ert::Program p = ert::program_view(state.blob, state.root);
  std::vector<int64_t> exprs(p.exprs.size);
  if (!ert::evaluate_exprs(p, dims.data(), exprs.data())) throw std::logic_error("the blob's sizes do not fit its own maxima");
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    const ert::OpDef* def = ert::find_op(p.ops[i].code());
    t.steps.push_back({def ? def->name : "custom", ert::op_name(p, i), 0});
  }
  std::vector<size_t> slots(p.slots, 0);
  for (uint32_t i = 0; i < p.arena_order.size; ++i) {
    const ert::fb::Value& v = p.values[p.arena_order[i]];
    ert::Operand o;
    size_t bytes = 0, rounded = 0;
    if (!ert::resolve_operand(p, p.arena_order[i], exprs.data(), &o) || !ert::operand_bytes(o, &bytes)) continue;
    if (!ert::Bytes(bytes).aligned().get(&rounded)) continue;
    slots[v.index()] = std::max(slots[v.index()], rounded);
    for (uint32_t op = v.first_op(); op <= v.last_op() && op < p.ops.size; ++op) t.steps[op].live_bytes += rounded;
  }
  for (size_t bytes : slots) t.slot_bytes += bytes;
  return t;
}

Json timeline_json(const MemoryTimeline& t) {
  Json dims = Json::object(), steps = Json::array();
  for (const auto& [name, n] : t.dims) dims[name] = n;
  for (const MemoryTimeline::Step& s : t.steps) steps.push_back({{"op", s.op}, {"name", s.name}, {"live_bytes", s.live_bytes}});
  return {{"dims", dims},
          {"arena_bytes", t.arena_bytes},
          {"slot_bytes", t.slot_bytes},
          {"other_bytes", t.arena_bytes - t.slot_bytes},
          {"steps", steps}};
}

}  // namespace edgeconv
