// Merging of axes, broadcasting rules and the strided copy behind Transpose, Slice and Expand.
#include "rt/ops/strided_walk.h"

#include <string.h>

#include "rt/ops/copy_short.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert::ops {
namespace {

template <class T>
void copy_run(T* dst, const T* src, int64_t stride, int64_t count) {
  if (stride == 1) return copy_short(src, static_cast<size_t>(count) * sizeof(T), dst);
  for (int64_t i = 0; i < count; ++i) dst[i] = src[i * stride];
}

constexpr int64_t kTile = 16;

// dst[r, i] = src[i, r] of rows r and columns i of the output.
template <class T>
void copy_tile(T* dst, ptrdiff_t row_step, const T* src, ptrdiff_t column_step, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < columns; ++i) {
    for (int64_t r = 0; r < rows; ++r) dst[r * row_step + i] = src[r + i * column_step];
  }
}

using FourWords = uint32_t __attribute__((vector_size(16)));
#if defined(__clang__)
#define ERT_FOUR_OF(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define ERT_FOUR_OF(a, b, i, j, k, l) __builtin_shuffle(a, b, FourWords{i, j, k, l})
#endif

// Four rows and columns in registers.
inline void copy_four(Word32* dst, ptrdiff_t row_step, const Word32* src, ptrdiff_t column_step) {
  FourWords column[4];
  for (int i = 0; i < 4; ++i) memcpy(&column[i], src + i * column_step, sizeof column[i]);
  const FourWords a = ERT_FOUR_OF(column[0], column[1], 0, 4, 1, 5), b = ERT_FOUR_OF(column[2], column[3], 0, 4, 1, 5),
                  c = ERT_FOUR_OF(column[0], column[1], 2, 6, 3, 7), d = ERT_FOUR_OF(column[2], column[3], 2, 6, 3, 7);
  const FourWords row[4] = {ERT_FOUR_OF(a, b, 0, 1, 4, 5), ERT_FOUR_OF(a, b, 2, 3, 6, 7), ERT_FOUR_OF(c, d, 0, 1, 4, 5), ERT_FOUR_OF(c, d, 2, 3, 6, 7)};
  for (int r = 0; r < 4; ++r) memcpy(dst + r * row_step, &row[r], sizeof row[r]);
}
#undef ERT_FOUR_OF

inline void copy_tile(Word32* dst, ptrdiff_t row_step, const Word32* src, ptrdiff_t column_step, int64_t rows, int64_t columns) {
  const int64_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += 4) {
    for (int64_t i = 0; i < whole_columns; i += 4) copy_four(dst + r * row_step + i, row_step, src + r + i * column_step, column_step);
  }
  copy_tile<Word32>(dst + whole_columns, row_step, src + whole_columns * column_step, column_step, whole_rows, columns - whole_columns);
  copy_tile<Word32>(dst + whole_rows * row_step, row_step, src + whole_rows, column_step, rows - whole_rows, columns);
}

// The axis along which the input's elements are neighbours, if that is not the output's last; -1 if there is none worth a tile. The last may be the three
// channels of a picture.
int neighbours_axis(const StridedWalk& walk) {
  if (!kFastForms || walk.inner_stride(0) == 1 || walk.inner() < 2) return -1;
  for (int axis = 0; axis + 1 < walk.rank; ++axis) {
    if (walk.stride[0][axis] == 1 && walk.size[axis] >= 4) return axis;
  }
  return -1;
}

// A transposition, kTile x kTile elements after the other: each cache line of the input is then read once.
template <class T>
void copy_tiles(const OpContext& c, const StridedWalk& walk, int along, const T* src, T* dst) {
  const int last = walk.rank - 1;
  ptrdiff_t out_stride[ERT_MAX_RANK] = {};
  int64_t units = (walk.size[along] + kTile - 1) / kTile;
  ptrdiff_t step = 1;
  for (int axis = last; axis >= 0; --axis) {
    out_stride[axis] = step;
    step *= walk.size[axis];
    if (axis != along && axis != last) units *= walk.size[axis];
  }
  for_blocks(c, units, kTile * walk.inner(), 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t unit = begin; unit < end; ++unit) {
      int64_t rest = unit;
      const int64_t tiles = (walk.size[along] + kTile - 1) / kTile, first = rest % tiles * kTile;
      rest /= tiles;
      ptrdiff_t to = static_cast<ptrdiff_t>(first) * out_stride[along], from = walk.base[0] + static_cast<ptrdiff_t>(first);
      for (int axis = last - 1; axis >= 0; --axis) {
        if (axis == along) continue;
        const ptrdiff_t at = static_cast<ptrdiff_t>(rest % walk.size[axis]);
        rest /= walk.size[axis];
        to += at * out_stride[axis];
        from += at * walk.stride[0][axis];
      }
      const int64_t rows = walk.size[along] - first < kTile ? walk.size[along] - first : kTile;
      for (int64_t i = 0; i < walk.inner(); i += kTile) {
        const int64_t columns = walk.inner() - i < kTile ? walk.inner() - i : kTile;
        const T* tile = src + from + static_cast<ptrdiff_t>(i) * walk.inner_stride(0);
        for (int64_t ahead = i + kTile; ahead < i + 2 * kTile && ahead < walk.inner(); ++ahead)
          __builtin_prefetch(src + from + static_cast<ptrdiff_t>(ahead) * walk.inner_stride(0));
        copy_tile(dst + to + i, out_stride[along], tile, walk.inner_stride(0), rows, columns);
      }
    }
  });
}

