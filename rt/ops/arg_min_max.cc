// ArgMinMax: position of the smallest or largest value along an axis; of equal ones the first or the last.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/value_order.h"

namespace ert {
namespace {
namespace arg_min_max_op {

using namespace ops;
namespace am = params::arg_min_max;

// The axis is kept as 1, or dropped.
bool shape_ok(const Operand& x, const Operand& out, int32_t axis) {
  if (out.rank != x.rank && out.rank + 1 != x.rank) return false;
  const bool kept = out.rank == x.rank;
  for (int i = 0; i < out.rank; ++i) {
    const int from = kept || i < axis ? i : i + 1;
    if (out.dims[i] != (kept && i == axis ? 1 : x.dims[from])) return false;
  }
  return true;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {am::kIntCount, am::kIntCount}, {0, 0})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  if ((!is_f32(x) && !is_i32(x)) || !is_i32(out) || !is_axis(c.ints[am::kAxis], x.rank)) return false;
  if (!is_flag(c.ints[am::kMax]) || !is_flag(c.ints[am::kSelectLast])) return false;
  return x.dims[c.ints[am::kAxis]] >= 1 && shape_ok(x, out, c.ints[am::kAxis]);
}

template <class T>
int32_t best_of(const T* x, int64_t n, int64_t step, bool largest, bool last) {
  int64_t best = 0;
  uint32_t top = precedence_of(x[0], largest);
  for (int64_t i = 1; i < n; ++i) {
    const uint32_t precedence = precedence_of(x[i * step], largest);
    if (precedence < top || (precedence == top && !last)) continue;
    best = i;
    top = precedence;
  }
  return static_cast<int32_t>(best);
}

template <class T>
void search(const OpContext& c) {
  const Operand& x = input(c, 0);
  const int32_t axis = c.ints[am::kAxis];
  const int64_t n = x.dims[axis], inner = elements_between(x, axis + 1, x.rank);
  for_blocks(c, x.elements() / n, n, 16, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t line = begin; line < end; ++line) {
      const T* first = x.as<T>() + line / inner * n * inner + line % inner;
      output(c, 0).mut<int32_t>()[line] = best_of(first, n, inner, c.ints[am::kMax] != 0, c.ints[am::kSelectLast] != 0);
    }
  });
}

ert_status run(const OpContext& c) {
  is_f32(input(c, 0)) ? search<float>(c) : search<int32_t>(c);
  return ERT_OK;
}

}  // namespace arg_min_max_op
}  // namespace

const OpDef kOpArgMinMax = {"ArgMinMax", arg_min_max_op::prepare, arg_min_max_op::run, nullptr, 0};

}  // namespace ert
