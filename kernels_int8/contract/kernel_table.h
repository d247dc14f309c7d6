// The kernels that the runtime calls, as one table of function pointers per ISA level. The scalar reference (ref/) fills every slot and
// defines every result (NUMERICS.md). Another level starts as a copy of its base and overwrites slots. All levels give the same bits.
//
// What holds for every kernel:
//   - no allocation, globals, threads or errors: the caller has checked all sizes. Sizes and counts are at least 1 unless said otherwise;
//   - the processor is in ert's float mode (rt/base/float_mode.h): subnormals are zero, round to nearest even;
//   - matrices are row-major. A *_stride is in elements of the pointed-to type, a *_bytes in bytes, both from one row to the next;
//   - pointers need the alignment of their element type unless more is said;
//   - [out] memory overlaps no [in] memory unless said otherwise. Scratch holds nothing from one call to the next.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/cache_sizes.h"
#include "kernels_int8/contract/isa.h"
#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/contract/quantized_rows.h"
#include "kernels_int8/contract/unary.h"
#include "kernels_int8/contract/wide_kernels.h"

namespace ert::kernels {

// One T for each enumerator of E, whose last is kCount.
template <class T, class E>
struct PerEnum {
  T entries[static_cast<size_t>(E::kCount)];

  constexpr T& operator[](E e) { return entries[static_cast<size_t>(e)]; }
  constexpr const T& operator[](E e) const { return entries[static_cast<size_t>(e)]; }
};

// Bytes of one quantized row of k values: a multiple of 64, at most max_quantized_row_bytes. The format behind it is private to the rows and
// GEMMs of one precision in one table: linear_kernels (dispatch/dispatch.h) gives those that belong together.
using RowBytesFn = size_t (*)(size_t k);

// Quantizes the rows of src, times the factors where there are some.
//   m           rows
//   k           values of a row, at most 65000
//   src         [in] float [m, k]
//   src_stride  floats between rows of src
//   inv_smooth  [in] float [k]: factors; or null
//   dst         [out] m rows of quantized values, 64-byte aligned, of kW12A13 aligned to 2. Bytes of a row behind its last value are arbitrary. kW8A8 and m = 1: may be src
//   row_bytes   bytes between rows of dst, a multiple of 64: RowBytesFn of k; kW8A8: also more
//   scales      [out] RowScale [m]
using QuantizeRowsFn = void (*)(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                                size_t row_bytes, RowScale* scales);
// quantize_pairs has the same parameters. Rows 2i and 2i + 1 of a call are written into the memory of both, mixed as the level's gemm wants them; a last
// row without a second one is that of quantize_rows. Calls of even numbers of rows, one behind the other, are one of all. dst is never src.

// dst[i, j] = float(acc) * (scales[i].scale * w.scale[j]) + w.bias[j], acc the exact sum over k of (q - zero point) * weight. Of kW12A13: wide_kernels.h.
struct GemmArgs {
  size_t m, n, k;          // rows of lhs; columns of w, from its first on; values of a row, at most 65000
  const void* lhs;         // [in] m quantized rows, 64-byte aligned
  size_t row_bytes;        // bytes between rows of lhs, as QuantizeRowsFn was told
  const RowScale* scales;  // [in] RowScale [m]
  PackedWeights w;         // [in] whole panels of data are read, beyond n too
  float* dst;              // [out] float [m, n]
  ptrdiff_t dst_stride;    // floats between rows of dst
  bool paired = false;     // lhs is of quantize_pairs, from the first row of a pair on
  Clamp clamp = Clamp::kNone;  // of dst at the end; only where clamps_products() says so
  CacheSizes caches = {};      // of the CPU
};
using GemmFn = void (*)(const GemmArgs& g);

// A Linear of kW12A13 as what its kernels compute: one run for each row, one line.
inline WideArgs wide_args(const GemmArgs& g) {
  WideArgs a = {};
  a.lines = a.rows = a.taps = 1;
  a.outputs = g.m;
  a.filters = g.n;
  a.run = g.k;
  a.src = static_cast<const int16_t*>(g.lhs);
  a.src_step = static_cast<ptrdiff_t>(g.row_bytes / sizeof(int16_t));
  a.scales = &g.scales->scale;
  a.scale_step = sizeof(RowScale) / sizeof(float);
  a.w = g.w;
  a.dst = g.dst;
  a.dst_stride = g.dst_stride;
  a.clamp = g.clamp;
  return a;
}

// Attention of one head of one batch entry: dst = softmax(scale * q k^T + bias, hidden keys left out) v. NUMERICS.md section 6.
struct AttentionArgs {
  int32_t seq_q, seq_k;     // rows of q and dst; rows of k and v
  int32_t head_dim, v_dim;  // columns of q and k; of v and dst
  const float* q;           // [in] float [seq_q, head_dim]
  ptrdiff_t q_stride;       // floats between rows, as for the other three
  const float* k;           // [in] float [seq_k, head_dim]
  ptrdiff_t k_stride;
  const float* v;  // [in] float [seq_k, v_dim]
  ptrdiff_t v_stride;
  float scale;
  const float* bias;      // [in] float [seq_q, seq_k]; or null
  ptrdiff_t bias_stride;  // floats between rows; 0: one row for all queries
  const uint8_t* mask;    // [in] bytes [seq_q, seq_k], 0 hides the key; or null
  ptrdiff_t mask_stride;  // bytes between rows; 0: one row for all queries (key padding)
  int32_t causal_offset;  // query i sees keys j <= i + causal_offset; INT32_MAX: all
  float* dst;             // [out] float [seq_q, v_dim]. The row of a query that sees no key is zeros
  ptrdiff_t dst_stride;
  void* scratch;  // attention_scratch_bytes(seq_q, seq_k, head_dim, v_dim) bytes, 64-byte aligned
};
using AttentionFn = void (*)(const AttentionArgs& a);

// One row of bias and mask for all queries?
inline bool same_for_all_queries(const AttentionArgs& a) {
  return (a.bias == nullptr || a.bias_stride == 0) && (a.mask == nullptr || a.mask_stride == 0) && a.causal_offset == INT32_MAX;
}

// The same for every level, so that the RAM formula does not depend on the CPU.
size_t attention_scratch_bytes(int32_t seq_q, int32_t seq_k, int32_t head_dim, int32_t v_dim);

// One step of one row of a recurrent cell, after the products with the recurrent weights. x_g is product + projected input of gate g.
//   n            units
//   gates        [in] products: those of gate g are float [n] at gates + g * gate_stride
//   gate_stride  floats between gates, at least n
//   projected    [in] float [gates, n]: inputs times their weights, plus biases
//   c            [in, out] float [n]: cell state of an LSTM
//   h            LSTM [out], GRU [in, out]: float [n], hidden state
// LSTM, gates i, o, f, c as in ONNX: c = sigmoid(x_f) * c + sigmoid(x_i) * tanh(x_c); h = sigmoid(x_o) * tanh(c).
using LstmStepFn = void (*)(size_t n, const float* gates, size_t gate_stride, const float* projected, float* c, float* h);
// GRU with linear_before_reset, gates z, r, h: h = (1 - z) * tanh(sigmoid(x_r) * product_h + projected_h) + z * h, z = sigmoid(x_z).
using GruStepFn = void (*)(size_t n, const float* gates, size_t gate_stride, const float* projected, float* h);

// dst[i] = f(src[i]).
//   n    values
//   src  [in] float [n]
//   dst  [out] float [n]; may be src
using ElementwiseFn = void (*)(size_t n, const float* src, float* dst);

// The sum of float [n] in the order of the 16 canonical lanes (NUMERICS.md section 1).
using SumFn = float (*)(size_t n, const float* src);

// dst[i] of a[i] and b[i], float [n] each.
using RowPairFn = void (*)(size_t n, const float* a, const float* b, float* dst);
// acc[i], i < n, meets x[i], x[i + step], .. in turn, `count` of them.
using RowsDownFn = void (*)(size_t count, ptrdiff_t step, size_t n, const float* x, float* acc);

struct KernelTable {
  Isa isa;

