// TopK along one axis: the k best values in order, equal ones by position. A heap of k positions lives in scratch; its root
// is the worst of the best, so each further value costs one comparison or one descent. A position has four children: half
// the levels of a binary heap, and so half the reads of values far apart.
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

  uint32_t precedence(int64_t position) const { return precedence_of(x[position * step], largest); }

  // Larger the earlier a position comes; no two positions have the same.
  uint64_t priority(int32_t position) const {
    return static_cast<uint64_t>(precedence(position)) << 32 | ~static_cast<uint32_t>(position);
  }

  // Lets `position` sink from the root to its place among the first n.
  void sink(int64_t root, int32_t position, int64_t n) const {
    const uint64_t sinking = priority(position);
    for (int64_t first = 4 * root + 1; first < n; first = 4 * root + 1) {
      const int64_t end = first + 4 < n ? first + 4 : n;
      int64_t worst = first;
      uint64_t lowest = priority(heap[first]);
      for (int64_t child = first + 1; child < end; ++child) {
        const uint64_t other = priority(heap[child]);
        if (other > lowest) continue;
        worst = child;
        lowest = other;
      }
      if (sinking < lowest) break;
      heap[root] = heap[worst];
      root = worst;
    }
    heap[root] = position;
  }

  // heap[0..k) becomes the positions of the k best of n, best first; k >= 1.
  void select(int64_t n, int64_t k) const {
    for (int64_t i = 0; i < k; ++i) heap[i] = static_cast<int32_t>(i);
    for (int64_t i = (k + 2) / 4; i-- > 0;) sink(i, heap[i], k);
    uint32_t threshold = precedence(heap[0]);
    for (int64_t i = k; i < n; ++i) {
      if (precedence(i) <= threshold) continue;  // of equal ones the earlier stays
      sink(0, static_cast<int32_t>(i), k);
      threshold = precedence(heap[0]);
    }
    for (int64_t end = k - 1; end > 0; --end) {
      const int32_t worst = heap[0], last = heap[end];
      sink(0, last, end);
      heap[end] = worst;
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
