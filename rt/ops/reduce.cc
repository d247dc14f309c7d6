// Reduce over the axes of a bit mask. Sums over exactly the last axes take the canonical order of the kernels; all other
// reductions take each output's elements in index order, one rounding per step, starting from the kind's neutral value.
#include "kernels_int8/dispatch/dispatch.h"
#include "kernels_int8/ref/square_root.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/reduce_order.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace reduce_op {

using namespace ops;
namespace red = params::reduce;

constexpr float kLowest = -__builtin_inff(), kHighest = __builtin_inff();

bool is_int_kind(int32_t kind) { return kind == red::kSum || kind == red::kMin || kind == red::kMax || kind == red::kProd; }
// Kinds whose canonical sum runs over transformed values, which need a row of scratch.
bool needs_row(int32_t kind) { return kind == red::kL1 || kind == red::kLogSumExp; }

// The output keeps reduced axes as 1, or drops them.
bool shape_ok(const Operand& x, const Operand& out, uint32_t mask) {
  int kept = 0;
  bool dropped_ok = true, kept_ok = out.rank == x.rank;
  for (int i = 0; i < x.rank; ++i) {
    const bool reduced = mask >> i & 1;
    kept_ok = kept_ok && out.dims[i] == (reduced ? 1 : x.dims[i]);
    if (reduced) continue;
    dropped_ok = dropped_ok && kept < out.rank && out.dims[kept] == x.dims[i];
    ++kept;
  }
  return kept_ok || (dropped_ok && kept == out.rank);
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {red::kIntCount, red::kIntCount}, {0, 0})) return false;
  const Operand &x = input(c, 0), &out = output(c, 0);
  const int32_t kind = c.ints[red::kKind], mask = c.ints[red::kAxisMask];
  if (kind < red::kSum || kind > red::kLogSumExp || mask < 0 || mask >> x.rank != 0) return false;
  if (x.dtype != out.dtype || !(is_f32(x) || (is_i32(x) && is_int_kind(kind)))) return false;
  if (!shape_ok(x, out, static_cast<uint32_t>(mask))) return false;
  if (!needs_row(kind)) return true;
  const ReduceOrder order(x, static_cast<uint32_t>(mask));
  return !order.trailing || set_scratch(scratch, static_cast<uint64_t>(order.inner) * sizeof(float));
}

float finish(int32_t kind, float total, int64_t count, float top) {
  switch (kind) {
    case red::kMean: return over(total, static_cast<float>(count));
    case red::kL2: return kernels::square_root(to_float(F32(total)));
    case red::kLogSum: return kernels::scalar_log(total);
    case red::kLogSumExp: return is_finite(top) ? plus(kernels::scalar_log(total), top) : top;
    default: return total;
  }
}

// A step of a reduction: the total so far, and the next value.
float plus_magnitude(float total, float v) { return plus(total, abs_of(v)); }
float plus_square(float total, float v) { return plus(total, times(v, v)); }

// `count` values of each of n outputs, which lie side by side.
struct Values {
  ptrdiff_t count, step;  // elements from a value to the next one of the same output
  ptrdiff_t n;
};

// kSide neighbours of all rows, in registers.
template <class T, T (*F)(T, T), int kSide>
void fold_side_by_side(const Values& v, T* __restrict acc, const T* __restrict x) {
  T total[kSide];
  for (int j = 0; j < kSide; ++j) total[j] = acc[j];
  for (ptrdiff_t i = 0; i < v.count; ++i, x += v.step) {
#pragma GCC unroll 16
    for (int j = 0; j < kSide; ++j) total[j] = F(total[j], x[j]);
  }
  for (int j = 0; j < kSide; ++j) acc[j] = total[j];
}

// side: of the columns that stand in registers; 0 for kinds that are not worth the code.
template <class T, T (*F)(T, T), int side = 0>
void fold_by(const Values& v, T* __restrict acc, const T* __restrict x) {
  if (kFastForms && v.n == 1) {  // in a register
    T total = *acc;
    for (ptrdiff_t i = 0; i < v.count; ++i) total = F(total, x[i * v.step]);
    *acc = total;
    return;
  }
  ptrdiff_t first = 0;
  if constexpr (kFastForms && side > 0) {
    for (; v.count > 1 && first + side <= v.n; first += side) fold_side_by_side<T, F, side>(v, acc + first, x + first);
  }
  for (ptrdiff_t i = 0; i < v.count; ++i) {
    const T* row = x + i * v.step;
#pragma GCC unroll 2
    for (ptrdiff_t j = first; j < v.n; ++j) acc[j] = F(acc[j], row[j]);
  }
}

// acc[j] folds in x[j], x[j + step]...; for kLogSumExp x is already exp(x - max). noinline: one copy of each loop for all forms of the op.
__attribute__((noinline)) void fold(int32_t kind, const Values& v, float* acc, const float* x) {
  constexpr int kSide = 16;
  switch (kind) {
    case red::kMax: return fold_by<float, max_of, kSide>(v, acc, x);
    case red::kMin: return fold_by<float, min_of>(v, acc, x);
    case red::kProd: return fold_by<float, times>(v, acc, x);
    case red::kL1: return fold_by<float, plus_magnitude>(v, acc, x);
    case red::kL2:
    case red::kSumSquare: return fold_by<float, plus_square, kSide>(v, acc, x);
    default: return fold_by<float, plus, kSide>(v, acc, x);
  }
}

