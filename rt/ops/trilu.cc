// Trilu: keeps one triangle of the last two axes and zeroes the other.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace trilu_op {

using namespace ops;
namespace tri = params::trilu;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {tri::kIntCount, tri::kIntCount}, {0, 0})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  if (element_bytes(x) == 0 || x.dtype != out.dtype || x.rank < 2 || !same_shape(x, out)) return false;
  return is_flag(c.ints[tri::kUpper]) && is_expr(c, c.ints[tri::kDiagonalExpr]);
}

// Column where row i's other side begins: upper keeps j - i >= diagonal, lower keeps j - i <= diagonal.
int64_t boundary(const OpContext& c, int64_t row, int64_t columns) {
  int64_t diagonal = expr(c, c.ints[tri::kDiagonalExpr]);
  if (diagonal > INT32_MAX) diagonal = INT32_MAX;
  if (diagonal < INT32_MIN) diagonal = INT32_MIN;
  const int64_t first = row + diagonal + (c.ints[tri::kUpper] ? 0 : 1);
  return first < 0 ? 0 : first > columns ? columns : first;
}

template <class T>
void keep_triangle(const OpContext& c) {
  const Operand &x = input(c, 0), &out = output(c, 0);
  const int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
  for_blocks(c, columns == 0 ? 0 : x.elements() / columns, columns, 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t row = begin; row < end; ++row) {
      const T* src = x.as<T>() + row * columns;
      T* dst = out.mut<T>() + row * columns;
      const int64_t split = boundary(c, row % rows, columns);
      const bool upper = c.ints[tri::kUpper] != 0;
      for (int64_t j = 0; j < columns; ++j) dst[j] = (j >= split) == upper ? src[j] : T{0};
    }
  });
}

ert_status run(const OpContext& c) {
  element_bytes(output(c, 0)) == 4 ? keep_triangle<Word32>(c) : keep_triangle<uint8_t>(c);
  return ERT_OK;
}

}  // namespace trilu_op
}  // namespace

const OpDef kOpTrilu = {"Trilu", trilu_op::prepare, trilu_op::run, nullptr, 1};

}  // namespace ert
