// The kernels that the runtime calls, as one table of function pointers per ISA level. The scalar reference (ref/) fills
// every slot and defines every result (NUMERICS.md); a better level overwrites slots upward. All levels give the same bits.
//
// Conventions of every kernel: no allocation, globals, threads or errors; the caller has checked all sizes. Matrices are
// row-major; strides are in elements of the pointed-to type unless the name ends in _bytes. Pointers need element
// alignment only, unless said otherwise. dst may alias a source only where said.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/isa.h"
#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/contract/unary.h"

namespace ert::kernels {

// Activations of a Linear in the form that the level's GEMM wants (u8 with zero point, or int16 with it subtracted, ...).
// Opaque between quantize_rows and gemm of one table. Bound for every level: row_bytes(k) <= kMaxQuantizedRowBytes(k).
constexpr size_t max_quantized_row_bytes(size_t k) { return round_up(2 * k, 64); }

// Per-row parameters of quantized activations: value = (q - zero_point) * scale.
struct RowScale {
  float scale;
  int32_t zero_point;
};

// dst[m, n] = lhs[m, k] * w: quantized rows times the columns [0, n) of w; whole panels are read.
struct GemmArgs {
  size_t m, n, k;
  const void* lhs;  // rows are row_bytes apart
  size_t row_bytes;
  const RowScale* scales;  // of the rows
  PackedWeights w;
  float* dst;
  ptrdiff_t dst_stride;
};

// One head of one batch entry. Query row i and key row j of all tensors are `stride` floats apart.
struct AttentionArgs {
  int32_t seq_q, seq_k;     // >= 1
  int32_t head_dim, v_dim;  // of q and k rows; of v rows and the output
  const float* q;
  ptrdiff_t q_stride;
  const float* k;
  ptrdiff_t k_stride;
  const float* v;
  ptrdiff_t v_stride;
  float scale;            // on QK^T
  const float* bias;      // additive [seq_q, seq_k], or null
  ptrdiff_t bias_stride;  // floats between query rows; 0 = one row for all queries
  const uint8_t* mask;    // [seq_q, seq_k], nonzero = attend, or null
  ptrdiff_t mask_stride;  // bytes between query rows; 0 = key padding: one row for all queries
  int32_t causal_offset;  // query i sees keys j <= i + causal_offset; INT32_MAX = no causal limit
  float* dst;
  ptrdiff_t dst_stride;  // [seq_q, v_dim]
  void* scratch;         // attention_scratch_bytes(...), 64-byte aligned
};

struct KernelTable {
  Isa isa;

  // Bytes of one quantized row; a multiple of 64.
  size_t (*quantized_row_bytes)(size_t k);
  // Rows [m, k] of src, times inv_smooth[k] where not null, to 8-bit asymmetric. dst rows are row_bytes apart, 64-aligned. A single
  // row may be quantized in place: dst = src.
  void (*quantize_rows)(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                        size_t row_bytes, RowScale* scales);
  // The same of kGeluCoarse of src: as that kernel and then quantize_rows. src is overwritten with something.
  void (*gelu_quantize_rows)(size_t m, size_t k, float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                             size_t row_bytes, RowScale* scales);
  // dst[m, n] = float(acc) * (row.scale * scale[n]) + bias[n]. One slot per layout of the weights; a slot of a layout that the level
  // does not read is null, but for N16K4 (linear_kernels has the answer then).
  void (*gemm_qa8_qw8)(const GemmArgs& g);
  void (*gemm_qa8_qw8_n8k8)(const GemmArgs& g);
  void (*gemm_qa8_qw8_n2k16)(const GemmArgs& g);

  // W8A16 (NUMERICS.md): the same with symmetric activations of two 7-bit digits. Scratch row: 2 * max_quantized_row_bytes(k) suffices.
  size_t (*quantized16_row_bytes)(size_t k);
  void (*quantize16_rows)(size_t m, size_t k, const float* src, ptrdiff_t src_stride, const float* inv_smooth, void* dst,
                          size_t row_bytes, RowScale* scales);
  void (*gemm_qa16_qw8)(const GemmArgs& g);
  void (*gemm_qa16_qw8_n8k8)(const GemmArgs& g);
  void (*gemm_qa16_qw8_n2k16)(const GemmArgs& g);

  // dst[m, n] = sum over k in order, mul and add rounded apart, starting from +0, then + bias[n] where not null.
  // lhs element (i, kk) at lhs[i * lhs_stride + kk * lhs_k_stride]; rhs row kk at rhs + kk * rhs_stride, n contiguous floats.
  void (*gemm_f32)(size_t m, size_t n, size_t k, const float* lhs, ptrdiff_t lhs_stride, ptrdiff_t lhs_k_stride, const float* rhs,
                   ptrdiff_t rhs_stride, const float* bias, float* dst, ptrdiff_t dst_stride);

  // int8 attention (int8 QK^T, two-digit P, int8 V) and the fp32 form. Fully masked rows give zeros; never NaN.
  void (*attention_i8)(const AttentionArgs& a);
  void (*attention_f32)(const AttentionArgs& a);

  // y = (x - mean) / sqrt(var + eps) * gamma + beta per row of n, with x = src (+ residual where not null). beta may be null.
  // sum_out (may be null) receives x. rms: y = x / sqrt(mean(x*x) + eps) * gamma (+ beta). dst may alias src or residual.
  void (*layernorm)(size_t m, size_t n, const float* src, const float* residual, const float* gamma, const float* beta, float eps,
                    bool rms, float* dst, float* sum_out);
  // Softmax of each contiguous row of n; a row that is all -inf gives zeros. dst may equal src.
  void (*softmax)(size_t m, size_t n, const float* src, float* dst);
  // One step of one row of a recurrent cell with the usual activations, after the products with the recurrent weights. Gate g
  // has its n products at gates + g * gate_stride and its n projected inputs at projected + g * n; x_g is their sum.
  // LSTM, gates i, o, f, c of ONNX: c = sigmoid(x_f) * c + sigmoid(x_i) * tanh(x_c); h = sigmoid(x_o) * tanh(c).
  void (*lstm_step)(size_t n, const float* gates, size_t gate_stride, const float* projected, float* c, float* h);
  // GRU with linear_before_reset, gates z, r, h: h = (1 - z) * tanh(sigmoid(x_r) * product_h + projected_h) + z * h, z = sigmoid(x_z).
  void (*gru_step)(size_t n, const float* gates, size_t gate_stride, const float* projected, float* h);
  // The same two with kSigmoidCoarse and kTanhCoarse.
  void (*lstm_step_coarse)(size_t n, const float* gates, size_t gate_stride, const float* projected, float* c, float* h);
  void (*gru_step_coarse)(size_t n, const float* gates, size_t gate_stride, const float* projected, float* h);
  // Elementwise over n contiguous values; dst may equal src.
  void (*unary[static_cast<int>(Unary::kCount)])(size_t n, const float* src, float* dst);
  // Sums in canonical order: 16 lanes, lane i adds elements i mod 16 in order, then the fixed tree (NUMERICS.md).
  float (*sum)(size_t n, const float* src);
  float (*sum_squares)(size_t n, const float* src);
};

// Same for every level, so that the RAM formula does not depend on the CPU.
size_t attention_scratch_bytes(int32_t seq_q, int32_t seq_k, int32_t head_dim, int32_t v_dim);

}  // namespace ert::kernels
