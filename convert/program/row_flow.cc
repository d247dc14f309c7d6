// One walk in program order decides for every op whether it is packed and what its outputs hold at padded positions.
#include "convert/program/row_flow.h"

#include <algorithm>

namespace edgeconv {

RowFlow::RowFlow(const TargetProgram& p, int input, int padding)
    : p_(p),
      facts_(p, input, padding),
      packed_(p.ops.size()),
      excluded_(p.ops.size()),
      states_(p.values.size()),
      part_(p.ops.size()) {
  const Shape& mask = shape(p.inputs[static_cast<size_t>(input)].value);
  batch_ = mask[0];
  sequence_ = mask[1];
  // Parts that the mask says nothing about (a second text without a mask of its own) are left out, and the rest looked at anew.
  while (walk()) {
  }
  proved_ = std::count(packed_.begin(), packed_.end(), 1) != 0 && outputs_kept();
}

RowState RowFlow::through_view(RowState s, const Shape& from, const Shape& to) const {
  if (s.reach != RowState::kRows) return s;
  const bool one_batch = is_one(batch_);
  const int batch = one_batch ? 0 : axis_in_view(from, to, s.batch), sequence = axis_in_view(from, to, s.sequence);
  if (sequence < 0 || batch < 0 || (one_batch && (sequence == 0 || !is_one(to[0])))) return RowState::lost();
  s.batch = batch;
  s.sequence = sequence;
  return s;
}

RowState RowFlow::state(int v) const {
  if (v < 0) return {};
  const int root = p_.root(v);
  return through_view(states_[static_cast<size_t>(root)], shape(root), shape(v));
}

int RowFlow::part_of(int op) const {
  while (part_[static_cast<size_t>(op)] != op) op = part_[static_cast<size_t>(op)];
  return op;
}
void RowFlow::join(int a, int b) { part_[static_cast<size_t>(part_of(a))] = part_of(b); }

void RowFlow::anchor(const RowState& s) {
  if (s.origin >= 0) anchored_.insert(s.origin);
}

// Returns true if parts were excluded and everything has to be looked at again.
bool RowFlow::walk() {
  std::fill(packed_.begin(), packed_.end(), 0);
  std::fill(states_.begin(), states_.end(), RowState{});
  for (size_t i = 0; i < part_.size(); ++i) part_[i] = static_cast<int>(i);
  anchored_.clear();
  for (size_t i = 0; i < p_.inputs.size(); ++i) states_[static_cast<size_t>(p_.inputs[i].value)].inputs = {static_cast<int>(i)};
  for (size_t i = 0; i < p_.ops.size(); ++i) {
    const TargetOp& op = p_.ops[i];
    if (can_pack(i)) {
      pack(i);
      continue;
    }
    RowState out = outside(op);
    if (out.reach == RowState::kSame) {
      anchor(out);
      out = {};
      // What the rows of a packed op come from is followed through whatever computes it.
      for (int v : op.inputs)
        if (v >= 0)
          out.inputs.insert(states_[static_cast<size_t>(p_.root(v))].inputs.begin(),
                            states_[static_cast<size_t>(p_.root(v))].inputs.end());
    }
    for (int v : op.outputs)
      if (v >= 0) states_[static_cast<size_t>(p_.root(v))] = out;
  }
  std::set<int> spoken_of;
  for (int op : anchored_) spoken_of.insert(part_of(op));
  bool again = false;
  for (size_t i = 0; i < packed_.size(); ++i)
    if (packed_[i] && !spoken_of.count(part_of(static_cast<int>(i)))) {
      excluded_[i] = 1;
      again = true;
    }
  return again;
}

bool RowFlow::outputs_kept() const {
  for (const TargetOutput& o : p_.outputs) {
    const RowState s = state(o.value);
    if (s.reach == RowState::kLost) return false;
    if (s.reach == RowState::kRows && (s.batch != 0 || s.sequence != 1 || !s.cleared)) return false;
  }
  return true;
}

}  // namespace edgeconv
