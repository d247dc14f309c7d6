// Pad: constant, reflect, edge or wrap. The leading pad of each axis is an expression, the trailing one follows from the
// output's shape; both may be negative, which crops.
#include <string.h>

#include "rt/ops/copy_short.h"
#include "rt/ops/element_bits.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace pad_op {

using namespace ops;
namespace pd = params::pad;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {pd::kFirstAxis, pd::kFirstAxis + ERT_MAX_RANK}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  if (element_bytes(in) == 0 || out.dtype != in.dtype || out.rank != in.rank ||
      c.n_ints != pd::kFirstAxis + static_cast<uint32_t>(in.rank))
    return false;
  if (c.ints[pd::kMode] < pd::kConstant || c.ints[pd::kMode] > pd::kWrap) return false;
  for (int i = 0; i < in.rank; ++i) {
    const int32_t index = c.ints[pd::kFirstAxis + i];
    if (!is_expr(c, index) || expr(c, index) < -INT32_MAX || expr(c, index) > INT32_MAX) return false;
    if (c.ints[pd::kMode] != pd::kConstant && in.dims[i] == 0 && out.dims[i] != 0) return false;
  }
  return true;
}

// Input coordinate of position i, which counts from the input's first element and may lie outside; -1 = the constant.
int64_t source(int32_t mode, int64_t i, int64_t size) {
  if (i >= 0 && i < size) return i;
  switch (mode) {
    case pd::kConstant: return -1;
    case pd::kEdge: return i < 0 ? 0 : size - 1;
    case pd::kReflect: {
      if (size == 1) return 0;
      const int64_t period = 2 * (size - 1), r = (i % period + period) % period;
      return r < size ? r : period - r;
    }
    default: return (i % size + size) % size;
  }
}

// The last axis that the padding changes: what is behind it stays together. 0 where nothing changes, -1 of a single number.
int last_changed(const OpContext& c) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  int axis = in.rank - 1;
  while (axis > 0 && in.dims[axis] == out.dims[axis] && expr(c, c.ints[pd::kFirstAxis + axis]) == 0) --axis;
  return axis;
}

// Input offset of an output's row, which is all axes before `last`, or -1 if it is all constant. step: input elements of a row.
int64_t source_row(const OpContext& c, int64_t row, int last, int64_t step) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  int64_t offset = 0;
  for (int axis = last - 1; axis >= 0; --axis) {
    const int64_t i = row % out.dims[axis] - expr(c, c.ints[pd::kFirstAxis + axis]);
    const int64_t from = source(c.ints[pd::kMode], i, in.dims[axis]);
    if (from < 0) return -1;
    offset += from * step;
    step *= in.dims[axis];
    row /= out.dims[axis];
  }
  return offset;
}

template <class T>
void pad_rows(const OpContext& c, T fill) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  const int axis = last_changed(c), mode = c.ints[pd::kMode];
  const int64_t width = in.rank > 0 ? out.dims[axis] : 1, size = in.rank > 0 ? in.dims[axis] : 1;
  const int64_t lead = in.rank > 0 ? expr(c, c.ints[pd::kFirstAxis + axis]) : 0;
  int64_t inner = 1;  // elements of one position of that axis
  for (int k = axis + 1; k < in.rank; ++k) inner *= in.dims[k];
  // Positions [first, last) of every row are the input's own.
  const int64_t first = lead < 0 ? 0 : lead < width ? lead : width;
  const int64_t end_of_input = lead + size < width ? lead + size : width, last = end_of_input < first ? first : end_of_input;
  const int64_t row_elements = width * inner;
  for_blocks(
      c, row_elements == 0 ? 0 : out.elements() / row_elements, row_elements, 1, [&](int64_t begin, int64_t end, uint32_t) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t from = source_row(c, row, axis, size * inner);
          T* dst = out.mut<T>() + row * row_elements;
          if (from < 0) {
            for (int64_t i = 0; i < row_elements; ++i) dst[i] = fill;
            continue;
          }
          const T* src = in.as<T>() + from;
          for (int64_t i = 0; i < width; ++i) {
            if (i == first) i = last;  // the input's own come below, at once
            if (i == width) break;
            T* to = dst + i * inner;
            if (mode == pd::kConstant) {  // all up to the input's own, or to the end
              const int64_t until = i < first ? first : width;
              for (T* const stop = dst + until * inner; to != stop; ++to) *to = fill;
              i = until - 1;
              continue;
            }
            const T* from_there = src + source(mode, i - lead, size) * inner;
            if (inner == 1) {
              *to = *from_there;
            } else {
              copy_short(from_there, static_cast<size_t>(inner) * sizeof(T), to);
            }
          }
          if (last > first)
            memcpy(dst + first * inner, src + (first - lead) * inner, static_cast<size_t>((last - first) * inner) * sizeof(T));
        }
      });
}

ert_status run(const OpContext& c) {
  const int32_t bits = c.ints[pd::kFillBits];
  if (element_bytes(output(c, 0)) == 4) {
    pad_rows<Word32>(c, static_cast<Word32>(bits));
  } else {
    pad_rows<uint8_t>(c, byte_of_bits(output(c, 0), bits));
  }
  return ERT_OK;
}

}  // namespace pad_op
}  // namespace

const OpDef kOpPad = {"Pad", pad_op::prepare, pad_op::run, nullptr, 0};

}  // namespace ert
