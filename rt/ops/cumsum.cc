// CumSum along one axis: additions in order, f32 rounded one by one from +0, i32 wrapping.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace cumsum_op {

using namespace ops;
namespace cs = params::cumsum;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {cs::kIntCount, cs::kIntCount}, {0, 0})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  if ((!is_f32(x) && !is_i32(x)) || out.dtype != x.dtype || !same_shape(x, out)) return false;
  return is_axis(c.ints[cs::kAxis], x.rank) && is_flag(c.ints[cs::kExclusive]) && is_flag(c.ints[cs::kReverse]);
}

float next_total(float a, float b) { return plus(a, b); }
int32_t next_total(int32_t a, int32_t b) { return wrap_add(a, b); }

template <class T>
void accumulate(const OpContext& c) {
  const Operand& x = input(c, 0);
  const int32_t axis = c.ints[cs::kAxis];
  const int64_t n = x.dims[axis], inner = elements_between(x, axis + 1, x.rank);
  const bool exclusive = c.ints[cs::kExclusive] != 0, reverse = c.ints[cs::kReverse] != 0;
  for_blocks(c, n == 0 ? 0 : x.elements() / n, n, 16, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t first = line / inner * n * inner + line % inner;
      T total = 0;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = first + (reverse ? n - 1 - i : i) * inner;
        const T next = next_total(total, x.as<T>()[at]);
        output(c, 0).mut<T>()[at] = exclusive ? total : next;
        total = next;
      }
    }
  });
}

ert_status run(const OpContext& c) {
  is_f32(input(c, 0)) ? accumulate<float>(c) : accumulate<int32_t>(c);
  return ERT_OK;
}

}  // namespace cumsum_op
}  // namespace

const OpDef kOpCumSum = {"CumSum", cumsum_op::prepare, cumsum_op::run, nullptr, 1};

}  // namespace ert
