// LSTM, GRU and RNN. Inputs stay in ONNX order: X, W, R, B, sequence_lens, initial_h, and for LSTM initial_c and P. ONNX
// Runtime's DynamicQuantizeLSTM becomes an LSTM with dequantized weights.
#include <algorithm>
#include <cctype>

#include "convert/import/building_blocks.h"

namespace edgeconv {

namespace {

RnnAttrs rnn_attrs(const OnnxNode& n, const std::string& kind) {
  const bool lstm = kind == "LSTM", gru = kind == "GRU";
  RnnAttrs a;
  a.kind = kind;
  a.hidden = n.integer("hidden_size", 0);
  a.direction = n.text("direction", "forward");
  if (a.direction != "forward" && a.direction != "reverse" && a.direction != "bidirectional")
    throw NodeError("attribute 'direction' is none of forward, reverse, bidirectional");
  const size_t directions = a.direction == "bidirectional" ? 2 : 1;
  a.activations = n.texts("activations");
  if (a.activations.empty())
    for (size_t d = 0; d < directions; ++d) {
      if (lstm || gru) a.activations.push_back("Sigmoid");
      a.activations.push_back("Tanh");
      if (lstm) a.activations.push_back("Tanh");
    }
  const size_t per_direction = lstm ? 3 : gru ? 2 : 1;
  if (a.activations.size() != directions * per_direction) throw NodeError("attribute 'activations' has the wrong length");
  for (std::string& s : a.activations) {
    for (char& ch : s) ch = static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
    if (!s.empty()) s[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s[0])));
    if (s != "Sigmoid" && s != "Tanh" && s != "Relu") {
      const auto known = {"Affine", "Elu", "Hardsigmoid", "Leakyrelu", "Scaledtanh", "Softplus", "Softsign", "Thresholdedrelu"};
      if (std::find(known.begin(), known.end(), s) == known.end()) throw NodeError("attribute 'activations' has '" + s + "', which ONNX does not know");
      refuse("the activation " + s, "the activations Sigmoid, Tanh and Relu are supported");
    }
  }
  a.alpha = n.numbers("activation_alpha");
  a.beta = n.numbers("activation_beta");
  a.clip = n.number("clip", 0);
  a.linear_before_reset = n.integer("linear_before_reset", 0) != 0;
  a.layout = n.integer("layout", 0) != 0;
  a.input_forget = n.integer("input_forget", 0) != 0;
  return a;
}

// Weights of DynamicQuantizeLSTM are [directions, inputs, 4 * hidden], with a scale per direction or per column.
ValueId dequantized_weights(ImportContext& c, const OnnxNode& n, size_t weights, size_t scale_at) {
  const ValueId scale = required_input(c, n, scale_at), zero_point = c.input(n, scale_at + 1);
  const int rank = rank_hint(c.graph(), scale);
  if (rank != 1 && rank != 2) refuse("scales of an unknown or odd shape", "convert the model as it was before it was quantized");
  // As a DequantizeLinear it keeps the file's integers (fold_dequantize).
  if (rank == 1) {
    QuantAttrs a;
    a.axis = 0;
    const ValueId w = c.inner(n, OpKind::kDequantizeLinear, {required_input(c, n, weights), scale, zero_point}, a);
    return transpose(c, n, w, {0, 2, 1});
  }
  const std::vector<int64_t> axes = {1};
  ValueId w = cast(c, n, required_input(c, n, weights), DType::kFloat);
  if (zero_point != kNone) w = sub(c, n, w, unsqueeze(c, n, cast(c, n, zero_point, DType::kFloat), axes));
  return transpose(c, n, mul(c, n, w, unsqueeze(c, n, scale, axes)), {0, 2, 1});
}

}  // namespace

void import_rnn(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, n.op_type == "LSTM" ? 8 : 6);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(i < 3 ? required_input(c, n, i) : c.input(n, i));
  c.emit(n, OpKind::kRnn, std::move(inputs), rnn_attrs(n, n.op_type));
}

// X, W, R, B, sequence_lens, initial_h, initial_c, P, W_scale, W_zero_point, R_scale, R_zero_point
void import_dynamic_quantize_lstm(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 12, 12);
  std::vector<ValueId> inputs = {required_input(c, n, 0), dequantized_weights(c, n, 1, 8), dequantized_weights(c, n, 2, 10)};
  for (size_t i = 3; i < 8; ++i) inputs.push_back(c.input(n, i));
  while (inputs.back() == kNone) inputs.pop_back();
  c.emit(n, OpKind::kRnn, std::move(inputs), rnn_attrs(n, "LSTM"));
}

}  // namespace edgeconv
