// Merging of axes, broadcasting rules and the strided copy behind Transpose, Slice and Expand.
#include "rt/ops/strided_walk.h"

#include <string.h>

#include "rt/ops/copy_short.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert::ops {
namespace {

template <class T>
void copy_steps(T* dst, const T* src, ptrdiff_t stride, int64_t count) {
#pragma GCC unroll 4
  for (int64_t i = 0; i < count; ++i) dst[i] = src[i * stride];
}

// Elements are bytes or words, everywhere here.
void copy_run(void* dst, const void* src, ptrdiff_t stride, int64_t count, size_t bytes) {
  if (stride == 1) return copy_short(src, static_cast<size_t>(count) * bytes, dst);
  if (bytes == 1) return copy_steps(static_cast<uint8_t*>(dst), static_cast<const uint8_t*>(src), stride, count);
  copy_steps(static_cast<Word32*>(dst), static_cast<const Word32*>(src), stride, count);
}

constexpr int64_t kTile = 16;

// dst[r, i] = src[i, r] of rows r and columns i of the output.
template <class T>
__attribute__((noinline)) void copy_elements(T* dst, ptrdiff_t row_step, const T* src, ptrdiff_t column_step, int64_t rows, int64_t columns) {
  if (rows < 4) {
    for (; rows > 0; --rows, dst += row_step, ++src) copy_steps(dst, src, column_step, columns);
    return;
  }
  for (int64_t i = 0; i < columns; ++i) {
#pragma GCC unroll 4
    for (int64_t r = 0; r < rows; ++r) dst[r * row_step + i] = src[r + i * column_step];
  }
}

using FourWords = uint32_t __attribute__((vector_size(16)));
using TwoEights = uint64_t __attribute__((vector_size(16)));
using SixteenBytes = uint8_t __attribute__((vector_size(16)));
#if defined(__clang__)
#define ERT_SHUFFLED(Type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define ERT_SHUFFLED(Type, a, b, ...) __builtin_shuffle(a, b, Type{__VA_ARGS__})
#endif

// The first or the last halves of two vectors, one element of each in turns.
inline FourWords zip_first(FourWords a, FourWords b) { return ERT_SHUFFLED(FourWords, a, b, 0, 4, 1, 5); }
inline FourWords zip_last(FourWords a, FourWords b) { return ERT_SHUFFLED(FourWords, a, b, 2, 6, 3, 7); }
inline SixteenBytes zip_first(SixteenBytes a, SixteenBytes b) {
  return ERT_SHUFFLED(SixteenBytes, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline SixteenBytes zip_last(SixteenBytes a, SixteenBytes b) {
  return ERT_SHUFFLED(SixteenBytes, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
#undef ERT_SHUFFLED

// Four rows and columns in registers.
inline void copy_block(Word32* dst, ptrdiff_t row_step, const Word32* src, ptrdiff_t column_step) {
  const auto column = [&](ptrdiff_t i) {
    FourWords v;
    memcpy(&v, src + i * column_step, sizeof v);
    return v;
  };
  const FourWords c0 = column(0), c1 = column(1), c2 = column(2), c3 = column(3);
  const FourWords a = zip_first(c0, c2), b = zip_last(c0, c2), c = zip_first(c1, c3), d = zip_last(c1, c3);
  const auto row = [&](ptrdiff_t r, FourWords v) { memcpy(dst + r * row_step, &v, sizeof v); };
  row(0, zip_first(a, c));
  row(1, zip_last(a, c));
  row(2, zip_first(b, d));
  row(3, zip_last(b, d));
}

#if defined(__SSE2__) || (defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN))
constexpr int64_t kSideOfBytes = 8;

// Eight rows and columns in registers.
inline void copy_block(uint8_t* dst, ptrdiff_t row_step, const uint8_t* src, ptrdiff_t column_step) {
  const auto columns = [&](ptrdiff_t i) {  // i and i + 4
    uint64_t v, w;
    memcpy(&v, src + i * column_step, sizeof v);
    memcpy(&w, src + (i + 4) * column_step, sizeof w);
    return zip_first(reinterpret_cast<SixteenBytes>(TwoEights{v, 0}), reinterpret_cast<SixteenBytes>(TwoEights{w, 0}));
  };
  const SixteenBytes c04 = columns(0), c15 = columns(1), c26 = columns(2), c37 = columns(3);
  const SixteenBytes even_first = zip_first(c04, c26), even_last = zip_last(c04, c26), odd_first = zip_first(c15, c37), odd_last = zip_last(c15, c37);
  const auto rows = [&](ptrdiff_t r, SixteenBytes v) {
    const TwoEights halves = reinterpret_cast<TwoEights>(v);
    const uint64_t first = halves[0], second = halves[1];
    memcpy(dst + r * row_step, &first, sizeof first);
    memcpy(dst + (r + 1) * row_step, &second, sizeof second);
  };
  rows(0, zip_first(even_first, odd_first));
  rows(2, zip_last(even_first, odd_first));
  rows(4, zip_first(even_last, odd_last));
  rows(6, zip_last(even_last, odd_last));
}
#else
constexpr int64_t kSideOfBytes = kTile + 1;  // none
inline void copy_block(uint8_t*, ptrdiff_t, const uint8_t*, ptrdiff_t) {}
#endif

// noinline: its registers are its own.
template <class T>
__attribute__((noinline)) void copy_tile(T* dst, ptrdiff_t row_step, const T* src, ptrdiff_t column_step, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = sizeof(T) == 4 ? 4 : kSideOfBytes;
  const int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
  for (int64_t r = 0; r < whole_rows; r += kSide) {
    T* to = dst + r * row_step;
    const T* from = src + r;
    for (int64_t i = 0; i < whole_columns; i += kSide, to += kSide, from += kSide * column_step) copy_block(to, row_step, from, column_step);
  }
  if (whole_columns != columns)
    copy_elements(dst + whole_columns, row_step, src + whole_columns * column_step, column_step, whole_rows, columns - whole_columns);
  if (whole_rows != rows) copy_elements(dst + whole_rows * row_step, row_step, src + whole_rows, column_step, rows - whole_rows, columns);
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
void copy_tiles(const OpContext& c, const StridedWalk& walk, int along, const uint8_t* src, uint8_t* dst, size_t element_bytes) {
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(element_bytes);
  const int last = walk.rank - 1;
  ptrdiff_t out_stride[ERT_MAX_RANK] = {};
  int64_t units = (walk.size[along] + kTile - 1) / kTile;
  ptrdiff_t step = 1;
  for (int axis = last; axis >= 0; --axis) {
    out_stride[axis] = step;
    step *= walk.size[axis];
    if (axis != along && axis != last) units *= walk.size[axis];
  }
  const ptrdiff_t row_step = out_stride[along], column_step = walk.inner_stride(0);
  const int64_t all_rows = walk.size[along], all_columns = walk.inner();
  for_blocks(c, units, kTile * all_columns, 1, [&, row_step, column_step, all_rows, all_columns](int64_t begin, int64_t end, uint32_t) {
    for (int64_t unit = begin; unit < end; ++unit) {
      int64_t rest = unit;
      const int64_t tiles = (all_rows + kTile - 1) / kTile, first = rest % tiles * kTile;
      rest /= tiles;
      ptrdiff_t to = static_cast<ptrdiff_t>(first) * row_step, from = walk.base[0] + static_cast<ptrdiff_t>(first);
      for (int axis = last - 1; axis >= 0; --axis) {
        if (axis == along) continue;
        const ptrdiff_t at = static_cast<ptrdiff_t>(rest % walk.size[axis]);
        rest /= walk.size[axis];
        to += at * out_stride[axis];
        from += at * walk.stride[0][axis];
      }
      const int64_t rows = all_rows - first < kTile ? all_rows - first : kTile;
      const uint8_t* in = src + from * bytes;
      for (int64_t i = 0; i < all_columns; i += kTile) {
        const int64_t columns = all_columns - i < kTile ? all_columns - i : kTile, seen = i + 2 * kTile < all_columns ? i + 2 * kTile : all_columns;
        for (int64_t ahead = i + kTile; ahead < seen; ++ahead) __builtin_prefetch(in + static_cast<ptrdiff_t>(ahead) * column_step * bytes);
        const void* tile = in + static_cast<ptrdiff_t>(i) * column_step * bytes;
        void* out = dst + (to + static_cast<ptrdiff_t>(i)) * bytes;
        if (bytes == 1) {
          copy_tile(static_cast<uint8_t*>(out), row_step, static_cast<const uint8_t*>(tile), column_step, rows, columns);
        } else {
          copy_tile(static_cast<Word32*>(out), row_step, static_cast<const Word32*>(tile), column_step, rows, columns);
        }
      }
    }
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
  const uint8_t* src = in.as<uint8_t>();
  uint8_t* dst = out.mut<uint8_t>();
  if (const int along = neighbours_axis(walk); along >= 0) return copy_tiles(c, walk, along, src, dst, element_bytes);
  const ptrdiff_t stride = walk.inner_stride(0), bytes = static_cast<ptrdiff_t>(element_bytes);
  for_blocks(c, out.elements(), 1, 64, [&](int64_t begin, int64_t end, uint32_t) {
    walk.runs<1>(begin, end, [&](int64_t first, const ptrdiff_t* offset, int64_t count) {
      copy_run(dst + static_cast<ptrdiff_t>(first) * bytes, src + offset[0] * bytes, stride, count, element_bytes);
    });
  });
}

}  // namespace ert::ops
