// Gather: slices of one axis by index; negative indices count from the end.
#include <string.h>

#include "rt/ops/data_index.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace gather_op {

using namespace ops;

enum { kData, kIndices };
constexpr int32_t kLongRun = 8;  // words that are copied at once sooner than one by one

// data[:axis] + indices + data[axis + 1:]
bool shape_ok(const Operand& data, const Operand& indices, const Operand& out, int32_t axis) {
  if (out.rank != data.rank - 1 + indices.rank) return false;
  for (int i = 0; i < out.rank; ++i) {
    const int inside = i - axis, behind = i - indices.rank + 1;
    const int32_t want = inside < 0 ? data.dims[i] : inside < indices.rank ? indices.dims[inside] : data.dims[behind];
    if (out.dims[i] != want) return false;
  }
  return true;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, 2}, {1, 1}, {params::gather::kIntCount, params::gather::kIntCount}, {0, 0})) return false;
  const Operand &data = input(c, kData), &indices = input(c, kIndices), &out = output(c, 0);
  const int32_t axis = c.ints[params::gather::kAxis];
  if (element_bytes(data) == 0 || out.dtype != data.dtype || !is_i32(indices) || !is_axis(axis, data.rank)) return false;
  return shape_ok(data, indices, out, axis);
}

// Words of a row by index, which resolve_index has accepted.
void gather_words(int64_t count, const int32_t* indices, int32_t size, const Word32* from, Word32* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[indices[i] + (indices[i] < 0 ? size : 0)];
}

ert_status run(const OpContext& c) {
  const Operand &data = input(c, kData), &indices = input(c, kIndices), &out = output(c, 0);
  const int32_t axis = c.ints[params::gather::kAxis];
  const int64_t size = data.dims[axis], count = indices.elements();
  const int64_t bytes = elements_between(data, axis + 1, data.rank) * static_cast<int64_t>(element_bytes(data));
  int64_t index = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!resolve_index(indices.as<int32_t>()[i], size, &index)) return ERT_ERR_INPUT;
  }
  for_blocks(c, elements_between(data, 0, axis) * count, bytes, 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t row = begin; row < end;) {
      int64_t at = 0;
      const int64_t i = row % count, left = end - row < count - i ? end - row : count - i;
      const int32_t* raw = indices.as<int32_t>() + i;
      resolve_index(*raw, size, &at);
      // Neighbours are copied at once: windows of a signal, patches of a convolution.
      int32_t run = 1;
      while (kFastForms && run < left && raw[run] == *raw + run && raw[run] != 0) ++run;
      if (kFastForms && bytes == sizeof(Word32) && run < kLongRun) {
        const int64_t words = left < 4 * kLongRun ? left : 4 * kLongRun;  // then neighbours may follow
        gather_words(words, raw, data.dims[axis], data.as<Word32>() + row / count * size, out.mut<Word32>() + row);
        row += words;
        continue;
      }
      memcpy(out.mut<uint8_t>() + row * bytes, data.as<uint8_t>() + (row / count * size + at) * bytes,
             static_cast<size_t>(run * bytes));
      row += run;
    }
  });
  return ERT_OK;
}

}  // namespace gather_op
}  // namespace

const OpDef kOpGather = {"Gather", gather_op::prepare, gather_op::run, nullptr, 0, 1u << gather_op::kData};

}  // namespace ert
