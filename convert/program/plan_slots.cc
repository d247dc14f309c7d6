// Greedy colouring of lifetimes: largest values first, each into the slot that grows least. An elementwise op may write over
// the operand that it reads last, which saves the second buffer of most chains.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "convert/ir/diagnostics.h"
#include "convert/program/program_pass.h"
#include "convert/program/slots.h"
#include "rt/base/limits.h"
#include "rt/ops/op.h"

namespace edgeconv {

namespace {

struct Lifetime {
  int value, first, last;
  int64_t bytes;
};

void set_lifetimes(TargetProgram& p) {
  for (TargetValue& v : p.values) v.first_op = v.last_op = -1;
  for (size_t i = 0; i < p.ops.size(); ++i) {
    const int at = static_cast<int>(i);
    for (int v : p.ops[i].outputs)
      if (v >= 0) {
        TargetValue& root = p.values[static_cast<size_t>(p.root(v))];
        root.first_op = root.last_op = at;
      }
    for (int v : p.ops[i].inputs)
      if (v >= 0) p.values[static_cast<size_t>(p.root(v))].last_op = at;
  }
}

// May `next`, written by the op that reads `prev` for the last time, take over its memory?
bool in_place(const TargetProgram& p, const Lifetime& prev, const Lifetime& next) {
  if (prev.bytes != next.bytes) return false;
  const TargetOp& op = p.ops[static_cast<size_t>(next.first)];
  const ert::OpDef* def = ert::find_op(static_cast<uint16_t>(op.code));
  if (!def || op.outputs[0] != next.value) return false;
  const TargetValue& a = p.values[static_cast<size_t>(prev.value)];
  const TargetValue& b = p.values[static_cast<size_t>(next.value)];
  if (a.dtype != b.dtype || shape_elements(a.shape) != shape_elements(b.shape)) return false;
  bool allowed = false;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] < 0 || p.root(op.inputs[i]) != prev.value) continue;
    if (!def->may_replace(i)) return false;
    allowed = true;
  }
  return allowed;
}

bool compatible(const TargetProgram& p, const Lifetime& a, const Lifetime& b) {
  if (a.last < b.first || b.last < a.first) return true;
  if (a.last == b.first) return in_place(p, a, b);
  if (b.last == a.first) return in_place(p, b, a);
  return false;
}

// What shares a slot, by first op. Lifetimes of a slot follow each other, at most the last op of one being the first of the next, so that
// only the two beside a new one can meet it.
using Slot = std::map<int, Lifetime>;

bool fits(const TargetProgram& p, const Slot& slot, const Lifetime& next) {
  const auto after = slot.lower_bound(next.first);
  if (after != slot.end() && !compatible(p, next, after->second)) return false;
  return after == slot.begin() || compatible(p, std::prev(after)->second, next);
}

}  // namespace

std::map<std::string, int64_t> max_dims(const TargetProgram& p) {
  std::map<std::string, int64_t> m;
  for (const TargetDim& d : p.dims) m[d.name] = d.max;
  if (p.packing) m[p.packing->rows] = (p.packing->batch * p.packing->sequence).evaluate(m).value();
  return m;
}

// Sets first_op, last_op and index (slot) of every arena value and p.slots. Sizes are compared at max_dims.
int pass_plan_slots(TargetProgram& p, const ProgramPassOptions&) {
  set_lifetimes(p);
  const auto dims = max_dims(p);
  std::vector<Lifetime> intervals;
  for (size_t v = 0; v < p.values.size(); ++v) {
    const TargetValue& value = p.values[v];
    if (value.storage != Storage::kArena) continue;
    if (value.first_op < 0) throw FatalError(ExitCode::kInternal, "a pass left a tensor that no operator writes");
    intervals.push_back({static_cast<int>(v), value.first_op, value.last_op, value_bytes(value, dims)});
  }
  std::stable_sort(intervals.begin(), intervals.end(), [](const Lifetime& a, const Lifetime& b) { return a.bytes > b.bytes; });
  std::vector<Slot> slots;
  for (const Lifetime& next : intervals) {
    // Sizes fall, so an existing slot never grows: the first that is free fits; the smallest of them wastes least.
    size_t best = slots.size();
    for (size_t s = 0; s < slots.size(); ++s)
      if (fits(p, slots[s], next)) best = s;
    if (best == slots.size()) slots.emplace_back();
    if (slots.size() > ert::limits::kMaxSlots)
      throw FatalError(ExitCode::kLimit, fmt::format("more than {} tensors would be in memory at once, which is what the runtime takes; where loops were "
                                                     "unrolled, a smaller --dim or --fix makes fewer rounds of them",
                                                     ert::limits::kMaxSlots));
    slots[best].emplace(next.first, next);
    p.values[static_cast<size_t>(next.value)].index = static_cast<int>(best);
  }
  p.slots = static_cast<int>(slots.size());
  return static_cast<int>(intervals.size());
}

std::vector<uint32_t> arena_order(const TargetProgram& p) {
  std::vector<uint32_t> order;
  for (size_t v = 0; v < p.values.size(); ++v)
    if (p.values[v].storage == Storage::kArena) order.push_back(static_cast<uint32_t>(v));
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const TargetValue &x = p.values[a], &y = p.values[b];
    return std::pair(x.index, x.first_op) < std::pair(y.index, y.first_op);
  });
  return order;
}

}  // namespace edgeconv
