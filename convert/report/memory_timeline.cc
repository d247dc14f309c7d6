// By the lifetimes in the blob and the runtime's own sizes.
#include "convert/report/memory_timeline.h"
#include "convert/files/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "convert/ir/diagnostics.h"
#include "convert/report/memory_table.h"

#include "rt/base/bytes.h"
#include "rt/context/golden_room.h"
#include "rt/context/states.h"
#include "rt/sizes/dims.h"
#include "rt/sizes/prepare.h"
#include "rt/loading/model.h"
#include "rt/ops/op.h"

namespace edgeconv {

namespace {

std::string type_of(const ert::Operand& o) {
  return fmt::format("{} [{}]", dtype_name(dtype_of_ert(o.dtype)), fmt::join(o.dims, o.dims + o.rank, ", "));
}

Json dims_json(const MemoryTimeline& t) {
  Json dims = Json::object();
  for (const auto& [name, n] : t.dims) dims[name] = n;
  return dims;
}

// What the arena holds beside values. exprs: at dims.
void add_other_parts(const ert::Program& p, const std::vector<int32_t>& dims, std::vector<int64_t> exprs, MemoryTimeline& t) {
  std::vector<ert::Operand> operands(ert::operand_room(p));
  ert::EvalScratch evaluated{exprs.data(), operands.data()};
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    ert::OpContext c;
    const ert::OpDef* def = ert::resolve_op(p, i, &evaluated, &c);
    size_t bytes = 0;
    if (def == nullptr || !def->prepare(c, &bytes) || bytes <= t.scratch_bytes) continue;
    t.scratch_bytes = bytes;
    t.scratch_step = i;
  }
  if (!ert::state_bytes(p, exprs.data(), &t.state_bytes) || !ert::golden_room(p, dims.data(), &evaluated, &t.selftest_bytes))
    throw std::logic_error("the blob's states or golden vectors do not fit its own maxima");
  t.state_bytes *= 2;
}

}  // namespace

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
  std::vector<size_t> slots(p.slots, 0), sizes(p.arena_order.size, 0);
  std::vector<size_t> begun(p.ops.size + size_t{1}, 0), ended(begun);  // bytes whose life begins with, and ended before, each op
  for (uint32_t i = 0; i < p.arena_order.size; ++i) {
    const ert::fb::Value& v = p.values[p.arena_order[i]];
    ert::Operand o;
    size_t bytes = 0, rounded = 0;
    if (!ert::resolve_operand(p, p.arena_order[i], exprs.data(), &o) || !ert::operand_bytes(o, &bytes)) continue;
    if (!ert::Bytes(bytes).aligned().get(&rounded) || v.first_op() > v.last_op() || v.first_op() >= p.ops.size) continue;
    slots[v.index()] = std::max(slots[v.index()], rounded);
    sizes[i] = rounded;
    begun[v.first_op()] += rounded;
    ended[std::min(v.last_op(), p.ops.size - 1) + 1] += rounded;
  }
  size_t alive = 0;
  for (size_t op = 0; op < t.steps.size(); ++op) {
    alive += begun[op];
    alive -= ended[op];
    t.steps[op].live_bytes = alive;
    if (alive > t.steps[t.fullest].live_bytes) t.fullest = op;
  }
  for (uint32_t i = 0; i < p.arena_order.size; ++i) {
    const ert::fb::Value& v = p.values[p.arena_order[i]];
    ert::Operand o;
    if (sizes[i] == 0 || v.first_op() > t.fullest || v.last_op() < t.fullest) continue;
    if (ert::resolve_operand(p, p.arena_order[i], exprs.data(), &o)) t.fullest_live.push_back({type_of(o), sizes[i]});
  }
  for (size_t bytes : slots) t.slot_bytes += bytes;
  add_other_parts(p, dims, std::move(exprs), t);
  return t;
}

Json timeline_json(const MemoryTimeline& t) {
  Json steps = Json::array();
  for (const MemoryTimeline::Step& s : t.steps) steps.push_back({{"op", s.op}, {"name", s.name}, {"live_bytes", s.live_bytes}});
  return {{"dims", dims_json(t)},
          {"arena_bytes", t.arena_bytes},
          {"slot_bytes", t.slot_bytes},
          {"other_bytes", t.arena_bytes - t.slot_bytes},
          {"steps", steps}};
}

Json fullest_step_json(const MemoryTimeline& t) {
  if (t.steps.empty()) return nullptr;
  const MemoryTimeline::Step& step = t.steps[t.fullest];
  const MemoryTimeline::Step scratch = t.scratch_bytes > 0 ? t.steps[t.scratch_step] : MemoryTimeline::Step{};
  Json values = Json::array();
  for (const MemoryTimeline::LiveValue& v : t.fullest_live) values.push_back({{"type", v.type}, {"bytes", v.bytes}});
  return {{"dims", dims_json(t)}, {"slot_bytes", t.slot_bytes}, {"other_bytes", t.arena_bytes - t.slot_bytes},
          {"op", step.op},        {"name", step.name},          {"live_bytes", step.live_bytes},
          {"values", values},     {"scratch_bytes", t.scratch_bytes},
          {"scratch_op", scratch.op},
          {"scratch_name", scratch.name},
          {"state_bytes", t.state_bytes},
          {"selftest_bytes", t.selftest_bytes}};
}

std::string fullest_step_text(const Json& step) {
  if (!step.is_object()) return "";
  const auto bytes = [](const Json& n) { return human_bytes(n.get<double>()); };
  std::map<std::string, int> types;
  for (const Json& v : step["values"]) ++types[v["type"].get<std::string>()];
  std::string values;
  for (const auto& [type, count] : types)
    values += fmt::format("{}{}{}", values.empty() ? "" : ", ", count > 1 ? fmt::format("{} x ", count) : "", type);
  const auto op = [&](const char* kind, const char* name) {
    return printable(step[kind].get<std::string>()) + " '" + printable(step[name].get<std::string>()) + "'";
  };
  const auto number = [&](const char* part) { return step[part].get<int64_t>(); };
  std::string parts;
  if (number("scratch_bytes") > 0) parts += fmt::format("scratch {} for {}; ", bytes(step["scratch_bytes"]), op("scratch_op", "scratch_name"));
  if (number("state_bytes") > 0) parts += fmt::format("states {}; ", bytes(step["state_bytes"]));
  if (number("selftest_bytes") > 0)
    parts += fmt::format("ert_selftest's inputs and outputs {}, which --golden none spares; ", bytes(step["selftest_bytes"]));
  const int64_t tables = number("other_bytes") - number("scratch_bytes") - number("state_bytes") - number("selftest_bytes");
  return fmt::format("          at most: values {}, {} of them while {} runs ({})\n          the rest: {}tables {}\n", bytes(step["slot_bytes"]), bytes(step["live_bytes"]),
                     op("op", "name"), values, parts, human_bytes(static_cast<double>(tables)));
}

}  // namespace edgeconv
