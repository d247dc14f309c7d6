// The type constraints of the schemas of onnx 1.23, each with the types of all its versions up to opset 28, for the operators that have an importer. Left out: what takes any type
// everywhere, sequences, and the operands of bodies (Loop, Scan).
#include "convert/import/operand_types.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace edgeconv {

namespace {

using Types = uint32_t;
constexpr Types bit(DType t) { return Types{1} << static_cast<int>(t); }

constexpr Types kFloats = bit(DType::kFloat) | bit(DType::kFloat16) | bit(DType::kBfloat16) | bit(DType::kDouble);
constexpr Types kWide = bit(DType::kInt32) | bit(DType::kInt64);  // also where ONNX wants int64 alone
constexpr Types kBytes = bit(DType::kInt8) | bit(DType::kUint8);
constexpr Types kShorts = bit(DType::kInt16) | bit(DType::kUint16);
constexpr Types kWideUnsigned = bit(DType::kUint32) | bit(DType::kUint64);
constexpr Types kWideNumbers = kFloats | kWide | kWideUnsigned;
constexpr Types kSignedNumbers = kFloats | kWide | bit(DType::kInt8) | bit(DType::kInt16);
constexpr Types kNumbers = kWideNumbers | kBytes | kShorts;
constexpr Types kBool = bit(DType::kBool);
constexpr Types kAny = ~Types{0};

constexpr int kOwn = -1;  // of no other operand's type

struct Operand {
  Types types;
  int like = kOwn;  // also of the type of this operand
};

constexpr size_t kMostOperands = 9;

struct Row {
  std::string_view operators;  // each between blanks
  Operand operands[kMostOperands];  // up to the first without types
  bool repeated = false;            // any number of the first one
};

// clang-format off
constexpr Row kRows[] = {
    {" Acos Acosh Asin Asinh Atan Atanh AveragePool Ceil Celu Cos Cosh DynamicQuantizeLinear Elu Exp Floor Gelu TFL_GELU GlobalAveragePool "
     "GlobalLpPool GlobalMaxPool HardSigmoid HardSwish Hardmax IsInf IsNaN LRN LeakyRelu Log LogSoftmax LpNormalization LpPool "
     "MeanVarianceNormalization Mish Reciprocal Round Selu Sigmoid Sin Sinh Softmax Softplus Softsign Sqrt Swish Tan Tanh "
     "ThresholdedRelu ", {{kFloats}}},
    {" Abs ArgMax ArgMin Erf Erfc Shrink Sign ", {{kNumbers}}},
    {" Neg Relu ", {{kSignedNumbers}}},
    {" Not If ", {{kBool}}},
    {" MaxPool ", {{kFloats | kBytes}}},
    {" BlackmanWindow ConstantOfShape HammingWindow HannWindow ", {{kWide}}},
    {" EyeLike ", {{kNumbers | kBool}}},
    {" Add Div Greater GreaterOrEqual Less LessOrEqual Mod Mul Sub ", {{kNumbers}, {kNumbers, 0}}},
    {" And Or Xor ", {{kBool}, {kBool}}},
    {" Equal ", {{kAny}, {kAny, 0}}},
    {" MatMul PRelu ", {{kWideNumbers}, {kWideNumbers, 0}}},
    {" Gemm ", {{kWideNumbers}, {kWideNumbers, 0}, {kWideNumbers, 0}}},
    {" Pow ", {{kFloats | kWide}, {kNumbers}}},
    {" Einsum Max Min ", {{kNumbers}}, true},
    {" Mean Sum ", {{kFloats}}, true},
    {" Concat ", {{kAny}}, true},
    {" Where ", {{kBool}, {kAny}, {kAny, 1}}},
    // torch writes limits in floats for integers too (clamp of positions at opset 11).
    {" Clip ", {{kNumbers}, {kNumbers}, {kNumbers}}},
    {" Range ", {{kFloats | kWide | bit(DType::kInt16)}, {kAny, 0}, {kAny, 0}}},
    {" CumSum ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd ReduceSum ReduceSumSquare ", {{kWideNumbers}, {kWide}}},
    {" ReduceMax ReduceMin ", {{kWideNumbers | kBytes | kBool}, {kWide}}},
    {" TopK ", {{kNumbers}, {kWide}}},
    {" ReverseSequence ", {{kAny}, {bit(DType::kInt64)}}},
    {" Expand Gather GatherElements GatherND Reshape Split Squeeze Tile Trilu Unsqueeze ", {{kAny}, {kWide}}},
    {" Scatter ScatterElements ScatterND ", {{kAny}, {kWide}, {kAny, 0}}},
    {" TensorScatter ", {{kAny}, {kAny, 0}, {kWide}}},
    {" Slice ", {{kAny}, {kWide}, {kWide}, {kWide}, {kWide}}},
    {" Pad ", {{kAny}, {kWide}, {kAny, 0}, {kWide}}},
    {" OneHot ", {{kNumbers}, {kNumbers}, {kAny}}},
    {" GridSample Upsample ", {{kAny}, {kFloats}}},
    {" Resize ", {{kAny}, {kFloats}, {kFloats}, {kWide}}},
    {" Dropout ", {{kFloats}, {kFloats}, {kBool}}},
    {" Conv ConvTranspose GroupNormalization InstanceNormalization LayerNormalization RMSNormalization ", {{kFloats}, {kFloats}, {kFloats}}},
    {" BatchNormalization ", {{kFloats}, {kFloats}, {kFloats}, {kFloats}, {kFloats}}},
    {" GRU LSTM RNN ", {{kFloats}, {kFloats}, {kFloats}, {kFloats}, {kWide}, {kFloats}, {kFloats}, {kFloats}}},
    {" Attention ", {{kFloats}, {kFloats}, {kFloats}, {kNumbers | kBool}, {kFloats}, {kFloats}, {kWide}}},
    {" RotaryEmbedding ", {{kFloats}, {kFloats}, {kFloats}, {kWide}}},
    {" DFT ", {{kFloats}, {kWide}, {kWide}}},
    {" STFT ", {{kFloats}, {kWide}, {kFloats}, {kWide}}},
    {" MelWeightMatrix ", {{kWide}, {kWide}, {kWide}, {kFloats}, {kFloats}}},
    {" ConvInteger MatMulInteger ", {{kBytes}, {kBytes}, {kBytes, 0}, {kBytes, 1}}},
    {" QuantizeLinear ", {{kFloats | kWide}, {kFloats | kWide}, {kBytes | kShorts}}},
    {" DequantizeLinear ", {{kBytes | kShorts | kWide}, {kFloats}, {kAny, 0}}},
    {" QLinearConv ", {{kBytes}, {kFloats}, {kBytes, 0}, {kBytes}, {kFloats}, {kBytes, 3}, {kFloats}, {kBytes}, {kWide}}},
    {" QLinearMatMul ", {{kBytes}, {kFloats}, {kBytes, 0}, {kBytes}, {kFloats}, {kBytes, 3}, {kFloats}, {kBytes}}},
};
// clang-format on

const Row* find(std::string_view op) {
  if (op.find(' ') != std::string_view::npos) return nullptr;
  const std::string word = " " + std::string(op) + " ";
  for (const Row& r : kRows)
    if (r.operators.find(word) != std::string_view::npos) return &r;
  return nullptr;
}

// "int32, int64 or bool".
std::string types_text(Types types) {
  if ((types & kNumbers) == kNumbers) return (types & kBool) != 0 ? "a number or bool" : "a number";
  std::string text, last = (types & kFloats) != 0 ? "a float type" : "";
  for (int code = 0; code < 32; ++code) {
    const Types one = types & ~kFloats & (Types{1} << code);
    if (one == 0) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = dtype_name(static_cast<DType>(code));
  }
  return text.empty() ? last : text + " or " + last;
}

bool alike(DType a, DType b) { return a == b || (is_float(a) && is_float(b)); }

}  // namespace

std::string operand_type_fault(std::string_view op, std::span<const TypedOperand> operands) {
  const Row* row = find(op);
  if (row == nullptr) return "";
  const auto is_known = [&](size_t i) { return i < operands.size() && !operands[i].name.empty() && operands[i].dtype != DType::kUndefined; };
  size_t first = operands.size();  // that is known: repeated operands are compared with it
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!row->repeated && (i >= kMostOperands || row->operands[i].types == 0)) break;
    if (!is_known(i)) continue;
    first = std::min(first, i);
    const Operand rule = row->repeated ? Operand{row->operands[0].types, static_cast<int>(first)} : row->operands[i];
    const TypedOperand& x = operands[i];
    const std::string is = "its input '" + x.name + "' is " + std::string(dtype_name(x.dtype)) + ", it must be ";
    if ((rule.types & bit(x.dtype)) == 0) return is + types_text(rule.types);
    if (rule.like == kOwn || !is_known(static_cast<size_t>(rule.like))) continue;
    const TypedOperand& other = operands[static_cast<size_t>(rule.like)];
    if (!alike(x.dtype, other.dtype)) return is + std::string(dtype_name(other.dtype)) + " as '" + other.name + "'";
  }
  return "";
}

}  // namespace edgeconv
