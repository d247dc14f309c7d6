// The order in which a reduction visits its input: axes are parted into kept and reduced ones, in index order.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/ops/op.h"

namespace ert::ops {

struct ReduceOrder {
  static constexpr int64_t kChunk = 64;  // outputs reduced side by side

  struct Axes {
    int count = 0;
    int32_t size[ERT_MAX_RANK] = {};
    int64_t stride[ERT_MAX_RANK] = {};  // in the input
  };
  Axes kept, reduced;
  int64_t reduced_count = 1;
  bool trailing;      // the reduced axes are exactly the last ones: each output's elements are contiguous
  int64_t inner = 1;  // reduced_count if trailing

  // noinline: prepare asks too.
  __attribute__((noinline)) ReduceOrder(const Operand& x, uint32_t mask) : trailing(is_trailing(mask, x.rank)) {
    int64_t step = 1;
    for (int i = x.rank - 1; i >= 0; --i) {
      if (mask >> i & 1) reduced_count *= x.dims[i];
      step *= x.dims[i];
    }
    if (trailing) inner = reduced_count;
    for (int i = 0; i < x.rank; ++i) {
      step = x.dims[i] == 0 ? 0 : step / x.dims[i];
      Axes& axes = mask >> i & 1 ? reduced : kept;
      axes.size[axes.count] = x.dims[i];
      axes.stride[axes.count++] = step;
    }
  }

  // A mask of no axis is trailing too: each output is then the reduction of one element.
  static bool is_trailing(uint32_t mask, int rank) {
    int first = rank;
    while (first > 0 && (mask >> (first - 1) & 1)) --first;
    return (mask & ((1u << first) - 1)) == 0;
  }

  // Offset of the first input element of an output.
  int64_t input_offset(int64_t out) const {
    int64_t offset = 0;
    for (int i = kept.count - 1; i >= 0; --i) {
      offset += out % kept.size[i] * kept.stride[i];
      out /= kept.size[i];
    }
    return offset;
  }

  // How many outputs from this one on have inputs side by side, at most kChunk.
  int64_t neighbours(int64_t out) const {
    if (kept.count == 0 || kept.stride[kept.count - 1] != 1) return 1;
    const int64_t left = kept.size[kept.count - 1] - out % kept.size[kept.count - 1];
    return left < kChunk ? left : kChunk;
  }

  // Calls visit(offset, count, step) for every run of reduced elements along the last reduced axis, in index order.
  template <class Visit>
  void for_reduced(const Visit& visit) const {
    if (reduced_count == 0) return;
    const int last = reduced.count - 1;
    if (last < 0) return visit(0, ptrdiff_t{1}, ptrdiff_t{0});
    // Of a single element the step may be any number, which pointers do not hold on 32 bits.
    const ptrdiff_t count = reduced.size[last], step = count < 2 ? 0 : static_cast<ptrdiff_t>(reduced.stride[last]);
    int32_t index[ERT_MAX_RANK] = {};
    int64_t offset = 0;
    for (int64_t i = 0; i < reduced_count; i += count) {
      visit(offset, count, step);
      for (int axis = last - 1; axis >= 0; --axis) {
        offset += reduced.stride[axis];
        if (++index[axis] < reduced.size[axis]) break;
        offset -= reduced.stride[axis] * reduced.size[axis];
        index[axis] = 0;
      }
    }
  }
};

}  // namespace ert::ops
