// Merging of axes, broadcasting rules and the strided copy behind Transpose, Slice and Expand.
#include "rt/ops/strided_walk.h"

#include <string.h>

#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert::ops {
namespace {

template <class T>
void copy_run(T* dst, const T* src, int64_t stride, int64_t count) {
  if (stride == 1) {
    memcpy(dst, src, static_cast<size_t>(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) dst[i] = src[i * stride];
}

constexpr int64_t kTile = 16;

template <class T>
void copy_tile(T* dst, ptrdiff_t row_step, const T* src, ptrdiff_t column_step, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < columns; ++i) dst[r * row_step + i] = src[r + i * column_step];
  }
}

// The axis along which the input's elements are neighbours, if that is not the output's last; -1 if there is none worth a tile.
int neighbours_axis(const StridedWalk& walk) {
  if (!kFastForms || walk.inner_stride(0) == 1 || walk.inner() < 4) return -1;
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
        if (rows == kTile && columns == kTile) {
          copy_tile(dst + to + i, out_stride[along], tile, walk.inner_stride(0), kTile, kTile);
        } else {
          copy_tile(dst + to + i, out_stride[along], tile, walk.inner_stride(0), rows, columns);
        }
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
