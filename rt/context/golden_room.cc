#include "rt/context/golden_room.h"

#include "rt/base/bytes.h"
#include "rt/blob/kinds.h"
#include "rt/context/slot_sizes.h"
#include "rt/ops/op_params.h"
#include "rt/sizes/dims.h"

namespace ert {
namespace {

// Also where an alias of it is read.
uint32_t last_reader(const Program& p, uint32_t input) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    for (uint32_t k = 0; k < p.ops[i].n_inputs(); ++k) {
      const int32_t v = operand_of(p, p.ops[i], k);
      if (v >= 0 && root_value(p, static_cast<uint32_t>(v)) == p.inputs[input]) last = i;
    }
  }
  return last;
}

bool port_bytes(const Program& p, uint32_t k, const int64_t* exprs, size_t* out) {
  Operand o;
  return resolve_port(p, k, exprs, &o) && operand_bytes(o, out);
}

}  // namespace

GoldenLoan golden_loan(const Program& p, const int64_t* exprs, Slot* slots) {
  GoldenLoan loan;
  if ((p.root->flags() & kFlagRecipes) == 0 || p.root->packing() != nullptr) return loan;  // a mask is read again by every run of rows
  size_t largest = 0;
  for (uint32_t k = 0; k < p.inputs.size; ++k) {
    size_t bytes;
    if (!port_bytes(p, k, exprs, &bytes) || bytes <= largest) continue;
    largest = bytes;
    loan.input = k;
  }
  if (loan.input == GoldenLoan::kNone) return loan;
  // What follows a Linear may run beside it, row by row (pairs.h).
  uint32_t last = last_reader(p, loan.input);
  if (last < p.ops.size && p.ops[last].code() == static_cast<uint16_t>(params::OpCode::kLinear)) ++last;
  const auto each_lent = [&](const auto& use) {
    size_t sum = 0;  // of what one context holds, as the slots are
    each_slot(p, exprs, [&](const SlotSize& s) {
      if (s.first_op <= last || sum >= largest) return;
      sum += s.bytes;
      use(s.slot);
    });
    return sum;
  };
  loan.bytes = each_lent([](uint32_t) {});
  if (loan.bytes < largest) return {};
  if (slots != nullptr) each_lent([&](uint32_t s) { slots[s].lent = true; });
  return loan;
}

bool golden_room(const Program& p, const int32_t* max_dims, EvalScratch* scratch, size_t* out) {
  *out = 0;
  const uint32_t n = p.root->golden() == nullptr ? 0 : p.root->golden()->size();
  if (n == 0 || !evaluate_exprs(p, max_dims, scratch->exprs)) return true;  // whoever plans finds out about the dims
  const GoldenLoan loan = golden_loan(p, scratch->exprs);
  for (uint32_t i = 0; i < n; ++i) {
    const fb::Golden& g = *p.root->golden()->Get(i);
    if (!golden_within(p, g, max_dims)) continue;
    if (!evaluate_golden(p, g, scratch->exprs)) return false;
    Bytes sum;
    for (uint32_t k = (p.root->flags() & kFlagRecipes) != 0 ? 0 : p.inputs.size; k < p.inputs.size + p.outputs.size; ++k) {
      size_t bytes;
      if (!port_bytes(p, k, scratch->exprs, &bytes)) return false;
      if (k != loan.input || bytes > loan.bytes) sum = sum + Bytes(bytes).aligned();
    }
    if (!sum.possible()) return false;
    if (sum.value() > *out) *out = sum.value();
  }
  return true;
}

}  // namespace ert
