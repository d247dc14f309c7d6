// What ops that multiply rows with constant weights have in common: the checks of the operands that are a Linear's in all of them, how
// rows are split over threads, and the product of rows with columns of the weights.
#pragma once

#include <stdint.h>

#include "kernels_int8/dispatch/dispatch.h"
#include "rt/ops/conv_activation.h"
#include "rt/ops/operand_checks.h"

namespace ert::ops {

constexpr int64_t kBlockRows = 32;       // rows quantized at a time per thread
constexpr int64_t kFarBlockRows = 128;   // the same where weights lie behind most cores' caches: every block fetches them again
// These weights. A constant, not the CPU's: blocks of rows are scratch, and the arena is the same on every CPU.
constexpr int64_t kFarWeights = 1 << 20;
constexpr int64_t kPanelColumns = 16;    // of N16K4; whole panels of the other layouts too
constexpr int64_t kGroupColumns = 1536;  // an activation follows each such group, whose outputs are then still in a near cache
// Fewer rows per thread than this: split the weights instead. More of them where the weights lie behind this CPU's L2: each
// thread would have to fetch all.
constexpr int64_t kRowsWorthSplitting = 6, kRowsWorthFetchingTwice = 12;
// The same on cores that differ, which share columns better than rows: a slow core then takes fewer.
constexpr int64_t kRowsWorthSplittingUnevenly = 16;
constexpr int64_t kParallelMacs = 65536;  // below this, waking threads costs more than it gains
// A thread's share of columns is so many tasks, if each is so much: threads that are done help one that is slow or held up, for which all would
// wait otherwise.
constexpr int64_t kTasksOfThread = kFastForms ? 4 : 1;
constexpr int64_t kTaskMacs = 4 * kParallelMacs;
// The same of rows, on cores that differ only: each task reads the weights again, and fewer rows read them faster. Rows of a task at least, more where the
// weights lie behind this CPU's L2.
constexpr int64_t kRowTasksOfThread = 8, kTaskRows = 8, kFarTaskRows = 32;

// Rows, columns of the weights, values of a row.
struct ProductShape {
  int64_t m, n, k;
};

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

inline int64_t most_block_rows(const ProductShape& s) { return s.n * s.k >= kFarWeights ? kFarBlockRows : kBlockRows; }

inline bool aligned(const Operand& o, uintptr_t alignment) { return reinterpret_cast<uintptr_t>(o.data) % alignment == 0; }

// Of weights [n, k] in a packed layout, and of so many factors.
bool quantized_operands_ok(const OpContext& c, int64_t n, int64_t k, int64_t factors);

// Of weights f32 [k, n].
bool float_operands_ok(const OpContext& c, int64_t n, int64_t k);

inline bool precision_ok(int32_t precision) {
  namespace lin = params::linear;
  return precision >= lin::kInt8 && precision <= lin::kW12A13;
}

inline bool precision_and_activation_ok(const OpContext& c) {
  namespace lin = params::linear;
  const int32_t activation = c.ints[lin::kActivation];
  if (!precision_ok(c.ints[lin::kPrecision])) return false;
  return activation >= lin::kNoActivation && activation < static_cast<int32_t>(kernels::Unary::kCount);
}

// How the work is split.
struct RowSplit {
  int64_t threads;
  bool by_columns;
  int64_t block_rows;  // of one task otherwise: even blocks of at most most_block_rows, and as many as keep all threads busy
};

// Tasks of one thread, at most `most`, whose share is `units`: if there are several, each has `least` or more.
inline int64_t tasks_of_thread(int64_t units, int64_t least, int64_t most) {
  if (units < 2 * least) return 1;
  return units < most * least ? units / least : most;
}

// Rows that a thread quantizes at a time, at most; also for runs of fewer rows than s.m. Even, or all: blocks of rows may be of pairs.
inline int64_t most_quantized_rows(const ProductShape& s, int64_t threads) {
  if (threads < 2 || s.m <= kBlockRows)
    return s.m < most_block_rows(s) ? s.m : most_block_rows(s);  // a division takes as long as some short rows
  const int64_t share = (ceil_div(s.m, threads) + 1) / 2 * 2;
  const int64_t rows = share < kBlockRows ? kBlockRows : share < most_block_rows(s) ? share : most_block_rows(s);
  return s.m < rows ? s.m : rows;
}

// Of the threads and caches of c. in_pairs: blocks but the last have even numbers of rows.
RowSplit split_of(const OpContext& c, const ProductShape& s, bool in_pairs = false);

// The weights of an op whose prepare has accepted them.
struct Product {
  const OpContext& c;
  const ProductShape& s;
  const float* bias;
  int32_t precision;
  int32_t activation;                // what the products leave to do
  kernels::LinearKernels quantized;  // unless precision is kF32
  kernels::Layout layout;
  size_t row_bytes;
  kernels::Clamp clamp;  // what they do themselves

