// Binary: elementwise functions of two operands with numpy broadcasting. One plain loop per kind and dtype, or a kernel for it, over contiguous
// runs; a broadcast operand is spread into a small buffer first, so no loop needs a second form.
#include <string.h>

#include "kernels_int8/ref/scalar_pow.h"
#include "rt/base/limits.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"
#include "rt/ops/strided_walk.h"

namespace ert {
namespace {
namespace binary_op {

using namespace ops;
namespace bin = params::binary;

constexpr int64_t kSpread = ERT_EVAL_ON_STACK ? 128 : 16;  // elements of a spread operand; few where stacks are small

// Counts of the size of an address: 64 bits would double the loops of a 32-bit core.
using Loop = void (*)(ptrdiff_t n, const void* a, const void* b, void* out);

template <class T, class R, R (*F)(T, T)>
void loop(ptrdiff_t n, const void* a, const void* b, void* out) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  R* r = static_cast<R*>(out);
  for (ptrdiff_t i = 0; i < n; ++i) r[i] = F(x[i], y[i]);
}

// A loop, or the kernel of the level that stands for it.
struct Body {
  Loop plain;
  kernels::RowPairFn kernel;
  void operator()(ptrdiff_t n, const void* a, const void* b, void* out) const {
    if (kFastForms && kernel != nullptr)
      return kernel(static_cast<size_t>(n), static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(out));
    plain(n, a, b, out);
  }
};

kernels::RowPairFn kernel_for(const kernels::KernelTable& t, uint8_t dtype, int32_t kind) {
  if (!kFastForms || dtype != ERT_F32) return nullptr;
  return kind == bin::kAdd ? t.add_rows : kind == bin::kMul ? t.multiply_rows : kind == bin::kMax ? t.larger_of_rows : nullptr;
}

template <class T>
uint8_t is_equal(T a, T b) {
  return equal(a, b);
}
template <class T>
uint8_t is_less(T a, T b) {
  return less(a, b);
}
template <class T>
uint8_t is_less_or_equal(T a, T b) {
  return less_or_equal(a, b);
}
uint8_t both(uint8_t a, uint8_t b) { return a != 0 && b != 0; }
uint8_t either(uint8_t a, uint8_t b) { return (a | b) != 0; }  // one comparison
uint8_t one_of(uint8_t a, uint8_t b) { return (a != 0) != (b != 0); }
uint8_t same_truth(uint8_t a, uint8_t b) { return (a != 0) == (b != 0); }

Loop float_loop(int32_t kind) {
  switch (kind) {
    case bin::kAdd: return loop<float, float, plus>;
    case bin::kSub: return loop<float, float, minus>;
    case bin::kMul: return loop<float, float, times>;
    case bin::kDiv: return loop<float, float, over>;
    case bin::kPow: return loop<float, float, kernels::scalar_pow>;
    case bin::kMin: return loop<float, float, min_of>;
    case bin::kMax: return loop<float, float, max_of>;
    case bin::kMod: return loop<float, float, floor_fmod>;
    case bin::kFmod: return loop<float, float, exact_fmod>;
    case bin::kEqual: return loop<float, uint8_t, is_equal<float>>;
    case bin::kLess:
    case bin::kGreater: return loop<float, uint8_t, is_less<float>>;
    case bin::kLessOrEqual:
    case bin::kGreaterOrEqual: return loop<float, uint8_t, is_less_or_equal<float>>;
    case bin::kPRelu: return loop<float, float, leaky>;
    default: return nullptr;
  }
}

Loop int_loop(int32_t kind) {
  switch (kind) {
    case bin::kAdd: return loop<int32_t, int32_t, wrap_add>;
    case bin::kSub: return loop<int32_t, int32_t, wrap_sub>;
    case bin::kMul: return loop<int32_t, int32_t, wrap_mul>;
    case bin::kDiv: return loop<int32_t, int32_t, safe_div>;
    case bin::kPow: return loop<int32_t, int32_t, wrap_pow>;
    case bin::kMin: return loop<int32_t, int32_t, min_of>;
    case bin::kMax: return loop<int32_t, int32_t, max_of>;
    case bin::kMod: return loop<int32_t, int32_t, floor_mod>;
    case bin::kFmod: return loop<int32_t, int32_t, safe_rem>;
    case bin::kEqual: return loop<int32_t, uint8_t, is_equal<int32_t>>;
    case bin::kLess:
    case bin::kGreater: return loop<int32_t, uint8_t, is_less<int32_t>>;
    case bin::kLessOrEqual:
    case bin::kGreaterOrEqual: return loop<int32_t, uint8_t, is_less_or_equal<int32_t>>;
    default: return nullptr;
  }
}

Loop bool_loop(int32_t kind) {
  switch (kind) {
    case bin::kAnd: return loop<uint8_t, uint8_t, both>;
    case bin::kOr: return loop<uint8_t, uint8_t, either>;
    case bin::kXor: return loop<uint8_t, uint8_t, one_of>;
    case bin::kEqual: return loop<uint8_t, uint8_t, same_truth>;
    default: return nullptr;
  }
}

Loop loop_for(uint8_t dtype, int32_t kind) {
  switch (dtype) {
    case ERT_F32: return float_loop(kind);
    case ERT_I32: return int_loop(kind);
    case ERT_BOOL: return bool_loop(kind);
    default: return nullptr;
  }
}

// a > b is b < a: these kinds run the other's loop with their operands exchanged.
bool exchanges(int32_t kind) { return kind == bin::kGreater || kind == bin::kGreaterOrEqual; }

bool gives_bool(int32_t kind) { return kind >= bin::kEqual && kind <= bin::kXor; }

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, 2}, {1, 1}, {bin::kIntCount, bin::kIntCount}, {0, 0})) return false;
  const Operand &a = input(c, 0), &b = input(c, 1), &out = output(c, 0);
  const int32_t kind = c.ints[bin::kKind];
  if (a.dtype != b.dtype || loop_for(a.dtype, kind) == nullptr) return false;
  if (out.dtype != (gives_bool(kind) ? static_cast<uint8_t>(ERT_BOOL) : a.dtype)) return false;
  const Operand* const inputs[] = {&a, &b};
  return is_broadcast_of(out, inputs, 2);
}

