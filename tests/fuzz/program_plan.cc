// The memory plan and the column sums of a program that was changed: see program_mutator.h.
#include <algorithm>
#include <cstring>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/ops/op.h"
#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {
namespace {

using testing::BlobSpec;

uint32_t root_of(const BlobSpec& s, uint32_t v) {
  for (int hop = 0; hop < 16 && v < s.values.size() && s.values[v].storage == 4; ++hop) v = s.values[v].index;
  return v;
}

// Sums that fit the weights, with padding that is 0: without them nothing behind the check of sums would be reached with other weights.
void add_up_columns(BlobSpec* s, int32_t weights, int32_t sums) {
  const auto constant = [&](int32_t v) -> BlobSpec::Value* {
    if (v < 0 || static_cast<size_t>(v) >= s->values.size()) return nullptr;
    BlobSpec::Value& value = s->values[static_cast<size_t>(v)];
    return value.storage == 1 && value.index < s->segments.size() ? &value : nullptr;
  };
  const BlobSpec::Value *w = constant(weights), *c = constant(sums);
  if (w == nullptr || c == nullptr || !params::is_int8_layout(w->dtype) || w->shape.size() != 2) return;
  if (w->shape[0] >= s->exprs.size() || w->shape[1] >= s->exprs.size()) return;
  const int64_t n = s->exprs[w->shape[0]].value(), k = s->exprs[w->shape[1]].value();
  if (n < 1 || k < 1 || n > 4096 || k > 4096 || n * k > 1 << 16) return;
  const kernels::Layout layout = params::kernel_layout(w->dtype);
  const size_t bytes = kernels::packed_bytes(layout, static_cast<size_t>(n), static_cast<size_t>(k));
  Bytes& from = s->segments[w->index].bytes;
  Bytes& to = s->segments[c->index].bytes;
  if (w->offset > 4096 || c->offset > 4096 || from.size() < w->offset + bytes ||
      to.size() < c->offset + 4 * static_cast<size_t>(n))
    return;
  Bytes packed(bytes);
  for (size_t column = 0; column < static_cast<size_t>(n); ++column) {
    int32_t sum = 0;
    for (size_t i = 0; i < static_cast<size_t>(k); ++i) {
      const size_t at = kernels::packed_offset(layout, column, i, static_cast<size_t>(k));
      int8_t code;
      std::memcpy(&code, &from[static_cast<size_t>(w->offset) + at], 1);
      if (code == -128) code = 127;
      std::memcpy(&packed[at], &code, 1);
      sum += code;
    }
    std::memcpy(&to[static_cast<size_t>(c->offset) + 4 * column], &sum, 4);
  }
  std::copy(packed.begin(), packed.end(), from.begin() + static_cast<long>(w->offset));
}

}  // namespace

void plan_anew(BlobSpec* s) {
  for (BlobSpec::Value& v : s->values) {
    if (v.storage == 0) v.first_op = UINT32_MAX;
  }
  const auto each = [&](const std::vector<int32_t>& list, auto f) {
    for (const int32_t v : list) {
      const uint32_t root = v < 0 ? UINT32_MAX : root_of(*s, static_cast<uint32_t>(v));
      if (root < s->values.size() && (s->values[root].storage == 0 || s->values[root].storage == 3)) f(s->values[root]);
    }
  };
  for (uint32_t i = 0; i < s->ops.size(); ++i) {
    each(s->ops[i].outputs, [&](BlobSpec::Value& v) { v.first_op = v.last_op = i; });
    each(s->ops[i].inputs, [&](BlobSpec::Value& v) { v.last_op = i; });
  }
  s->slots = 0;
  s->arena_order.clear();
  for (uint32_t i = 0; i < s->values.size(); ++i) {
    BlobSpec::Value& v = s->values[i];
    if (v.storage == 0 && v.first_op == UINT32_MAX) {  // no op writes it: a copy of the first input's neighbour cannot help it
      v = {v.dtype, v.shape, 4, s->inputs.empty() ? 0 : s->inputs[0].value};
    }
    if (v.storage == 0) {
      v.index = s->slots++;
      s->arena_order.push_back(i);
    }
    if (v.storage != 1 || v.index >= s->segments.size()) continue;
    uint64_t need = 8;
    for (const uint32_t e : v.shape) need *= e < s->exprs.size() ? static_cast<uint64_t>(s->exprs[e].value() & 0xFFF) : 1;
    auto& bytes = s->segments[v.index].bytes;
    if (need <= 8192 && bytes.size() < v.offset + need && v.offset < 4096 && s->segments[v.index].raw_bytes == 0)
      bytes.resize(static_cast<size_t>(v.offset + need));
  }
  for (const BlobSpec::Op& op : s->ops) {
    const bool linear = op.code == params::OpCode::kLinear || op.code == params::OpCode::kConv;
    const bool map = op.code == params::OpCode::kMapConv || op.code == params::OpCode::kMapDepthwiseConv;
    namespace mcv = params::map_conv;
    if (map && op.inputs.size() > mcv::kColsum) add_up_columns(s, op.inputs[mcv::kWeights], op.inputs[mcv::kColsum]);
    if (!linear && op.code != params::OpCode::kRecurrence) continue;
    const size_t first = linear ? params::linear::kWeights : params::recurrence::kFirstWeights + params::recurrence::kWeights;
    const size_t last = linear ? params::linear::kColsum : params::recurrence::kFirstWeights + params::recurrence::kColsum;
    if (last < op.inputs.size()) add_up_columns(s, op.inputs[first], op.inputs[last]);
  }
}

void share_slots(BlobSpec* s) {
  for (uint32_t i = 0; i < s->ops.size(); ++i) {
    const BlobSpec::Op& op = s->ops[i];
    const OpDef* def = find_op(static_cast<uint16_t>(op.code));
    if (def == nullptr || op.outputs.empty() || op.outputs[0] < 0) continue;
    const uint32_t out = root_of(*s, static_cast<uint32_t>(op.outputs[0]));
    if (out >= s->values.size() || s->values[out].storage != 0) continue;
    for (uint32_t k = 0; k < op.inputs.size(); ++k) {
      const uint32_t in = op.inputs[k] < 0 ? UINT32_MAX : root_of(*s, static_cast<uint32_t>(op.inputs[k]));
      if (!def->may_replace(k) || in >= s->values.size() || s->values[in].storage != 0) continue;
      const BlobSpec::Value& v = s->values[in];
      if (v.last_op != i || v.dtype != s->values[out].dtype || v.shape != s->values[out].shape) continue;
      s->values[out].index = v.index;
      break;
    }
  }
  std::vector<uint32_t> used;
  for (const uint32_t v : s->arena_order) used.push_back(s->values[v].index);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const uint32_t v : s->arena_order) {
    uint32_t& slot = s->values[v].index;
    slot = static_cast<uint32_t>(std::lower_bound(used.begin(), used.end(), slot) - used.begin());
  }
  s->slots = static_cast<uint32_t>(used.size());
  std::sort(s->arena_order.begin(), s->arena_order.end(), [&](uint32_t a, uint32_t b) {
    const BlobSpec::Value &x = s->values[a], &y = s->values[b];
    return x.index != y.index ? x.index < y.index : x.first_op < y.first_op;
  });
}

}  // namespace ert::fuzz
