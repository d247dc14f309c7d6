// The operators of ai.onnx up to opset 28, by the schemas of onnx 1.23 (max_input and max_output over all versions); of com.microsoft,
// where inputs were added over the years, only the outputs. What takes and gives any number is left out: If, Loop, Scan.
#include "convert/import/arity.h"

#include <cstdint>
#include <string>

namespace edgeconv {

namespace {

struct Group {
  size_t inputs, outputs;
  std::string_view operators;  // each between blanks
};

constexpr size_t kAny = SIZE_MAX;

// clang-format off
constexpr Group kOnnx[] = {
    {0, 1,
     " Constant RandomNormal RandomUniform SequenceEmpty "},
    {1, 1,
     " Abs Acos Acosh ArgMax ArgMin Asin Asinh Atan Atanh AveragePool Bernoulli BitCast BitwiseNot BlackmanWindow Cast Ceil "
     "Celu ConcatFromSequence ConstantOfShape Cos Cosh DepthToSpace Det Elu Erf Exp EyeLike Flatten Floor Gelu "
     "GlobalAveragePool GlobalLpPool GlobalMaxPool HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity "
     "ImageDecoder IsInf IsNaN LRN LeakyRelu Log LogSoftmax LpNormalization LpPool MeanVarianceNormalization Mish "
     "Multinomial Neg NonZero Not Optional OptionalGetElement OptionalHasElement RandomNormalLike RandomUniformLike "
     "Reciprocal RegexFullMatch Relu Round Selu SequenceLength Shape Shrink Sigmoid Sign Sin Sinh Size Softmax Softplus "
     "Softsign SpaceToDepth Sqrt StringNormalizer Swish Tan Tanh TfIdfVectorizer ThresholdedRelu Transpose "},
    {2, 1,
     " Add AffineGrid And BitShift BitwiseAnd BitwiseOr BitwiseXor CastLike CenterCropPad Compress CumProd CumSum Div Equal "
     "Expand Gather GatherElements GatherND Greater GreaterOrEqual GridSample Less LessOrEqual MatMul MaxRoiPool Mod Mul Or "
     "PRelu Pow RMSNormalization ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSum ReduceSumSquare Reshape ReverseSequence SequenceAt SequenceErase SplitToSequence Squeeze StringConcat Sub "
     "SwiGLU Trilu Unsqueeze Upsample Xor "},
    {3, 1,
     " Clip Col2Im Conv ConvTranspose DFT DequantizeLinear Gemm GroupNormalization InstanceNormalization MaxUnpool "
     "NegativeLogLikelihoodLoss OneHot QuantizeLinear Range RoiAlign Scatter ScatterElements ScatterND SequenceInsert "
     "TensorScatter Tile Where "},
    {4, 1,
     " ConvInteger MatMulInteger Pad Resize RotaryEmbedding STFT "},
    {5, 1,
     " DeformConv MelWeightMatrix NonMaxSuppression Slice "},
    {8, 1,
     " QLinearMatMul "},
    {9, 1,
     " QLinearConv "},
    {kAny, 1,
     " Concat Einsum Max Mean Min SequenceConstruct Sum "},
    {1, 2,
     " MaxPool StringSplit "},
    {2, 2,
     " TopK "},
    {3, 2,
     " Dropout SoftmaxCrossEntropyLoss "},
    {4, 2,
     " CausalConvWithState "},
    {6, 2,
     " GRU LinearAttention RNN "},
    {1, 3,
     " DynamicQuantizeLinear "},
    {3, 3,
     " LayerNormalization "},
    {8, 3,
     " LSTM "},
    {1, 4,
     " Unique "},
    {7, 4,
     " Attention "},
    {5, 5,
     " BatchNormalization "},
    {1, kAny,
     " If "},
    {2, kAny,
     " Split "},
    {kAny, 3,
     " SimplifiedLayerNormalization "},
};

constexpr Group kMicrosoft[] = {
    {kAny, 1,
     " BiasGelu DequantizeLinear DynamicQuantizeMatMul FastGelu FusedGemm FusedMatMul Gelu MatMulIntegerToFloat MatMulNBits QGemm "
     "QLinearAdd QLinearAveragePool QLinearConcat QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul QLinearReduceMean "
     "QLinearSigmoid QLinearSoftmax QLinearWhere QuantizeLinear QuickGelu RotaryEmbedding TransposeMatMul "},
    {kAny, 2,
     " Attention QAttention "},
    {kAny, 3,
     " DynamicQuantizeLSTM EmbedLayerNormalization QEmbedLayerNormalization SimplifiedLayerNormalization "},
    {kAny, 4,
     " GroupQueryAttention MultiHeadAttention SkipLayerNormalization SkipSimplifiedLayerNormalization "},
};
// clang-format on

template <size_t n>
std::optional<Arity> find(const Group (&groups)[n], std::string_view op) {
  const std::string word = " " + std::string(op) + " ";
  for (const Group& g : groups)
    if (g.operators.find(word) != std::string_view::npos) return Arity{g.inputs, g.outputs};
  return std::nullopt;
}

}  // namespace

std::optional<Arity> most_operands(std::string_view domain, std::string_view op) {
  if (op.find(' ') != std::string_view::npos) return std::nullopt;
  if (domain.empty()) return find(kOnnx, op);
  return domain == "com.microsoft" ? find(kMicrosoft, op) : std::nullopt;
}

}  // namespace edgeconv
