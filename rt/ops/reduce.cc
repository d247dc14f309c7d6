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

// acc[j] folds in x[j]; for kLogSumExp x is already exp(x - max).
template <class T>
void fold(int32_t kind, int64_t n, T* acc, const T* x);

template <>
void fold<float>(int32_t kind, int64_t n, float* acc, const float* x) {
  switch (kind) {
    case red::kMax:
      for (int64_t j = 0; j < n; ++j) acc[j] = max_of(acc[j], x[j]);
      break;
    case red::kMin:
      for (int64_t j = 0; j < n; ++j) acc[j] = min_of(acc[j], x[j]);
      break;
    case red::kProd:
      for (int64_t j = 0; j < n; ++j) acc[j] = times(acc[j], x[j]);
      break;
    case red::kL1:
      for (int64_t j = 0; j < n; ++j) acc[j] = plus(acc[j], abs_of(x[j]));
      break;
    case red::kL2:
    case red::kSumSquare:
      for (int64_t j = 0; j < n; ++j) acc[j] = plus(acc[j], times(x[j], x[j]));
      break;
    default:
      for (int64_t j = 0; j < n; ++j) acc[j] = plus(acc[j], x[j]);
      break;
  }
}

template <>
void fold<int32_t>(int32_t kind, int64_t n, int32_t* acc, const int32_t* x) {
  switch (kind) {
    case red::kMax:
      for (int64_t j = 0; j < n; ++j) acc[j] = max_of(acc[j], x[j]);
      break;
    case red::kMin:
      for (int64_t j = 0; j < n; ++j) acc[j] = min_of(acc[j], x[j]);
      break;
    case red::kProd:
      for (int64_t j = 0; j < n; ++j) acc[j] = wrap_mul(acc[j], x[j]);
      break;
    default:
      for (int64_t j = 0; j < n; ++j) acc[j] = wrap_add(acc[j], x[j]);
      break;
  }
}

float neutral(int32_t kind, float) {
  return kind == red::kMax ? kLowest : kind == red::kMin ? kHighest : kind == red::kProd ? 1.0f : 0.0f;
}
int32_t neutral(int32_t kind, int32_t) {
  return kind == red::kMax ? INT32_MIN : kind == red::kMin ? INT32_MAX : kind == red::kProd ? 1 : 0;
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
    for (int64_t i = 0; i < n; ++i) fold(kind, 1, &total, x + i);
    return total;
  }
  float lanes[kLanes];
  for (int64_t j = 0; j < kLanes; ++j) lanes[j] = x[j];
  for (int64_t i = kLanes; i + kLanes <= n; i += kLanes) fold(kind, kLanes, lanes, x + i);
  fold(kind, kLanes, lanes, x + n - kLanes);
  for (int64_t half = kLanes / 2; half >= 1; half /= 2) fold(kind, half, lanes, lanes + half);
  total = lanes[0];
  if (!equal(total, 0.0f)) return total;
  for (int64_t i = n; i > 0; --i) {
    if (equal(x[i - 1], 0.0f)) return x[i - 1];
  }
  return total;
}

// One output whose n elements are contiguous: the canonical sum, or index order for max, min and product.
float reduce_row(const kernels::KernelTable& t, int32_t kind, int64_t n, const float* x, float* row) {
  const size_t count = static_cast<size_t>(n);
  float top = kLowest;
  switch (kind) {
    case red::kSum:
    case red::kMean:
    case red::kLogSum: return finish(kind, t.sum(count, x), n, top);
    case red::kL2:
    case red::kSumSquare: return finish(kind, t.sum_squares(count, x), n, top);
    case red::kL1:
      for (int64_t i = 0; i < n; ++i) row[i] = abs_of(x[i]);
      return t.sum(count, row);
    case red::kLogSumExp:
      for (int64_t i = 0; i < n; ++i) top = max_of(top, x[i]);
      if (!is_finite(top)) return top;
      shifted_exp(t, n, x, &top, 0, row);
      return finish(kind, t.sum(count, row), n, top);
    default: {
      if (kFastForms && (kind == red::kMax || kind == red::kMin)) return extreme_of_row(kind, n, x);
      float total = neutral(kind, 0.0f);
      for (int64_t i = 0; i < n; ++i) fold(kind, 1, &total, x + i);
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
  order.for_reduced([&](int64_t offset) { fold(red::kMax, n, top, x + offset); });
  order.for_reduced([&](int64_t offset) {
    shifted_exp(*c.kernels, n, x + offset, top, 1, e);
    fold(red::kLogSumExp, n, acc, e);
  });
  for (int64_t j = 0; j < n; ++j) out[j] = finish(red::kLogSumExp, acc[j], order.reduced_count, top[j]);
}

// Up to kChunk neighbouring outputs, whose inputs are also neighbours, in index order.
void reduce_chunk(const OpContext& c, const ReduceOrder& order, int32_t kind, int64_t n, const float* x, float* out) {
  if (kind == red::kLogSumExp) {
    for (int64_t j = 0; j < n; j += kExpChunk) log_sum_exp_chunk(c, order, n - j < kExpChunk ? n - j : kExpChunk, x + j, out + j);
    return;
  }
  float acc[ReduceOrder::kChunk];
  for (int64_t j = 0; j < n; ++j) acc[j] = neutral(kind, 0.0f);
  order.for_reduced([&](int64_t offset) { fold(kind, n, acc, x + offset); });
  for (int64_t j = 0; j < n; ++j) out[j] = finish(kind, acc[j], order.reduced_count, kLowest);
}

void reduce_chunk(const OpContext&, const ReduceOrder& order, int32_t kind, int64_t n, const int32_t* x, int32_t* out) {
  int32_t acc[ReduceOrder::kChunk];
  for (int64_t j = 0; j < n; ++j) acc[j] = neutral(kind, int32_t{0});
  order.for_reduced([&](int64_t offset) { fold(kind, n, acc, x + offset); });
  for (int64_t j = 0; j < n; ++j) out[j] = acc[j];
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
    for_blocks(c, out.elements(), order.inner, 16, [&](int64_t begin, int64_t end, uint32_t thread) {
      float* row = needs_row(kind) ? scratch_floats(c, thread) : nullptr;
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
