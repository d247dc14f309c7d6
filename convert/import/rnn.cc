// LSTM, GRU and RNN. Inputs stay in ONNX order: X, W, R, B, sequence_lens, initial_h, and for LSTM initial_c and P.
#include <cctype>

#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_rnn(ImportContext& c, const OnnxNode& n) {
  const bool lstm = n.op_type == "LSTM", gru = n.op_type == "GRU";
  check_input_count(n, 3, lstm ? 8 : 6);
  RnnAttrs a;
  a.kind = n.op_type;
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
    if (s != "Sigmoid" && s != "Tanh" && s != "Relu")
      refuse("the activation " + s, "the activations Sigmoid, Tanh and Relu are supported");
  }
  a.alpha = n.numbers("activation_alpha");
  a.beta = n.numbers("activation_beta");
  a.clip = n.number("clip", 0);
  a.linear_before_reset = n.integer("linear_before_reset", 0) != 0;
  a.layout = n.integer("layout", 0) != 0;
  a.input_forget = n.integer("input_forget", 0) != 0;
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(i < 3 ? required_input(c, n, i) : c.input(n, i));
  c.emit(n, OpKind::kRnn, std::move(inputs), std::move(a));
}

}  // namespace edgeconv