  // Quantized Linears. gemm of a layout that the level does not read is null; linear_kernels has the answer then. N16K4, and N16K2 of
  // kW12A13, are never null.
  PerEnum<RowBytesFn, Precision> row_bytes;
  PerEnum<QuantizeRowsFn, Precision> quantize_rows;
  PerEnum<QuantizeRowsFn, Precision> quantize_pairs;  // null where no gemm of the level wants pairs; else all of the precision take them
  PerEnum<PerEnum<GemmFn, Layout>, Precision> gemm;
  // kW8A8: quantize_rows of kGeluCoarse of src. src is [in, out]: it is left with arbitrary values.
  void (*gelu_quantize_rows)(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                             size_t row_bytes, RowScale* scales);

  // dst[i, j] = sum over k in order, from +0 on, multiply and add rounded apart; then + bias[j].
  //   m, n, k       rows of lhs and dst; columns of rhs and dst; columns of lhs, rows of rhs
  //   lhs           [in] element (i, kk) at lhs[i * lhs_stride + kk * lhs_k_stride]
  //   lhs_stride    floats between rows of lhs
  //   lhs_k_stride  floats between columns of lhs
  //   rhs           [in] float [k, n]
  //   rhs_stride    floats between rows of rhs
  //   bias          [in] float [n]; or null
  //   dst           [out] float [m, n]
  //   dst_stride    floats between rows of dst
  void (*gemm_f32)(size_t m, size_t n, size_t k, const float* lhs, ptrdiff_t lhs_stride, ptrdiff_t lhs_k_stride, const float* rhs,
                   ptrdiff_t rhs_stride, const float* bias, float* dst, ptrdiff_t dst_stride);

