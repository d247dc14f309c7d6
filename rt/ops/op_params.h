// Parameters of every runtime op, by position in the blob's int and float pools. The converter writes and the runtime
// reads through these enums, so the two cannot disagree. "expr" marks an int that is an index into Program.exprs and is
// evaluated for the current dims; all others are plain numbers. Positions are part of the blob format: only append.
// More than 300 lines, because it is one table.
#pragma once

#include <stdint.h>

#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/contract/quantized_rows.h"
#include "kernels_int8/contract/unary.h"

namespace ert::params {

enum class OpCode : uint16_t {
#define ERT_OP(code, name) k##name = code,
#include "rt/ops/op_list.inc"
#undef ERT_OP
};

// Longest integer sum of an op, and most keys of an attention: int32 accumulators stay exact up to here (NUMERICS.md).
constexpr int32_t kMaxExactDepth = 65000;

// Dense dtypes are ert_dtype (1..6). From 64 on: packed layouts of constants.
enum Layout : uint8_t {
  kPackedN16K4 = 64,  // int8 weights of a Linear, shape [n, k], as kernels::Layout in its order
  kPackedN8K8 = 65,
  kPackedN2K16 = 66,
  kPackedN16K2 = 67,  // int16 weights of kW12A13
};
static_assert(kPackedN16K2 - kPackedN16K4 + 1 == static_cast<int>(kernels::Layout::kCount),
              "a layout of the kernels without a number here");
constexpr bool is_packed(uint32_t dtype) { return dtype >= kPackedN16K4; }
constexpr bool is_known_layout(uint32_t dtype) { return is_packed(dtype) && dtype <= kPackedN16K2; }
constexpr bool is_int8_layout(uint32_t dtype) { return is_packed(dtype) && dtype <= kPackedN2K16; }
constexpr kernels::Layout kernel_layout(uint32_t known) { return static_cast<kernels::Layout>(known - kPackedN16K4); }

// ImportInt (input i64|i32|bool|u8|i8) -> i32|bool; ImportFloat (input bool|u8|i8|i16) -> f32; ExportInt i32|bool -> output i64|i32|bool|u8 as
// bound. Copy: same dtype and size. Cast: dtypes of the values. Fill: out = constant bits.
namespace fill {
enum Ints { kBits, kIntCount };
}
// DimsToTensor: no inputs; ints are exprs, one per element of the i32 or f32 output, in order.
// Range: out[i] = start + i * step (i32).
namespace range {
enum Ints { kStartExpr, kStep, kIntCount };
}

// Embedding: ids i32 [..], table f32 or i8 [rows, width], scale f32 [rows] (i8 only, else absent) -> f32 [.., width]
// Ids were range-checked against Program.input_ranges if they are an input; otherwise the op gives ERT_ERR_INPUT.
namespace embedding {
enum Inputs { kIds, kTable, kScale, kInputCount };
}

// Linear: x f32 [.., k], weights, bias f32 [n] or -1, and unless fp32: scale f32 [n], colsum i32 [n] (of kW12A13 absent), inv_smooth f32 [k] or -1
//   -> f32 [.., n].  weights: packed [n, k] (int8; kW12A13: N16K2) or f32 [k, n] (kF32). Activation follows the bias.
namespace linear {
enum Inputs { kX, kWeights, kBias, kScale, kColsum, kInvSmooth, kInputCount };
enum Ints { kPrecision, kActivation, kIntCount };
enum Precision { kInt8 = 0, kF32 = 1, kInt8A16 = 2, kW12A13 = 3 };
constexpr int kNoActivation = -1;  // otherwise a kernels::Unary
// Not of kF32.
constexpr kernels::Precision kernel_precision(int32_t precision) {
  return static_cast<kernels::Precision>((precision + 1) / 2);
}
static_assert(kernel_precision(kInt8) == kernels::Precision::kW8A8 && kernel_precision(kInt8A16) == kernels::Precision::kW8A16 &&
              kernel_precision(kW12A13) == kernels::Precision::kW12A13);
constexpr bool has_int8_weights(int32_t precision) { return precision % 2 == 0; }
static_assert(has_int8_weights(kInt8) && has_int8_weights(kInt8A16) && !has_int8_weights(kF32) && !has_int8_weights(kW12A13));
// Not of kF32 either.
constexpr bool has_layout(int32_t precision, uint32_t dtype) {
  return is_known_layout(dtype) && kernels::has_layout(kernel_precision(precision), kernel_layout(dtype));
}
}  // namespace linear

// A window over the spatial axes of x [N, rows.., C] (1 or 2 of them), channels last: ints of each axis in turn, at a place that the op
//   names. begin and end: padding with zeros, less than 0 crops; the output has floor((size + begin + end - reach) / stride) + 1
//   elements along the axis, with reach = dilation * (kernel - 1) + 1.
namespace window {
enum AxisInts { kKernel, kStride, kDilation, kBegin, kEnd, kAxisInts };
constexpr int kMostAxes = 2;
}  // namespace window

// Conv: x f32 [N, W, C] or [N, H, W, C], and the other operands of a Linear, whose k is positions of the kernel times channels
//   -> f32 [N, W', n] or [N, H', W', n]: a Linear over patches, each of which has of every position the channels from first_channel on.
//   Without weights the patches themselves, with n = k, precision kF32 and no activation. The activation may also be params::unary's
//   kLeakyRelu, with its alpha in floats.
//   shared_columns: 0, or with kInt8, two spatial axes and a multiple of 4 channels: so many outputs of a row, from a multiple of them on, have
//   patches that are quantized with one range, that of the rectangle of inputs around them; inv_smooth then has an entry for each channel.
namespace conv {
enum Ints {
  kPrecision,
  kActivation,
  kFirstChannel,
  kChannels,
  kSharedColumns,
  kWindow
};  // the first two as of Linear; kWindow: the ints of window; behind them, of several groups, how many
enum Floats { kAlpha, kFloatCount };
constexpr int kMostSharedColumns = 256;
static_assert(static_cast<int>(kPrecision) == static_cast<int>(linear::kPrecision) &&
                  static_cast<int>(kActivation) == static_cast<int>(linear::kActivation),
              "who reads them of a Linear reads them of a Conv");
}  // namespace conv

// Attention: q [B, Sq, *], k [B, Sk, *], v [B, Sk, *] f32 (may be one value with different first columns), bias f32 broadcastable
//   to [B, heads, Sq, Sk] or -1 (rank 4), mask bool broadcastable likewise or -1 (rank 4) -> f32 [B, Sq, heads * v_dim].
// Head h reads columns first + h * head_dim ... of q, first + (h / (heads / kv_heads)) * dim of k and v.
namespace attention {
enum Inputs { kQ, kK, kV, kBias, kMask, kInputCount };
enum Ints {
  kPrecision,
  kHeads,
  kKvHeads,
  kHeadDim,
  kVDim,
  kQFirst,
  kKFirst,
  kVFirst,
  kCausal,
  kPacked,
  kIntCount
};  // causal: 0 no, 1 bottom-right aligned; packed (may be left out): q, k, v and the output are packed rows
enum Precision { kInt8, kF32 };
enum Floats { kScale, kFloatCount };
}  // namespace attention

// LayerNorm over the last axis: x, residual or -1, gamma, beta or -1 -> y [, sum]. See KernelTable::layernorm.
namespace layernorm {
enum Inputs { kX, kResidual, kGamma, kBeta, kInputCount };
enum Ints { kRms, kIntCount };
enum Floats { kEpsilon, kFloatCount };
}  // namespace layernorm

// Softmax along an axis; log: logarithm of it.
namespace softmax {
enum Ints { kAxis, kLog, kIntCount };
}

// Unary: kind is a kernels::Unary, or one of these (exact in fp32 or on i32):
namespace unary {
enum Ints { kKind, kIntCount };
enum Kind {
  kNeg = 64,
  kAbs,
  kSqrt,
  kReciprocal,
  kFloor,
  kCeil,
  kRound,
  kSign,
  kNot,
  kIsNaN,
  kIsInf,
  kLeakyRelu,
  kSquare,
  kElu,
  kCelu
};
enum Floats { kAlpha, kFloatCount };
}  // namespace unary
// Binary with numpy broadcast; compare and logic kinds give bool. i32 Div truncates toward zero, Mod has the divisor's sign, fmod
// the dividend's.
namespace binary {
enum Ints { kKind, kIntCount };
enum Kind {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMin,
  kMax,
  kMod,
  kFmod,
  kEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kXor,
  kPRelu
};
}  // namespace binary
// Where: condition bool, a, b, broadcast.

// Reduce over the axes in the bit mask; output shape tells whether axes are kept. f32 (all) and i32 (sum, min, max, prod).
namespace reduce {
enum Ints { kKind, kAxisMask, kIntCount };
enum Kind { kSum, kMean, kMax, kMin, kProd, kL1, kL2, kSumSquare, kLogSum, kLogSumExp };
}  // namespace reduce
// MatMul f32 with numpy batch broadcast; both of rank >= 2. Transposed: last two axes swapped. alpha multiplies the result and may be
// left out.
namespace matmul {
enum Ints { kTranspose, kIntCount };
enum TransposeBits { kTransposeLhs = 1, kTransposeRhs = 2 };
enum Floats { kAlpha, kFloatCount };
}  // namespace matmul
// Transpose: ints = permutation, output axis i is input axis ints[i].
// Slice: ints = per axis those of AxisInts; sizes come from the output shape. start is already in [0, size).
namespace slice {
enum AxisInts { kStartExpr, kStep, kAxisInts };
}
// Concat: any number of inputs.
namespace concat {
enum Ints { kAxis, kIntCount };
}
// Gather along axis: data (any dtype), indices i32 (negative = from the end).
namespace gather {
enum Ints { kAxis, kIntCount };
}
namespace gather_nd {
enum Ints { kBatchDims, kIntCount };
}
// ScatterND, ScatterElements: data, indices, updates.
namespace scatter {
enum Reduction { kReplace, kAdd, kMul, kMin, kMax };
}
namespace scatter_nd {
enum Ints { kReduction, kIntCount };
}
namespace scatter_elements {
enum Ints { kAxis, kReduction, kIntCount };
}
// Expand: numpy broadcast to the output shape.
namespace cumsum {
enum Ints { kAxis, kExclusive, kReverse, kIntCount };
}
// Pad: per axis, from kFirstAxis on, the leading pad as an expr; fill: bits of the constant.
namespace pad {
enum Ints { kMode, kFillBits, kFirstAxis };
enum Mode { kConstant, kReflect, kEdge, kWrap };
}  // namespace pad
// ArgMinMax: i32 output; TopK: k from the output shape, outputs values, i32 indices.
namespace arg_min_max {
enum Ints { kAxis, kMax, kSelectLast, kIntCount };
}
namespace topk {
enum Ints { kAxis, kLargest, kSorted, kIntCount };
}
// MeanPool: x f32 [B, S, H], weights f32 [B, S] or -1 -> f32 [B, H] = sum_s x*w / max(sum_s w, epsilon); without weights / S.
namespace mean_pool {
enum Floats { kEpsilon, kFloatCount };
}
// L2Normalize over the last axis: x / max(sqrt(sum x^2), epsilon).
namespace l2_normalize {
enum Floats { kEpsilon, kFloatCount };
}
namespace trilu {
enum Ints { kUpper, kDiagonalExpr, kIntCount };
}
namespace one_hot {
enum Ints { kAxis, kOnBits, kOffBits, kIntCount };
}
// Custom: ints = index in Program.custom_ops.
namespace custom {
enum Ints { kIndex, kIntCount };
}
// Recurrence: the recurrent half of an LSTM, GRU or simple RNN. The input half, x W + Wb for all steps and directions, is a
//   Linear before it: projected f32 [S, B, D * G * H] (G gates of H units: LSTM i o f c, GRU z r h). Then lengths i32 [B] or -1,
//   initial_h, initial_c f32 [D, B, H] or -1, peepholes f32 [D, 3 * H] or -1 (LSTM: i o f), and per direction weights, scale,
//   colsum, bias -> y f32 [S, B, D * H], last_h [D, B, H], for LSTM last_c.
// Every gate has P = round_up(H, 16) columns, the surplus zero: weights packed [G * P, H] with scale f32, colsum i32
//   [G * P] (kInt8, kInt8A16; kW12A13 without colsum), or f32 [H, G * P] without them (kF32); bias f32 [G * P] or -1.
namespace recurrence {
enum Inputs { kProjected, kLengths, kInitialH, kInitialC, kPeepholes, kFirstWeights };
enum WeightInputs { kWeights, kScale, kColsum, kBias, kWeightInputCount };  // from kFirstWeights on, per direction
enum Ints { kKind, kPrecision, kDirection, kLinearBeforeReset, kInputForget, kFirstActivation };
enum Kind { kLstm, kGru, kRnn };  // precision: as of Linear
enum Direction { kForward, kReverse, kBidirectional };
constexpr int kActivationCount = 3;  // per direction, from kFirstActivation on: f, g, h of ONNX, a kernels::Unary each
enum Floats { kClip, kFloatCount };  // gates are clamped to [-clip, clip] before their activation; 0 = not at all
constexpr int kPeepholeCount = 3;
}  // namespace recurrence
// PackRows: [B or 1, S or 1, ..] -> packed rows [1, T, ..]; UnpackRows: packed rows -> [B, S, ..], zero at padded positions. B, S
// and T are those of Program.packing.

// Rope: x f32 [B, S, *], cos, sin f32 [B or 1, S, rotated] -> f32 [B, S, heads * head_dim]. Head h is columns
//   first + h * head_dim ... of x; its first `rotated` columns are turned in pairs, the others are copied.
namespace rope {
enum Inputs { kX, kCos, kSin, kInputCount };
enum Ints { kHeads, kHeadDim, kRotated, kFirst, kInterleaved, kIntCount };
}  // namespace rope

// Glu: activated, factor f32 [.., *], which may be one value -> f32 [.., n]: activation of n columns of the one times n columns of
//   the other, each from its first column on. activation is a kernels::Unary.
namespace glu {
enum Inputs { kActivated, kFactor, kInputCount };
enum Ints { kActivation, kActivatedFirst, kFactorFirst, kIntCount };
}  // namespace glu

// DepthwiseConv: x f32 [N, W, C] or [N, H, W, C], weights f32 [positions of the kernel, C], bias f32 [C] or -1 -> f32 [N, .., C]. Activation follows
//   the bias. Ints from kFirstWindowInt on: window.
namespace depthwise_conv {
enum Inputs { kX, kWeights, kBias, kInputCount };
enum Ints { kActivation, kFirstWindowInt, kMostInts = kFirstWindowInt + window::kMostAxes * window::kAxisInts };
constexpr int kNoActivation = -1;  // otherwise a kernels::Unary
}  // namespace depthwise_conv

// DirectConv: x f32 [N, W, C] or [N, H, W, C], or with kChannelsFirst [N, C, W] or [N, C, H, W]; weights f32 [positions * C, n]; bias f32 [n] or -1
//   -> f32 [N, .., n]: a Conv in fp32. Activation, and alpha of kLeakyRelu, as of Conv; behind alpha may stand the least result.
//   Ints from kFirstWindowInt on: window; and where the C channels of the weights are some of x, the first of them.
namespace direct_conv {
enum Inputs { kX, kWeights, kBias, kInputCount };
enum Ints { kActivation, kChannelsFirst, kFirstWindowInt, kMostInts = kFirstWindowInt + window::kMostAxes * window::kAxisInts + 1 };
enum Floats { kAlpha, kLeast, kFloatCount };
constexpr int kNoActivation = -1;  // otherwise a kernels::Unary, or params::unary's kLeakyRelu
}  // namespace direct_conv

// WideConv: a convolution in W12A13: x f32 [N, W, C] or [N, H, W, C], weights packed N16K2, scale f32 [n], bias f32 [n] or -1 -> f32 [N, .., n].
//   A column of weights has runs of values, each padded with a zero to an even number: of two axes with dilation 1 of the columns, the columns * C values
//   of each row of the kernel; else the C values of each position. Activation, floats and window as of DirectConv.
namespace wide_conv {
enum Inputs { kX, kWeights, kScale, kBias, kInputCount };
enum Ints { kActivation, kFirstWindowInt, kMostInts = kFirstWindowInt + window::kMostAxes * window::kAxisInts };
}  // namespace wide_conv

// 8-bit maps: two values, q u8 [N, H, W, C] and scales i32 [N, H, 2], of each row the bits of its scale and its zero point (& 255). Factors f32 [C] or -1:
//   those of a writer multiply values before they are quantized, those of a reader multiply what is read back.
// QuantizeMap: x f32 [N, H, W, C], or with kChannelsFirst [N, C, H, W], factors or -1 -> q, scales. No ints: 0.
namespace quantize_map {
enum Inputs { kX, kFactors, kInputCount };
enum Ints { kChannelsFirst, kIntCount };
}  // namespace quantize_map
// MapToFloat: q, scales, factors or -1 -> f32 [N, H, W, C].
namespace map_to_float {
enum Inputs { kQ, kScales, kFactors, kInputCount };
}
// MapConv: q, scales, weights packed [rows of the kernel * round_up(n, 16), columns of the kernel * C], scale f32 [n], colsum i32 [as many as weights have columns],
//   bias f32 [n] or -1, factors f32 [n] of the written map or -1, and a residual map [N, H', W', n] as q, scales and factors f32 [n] or -1, or -1
//   -> q, scales of [N, H', W', n], or f32 [N, H', W', n]. Rows of the kernel at most 16, dilation of its columns 1. Activation, and alpha of kLeakyRelu, as of Conv,
//   follow the residual. Ints from kFirstWindowInt on: window.
// MapDepthwiseConv: the same with weights packed N16K4 [rows of the kernel * round_up(C, 16), columns of the kernel], n = C, columns at most 64, any dilation.
namespace map_conv {
enum Inputs {
  kQ,
  kScales,
  kWeights,
  kScale,
  kColsum,
  kBias,
  kFactors,
  kResidual,
  kResidualScales,
  kResidualFactors,
  kInputCount
};
enum Ints { kActivation, kFirstWindowInt, kIntCount = kFirstWindowInt + window::kMostAxes * window::kAxisInts };
enum Floats { kAlpha, kFloatCount };
enum Outputs { kMap, kMapScales };
constexpr int kNoActivation = -1;  // otherwise a kernels::Unary, or params::unary's kLeakyRelu
constexpr int kMostTaps = 64;      // of MapDepthwiseConv
}  // namespace map_conv
// MapMaxPool: q, scales -> q, scales, with the factors of its input. Ints: window, without positions that lie outside; each output has one inside,
//   and an axis with padding before it no dilation above its size.
namespace map_max_pool {
enum Inputs { kQ, kScales, kInputCount };
enum Ints { kFirstWindowInt, kIntCount = window::kMostAxes * window::kAxisInts };
}  // namespace map_max_pool
// Pool: f32, one axis of x under a window: the largest value or the sum, in order, of the positions that lie inside. Each output has one inside, and
//   an axis with padding before it no dilation above its size. Ints from kFirstWindowInt on: those of one axis of a window.
namespace pool {
enum Ints { kKind, kAxis, kFirstWindowInt, kIntCount = kFirstWindowInt + window::kAxisInts };
enum Kind { kMax, kSum };
}  // namespace pool
// MapMean: q, scales, factors or -1 -> f32 [N, 1, 1, C] or [N, C]: the mean of all pixels.
namespace map_mean {
enum Inputs { kQ, kScales, kFactors, kInputCount };
}

// RowBands: a chain of ops over maps, done for a few rows (axis 1) of the last one at a time, so that of what lies between them only a few rows are in memory.
//   Inputs: all that the ops read from outside, in any order. Outputs: those of the last op. Ints: kRows of the last op at a time; numbers of ops and of
//   values between them; of each value the ValueInts; of each op the OpInts, then its inputs, then its ints; its floats follow those of the op before
//   among the floats. An input is one of the RowBands (0, 1, ..), kAbsent or a value: value_of. Outputs of all ops but the last are the values in order.
// Ops: Linear, Unary, Binary, Conv, DepthwiseConv, DirectConv, Pool but along axis 0, and those of maps but MapMean.
namespace row_bands {
enum Ints { kRows, kOps, kValues, kFirstValue };
enum ValueInts { kDtype, kRank, kFirstExpr, kValueInts = kFirstExpr + 4 };  // exprs of the axes; unused ones 0
enum OpInts { kCode, kInputs, kOutputs, kIntCount, kFloatCount, kFirstInput };
constexpr int kMostOps = 12, kMostValues = 16, kMostOperands = 12;  // of one op, inputs and outputs
constexpr int kAbsent = -1;
constexpr int value_of(int input) { return -2 - input; }  // and back
}  // namespace row_bands

}  // namespace ert::params
