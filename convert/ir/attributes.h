// Attributes of graph nodes, one struct per kind of node that has any. A struct without operator== does not compile:
// equal nodes are merged. Axes are as in the file, from the end where they are negative: axis.h counts them from the front.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "convert/ir/dim_expr.h"
#include "convert/ir/dtype.h"
#include "convert/ir/tensor.h"
#include "kernels_int8/contract/unary.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

struct Graph;

// Elementwise kinds reuse the runtime's numbers: an int that is a kernels::Unary or a params::unary::Kind.
struct UnaryAttrs {
  int kind = 0;
  float alpha = 0;
  bool operator==(const UnaryAttrs&) const = default;
};
struct BinaryAttrs {
  ert::params::binary::Kind kind;
  bool operator==(const BinaryAttrs&) const = default;
};
struct CastAttrs {
  DType to;
  bool operator==(const CastAttrs&) const = default;
};
struct AxisAttrs {
  int64_t axis = 0;
  bool operator==(const AxisAttrs&) const = default;
};  // Softmax, LogSoftmax, Concat, Gather, GatherElements, ScatterElements..., Flatten
struct AxesAttrs {
  std::vector<int64_t> axes;
  bool operator==(const AxesAttrs&) const = default;
};  // Squeeze, Unsqueeze (empty: all of size 1 / from the second input)
struct ReshapeAttrs {
  bool allow_zero = false;
  bool operator==(const ReshapeAttrs&) const = default;
};
struct TransposeAttrs {
  std::vector<int64_t> perm;
  bool layout = false;  // back to channels first, behind a convolution: sink_layout moves it
  bool operator==(const TransposeAttrs&) const = default;
};  // empty: reversed axes
struct ReduceAttrs {
  ert::params::reduce::Kind kind;
  std::vector<int64_t> axes;
  bool keep_dims = true;
  bool noop_with_empty_axes = false;
  bool operator==(const ReduceAttrs&) const = default;
};
struct NormAttrs {
  int64_t axis = -1;
  float epsilon = 1e-5f;
  bool rms = false;
  bool operator==(const NormAttrs&) const = default;
};  // LayerNormalization, RMSNormalization
struct BatchNormAttrs {
  float epsilon = 1e-5f;
  bool operator==(const BatchNormAttrs&) const = default;
};
struct GroupNormAttrs {
  int64_t groups = 1;
  float epsilon = 1e-5f;
  bool operator==(const GroupNormAttrs&) const = default;
};
struct SplitAttrs {
  int64_t axis = 0;
  std::vector<int64_t> sizes;
  int64_t num_outputs = 0;
  bool operator==(const SplitAttrs&) const = default;
};
struct GatherNDAttrs {
  int64_t batch_dims = 0;
  bool operator==(const GatherNDAttrs&) const = default;
};
struct ScatterAttrs {
  int64_t axis = 0;
  int reduction = ert::params::scatter::kReplace;  // a params::scatter::Reduction
  bool operator==(const ScatterAttrs&) const = default;
};
struct CumSumAttrs {
  bool exclusive = false, reverse = false;
  bool operator==(const CumSumAttrs&) const = default;
};
struct ShapeAttrs {
  int64_t start = 0;
  int64_t end = INT64_MAX;
  bool operator==(const ShapeAttrs&) const = default;
};
struct FillAttrs {
  Tensor value;
  bool operator==(const FillAttrs& o) const { return value.same_bytes(o.value); }
};  // ConstantOfShape: one element
struct PadAttrs {
  int mode = ert::params::pad::kConstant;  // a params::pad::Mode
  bool operator==(const PadAttrs&) const = default;
};
struct TriluAttrs {
  bool upper = true;
  bool operator==(const TriluAttrs&) const = default;
};
struct ArgAttrs {
  int64_t axis = 0;
  bool keep_dims = true;
  bool max = true;
  bool select_last = false;
  bool operator==(const ArgAttrs&) const = default;
};
struct TopKAttrs {
  int64_t axis = -1;
  bool largest = true;
  bool sorted = true;
  bool operator==(const TopKAttrs&) const = default;
};
struct EinsumAttrs {
  std::string equation;
  bool operator==(const EinsumAttrs&) const = default;
};
struct ConvAttrs {
  std::vector<int64_t> kernel, strides, pads, dilations;
  int64_t group = 1;
  std::string auto_pad = "NOTSET";
  bool ceil_mode = false, count_include_pad = false;
  bool sum = false;  // AveragePool: the sum of each window
  bool operator==(const ConvAttrs&) const = default;
};  // Conv: x, weights, bias or absent. ConvInteger: x, weights, zero points of both or absent
struct ConvTransposeAttrs {
  std::vector<int64_t> kernel, strides, pads, dilations, output_padding;
  std::vector<int64_t> output_shape;  // of the spatial axes; empty: it follows from the others
  int64_t group = 1;
  std::string auto_pad = "NOTSET";
  bool operator==(const ConvTransposeAttrs&) const = default;
};  // inputs: x, weights [C, M / group, kernel..], bias or absent
struct DftAttrs {
  int64_t axis = 1;
  bool inverse = false, onesided = false;
  bool operator==(const DftAttrs&) const = default;
};  // inputs: x [.., 1 or 2], length or absent
struct StftAttrs {
  bool onesided = true;
  bool operator==(const StftAttrs&) const = default;
};  // inputs: signal [B, L] or [B, L, 1 or 2], frame step, window or absent, frame length or absent
struct ResizeAttrs {
  enum Mode { kNearest, kLinear, kCubic } mode = kNearest;
  enum Coordinates { kHalfPixel, kTorchHalfPixel, kSymmetricHalfPixel, kAlignCorners, kAsymmetric } coordinates = kHalfPixel;
  enum Rounding { kPreferFloor, kPreferCeil, kFloor, kCeil } rounding = kPreferFloor;
  float cubic_a = -0.75f;
  bool exclude_outside = false, antialias = false;
  std::vector<int64_t> axes;  // that scales or sizes are for; empty: all
  bool operator==(const ResizeAttrs&) const = default;
};  // inputs: x, scales or absent, sizes or absent
struct RnnAttrs {
  std::string kind;
  int64_t hidden = 0;
  std::string direction = "forward";
  std::vector<std::string> activations;
  std::vector<float> alpha, beta;
  float clip = 0;
  bool linear_before_reset = false, layout = false, input_forget = false;
  bool operator==(const RnnAttrs&) const = default;
};
//   Rnn: inputs as in ONNX. Recurrence (made by split_rnn; layout false): products of the input [S, B, D * G * H], R [D, G * H, H],
//   recurrent bias [D, G * H], lengths, initial_h, initial_c, peepholes -> y [S, B, D * H], last_h, last_c
struct QuantAttrs {
  int64_t axis = 1;
  int64_t block = 0;
  DType to = DType::kUndefined;
  int bits = 0;  // of the codes, where they are fewer than `to` has: 2 or 4
  bool operator==(const QuantAttrs&) const = default;
};
// If: inputs are the condition, then the captures: the outer values that a body reads. Both bodies take all captures, in this
// order, as their inputs. Loop: inputs are trip count, condition (either may be absent), the carried values, then the captures;
// the body's inputs are iteration number, condition, carried values, captures; `carried` counts the carried values.
struct SubgraphAttrs {
  std::vector<std::shared_ptr<Graph>> bodies;
  int64_t carried = -1;
  int64_t only =
      -1;  // of an If: the body that runs whatever the condition holds, because the other one cannot; found by inference
  bool operator==(const SubgraphAttrs&) const = default;
};  // If: then, else; Loop: body

