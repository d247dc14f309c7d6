// Where: picks elements of two operands by a condition, all three broadcast.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/strided_walk.h"

namespace ert {
namespace {
namespace where_op {

using namespace ops;

enum { kCondition, kThen, kElse };

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {3, 3}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &condition = input(c, kCondition), &a = input(c, kThen), &b = input(c, kElse), &out = output(c, 0);
  if (!is_bool(condition) || element_bytes(a) == 0 || a.dtype != b.dtype || a.dtype != out.dtype) return false;
  const Operand* const inputs[] = {&condition, &a, &b};
  return is_broadcast_of(out, inputs, 3);
}

// Of one run of the walk. Both sources are read: that cannot fault, and a select needs no branch.
template <class T>
void select(const OpContext& c, const StridedWalk& walk, int64_t first, const ptrdiff_t* offset, int64_t count) {
  const int64_t p_step = walk.inner_stride(0), a_step = walk.inner_stride(1), b_step = walk.inner_stride(2);
  const uint8_t* p = input(c, kCondition).as<uint8_t>() + offset[0];
  const T* a = input(c, kThen).as<T>() + offset[1];
  const T* b = input(c, kElse).as<T>() + offset[2];
  T* dst = output(c, 0).mut<T>() + first;
  for (int64_t i = 0; i < count; ++i) {
    const T x = a[i * a_step], y = b[i * b_step];
    dst[i] = p[i * p_step] ? x : y;
  }
}

// The walk is compiled once for all types: it is most of the code.
ert_status run(const OpContext& c) {
  const Operand& out = output(c, 0);
  StridedWalk walk(out);
  for (uint32_t i = 0; i < 3; ++i) walk.add_broadcast(input(c, i));
  walk.merge();
  const bool words = element_bytes(out) == 4;
  for_blocks(c, out.elements(), 1, 64, [&](int64_t begin, int64_t end, uint32_t) {
    walk.runs<3>(begin, end, [&](int64_t first, const ptrdiff_t* offset, int64_t count) {
      words ? select<Word32>(c, walk, first, offset, count) : select<uint8_t>(c, walk, first, offset, count);
    });
  });
  return ERT_OK;
}

}  // namespace where_op
}  // namespace

const OpDef kOpWhere = {"Where", where_op::prepare, where_op::run, nullptr, 7};

}  // namespace ert