// A run of one operand: contiguous, or one element repeated, which is then spread over `buffer`.
struct Side {
  const uint8_t* data;
  int64_t step;  // bytes per element; 0 = repeated
  Side(const uint8_t* element, int64_t stride, size_t bytes, int64_t count, Word32* buffer)
      : data(element), step(stride * static_cast<int64_t>(bytes)) {
    if (step == 0 && count > 1) data = spread(element, bytes, count < kSpread ? count : kSpread, buffer);
  }
  static __attribute__((noinline)) const uint8_t* spread(const uint8_t* element, size_t bytes, int64_t n, Word32* buffer) {
    if (bytes == 4) {
      const Word32 v = *static_cast<const Word32*>(static_cast<const void*>(element));
      for (int64_t i = 0; i < n; ++i) buffer[i] = v;
    } else {
      memset(buffer, *element, static_cast<size_t>(n));
    }
    return static_cast<const uint8_t*>(static_cast<const void*>(buffer));
  }
  const uint8_t* at(int64_t i) const { return data + i * step; }
};

// Elements [begin, end).
void run_block(Body body, const StridedWalk& walk, const Operand& a, const Operand& b, const Operand& out, int64_t begin,
               int64_t end) {
  const size_t in_bytes = element_bytes(a);
  const int64_t out_bytes = static_cast<int64_t>(element_bytes(out));
  Word32 spread[2][kSpread];
  walk.runs<2>(begin, end, [&](int64_t first, const ptrdiff_t* offset, int64_t count) {
    const Side x(a.as<uint8_t>() + offset[0] * static_cast<int64_t>(in_bytes), walk.inner_stride(0), in_bytes, count, spread[0]);
    const Side y(b.as<uint8_t>() + offset[1] * static_cast<int64_t>(in_bytes), walk.inner_stride(1), in_bytes, count, spread[1]);
    uint8_t* dst = out.mut<uint8_t>() + first * out_bytes;
    const int64_t piece = x.step != 0 && y.step != 0 ? count : kSpread;
    for (int64_t i = 0; i < count; i += piece) body(count - i < piece ? count - i : piece, x.at(i), y.at(i), dst + i * out_bytes);
  });
}

