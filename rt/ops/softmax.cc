// Softmax or its logarithm along one axis. The last axis runs in place, others by columns where the level has a kernel for them; else they are gathered row by row
// into scratch.
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace softmax_op {

using namespace ops;
namespace sm = params::softmax;

struct Shape {
  int64_t outer, n, inner;  // n along the axis, inner elements between its neighbours
};

Shape shape_of(const OpContext& c) {
  const Operand& x = input(c, 0);
  const int32_t axis = c.ints[sm::kAxis];
  return {elements_between(x, 0, axis), x.dims[axis], elements_between(x, axis + 1, x.rank)};
}

size_t row_bytes(int64_t n) { return kernels::round_up(static_cast<size_t>(n) * sizeof(float), 64); }

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {sm::kIntCount, sm::kIntCount}, {0, 0})) return false;
  const Operand& x = input(c, 0);
  if (!is_f32(x) || !is_f32(output(c, 0)) || !same_shape(x, output(c, 0))) return false;
  if (!is_axis(c.ints[sm::kAxis], x.rank) || !is_flag(c.ints[sm::kLog])) return false;
  const bool gathered = c.ints[sm::kAxis] != x.rank - 1;
  const uint64_t bytes = kernels::round_up(static_cast<size_t>(x.dims[c.ints[sm::kAxis]]), 16) * uint64_t{sizeof(float)};
  return set_scratch(scratch, bytes * ((gathered ? 1u : 0u) + (c.ints[sm::kLog] ? 1u : 0u)));
}

// dst = (x - max) - log(sum exp(x - max)); a row that is all -inf gives -inf. dst may equal x; e is working memory.
void log_softmax(const kernels::KernelTable& t, int64_t n, const float* x, float* e, float* dst) {
  float top = x[0];
  for (int64_t i = 1; i < n; ++i) top = max_of(top, x[i]);
  const float lowest = float_of(0xff800000u);
  if (top == lowest) {
    for (int64_t i = 0; i < n; ++i) dst[i] = lowest;
    return;
  }
  for (int64_t i = 0; i < n; ++i) dst[i] = minus(x[i], top);
  t.unary[static_cast<int>(kernels::Unary::kExp)](static_cast<size_t>(n), dst, e);
  const float log_sum = kernels::scalar_log(t.sum(static_cast<size_t>(n), e));
  for (int64_t i = 0; i < n; ++i) dst[i] = minus(dst[i], log_sum);
}

void last_axis(const OpContext& c, const Shape& s) {
  for_blocks(c, s.outer, s.n, 1, [&](int64_t begin, int64_t end, uint32_t thread) {
    const float* src = input(c, 0).as<float>();
    float* dst = output(c, 0).mut<float>();
    if (!c.ints[sm::kLog]) {
      c.kernels->softmax(static_cast<size_t>(end - begin), static_cast<size_t>(s.n), src + begin * s.n, dst + begin * s.n);
      return;
    }
    float* e = scratch_floats(c, thread);
    for (int64_t i = begin; i < end; ++i) log_softmax(*c.kernels, s.n, src + i * s.n, e, dst + i * s.n);
  });
}

// Units [begin, end) are columns of one outer index after the other.
void by_columns(const OpContext& c, const Shape& s, int64_t begin, int64_t end) {
  for (int64_t unit = begin, columns; unit < end; unit += columns) {
    const int64_t left = s.inner - unit % s.inner, first = unit / s.inner * s.n * s.inner + unit % s.inner;
    columns = end - unit < left ? end - unit : left;
    c.kernels->softmax_columns(static_cast<size_t>(s.n), static_cast<size_t>(columns), input(c, 0).as<float>() + first,
                               static_cast<size_t>(s.inner), output(c, 0).mut<float>() + first);
  }
}

void other_axis(const OpContext& c, const Shape& s) {
  const bool has_columns = c.kernels->softmax_columns != nullptr && !c.ints[sm::kLog];
  for_blocks(c, s.outer * s.inner, s.n, 16, [&](int64_t begin, int64_t end, uint32_t thread) {
    if (kFastForms && has_columns) return by_columns(c, s, begin, end);
    float* row = scratch_floats(c, thread);
    float* e = scratch_floats(c, thread, row_bytes(s.n));
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit / s.inner * s.n * s.inner + unit % s.inner;
      const float* src = input(c, 0).as<float>() + first;
      float* dst = output(c, 0).mut<float>() + first;
      for (int64_t i = 0; i < s.n; ++i) row[i] = src[i * s.inner];
      if (c.ints[sm::kLog]) {
        log_softmax(*c.kernels, s.n, row, e, row);
      } else {
        c.kernels->softmax(1, static_cast<size_t>(s.n), row, row);
      }
      for (int64_t i = 0; i < s.n; ++i) dst[i * s.inner] = row[i];
    }
  });
}

ert_status run(const OpContext& c) {
  const Shape s = shape_of(c);
  if (s.n == 0) return ERT_OK;
  c.ints[sm::kAxis] == input(c, 0).rank - 1 ? last_axis(c, s) : other_axis(c, s);
  return ERT_OK;
}

}  // namespace softmax_op
}  // namespace

const OpDef kOpSoftmax = {"Softmax", softmax_op::prepare, softmax_op::run, nullptr, 1};

}  // namespace ert
