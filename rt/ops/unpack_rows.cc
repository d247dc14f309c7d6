// UnpackRows: packed rows at their places in [batch, sequence, ..], zeros at padded positions.
#include <string.h>

#include "rt/ops/op_defs.h"
#include "rt/ops/packed_rows.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace unpack_rows_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  return element_bytes(x) != 0 && is_packed_form(x, out, c.rows) && out.dims[0] == c.rows.batch && out.dims[1] == c.rows.sequence;
}

ert_status run(const OpContext& c) {
  const Operand &x = input(c, 0), &out = output(c, 0);
  const RowMap& rows = c.rows;
  const size_t bytes = row_bytes(x);
  for_blocks(
      c, int64_t{rows.batch} * rows.sequence, static_cast<int64_t>(bytes / 4), 1, [&](int64_t begin, int64_t end, uint32_t) {
        for (int64_t row = begin; row < end;) {
          const int64_t sequence = row / rows.sequence, position = row % rows.sequence;
          const int64_t start = rows.starts[sequence], length = rows.starts[sequence + 1] - start;
          const int64_t left = rows.sequence - position < end - row ? rows.sequence - position : end - row;
          const int64_t kept = length - position < 0 ? 0 : length - position < left ? length - position : left;
          uint8_t* dst = out.mut<uint8_t>() + static_cast<size_t>(row) * bytes;
          if (kept != 0)
            memcpy(dst, x.as<uint8_t>() + static_cast<size_t>(start + position) * bytes, static_cast<size_t>(kept) * bytes);
          memset(dst + static_cast<size_t>(kept) * bytes, 0, static_cast<size_t>(left - kept) * bytes);
          row += left;
        }
      });
  return ERT_OK;
}

}  // namespace unpack_rows_op
}  // namespace

const OpDef kOpUnpackRows = {"UnpackRows", unpack_rows_op::prepare, unpack_rows_op::run, nullptr, 0};

}  // namespace ert
