// LSTM, GRU and RNN become two nodes: a Linear that multiplies the inputs of all steps and directions at once, and a
// Recurrence that holds what has to run step by step. The Linear then takes part in everything that treats Linears:
// smoothing, the mixed-precision search, hoisted views.
#include "convert/infer/zeros.h"
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

struct Weights {
  int64_t directions, gates, hidden, input;
  bool separate_bias;  // a GRU that resets after the product keeps the recurrent bias of its candidate gate apart
  int64_t columns() const { return gates * hidden; }
};

std::optional<Tensor> float_constant(const Graph& g, ValueId v) {
  if (v == kNone || !g.value(v).constant || !is_float(g.value(v).dtype)) return {};
  return g.value(v).constant->cast(DType::kFloat).aligned();
}

// [directions, columns, input] to [input, directions * columns]
Tensor joined_weight(const Tensor& w, const Weights& s) {
  const int64_t rows = s.directions * s.columns();
  Tensor t(DType::kFloat, {s.input, rows});
  const auto src = w.as<float>();
  const auto dst = t.mut<float>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < s.input; ++k) dst[static_cast<size_t>(k * rows + r)] = src[static_cast<size_t>(r * s.input + k)];
  return t;
}

// The same of the file's own integers, where their scales belong to directions.
std::shared_ptr<const QuantizedConstant> joined_codes(const Value& w, const Weights& s) {
  if (!w.quantized || (w.quantized->scale.size() != 1 && w.quantized->axis != 0)) return nullptr;
  const int64_t columns = s.directions * s.columns();
  auto joined = std::make_shared<QuantizedConstant>();
  joined->axis = 1;
  for (int64_t r = 0; r < columns; ++r)
    joined->scale.push_back(w.quantized->scale[w.quantized->scale.size() == 1 ? 0 : static_cast<size_t>(r / s.columns())]);
  joined->codes = Tensor(DType::kInt8, {s.input, columns});
  const auto src = w.quantized->codes.as<int8_t>();
  const auto dst = joined->codes.mut<int8_t>();
  for (int64_t r = 0; r < columns; ++r)
    for (int64_t k = 0; k < s.input; ++k) dst[static_cast<size_t>(k * columns + r)] = src[static_cast<size_t>(r * s.input + k)];
  return joined;
}

// B is [directions, Wb then Rb]. Both are added to the same gates, so that one of them suffices, but for the gate kept apart.
struct Biases {
  std::vector<float> linear, recurrent;
};
Biases split_bias(const Tensor& b, const Weights& s) {
  Biases r;
  const auto at = [&](int64_t d, int64_t i) { return b.as<float>()[static_cast<size_t>(d * 2 * s.columns() + i)]; };
  for (int64_t d = 0; d < s.directions; ++d)
    for (int64_t i = 0; i < s.columns(); ++i) {
      const bool apart = s.separate_bias && i >= 2 * s.hidden;
      r.linear.push_back(at(d, i) + (apart ? 0.0f : at(d, s.columns() + i)));
      r.recurrent.push_back(apart ? at(d, s.columns() + i) : 0.0f);
    }
  return r;
}

ValueId transposed(Graph& g, ValueId v, const std::vector<int64_t>& perm, const Origin& origin) {
  return g.add_node(OpKind::kTranspose, {v}, TransposeAttrs{perm}, origin);
}

ValueId state_input(Graph& g, const Node& rnn, size_t i) {
  const ValueId v = rnn.in(i);
  if (v == kNone || is_zero(g, v)) return kNone;
  return rnn.as<RnnAttrs>().layout ? transposed(g, v, {1, 0, 2}, rnn.origin) : v;
}

bool split(Graph& g, NodeId id) {
  const Node n = g.node(id);
  RnnAttrs a = n.as<RnnAttrs>();
  const auto w = float_constant(g, n.in(1)), r = float_constant(g, n.in(2)), b = float_constant(g, n.in(3));
  if (!w || !r || w->rank() != 3 || r->rank() != 3 || (n.in(3) != kNone && !b) ||
      (n.in(7) != kNone && !float_constant(g, n.in(7))))
    return false;
  const Weights s{a.direction == "bidirectional" ? 2 : 1,
                  a.kind == "LSTM"  ? 4
                  : a.kind == "GRU" ? 3
                                    : 1,
                  r->dims()[2], w->dims()[2], a.kind == "GRU" && a.linear_before_reset};
  const std::vector<int64_t> want_w{s.directions, s.columns(), s.input}, want_r{s.directions, s.columns(), s.hidden},
      want_b{s.directions, 2 * s.columns()};
  if (w->dims() != want_w || r->dims() != want_r || (b && b->dims() != want_b)) return false;
  const DType dtype = g.value(n.in(1)).dtype;
  const std::string& name = n.origin.node;

  ValueId linear_bias = kNone, recurrent_bias = kNone;
  if (b) {
    const Biases biases = split_bias(*b, s);
    linear_bias =
        g.add_constant(name + "/bias", Tensor::of<float>(DType::kFloat, {s.directions * s.columns()}, biases.linear).cast(dtype));
    if (s.separate_bias)
      recurrent_bias = g.add_constant(
          name + "/recurrent_bias", Tensor::of<float>(DType::kFloat, {s.directions, s.columns()}, biases.recurrent).cast(dtype));
  }
  const ValueId x = a.layout ? transposed(g, n.in(0), {1, 0, 2}, n.origin) : n.in(0);
  const auto codes = joined_codes(g.value(n.in(1)), s);
  const ValueId weight = g.add_constant(name + "/weight", joined_weight(*w, s).cast(dtype));
  g.value(weight).quantized = codes;
  const ValueId products = g.add_node(OpKind::kLinear, {x, weight, linear_bias}, LinearAttrs{}, n.origin);
  const std::vector<ValueId> inputs{products, n.in(2), recurrent_bias, n.in(4), state_input(g, n, 5), state_input(g, n, 6),
                                    n.in(7)};

  const bool layout = a.layout;
  a.layout = false;
  g.node(id).dead = true;
  for (ValueId v : n.outputs)
    if (v != kNone) g.value(v).producer = kNone;
  // States keep their values where no axis moves.
  std::vector<ValueId> outputs{g.add_value(name + "/steps")};
  for (size_t i = 1; i < (a.kind == "LSTM" ? 3u : 2u); ++i) {
    const bool wanted = i < n.outputs.size() && n.outputs[i] != kNone;
    outputs.push_back(wanted && !layout ? n.outputs[i] : g.add_value(name + "/state" + std::to_string(i)));
    if (wanted && layout)
      g.add_node_with_outputs(OpKind::kTranspose, {outputs.back()}, {n.outputs[i]}, TransposeAttrs{{1, 0, 2}}, n.origin);
  }
  g.add_node_with_outputs(OpKind::kRecurrence, inputs, outputs, a, n.origin);
  if (n.outputs[0] != kNone) {
    const ValueId sizes = g.add_constant(name + "/sizes", Tensor::ints({0, 0, s.directions, s.hidden}));
    const ValueId split_directions = g.add_node(OpKind::kReshape, {outputs[0], sizes}, ReshapeAttrs{}, n.origin);
    g.add_node_with_outputs(OpKind::kTranspose, {split_directions}, {n.outputs[0]},
                            TransposeAttrs{layout ? std::vector<int64_t>{1, 0, 2, 3} : std::vector<int64_t>{0, 2, 1, 3}},
                            n.origin);
  }
  return true;
}

}  // namespace

int pass_split_rnn(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kRnn, [&](NodeId id) { return split(g, id); });
}

}  // namespace edgeconv
