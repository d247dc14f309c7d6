// Packed rows: the mask is an input whose shape any binding fixes, and nothing outside the program may depend on its contents.
// What ops do with the row map is checked by their prepare functions; its entries rise by construction (rt/running/rows.cc).
#include "rt/base/limits.h"
#include "rt/verify/semantics.h"

namespace ert {
namespace {

bool is_mask_dtype(uint32_t dtype) { return dtype == ERT_I32 || dtype == ERT_I64 || dtype == ERT_BOOL || dtype == ERT_U8; }

// The bound shape is the evaluated one only for axes that are a dim or a constant.
bool is_plain_axis(const fb::Expr& e) {
  const ExprKind kind = static_cast<ExprKind>(e.kind());
  return kind == ExprKind::kConstant || kind == ExprKind::kDim;
}

bool mask_ok(const Program& p, const fb::Packing& packing) {
  if (packing.mask() >= p.inputs.size || packing.padding() > 1 || packing.reserved() != 0) return false;
  const fb::Value& mask = p.values[p.inputs[packing.mask()]];
  return mask.rank() == 2 && is_mask_dtype(mask.dtype()) && is_plain_axis(p.exprs[mask.shape()->Get(0)]) &&
         is_plain_axis(p.exprs[mask.shape()->Get(1)]);
}

bool is_rows(const fb::Expr& e) { return static_cast<ExprKind>(e.kind()) == ExprKind::kRows; }

// No axis of these values may change with the mask's contents.
bool independent(const Program& p, const Span<uint32_t>& values, const int64_t* depends) {
  for (uint32_t i = 0; i < values.size; ++i) {
    const fb::Value& v = p.values[values[i]];
    for (uint32_t axis = 0; axis < v.rank(); ++axis) {
      if (depends[v.shape()->Get(axis)] != 0) return false;
    }
  }
  return true;
}

}  // namespace

bool verify_packing(const Program& p, EvalScratch* scratch) {
  const bool flagged = (p.root->flags() & kFlagPacking) != 0;
  if (p.packing.size > 1 || flagged != (p.packing.size == 1)) return false;
  int64_t* depends = scratch->exprs;  // not 0: the expression changes with the mask's contents
  for (uint32_t i = 0; i < p.exprs.size; ++i) {
    const fb::Expr& e = p.exprs[i];
    const ExprKind kind = static_cast<ExprKind>(e.kind());
    if (is_rows(e) && !flagged) return false;
    const bool leaf = kind == ExprKind::kConstant || kind == ExprKind::kDim;
    depends[i] = !leaf && (is_rows(e) || depends[e.lhs()] != 0 || depends[e.rhs()] != 0);
  }
  if (!flagged) return true;
  const fb::Packing& packing = p.packing[0];
  if (!mask_ok(p, packing) || packing.rows() >= p.exprs.size || !is_rows(p.exprs[packing.rows()])) return false;
  const auto& mask = *p.values[p.inputs[packing.mask()]].shape();
  for (uint32_t i = 0; i < p.exprs.size; ++i) {
    if (is_rows(p.exprs[i]) && (p.exprs[i].lhs() != mask.Get(0) || p.exprs[i].rhs() != mask.Get(1))) return false;
  }
  return independent(p, p.inputs, depends) && independent(p, p.outputs, depends);
}

}  // namespace ert