// A short row that is repeated, as a value for each of a few channels is: which input it is, or -1. The other one is dense over both axes.
int repeated_row(const StridedWalk& w) {
  if (w.rank < 2 || 2 * w.inner() > kSpread) return -1;
  for (int i = 0; i < 2; ++i) {
    const ptrdiff_t* row = w.stride[i] + w.rank - 2;
    const ptrdiff_t* other = w.stride[1 - i] + w.rank - 2;
    if (row[0] == 0 && row[1] == 1 && other[1] == 1 && other[0] == w.inner()) return i;
  }
  return -1;
}

// Elements [begin, end) where input `repeated` is such a row, which is spread as often as there is room.
void run_repeated(Body body, StridedWalk walk, int repeated, const Operand& a, const Operand& b, const Operand& out,
                  int64_t begin, int64_t end) {
  const int64_t row = walk.inner(), in_bytes = static_cast<int64_t>(element_bytes(a));
  const int64_t out_bytes = static_cast<int64_t>(element_bytes(out)), spread = kSpread / row * row;
  const int last = --walk.rank - 1;
  walk.size[last] *= walk.size[last + 1];
  walk.stride[repeated][last] = 0;
  walk.stride[1 - repeated][last] = 1;
  Word32 rows[kSpread];
  uint8_t* repeated_rows = static_cast<uint8_t*>(static_cast<void*>(rows));
  const Operand &small = repeated == 0 ? a : b, &large = repeated == 0 ? b : a;
  walk.runs<2>(begin, end, [&](int64_t first, const ptrdiff_t* offset, int64_t count) {
    const uint8_t* from = small.as<uint8_t>() + offset[repeated] * in_bytes;
    for (int64_t i = 0; i < spread; i += row) memcpy(repeated_rows + i * in_bytes, from, static_cast<size_t>(row * in_bytes));
    const uint8_t* other = large.as<uint8_t>() + offset[1 - repeated] * in_bytes;
    uint8_t* dst = out.mut<uint8_t>() + first * out_bytes;
    int64_t phase = first % row;
    for (int64_t i = 0, n; i < count; i += n, phase = 0) {
      n = spread - phase < count - i ? spread - phase : count - i;
      const uint8_t *x = repeated_rows + phase * in_bytes, *y = other + i * in_bytes;
      body(static_cast<ptrdiff_t>(n), repeated == 0 ? x : y, repeated == 0 ? y : x, dst + i * out_bytes);
    }
  });
}

// A power that is a product, as power spectra have it: scalar_pow gives the same.
bool is_square(int32_t kind, const Operand& exponent) {
  return kFastForms && kind == bin::kPow && is_f32(exponent) && exponent.elements() == 1 && equal(*exponent.as<float>(), 2.0f);
}

ert_status run(const OpContext& c) {
  int32_t kind = c.ints[bin::kKind];
  const int32_t left = exchanges(kind) ? 1 : 0;
  const bool squares = is_square(kind, input(c, 1));
  if (squares) kind = bin::kMul;
  const Operand &a = input(c, left), &b = input(c, squares ? left : 1 - left), &out = output(c, 0);
  const Body body = {loop_for(a.dtype, kind), kernel_for(*c.kernels, a.dtype, kind)};
  StridedWalk walk(out);
  walk.add_broadcast(a);
  walk.add_broadcast(b);
  walk.merge();
  const int repeated = kFastForms ? repeated_row(walk) : -1;
  for_blocks(c, out.elements(), 1, 64, [&](int64_t begin, int64_t end, uint32_t) {
    if (kFastForms && repeated >= 0) return run_repeated(body, walk, repeated, a, b, out, begin, end);
    run_block(body, walk, a, b, out, begin, end);
  });
  return ERT_OK;
}

}  // namespace binary_op
}  // namespace

const OpDef kOpBinary = {"Binary", binary_op::prepare, binary_op::run, nullptr, 3};

}  // namespace ert
