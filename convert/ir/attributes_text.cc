// One row per struct of attributes.h.
#include "convert/ir/attributes_text.h"

#include <charconv>
#include <string_view>
#include <type_traits>

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;
namespace unary = ert::params::unary;

constexpr std::string_view kKernelUnary[] = {"relu",         "gelu_erf",   "gelu_tanh", "tanh",        "sigmoid",
                                             "silu",         "quick_gelu", "exp",       "erf",         "log",
                                             "sin",          "cos",        "softplus",  "mish",        "hard_swish",
                                             "hard_sigmoid", "elu",        "selu",      "gelu_coarse", "sigmoid_coarse",
                                             "tanh_coarse",  "relu6"};
constexpr std::string_view kUnary[] = {"neg", "abs",    "sqrt",   "reciprocal", "floor",  "ceil", "round", "sign",
                                       "not", "is_nan", "is_inf", "leaky_relu", "square", "elu",  "celu"};
constexpr std::string_view kBinary[] = {"add", "sub",  "mul",   "div",  "pow",           "min",     "max",
                                        "mod", "fmod", "equal", "less", "less_or_equal", "greater", "greater_or_equal",
                                        "and", "or",   "xor",   "prelu"};
constexpr std::string_view kReduce[] = {"sum", "mean", "max", "min", "prod", "l1", "l2", "sum_square", "log_sum", "log_sum_exp"};
constexpr std::string_view kResizeMode[] = {"nearest", "linear", "cubic"};
constexpr std::string_view kResizeCoordinates[] = {"half_pixel", "torch_half_pixel", "symmetric_half_pixel", "align_corners",
                                                   "asymmetric"};
constexpr std::string_view kResizeRounding[] = {"prefer_floor", "prefer_ceil", "floor", "ceil"};
static_assert(std::size(kKernelUnary) == static_cast<size_t>(ert::kernels::Unary::kCount));
static_assert(std::size(kUnary) == unary::kCelu - unary::kNeg + 1);
static_assert(std::size(kBinary) == binary::kPRelu + 1);
static_assert(std::size(kReduce) == reduce::kLogSumExp + 1);
static_assert(std::size(kResizeMode) == ResizeAttrs::kCubic + 1);
static_assert(std::size(kResizeCoordinates) == ResizeAttrs::kAsymmetric + 1);
static_assert(std::size(kResizeRounding) == ResizeAttrs::kCeil + 1);

constexpr size_t kShownWhole = 8, kShownOfMore = 4;

template <class T>
std::string number(T v) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, v).ptr);
}

std::string text(binary::Kind k) { return std::string(kBinary[k]); }
std::string text(reduce::Kind k) { return std::string(kReduce[k]); }
std::string text(ResizeAttrs::Mode m) { return std::string(kResizeMode[m]); }
std::string text(ResizeAttrs::Coordinates c) { return std::string(kResizeCoordinates[c]); }
std::string text(ResizeAttrs::Rounding r) { return std::string(kResizeRounding[r]); }
std::string text(DType t) { return std::string(dtype_name(t)); }
std::string text(const Tensor& t) { return std::string(dtype_name(t.dtype())) + tensor_text(t); }
std::string text(const std::string& s) { return '"' + s + '"'; }
std::string text(const std::shared_ptr<Graph>&) { return "body"; }
std::string text(const WindowAttrs& w);

template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
std::string text(T v) {
  if constexpr (std::is_same_v<T, bool>)
    return v ? "true" : "false";
  else if constexpr (std::is_same_v<T, char>)
    return number(static_cast<int>(v));
  else
    return number(v);
}

std::string text(const CustomAttribute& a);

template <class T>
std::string text(const std::vector<T>& v) {
  std::string s = "{";
  for (size_t i = 0; i < v.size(); ++i) s += (i ? ", " : "") + text(v[i]);
  return s + "}";
}

std::string text(const CustomAttribute& a) {
  return a.first + "=" + std::visit([](const auto& v) { return text(v); }, a.second);
}

// names: "axes, keep_dims".
template <class... Fields>
std::string named(std::string_view names, const Fields&... fields) {
  std::string s;
  const auto put = [&](const std::string& value) {
    const size_t end = names.find(',');
    s += (s.empty() ? "" : ", ") + std::string(names.substr(0, end)) + "=" + value;
    names.remove_prefix(end == std::string_view::npos ? names.size() : names.find_first_not_of(' ', end + 1));
  };
  (put(text(fields)), ...);
  return s;
}

std::string text(const WindowAttrs& w) {
  const auto& [kernel, strides, dilations, begin, end] = w;
  return '{' + named("kernel, strides, dilations, begin, end", kernel, strides, dilations, begin, end) + '}';
}