  AttentionFn attention_i8;  // q, k, v symmetric int8 per row, softmax weights in 14 bits
  AttentionFn attention_f32;

  // Per row, x = src (+ residual): y = (x - mean(x)) / sqrt(var(x) + eps) * gamma (+ beta); rms: y = x / sqrt(mean(x * x) + eps) * gamma (+ beta).
  //   m, n      rows; columns
  //   src       [in] float [m, n], rows side by side, as in all matrices of this kernel
  //   residual  [in] float [m, n]; or null
  //   gamma     [in] float [n]
  //   beta      [in] float [n]; or null
  //   dst       [out] float [m, n]; may be src or residual
  //   sum_out   [out] float [m, n], receives x; or null
  void (*layernorm)(size_t m, size_t n, const float* src, const float* residual, const float* gamma, const float* beta, float eps,
                    bool rms, float* dst, float* sum_out);
  // Softmax of each row; a row that is -inf throughout gives zeros.
  //   m, n  rows; columns
  //   src   [in] float [m, n], rows side by side
  //   dst   [out] float [m, n]; may be src
  void (*softmax)(size_t m, size_t n, const float* src, float* dst);
  // The same down columns, which give what rows of the same values give; may be null.
  //   n, columns  values of a column; columns side by side
  //   src         [in] float [n, columns], rows `stride` elements apart
  //   dst         [out] float, the same; may be src
  void (*softmax_columns)(size_t n, size_t columns, const float* src, size_t stride, float* dst);

  // Elementwise, of what compilers make plain loops too: null where those are as quick, with the widest registers. As the loops of the ops
  // (rt/ops/scalar_arithmetic.h) give them, subnormals, NaN and the signs of zeros included. dst may be an operand.
  RowPairFn add_rows, multiply_rows, larger_of_rows;
  RowsDownFn add_down, largest_down;
  // What is below zero times alpha; then what is less than `least`, -inf for none, becomes it. NaN stays.
  void (*leaky_relu)(size_t n, float alpha, float least, const float* src, float* dst);

  LstmStepFn lstm_step;
  GruStepFn gru_step;
  LstmStepFn lstm_step_coarse;  // the same two with kSigmoidCoarse and kTanhCoarse
  GruStepFn gru_step_coarse;

  ElementwiseFn unary[static_cast<int>(Unary::kCount)];
  SumFn sum;
  SumFn sum_squares;  // of src[i] * src[i]
};

// Whether the table's gemm takes GemmArgs::clamp; else that is left to the caller. With int8 weights those of NEON do and what is built on it;
// of W8A8 those with vpdpbusd.
constexpr bool clamps_products(const KernelTable& table, Precision precision, Layout layout) {
  if (precision == Precision::kW12A13) return true;
  if (table.isa == Isa::kAvxVnni || table.isa == Isa::kAvx512Vnni) return precision == Precision::kW8A8 && layout == Layout::kN16K4;
  return is_neon(table.isa) && table.gemm[precision][layout] != nullptr;
}

// The kernels of one quantized Linear. They belong together: the format of the rows is private to them.
struct LinearKernels {
  RowBytesFn row_bytes;
  QuantizeRowsFn quantize_rows;
  QuantizeRowsFn quantize_pairs;  // may be null
  GemmFn gemm;
};

}  // namespace ert::kernels
