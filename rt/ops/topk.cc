// TopK along one axis: the k best values in order, equal ones by position. A binary heap of k positions lives in scratch;
// its root is the worst of the best, so each further value costs one comparison or one descent.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/value_order.h"

namespace ert {
namespace {
namespace topk_op {

using namespace ops;
namespace tk = params::topk;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {2, 2}, {tk::kIntCount, tk::kIntCount}, {0, 0})) return false;
  const Operand &x = input(c, 0), &values = output(c, 0), &indices = output(c, 1);
  const int32_t axis = c.ints[tk::kAxis];
  if ((!is_f32(x) && !is_i32(x)) || values.dtype != x.dtype || !is_i32(indices) || !same_shape(values, indices)) return false;
  if (!is_axis(axis, x.rank) || !is_flag(c.ints[tk::kLargest]) || !is_flag(c.ints[tk::kSorted]) || values.rank != x.rank)
    return false;
  for (int i = 0; i < x.rank; ++i) {
    if (i != axis && values.dims[i] != x.dims[i]) return false;
  }
  return values.dims[axis] <= x.dims[axis] && set_scratch(scratch, static_cast<uint64_t>(values.dims[axis]) * sizeof(int32_t));
}

template <class T>
struct Line {
  const T* x;
  int64_t step;
  bool largest;
  int32_t* heap;

  // Position a ranks before position b.
  bool before(int32_t a, int32_t b) const {
    const T va = x[a * step], vb = x[b * step];
    if (largest ? greater_value(va, vb) : greater_value(vb, va)) return true;
    if (largest ? greater_value(vb, va) : greater_value(va, vb)) return false;
    return a < b;
  }

  // Lets the root sink to its place among the first n.
  void sink(int64_t root, int64_t n) const {
    const int32_t moved = heap[root];
    for (int64_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
      if (child + 1 < n && before(heap[child], heap[child + 1])) ++child;
      if (!before(moved, heap[child])) break;
      heap[root] = heap[child];
      root = child;
    }
    heap[root] = moved;
  }

  // heap[0..k) becomes the positions of the k best of n, best first.
  void select(int64_t n, int64_t k) const {
    for (int64_t i = 0; i < k; ++i) heap[i] = static_cast<int32_t>(i);
    for (int64_t i = k / 2; i-- > 0;) sink(i, k);
    for (int64_t i = k; i < n; ++i) {
      if (!before(static_cast<int32_t>(i), heap[0])) continue;
      heap[0] = static_cast<int32_t>(i);
      sink(0, k);
    }
    for (int64_t end = k - 1; end > 0; --end) {
      const int32_t worst = heap[0];
      heap[0] = heap[end];
      heap[end] = worst;
      sink(0, end);
    }
  }
};

template <class T>
void select_lines(const OpContext& c) {
  const Operand& x = input(c, 0);
  const int32_t axis = c.ints[tk::kAxis];
  const int64_t n = x.dims[axis], k = output(c, 0).dims[axis], inner = elements_between(x, axis + 1, x.rank);
  for_blocks(c, k == 0 ? 0 : x.elements() / n, n, 16, [&](int64_t begin, int64_t end, uint32_t thread) {
    int32_t* heap = static_cast<int32_t*>(static_cast<void*>(c.scratch + c.scratch_stride * thread));
    for (int64_t i = begin; i < end; ++i) {
      const Line<T> line = {x.as<T>() + i / inner * n * inner + i % inner, inner, c.ints[tk::kLargest] != 0, heap};
      line.select(n, k);
      const int64_t first = i / inner * k * inner + i % inner;
      for (int64_t j = 0; j < k; ++j) {
        output(c, 0).mut<T>()[first + j * inner] = line.x[heap[j] * inner];
        output(c, 1).mut<int32_t>()[first + j * inner] = heap[j];
      }
    }
  });
}

ert_status run(const OpContext& c) {
  is_f32(input(c, 0)) ? select_lines<float>(c) : select_lines<int32_t>(c);
  return ERT_OK;
}

}  // namespace topk_op
}  // namespace

const OpDef kOpTopK = {"TopK", topk_op::prepare, topk_op::run, nullptr, 0, 0, 64};

}  // namespace ert