  static Product of(const OpContext& c, const ProductShape& s) {
    namespace lin = params::linear;
    const Operand& bias_operand = input(c, lin::kBias);
    const int32_t precision = c.ints[lin::kPrecision], activation = c.ints[lin::kActivation];
    const kernels::Layout layout =
        precision == lin::kF32 ? kernels::Layout{} : params::kernel_layout(input(c, lin::kWeights).dtype);
    const bool clamps = precision == lin::kW12A13 || (kFastForms && precision != lin::kF32 &&
                                                      kernels::clamps_products(*c.kernels, lin::kernel_precision(precision), layout));
    const kernels::Clamp clamp = clamps ? clamp_of(activation) : kernels::Clamp::kNone;
    // Made where it stays: copying the kernels right after they are found would wait for the stores.
    Product p = {c,
                 s,
                 bias_operand.present() ? bias_operand.as<float>() : nullptr,
                 precision,
                 clamp == kernels::Clamp::kNone ? activation : lin::kNoActivation,
                 precision == lin::kF32 ? kernels::LinearKernels{}
                                        : kernels::linear_kernels(*c.kernels, lin::kernel_precision(precision), layout),
                 layout,
                 0,
                 clamp};
    if (precision != lin::kF32) p.row_bytes = p.quantized.row_bytes(static_cast<size_t>(s.k));
    return p;
  }

  const float* inv_smooth() const {
    const Operand& smooth = input(c, params::linear::kInvSmooth);
    return smooth.present() ? smooth.as<float>() : nullptr;
  }

  // out[i, j] of rows that are quantized, and columns [column, column + columns); out has s.n columns.
  void multiply_quantized(int64_t rows, int64_t column, int64_t columns, const uint8_t* lhs, size_t lhs_bytes,
                          const kernels::RowScale* scales, float* out, bool paired = false) const {
    const size_t m = static_cast<size_t>(rows), n = static_cast<size_t>(columns), k = static_cast<size_t>(s.k);
    quantized.gemm({m, n, k, lhs, lhs_bytes, scales, weights_from(column), out, static_cast<ptrdiff_t>(s.n), paired, clamp, c.caches});
  }

  // Of quantized weights, the columns from `column` on, which is the first of a panel.
  kernels::PackedWeights weights_from(int64_t column) const {
    namespace lin = params::linear;
    const Operand& colsum = input(c, lin::kColsum);
    return {input(c, lin::kWeights).as<int8_t>() +
                kernels::packed_bytes(layout, static_cast<size_t>(column), static_cast<size_t>(s.k)),
            input(c, lin::kScale).as<float>() + column,
            layout == kernels::Layout::kN16K2 ? nullptr : colsum.as<int32_t>() + column, bias ? bias + column : nullptr, layout};
  }

  // The same of rows in fp32, for kF32.
  void multiply_f32(int64_t rows, int64_t column, int64_t columns, const float* lhs, int64_t lhs_stride, float* out) const {
    c.kernels->gemm_f32(static_cast<size_t>(rows), static_cast<size_t>(columns), static_cast<size_t>(s.k), lhs, lhs_stride, 1,
                        input(c, params::linear::kWeights).as<float>() + column, s.n, bias ? bias + column : nullptr, out, s.n);
  }
};

}  // namespace ert::ops
