// Pool: the largest value or the sum under a window along one axis. Pools over several axes are one behind the other: fewer steps than a
// window of all positions takes, and rows of everything behind the axis.
#include <string.h>

#include "rt/ops/map_operands.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"
#include "rt/ops/window.h"

namespace ert {
namespace {
namespace pool_op {

using namespace ops;
namespace pl = params::pool;

constexpr int64_t kNearElements = 2048;  // of a result that is in the nearest cache while its positions are met

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {pl::kIntCount, pl::kIntCount}, {0, 0})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  const int32_t kind = c.ints[pl::kKind], axis = c.ints[pl::kAxis];
  if (!is_f32(x) || !is_f32(out) || out.rank != x.rank || kind < pl::kMax || kind > pl::kSum || axis < 0 || axis >= x.rank) return false;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis && out.dims[i] != x.dims[i]) return false;
  WindowAxis w;
  return read_window_axis(c.ints + pl::kFirstWindowInt, x.dims[axis], out.dims[axis], &w) && inside_everywhere(w);
}

uint64_t further_steps(const OpContext& c) {
  const int32_t kernel = c.ints[pl::kFirstWindowInt], size = input(c, 0).dims[c.ints[pl::kAxis]];
  return steps_of(static_cast<uint64_t>(kernel < size ? kernel : size), output(c, 0).elements());
}

// `windows` results of n elements side by side, each of `taps` positions that lie tap_step apart; windows begin window_step apart.
struct Windows {
  ptrdiff_t windows, window_step, taps, tap_step, n;
};

using Pair = kernels::RowPairFn;

// pair: the kernel that does as F, or null.
template <float (*F)(float, float)>
void fold_by(const Windows& w, Pair pair, const float* __restrict x, float* __restrict to) {
  for (ptrdiff_t i = 0; i < w.windows; ++i, x += w.window_step, to += w.n) {
    if (w.n == 1) {  // in a register
      float total = *x;
      for (ptrdiff_t t = 1; t < w.taps; ++t) total = F(total, x[t * w.tap_step]);
      *to = total;
      continue;
    }
    if (w.taps == 1) {
      memcpy(to, x, static_cast<size_t>(w.n) * sizeof(float));
      continue;
    }
    if (kFastForms && pair != nullptr) {
      const size_t n = static_cast<size_t>(w.n);
      pair(n, x, x + w.tap_step, to);
      for (ptrdiff_t t = 2; t < w.taps; ++t) pair(n, to, x + t * w.tap_step, to);
      continue;
    }
    const float* second = x + w.tap_step;
    for (ptrdiff_t j = 0; j < w.n; ++j) to[j] = F(x[j], second[j]);
    for (ptrdiff_t t = 2; t < w.taps; ++t) {
      const float* next = x + t * w.tap_step;
      for (ptrdiff_t j = 0; j < w.n; ++j) to[j] = F(to[j], next[j]);
    }
  }
}

ert_status run(const OpContext& c) {
  const Operand &x = input(c, 0), &out = output(c, 0);
  if (out.elements() == 0) return ERT_OK;
  const int32_t axis = c.ints[pl::kAxis];
  WindowAxis w;
  if (!read_window_axis(c.ints + pl::kFirstWindowInt, x.dims[axis], out.dims[axis], &w)) return ERT_ERR_MODEL;  // prepare has accepted it
  int64_t inner = 1;
  for (int i = axis + 1; i < x.rank; ++i) inner *= x.dims[i];
  const bool is_max = c.ints[pl::kKind] == pl::kMax;
  const auto fold = is_max ? fold_by<max_of> : fold_by<plus>;
  const Pair pair = is_max ? c.kernels->larger_of_rows : c.kernels->add_rows;
  const int64_t near = inner < kNearElements ? kNearElements / inner : 1;
  for_blocks(c, out.elements() / inner, inner * w.kernel, 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t row = begin; row < end;) {
      const int64_t of = row / w.out, o = row % w.out;
      const WindowSpan taps = span_inside(w, o);
      int64_t count = 1;
      if (taps.last - taps.first == w.kernel) {
        const int64_t whole = end_of_whole(w, o) - o, left = end - row;
        count = whole < left ? whole : left;
      }
      // Windows that stand one element apart are one of more elements.
      const bool together = w.stride == 1;
      if (together && count > near) count = near;
      const int64_t first = of * w.size + w.first(o) + int64_t{taps.first} * w.dilation;
      fold({static_cast<ptrdiff_t>(together ? 1 : count), static_cast<ptrdiff_t>(w.stride * inner), taps.last - taps.first,
            static_cast<ptrdiff_t>(w.dilation * inner), static_cast<ptrdiff_t>(together ? count * inner : inner)},
           pair, x.as<float>() + first * inner, out.mut<float>() + row * inner);
      row += count;
    }
  });
  return ERT_OK;
}

}  // namespace pool_op
}  // namespace

const OpDef kOpPool = {"Pool", pool_op::prepare, pool_op::run, nullptr, 0, 0, 1, pool_op::further_steps};

}  // namespace ert