template <class T>
void copy_blocks(const OpContext& c, const StridedWalk& walk, const Operand& in, const Operand& out) {
  const T* src = in.as<T>();
  T* dst = out.mut<T>();
  if (const int along = neighbours_axis(walk); along >= 0) return copy_tiles(c, walk, along, src, dst);
  const int64_t stride = walk.inner_stride(0);
  for_blocks(c, out.elements(), 1, 64, [&](int64_t begin, int64_t end, uint32_t) {
    walk.runs(begin, end, [&](int64_t first, const ptrdiff_t* offset, int64_t count) {
      copy_run(dst + first, src + offset[0], stride, count);
    });
  });
}

}  // namespace

StridedWalk::StridedWalk(const Operand& out) : rank(out.rank) {
  for (int i = 0; i < rank; ++i) size[i] = out.dims[i];
}

void StridedWalk::add_broadcast(const Operand& in) {
  ptrdiff_t step = 1;
  for (int i = in.rank - 1; i >= 0; --i) {
    stride[inputs][i + rank - in.rank] = in.dims[i] == 1 ? 0 : step;
    step *= in.dims[i];
  }
  ++inputs;
}

void StridedWalk::add_strided(const int64_t* strides, int64_t first) {
  for (int i = 0; i < rank; ++i) stride[inputs][i] = static_cast<ptrdiff_t>(strides[i]);
  base[inputs++] = static_cast<ptrdiff_t>(first);
}

void StridedWalk::merge() {
  int kept = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (size[axis] == 1) continue;
    bool joins = kept > 0;
    for (int i = 0; i < inputs && joins; ++i) joins = stride[i][kept - 1] == stride[i][axis] * size[axis];
    const int to = joins ? kept - 1 : kept++;
    size[to] = joins ? size[to] * size[axis] : size[axis];
    for (int i = 0; i < inputs; ++i) stride[i][to] = stride[i][axis];
  }
  if (kept == 0) {
    kept = 1;
    size[0] = 1;
    for (int i = 0; i < inputs; ++i) stride[i][0] = 0;
  }
  rank = kept;
}

void dense_strides(const Operand& o, int64_t* strides) {
  int64_t step = 1;
  for (int i = o.rank - 1; i >= 0; --i) {
    strides[i] = step;
    step *= o.dims[i];
  }
}

bool broadcasts_to(const Operand& in, const Operand& out) {
  if (in.rank > out.rank) return false;
  for (int i = 0; i < in.rank; ++i) {
    if (in.dims[i] != 1 && in.dims[i] != out.dims[i + out.rank - in.rank]) return false;
  }
  return true;
}

bool is_broadcast_of(const Operand& out, const Operand* const* in, int n) {
  int rank = 0;
  for (int i = 0; i < n; ++i) {
    if (!broadcasts_to(*in[i], out)) return false;
    if (in[i]->rank > rank) rank = in[i]->rank;
  }
  if (out.rank != rank) return false;
  for (int axis = 0; axis < rank; ++axis) {
    bool reached = out.dims[axis] == 1;
    for (int i = 0; i < n; ++i) {
      const int own = axis - (rank - in[i]->rank);
      if (own >= 0 && in[i]->dims[own] == out.dims[axis]) reached = true;
    }
    if (!reached) return false;
  }
  return true;
}

void strided_copy(const OpContext& c, const StridedWalk& walk, const Operand& in, const Operand& out, size_t element_bytes) {
  if (element_bytes == 4) {
    copy_blocks<Word32>(c, walk, in, out);
  } else {
    copy_blocks<uint8_t>(c, walk, in, out);
  }
}

}  // namespace ert::ops