// Fused nodes (made by passes).
// A window that slides over the spatial axes of x [N, spatial.., C], which padding surrounds with zeros; one entry per spatial axis.
// Along an axis of size n there are floor((n + begin + end - dilation * (kernel - 1) - 1) / stride) + 1 windows; negative padding crops.
struct WindowAttrs {
  std::vector<int64_t> kernel, strides, dilations, begin, end;
  bool operator==(const WindowAttrs&) const = default;
};
struct PatchesAttrs {
  WindowAttrs window;
  int64_t first_channel = 0, channels = 0;
  bool operator==(const PatchesAttrs&) const = default;
};  // x [N, spatial.., C] -> [N, windows.., positions * channels]: of each position of the kernel the channels from the first one on
struct LinearAttrs {
  int activation = ert::params::linear::kNoActivation;  // a kernels::Unary; over Patches also params::unary::kLeakyRelu
  float alpha = 0;                                      // of that
  bool operator==(const LinearAttrs&) const = default;
};  // inputs: x, weight [k, n], bias [n] or absent
struct DepthwiseConvAttrs {
  WindowAttrs window;
  int activation = ert::params::depthwise_conv::kNoActivation;  // a kernels::Unary
  bool operator==(const DepthwiseConvAttrs&) const = default;
};  // inputs: x [N, spatial.., C], weight [positions of the kernel, C], bias [C] or absent -> [N, windows.., C]
struct AttentionAttrs {
  int64_t heads = 1, kv_heads = 1, head_dim = 0, v_dim = 0;
  float scale = 1;
  bool causal = false;
  int64_t q_first = 0, k_first = 0, v_first = 0;
  bool operator==(const AttentionAttrs&) const = default;
};
//   inputs: q [B, Sq, *], k, v, bias or absent, mask (bool) or absent, both of rank 4 -> [B, Sq, heads * v_dim]
struct RopeAttrs {
  int64_t heads = 1, head_dim = 0, rotated = 0, first = 0;
  bool interleaved = false;
  bool operator==(const RopeAttrs&) const = default;
};  // inputs: x [B, S, *], cos, sin [B or 1, S, rotated] -> [B, S, heads * head_dim]
struct GluAttrs {
  int activation = 0;
  int64_t width = 0, activated_first = 0, factor_first = 0;
  bool operator==(const GluAttrs&) const = default;
};  // inputs: activated, factor [.., *] -> [.., width]
struct FusedNormAttrs {
  float epsilon = 1e-5f;
  bool rms = false;
  bool operator==(const FusedNormAttrs&) const = default;
};  // inputs: x, residual or absent, gamma, beta or absent -> y [, sum]
struct PoolAttrs {
  float epsilon = 1e-9f;
  bool operator==(const PoolAttrs&) const = default;
};  // MeanPool, L2Normalize
using CustomAttribute =
    std::pair<std::string, std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>>>;
