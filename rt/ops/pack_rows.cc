// PackRows: of each sequence only the rows that are computed, one sequence behind the other.
#include <string.h>

#include "rt/ops/op_defs.h"
#include "rt/ops/packed_rows.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace pack_rows_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  if (element_bytes(x) == 0 || !is_packed_form(out, x, c.rows)) return false;
  return is_axis_or_one(x.dims[0], c.rows.batch) && is_axis_or_one(x.dims[1], c.rows.sequence);
}

ert_status run(const OpContext& c) {
  const Operand &x = input(c, 0), &out = output(c, 0);
  const RowMap& rows = c.rows;
  const size_t bytes = row_bytes(x);
  const int64_t sequence_step = x.dims[0] == 1 ? 0 : x.dims[1], row_step = x.dims[1] == 1 ? 0 : 1;
  for_blocks(c, rows.total, static_cast<int64_t>(bytes / 4), 1, [&](int64_t begin, int64_t end, uint32_t) {
    int32_t sequence = 0;
    for (int64_t row = begin; row < end;) {
      while (sequence < rows.batch && rows.starts[sequence + 1] <= row) ++sequence;
      uint8_t* dst = out.mut<uint8_t>() + static_cast<size_t>(row) * bytes;
      if (sequence == rows.batch) {  // the one row of a batch without tokens
        memset(dst, 0, bytes);
        ++row;
        continue;
      }
      const int64_t position = row - rows.starts[sequence];
      const int64_t last = rows.starts[sequence + 1] < end ? rows.starts[sequence + 1] : end;
      const int64_t count = row_step == 0 ? 1 : last - row;
      memcpy(dst, x.as<uint8_t>() + static_cast<size_t>(sequence * sequence_step + position * row_step) * bytes,
             static_cast<size_t>(count) * bytes);
      row += count;
    }
  });
  return ERT_OK;
}

}  // namespace pack_rows_op
}  // namespace

const OpDef kOpPackRows = {"PackRows", pack_rows_op::prepare, pack_rows_op::run, nullptr, 0};

}  // namespace ert