// A struct that gets another field does not compile here: the binding names all of them.
#define EDGECONV_FIELDS(Type, ...)           \
  std::string fields(const Type& a) {        \
    const auto& [__VA_ARGS__] = a;           \
    return named(#__VA_ARGS__, __VA_ARGS__); \
  }
EDGECONV_FIELDS(BinaryAttrs, kind)
EDGECONV_FIELDS(CastAttrs, to)
EDGECONV_FIELDS(AxisAttrs, axis)
EDGECONV_FIELDS(AxesAttrs, axes)
EDGECONV_FIELDS(ReshapeAttrs, allow_zero)
EDGECONV_FIELDS(TransposeAttrs, perm, layout)
EDGECONV_FIELDS(ReduceAttrs, kind, axes, keep_dims, noop_with_empty_axes)
EDGECONV_FIELDS(NormAttrs, axis, epsilon, rms)
EDGECONV_FIELDS(BatchNormAttrs, epsilon)
EDGECONV_FIELDS(GroupNormAttrs, groups, epsilon)
EDGECONV_FIELDS(SplitAttrs, axis, sizes, num_outputs)
EDGECONV_FIELDS(GatherNDAttrs, batch_dims)
EDGECONV_FIELDS(ScatterAttrs, axis, reduction)
EDGECONV_FIELDS(CumSumAttrs, exclusive, reverse)
EDGECONV_FIELDS(ShapeAttrs, start, end)
EDGECONV_FIELDS(FillAttrs, value)
EDGECONV_FIELDS(PadAttrs, mode)
EDGECONV_FIELDS(TriluAttrs, upper)
EDGECONV_FIELDS(ArgAttrs, axis, keep_dims, max, select_last)
EDGECONV_FIELDS(TopKAttrs, axis, largest, sorted)
EDGECONV_FIELDS(EinsumAttrs, equation)
EDGECONV_FIELDS(ConvAttrs, kernel, strides, pads, dilations, group, auto_pad, ceil_mode, count_include_pad, sum)
EDGECONV_FIELDS(ConvTransposeAttrs, kernel, strides, pads, dilations, output_padding, output_shape, group, auto_pad)
EDGECONV_FIELDS(DftAttrs, axis, inverse, onesided)
EDGECONV_FIELDS(StftAttrs, onesided)
EDGECONV_FIELDS(ResizeAttrs, mode, coordinates, rounding, cubic_a, exclude_outside, antialias, axes)
EDGECONV_FIELDS(RnnAttrs, kind, hidden, direction, activations, alpha, beta, clip, linear_before_reset, layout, input_forget)
EDGECONV_FIELDS(QuantAttrs, axis, block, to, bits)
EDGECONV_FIELDS(SubgraphAttrs, bodies, carried, only)
EDGECONV_FIELDS(PatchesAttrs, window, first_channel, channels)
EDGECONV_FIELDS(AttentionAttrs, heads, kv_heads, head_dim, v_dim, scale, causal, q_first, k_first, v_first)
EDGECONV_FIELDS(RopeAttrs, heads, head_dim, rotated, first, interleaved)
EDGECONV_FIELDS(FusedNormAttrs, epsilon, rms)
EDGECONV_FIELDS(PoolAttrs, epsilon)
EDGECONV_FIELDS(CustomAttrs, domain, name, attributes, declared)
#undef EDGECONV_FIELDS

// Numbers that stand for functions get their names.
std::string fields(std::monostate) { return ""; }
std::string fields(const UnaryAttrs& a) {
  const auto& [kind, alpha] = a;
  return "kind=" + elementwise_name(kind) + ", alpha=" + number(alpha);
}
std::string fields(const LinearAttrs& a) {
  const auto& [activation, alpha] = a;
  return "activation=" + elementwise_name(activation) + (alpha == 0 ? "" : ", alpha=" + number(alpha));
}
std::string fields(const DepthwiseConvAttrs& a) {
  const auto& [window, activation] = a;
  return named("window", window) + ", activation=" + elementwise_name(activation);
}
std::string fields(const GluAttrs& a) {
  const auto& [activation, width, activated_first, factor_first] = a;
  return "activation=" + elementwise_name(activation) + ", " +
         named("width, activated_first, factor_first", width, activated_first, factor_first);
}

}  // namespace

std::string elementwise_name(int kind) {
  if (kind == ert::params::linear::kNoActivation) return "none";
  if (kind >= 0 && static_cast<size_t>(kind) < std::size(kKernelUnary)) return std::string(kKernelUnary[kind]);
  if (kind >= unary::kNeg && kind <= unary::kCelu) return std::string(kUnary[kind - unary::kNeg]);
  return std::to_string(kind);
}

std::string attributes_text(const Attributes& a) {
  return std::visit([](const auto& attributes) { return fields(attributes); }, a);
}

std::string tensor_text(const Tensor& t) {
  const auto count = static_cast<size_t>(t.elements());
  const size_t shown = count <= kShownWhole ? count : kShownOfMore;
  if (!is_float(t.dtype()) && !is_integer(t.dtype()) && t.dtype() != DType::kBool) return "{?}";
  const Tensor first(t.dtype(), {static_cast<int64_t>(shown)}, t.data(), nullptr);
  std::string s = is_float(t.dtype()) ? text(first.aligned().to_float()) : text(first.aligned().to_int64());
  if (shown == count) return s;
  s.back() = ',';
  return s + " .. " + std::to_string(count) + " elements}";
}

}  // namespace edgeconv