struct CustomAttrs {
  std::string domain, name;
  std::vector<CustomAttribute> attributes;
  std::vector<char> declared;
  bool operator==(const CustomAttrs&) const = default;
};  // declared: which outputs have their type from the file

using AttributesVariant =
    std::variant<std::monostate, UnaryAttrs, BinaryAttrs, CastAttrs, AxisAttrs, AxesAttrs, ReshapeAttrs, TransposeAttrs,
                 ReduceAttrs, NormAttrs, BatchNormAttrs, GroupNormAttrs, SplitAttrs, GatherNDAttrs, ScatterAttrs, CumSumAttrs,
                 ShapeAttrs, FillAttrs, PadAttrs, TriluAttrs, ArgAttrs, TopKAttrs, EinsumAttrs, ConvAttrs, ConvTransposeAttrs,
                 DftAttrs, StftAttrs, ResizeAttrs, RnnAttrs, QuantAttrs, SubgraphAttrs, PatchesAttrs, LinearAttrs,
                 DepthwiseConvAttrs, AttentionAttrs, RopeAttrs, GluAttrs, FusedNormAttrs, PoolAttrs, CustomAttrs>;

// One of the structs above, or nothing. A class of its own so that copying, comparing and destroying it is compiled once, in
// attributes.cc, and not in every file that touches a node.
class Attributes : public AttributesVariant {
 public:
  Attributes();
  template <class T, class = std::enable_if_t<std::is_constructible_v<AttributesVariant, T&&> &&
                                              !std::is_base_of_v<AttributesVariant, std::decay_t<T>>>>
  Attributes(T&& a) : AttributesVariant(std::forward<T>(a)) {}  // NOLINT: implicit on purpose, as the variant's own
  Attributes(const Attributes&);
  Attributes(Attributes&&) noexcept;
  Attributes& operator=(const Attributes&);
  Attributes& operator=(Attributes&&) noexcept;
  ~Attributes();

  bool operator==(const Attributes& o) const;
};

}  // namespace edgeconv
