// Walks the elements of a dense output in order, together with up to three inputs whose offsets are affine in the output
// index: broadcasting, transposing, slicing. Axes that step alike are merged first, so that the inner runs are long. Operands have
// fewer than 2^31 elements, so offsets and strides of axes that are longer than 1 fit ptrdiff_t on every machine.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/ops/op.h"

namespace ert::ops {

struct StridedWalk {
  static constexpr int kMaxInputs = 3;
  int rank = 0;  // after merge(): at least 1
  int inputs = 0;
  int32_t size[ERT_MAX_RANK] = {};
  ptrdiff_t stride[kMaxInputs][ERT_MAX_RANK] = {};  // elements; 0 = broadcast; may be negative
  ptrdiff_t base[kMaxInputs] = {};

  explicit StridedWalk(const Operand& out);
  // Input i of the op, broadcast to the output the numpy way. The shapes were checked by broadcasts_to.
  void add_broadcast(const Operand& in);
  void add_strided(const int64_t* strides, int64_t first);
  void merge();
  int64_t inner() const { return size[rank - 1]; }
  ptrdiff_t inner_stride(int i) const { return stride[i][rank - 1]; }

  // Calls body(out, in, count) for the runs of outputs [begin, end): out is the first output element, in[i] the offset of
  // input i, which steps by inner_stride(i). kInputs: as many as the walk has.
  template <int kInputs, class Body>
  void runs(int64_t begin, int64_t end, const Body& body) const {
    if (begin >= end) return;
    int32_t index[ERT_MAX_RANK] = {};
    ptrdiff_t in[kInputs];
    ptrdiff_t row = static_cast<ptrdiff_t>(begin / inner()), column = static_cast<ptrdiff_t>(begin % inner());
    for (int i = 0; i < kInputs; ++i) in[i] = base[i] + column * inner_stride(i);
    for (int axis = rank - 2; axis >= 0; --axis) {
      index[axis] = static_cast<int32_t>(row % size[axis]);
      row /= size[axis];
      for (int i = 0; i < kInputs; ++i) in[i] += index[axis] * stride[i][axis];
    }
    for (int64_t out = begin; out < end;) {
      int64_t count = inner() - column;
      if (count > end - out) count = end - out;
      body(out, static_cast<const ptrdiff_t*>(in), count);
      out += count;
      for (int i = 0; i < kInputs; ++i) in[i] -= column * inner_stride(i);
      column = 0;
      for (int axis = rank - 2; axis >= 0; --axis) {
        const bool last = ++index[axis] == size[axis];
        // Back to the axis' start from its last element, not from one step behind it, which might be further than ptrdiff_t.
        for (int i = 0; i < kInputs; ++i) in[i] += last ? -stride[i][axis] * (size[axis] - 1) : stride[i][axis];
        if (!last) break;
        index[axis] = 0;
      }
    }
  }
};

// Row-major strides of a dense operand, in elements.
void dense_strides(const Operand& o, int64_t* strides);

// `in` can be broadcast to exactly the shape of `out`.
bool broadcasts_to(const Operand& in, const Operand& out);

// `out` is exactly the numpy broadcast of all n operands: every axis of it is the size of one of them.
bool is_broadcast_of(const Operand& out, const Operand* const* in, int n);

// Copies the walk's only input to the dense output, in parallel. element_bytes: 1 or 4.
void strided_copy(const OpContext& c, const StridedWalk& walk, const Operand& in, const Operand& out, size_t element_bytes);

}  // namespace ert::ops