__attribute__((noinline)) void fold(int32_t kind, const Values& v, int32_t* acc, const int32_t* x) {
  switch (kind) {
    case red::kMax: return fold_by<int32_t, max_of>(v, acc, x);
    case red::kMin: return fold_by<int32_t, min_of>(v, acc, x);
    case red::kProd: return fold_by<int32_t, wrap_mul>(v, acc, x);
    default: return fold_by<int32_t, wrap_add>(v, acc, x);
  }
}

float neutral(int32_t kind, float) {
  return kind == red::kMax ? kLowest : kind == red::kMin ? kHighest : kind == red::kProd ? 1.0f : 0.0f;
}
int32_t neutral(int32_t kind, int32_t) {
  return kind == red::kMax ? INT32_MIN : kind == red::kMin ? INT32_MAX : kind == red::kProd ? 1 : 0;
}

// The same of n outputs, for the kinds of reduce_chunk.
void finish(int32_t kind, int64_t n, float* totals, int64_t count) {
  const float divisor = static_cast<float>(count);
  if (kind == red::kMean) {
    for (int64_t j = 0; j < n; ++j) totals[j] = over(totals[j], divisor);
  } else if (kind == red::kL2 || kind == red::kLogSum) {
    for (int64_t j = 0; j < n; ++j) totals[j] = finish(kind, totals[j], count, kLowest);
  }
}

// e = exp(x - top).
void shifted_exp(const kernels::KernelTable& t, int64_t n, const float* x, const float* top, int64_t top_step, float* e) {
  for (int64_t j = 0; j < n; ++j) e[j] = minus(x[j], top[j * top_step]);
  t.unary[static_cast<int>(kernels::Unary::kExp)](static_cast<size_t>(n), e, e);
}

// Maximum or minimum of a row: kLanes at a time, the last ones perhaps again. That gives the same as one by one but for the sign of a
// zero: of equal values the last counts.
float extreme_of_row(int32_t kind, int64_t n, const float* x) {
  constexpr int64_t kLanes = ReduceOrder::kChunk;
  float total = neutral(kind, 0.0f);
  if (n < kLanes) {
    fold(kind, {static_cast<ptrdiff_t>(n), 1, 1}, &total, x);
    return total;
  }
  float lanes[kLanes];
  for (int64_t j = 0; j < kLanes; ++j) lanes[j] = x[j];
  fold(kind, {static_cast<ptrdiff_t>(n / kLanes - 1), kLanes, kLanes}, lanes, x + kLanes);
  fold(kind, {1, 0, kLanes}, lanes, x + n - kLanes);
  for (ptrdiff_t half = kLanes / 2; half >= 1; half /= 2) fold(kind, {1, 0, half}, lanes, lanes + half);
  total = lanes[0];
  if (!equal(total, 0.0f)) return total;
  for (int64_t i = n; i > 0; --i) {
    if (equal(x[i - 1], 0.0f)) return x[i - 1];
  }
  return total;
}

// The canonical sum of kinds whose total is all that a row needs, nullptr for other kinds.
kernels::SumFn sum_of(const kernels::KernelTable& t, int32_t kind) {
  switch (kind) {
    case red::kSum:
    case red::kMean:
    case red::kLogSum: return t.sum;
    case red::kL2:
    case red::kSumSquare: return t.sum_squares;
    default: return nullptr;
  }
}

// One output whose n elements are contiguous, of the other kinds: the canonical sum, or index order for max, min and product.
float reduce_row(const kernels::KernelTable& t, int32_t kind, int64_t n, const float* x, float* row) {
  const size_t count = static_cast<size_t>(n);
  float top = kLowest;
  switch (kind) {
    case red::kL1:
      for (int64_t i = 0; i < n; ++i) row[i] = abs_of(x[i]);
      return t.sum(count, row);
    case red::kLogSumExp:
      // By lanes, which are sooner, where the sign of a zero says nothing; which NaN it is does.
      if (kFastForms) top = extreme_of_row(red::kMax, n, x);
      if (!kFastForms || !is_finite(top)) {
        top = kLowest;
        fold(red::kMax, {static_cast<ptrdiff_t>(n), 1, 1}, &top, x);
        if (!is_finite(top)) return top;
      }
      shifted_exp(t, n, x, &top, 0, row);
      return finish(kind, t.sum(count, row), n, top);
    default: {
      if (kFastForms && (kind == red::kMax || kind == red::kMin)) return extreme_of_row(kind, n, x);
      float total = neutral(kind, 0.0f);
      fold(kind, {static_cast<ptrdiff_t>(n), 1, 1}, &total, x);
      return total;
    }
  }
}

// LogSumExp of up to kExpChunk neighbouring outputs: fewer than of other kinds, since each has three values on the stack.
constexpr int64_t kExpChunk = 16;

