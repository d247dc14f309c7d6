// Reasons and hints for operators without an importer. The common ones have their own advice.
#include "convert/import_graph/refusals.h"

#include <string_view>

#include "convert/import/arity.h"

namespace edgeconv {
namespace {

constexpr std::string_view kDataShape =
    "the shape of its result depends on data, which a device with a fixed memory plan cannot run";

constexpr std::string_view kTensorFlow =
    "ONNX has no operator of this name: tf2onnx left one of TensorFlow that it cannot convert";
constexpr std::string_view kSpectrum =
    "compute the spectrum outside the model, or as a Conv1D whose weights are the tables of the transform";

constexpr std::string_view kNoImporter = "no importer so far";
constexpr std::string_view kOtherwise = "write it with operators that can be imported (`edgeconv supported-ops`)";
constexpr std::string_view kAsFunction = "export with an older opset, where it is written with several operators";
constexpr std::string_view kNoise = "where it trains, export it in evaluation mode (model.eval()); where it draws noise to synthesize, make the noise an input, or cut with --outputs NAME";
constexpr std::string_view kSequences = "sequences and optionals are not supported";
constexpr std::string_view kUnrolled = "export without scripting (torch.jit.script), so that lists are unrolled";
constexpr std::string_view kClassical = "of classical machine learning, what stands around neural networks is supported only";
constexpr std::string_view kOutside = "compute it outside the model, or cut the graph with --outputs NAME where it lies behind what you need";

constexpr RefusedOperator kRefusals[] = {
    {"", "NonZero", kDataShape, "replace x[mask] by torch.where, or index with fixed positions"},
    {"", "Compress", kDataShape, "replace it by torch.where"},
    {"", "Unique", kDataShape, "compute it outside the model"},
    {"", "NonMaxSuppression", kDataShape, "run it outside the model"},
    {"", "StringNormalizer", "string operators are not supported", "tokenize outside the model"},
    {"", "TfIdfVectorizer", "string operators are not supported", "tokenize outside the model"},
    {"", "StringSplit", "string operators are not supported", "tokenize outside the model"},
    {"", "StringConcat", "string operators are not supported", "tokenize outside the model"},
    {"", "RegexFullMatch", "string operators are not supported", "tokenize outside the model"},
    {"", "RandomNormal", "random numbers are not supported", kNoise},
    {"", "RandomNormalLike", "random numbers are not supported", kNoise},
    {"", "RandomUniform", "random numbers are not supported", kNoise},
    {"", "RandomUniformLike", "random numbers are not supported", kNoise},
    {"", "Multinomial", "random numbers are not supported", "sample outside the model"},
    {"", "StatefulPartitionedCall", kTensorFlow,
     "in Keras a convolution with groups: use DepthwiseConv2D, or a convolution for each group"},
    {"", "RFFT", kTensorFlow, kSpectrum},
    {"", "IRFFT", kTensorFlow, kSpectrum},
    {"", "Real", kTensorFlow, kSpectrum},
    {"", "Imag", kTensorFlow, kSpectrum},
    {"", "ComplexAbs", kTensorFlow, kSpectrum},
    {"", "Bernoulli", "random numbers are not supported", "export the model in evaluation mode (model.eval())"},
    {"", "BitShift", kNoImporter, kOtherwise},
    {"", "BitwiseAnd", kNoImporter, kOtherwise},
    {"", "BitwiseOr", kNoImporter, kOtherwise},
    {"", "BitwiseXor", kNoImporter, kOtherwise},
    {"", "BitwiseNot", kNoImporter, kOtherwise},
    {"", "BitCast", kNoImporter, kOtherwise},
    {"", "AffineGrid", kNoImporter, kOtherwise},
    {"", "CenterCropPad", kNoImporter, kOtherwise},
    {"", "Col2Im", kNoImporter, kOtherwise},
    {"", "CumProd", kNoImporter, kOtherwise},
    {"", "DeformConv", kNoImporter, kOtherwise},
    {"", "Det", kNoImporter, kOtherwise},
    {"", "MaxRoiPool", kNoImporter, kOtherwise},
    {"", "MaxUnpool", kNoImporter, kOtherwise},
    {"", "RoiAlign", kNoImporter, kOtherwise},
    {"", "CausalConvWithState", kNoImporter, kAsFunction},
    {"", "LinearAttention", kNoImporter, kAsFunction},
    {"", "SwiGLU", kNoImporter, kAsFunction},
    {"", "ImageDecoder", "files of pictures are not decoded", "decode them outside the model"},
    {"", "NegativeLogLikelihoodLoss", "losses are of training", "export the model in evaluation mode (model.eval())"},
    {"", "SoftmaxCrossEntropyLoss", "losses are of training", "export the model in evaluation mode (model.eval())"},
    {"", "Optional", kSequences, kUnrolled},
    {"", "OptionalGetElement", kSequences, kUnrolled},
    {"", "OptionalHasElement", kSequences, kUnrolled},
    {"", "SequenceMap", kSequences, kUnrolled},
    {"ai.onnx.ml", "Binarizer", kClassical, kOutside},
    {"ai.onnx.ml", "CastMap", kClassical, kOutside},
    {"ai.onnx.ml", "CategoryMapper", kClassical, kOutside},
    {"ai.onnx.ml", "DictVectorizer", kClassical, kOutside},
    {"ai.onnx.ml", "FeatureVectorizer", kClassical, kOutside},
    {"ai.onnx.ml", "Imputer", kClassical, kOutside},
    {"ai.onnx.ml", "LabelEncoder", kClassical, kOutside},
    {"ai.onnx.ml", "OneHotEncoder", kClassical, kOutside},
    {"ai.onnx.ml", "SVMClassifier", kClassical, kOutside},
    {"ai.onnx.ml", "SVMRegressor", kClassical, kOutside},
    {"ai.onnx.ml", "TreeEnsemble", kClassical, kOutside},
    {"ai.onnx.ml", "TreeEnsembleClassifier", kClassical, kOutside},
    {"ai.onnx.ml", "TreeEnsembleRegressor", kClassical, kOutside},
    {"ai.onnx.ml", "ZipMap", "its result is a list of maps",
     "export with the option zipmap=False (skl2onnx: options={id(model): {'zipmap': False}})"},
};

struct Limit {
  std::string_view domain, op, text;
};

constexpr std::string_view kRounds =
    "unrolled: the number of rounds is fixed, or that of a dim with --dim NAME=MAX (at most 1024; shorter runs cost as much); not "
    "what is a recurrent layer";

constexpr Limit kLimits[] = {
    {"", "Dropout", "no random masks (training mode)"},
    {"", "Einsum", "diagonals of a fixed size"},
    {"", "If", "both branches are computed, unless the condition is known"},
    {"", "Loop", kRounds},
    {"", "Scan", kRounds},
    {"ai.onnx.ml", "LinearClassifier", "labels are integers; post_transform NONE, SOFTMAX, LOGISTIC"},
    {"ai.onnx.ml", "LinearRegressor", "post_transform NONE, of several targets SOFTMAX, LOGISTIC"},
    {"com.microsoft", "GatedRelativePositionBias", "no packed batches (token_offset)"},
    {"com.microsoft", "RelativePositionBias", "the table's shape is fixed"},
};

bool starts_with(const std::string& s, std::string_view prefix) { return s.compare(0, prefix.size(), prefix) == 0; }

}  // namespace

std::span<const RefusedOperator> refused_operators() { return kRefusals; }

std::string_view limits_of(std::string_view domain, std::string_view op) {
  for (const Limit& l : kLimits)
    if (l.domain == domain && l.op == op) return l.text;
  return {};
}

void refuse_unknown(ImportContext& c, const OnnxNode& n) {
  if (n.domain == "com.microsoft.nchwc" || n.op_type == "NhwcConv")
    return c.unsupported(n, "the file was saved by ONNX Runtime with layout optimisations for one CPU",
                         "save it again with basic or extended graph optimisation, or convert the original file");
  if (n.domain == "com.microsoft")
    return c.unsupported(n, "ONNX Runtime operator without an importer",
                         "convert the model as it was before ONNX Runtime optimised or quantized it");
  for (const RefusedOperator& r : kRefusals)
    if (r.op == n.op_type && r.domain == n.domain) return c.unsupported(n, std::string(r.reason), std::string(r.hint));
  if (starts_with(n.domain, "ai.onnx.ml")) return c.unsupported(n, std::string(kClassical), "`edgeconv supported-ops` lists it");
  if (!n.domain.empty())
    return c.unsupported(
        n, "custom domain: no definition in the file",
        "export the operator as a function (its body in the file), replace it in the model by standard operators, or pass it "
        "through to a kernel of your application with --custom-op " +
            printable(n.domain) + "::" + printable(n.op_type));
  if (starts_with(n.op_type, "Sequence") || starts_with(n.op_type, "Optional"))
    return c.unsupported(n, std::string(kSequences), std::string(kUnrolled));
  if (starts_with(n.op_type, "TFL_"))
    return c.unsupported(n, "ONNX has no operator of this name: tf2onnx left one of TensorFlow Lite that it cannot convert",
                         "export the network that the .tflite file was made from: tf2onnx from_keras, or model.export(format=\"onnx\") of Keras 3");
  if (!most_operands(n.domain, n.op_type))
    return c.unsupported(
        n, "unknown operator: ONNX has none of this name",
        "the exporter left one of its own, which its warnings name; write the model with others (`edgeconv supported-ops`)");
  c.unsupported(n, std::string(kNoImporter), std::string(kOtherwise));
}

}  // namespace edgeconv