void log_sum_exp_chunk(const OpContext& c, const ReduceOrder& order, int64_t n, const float* x, float* out) {
  float acc[kExpChunk], top[kExpChunk], e[kExpChunk];
  for (int64_t j = 0; j < n; ++j) {
    acc[j] = 0.0f;
    top[j] = kLowest;
  }
  const ptrdiff_t side_by_side = static_cast<ptrdiff_t>(n);
  order.for_reduced([&](int64_t offset, ptrdiff_t count, ptrdiff_t step) { fold(red::kMax, {count, step, side_by_side}, top, x + offset); });
  order.for_reduced([&](int64_t offset, ptrdiff_t count, ptrdiff_t step) {
    for (ptrdiff_t i = 0; i < count; ++i) {
      shifted_exp(*c.kernels, n, x + offset + i * step, top, 1, e);
      fold(red::kLogSumExp, {1, 0, side_by_side}, acc, e);
    }
  });
  for (int64_t j = 0; j < n; ++j) out[j] = finish(red::kLogSumExp, acc[j], order.reduced_count, top[j]);
}

// The kernel of a fold whose columns stand side by side, where the level has one.
kernels::RowsDownFn rows_down(const kernels::KernelTable& t, int32_t kind) {
  if (!kFastForms) return nullptr;
  const bool sum = kind == red::kSum || kind == red::kMean || kind == red::kLogSum;
  return sum ? t.add_down : kind == red::kMax ? t.largest_down : nullptr;
}

// Up to kChunk neighbouring outputs, whose inputs are also neighbours, in index order.
void reduce_chunk(const OpContext& c, const ReduceOrder& order, int32_t kind, int64_t n, const float* x, float* out) {
  if (kind == red::kLogSumExp) {
    for (int64_t j = 0; j < n; j += kExpChunk) log_sum_exp_chunk(c, order, n - j < kExpChunk ? n - j : kExpChunk, x + j, out + j);
    return;
  }
  for (int64_t j = 0; j < n; ++j) out[j] = neutral(kind, 0.0f);
  constexpr int64_t kFewColumns = 8;
  const auto down = n < kFewColumns ? nullptr : rows_down(*c.kernels, kind);
  order.for_reduced([&](int64_t offset, ptrdiff_t count, ptrdiff_t step) {
    if (kFastForms && down != nullptr) return down(static_cast<size_t>(count), step, static_cast<size_t>(n), x + offset, out);
    fold(kind, {count, step, static_cast<ptrdiff_t>(n)}, out, x + offset);
  });
  finish(kind, n, out, order.reduced_count);
}

void reduce_chunk(const OpContext&, const ReduceOrder& order, int32_t kind, int64_t n, const int32_t* x, int32_t* out) {
  for (int64_t j = 0; j < n; ++j) out[j] = neutral(kind, int32_t{0});
  order.for_reduced([&](int64_t offset, ptrdiff_t count, ptrdiff_t step) { fold(kind, {count, step, static_cast<ptrdiff_t>(n)}, out, x + offset); });
}

template <class T>
void reduce_in_index_order(const OpContext& c, const ReduceOrder& order, int32_t kind) {
  for_blocks(c, output(c, 0).elements(), order.reduced_count, 64, [&](int64_t begin, int64_t end, uint32_t) {
    while (begin < end) {
      int64_t n = order.neighbours(begin);
      if (n > end - begin) n = end - begin;
      reduce_chunk(c, order, kind, n, input(c, 0).as<T>() + order.input_offset(begin), output(c, 0).mut<T>() + begin);
      begin += n;
    }
  });
}

ert_status run(const OpContext& c) {
  const Operand &x = input(c, 0), &out = output(c, 0);
  const int32_t kind = c.ints[red::kKind];
  const ReduceOrder order(x, static_cast<uint32_t>(c.ints[red::kAxisMask]));
  if (is_i32(x)) {
    reduce_in_index_order<int32_t>(c, order, kind);
  } else if (order.trailing) {
    const auto sum = sum_of(*c.kernels, kind);
    for_blocks(c, out.elements(), order.inner, 16, [&](int64_t begin, int64_t end, uint32_t thread) {
      float* row = needs_row(kind) ? scratch_floats(c, thread) : nullptr;
      if (sum != nullptr) {  // what a row of few values takes is mostly the way to its sum
        for (int64_t i = begin; i < end; ++i) out.mut<float>()[i] = sum(static_cast<size_t>(order.inner), x.as<float>() + i * order.inner);
        return finish(kind, end - begin, out.mut<float>() + begin, order.inner);
      }
      for (int64_t i = begin; i < end; ++i)
        out.mut<float>()[i] = reduce_row(*c.kernels, kind, order.inner, x.as<float>() + i * order.inner, row);
    });
  } else {
    reduce_in_index_order<float>(c, order, kind);
  }
  return ERT_OK;
}

}  // namespace reduce_op
}  // namespace

const OpDef kOpReduce = {"Reduce", reduce_op::prepare, reduce_op::run, nullptr, 0};

}  // namespace ert
