// Recurrence: recurrent weights per direction, every gate padded to whole panels. The input half was split off as a Linear.
#include <algorithm>
#include <cstring>
#include <optional>

#include "convert/lower/lower.h"
#include "convert/quantize/weight_store.h"
#include "convert/quantize/wide_weights.h"
#include "kernels_int8/contract/packed_layout.h"
#include "kernels_int8/contract/unary.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;
namespace linear = ert::params::linear;
namespace recurrence = ert::params::recurrence;

namespace {

struct Gates {
  int64_t count, hidden, padded;  // padded: columns of one gate
  int64_t columns() const { return count * padded; }
};

// [gates * hidden, hidden] of one direction to [hidden, gates * padded], zero where padded.
std::vector<float> recurrent_matrix(const float* r, const Gates& s) {
  std::vector<float> w(static_cast<size_t>(s.hidden * s.columns()), 0.0f);
  for (int64_t g = 0; g < s.count; ++g)
    for (int64_t j = 0; j < s.hidden; ++j)
      for (int64_t k = 0; k < s.hidden; ++k)
        w[static_cast<size_t>(k * s.columns() + g * s.padded + j)] = r[(g * s.hidden + j) * s.hidden + k];
  return w;
}

// The same of the file's own integers, where they have one scale for a direction; nothing otherwise.
std::optional<QuantizedWeights> kept_matrix(const Value& r, int64_t direction, const Gates& s) {
  if (!r.quantized || (r.quantized->scale.size() != 1 && r.quantized->axis != 0)) return std::nullopt;
  QuantizedWeights q;
  q.k = s.hidden;
  q.n = s.columns();
  q.codes.assign(static_cast<size_t>(q.k * q.n), 0);
  q.scale.assign(static_cast<size_t>(q.n), 0.0f);
  q.colsum.assign(static_cast<size_t>(q.n), 0);
  const float scale = r.quantized->scale[r.quantized->scale.size() == 1 ? 0 : static_cast<size_t>(direction)];
  const int8_t* from = r.quantized->codes.as<int8_t>().data() + direction * s.count * s.hidden * s.hidden;
  for (int64_t g = 0; g < s.count; ++g)
    for (int64_t j = 0; j < s.hidden; ++j) {
      const size_t column = static_cast<size_t>(g * s.padded + j);
      q.scale[column] = scale;
      for (int64_t k = 0; k < s.hidden; ++k) {
        const int8_t v = *from++;
        q.codes[column * static_cast<size_t>(s.hidden) + static_cast<size_t>(k)] = v;
        q.colsum[column] += v;
      }
    }
  return q;
}

std::vector<float> padded_bias(const float* b, const Gates& s) {
  std::vector<float> out(static_cast<size_t>(s.columns()), 0.0f);
  for (int64_t g = 0; g < s.count; ++g)
    std::memcpy(out.data() + g * s.padded, b + g * s.hidden, static_cast<size_t>(s.hidden) * sizeof(float));
  return out;
}

// weights, scale, colsum of direction d, as operands; r holds its weights as the graph has them.
void add_weights(LowerContext& c, ValueId weight, int64_t d, const float* r, const Gates& s, linear::Precision precision,
                 std::vector<int>& operands) {
  if (precision == linear::kF32) {
    operands.insert(operands.end(), {c.constant_f32({s.hidden, s.columns()}, recurrent_matrix(r, s)), -1, -1});
    return;
  }
  const auto wide = [&] { return wide_weights(recurrent_matrix(r, s), s.hidden, s.columns()); };
  const auto quantized = [&] {
    if (const auto kept = kept_matrix(c.graph.value(weight), d, s)) return *kept;
    return quantize_weights(recurrent_matrix(r, s), s.hidden, s.columns());
  };
  const PackedConstants w = c.constants(precision == linear::kW12A13 ? c.weights.wide_part(weight, d, s.hidden, s.columns(), wide)
                                                                      : c.weights.part(weight, d, s.hidden, s.columns(), quantized));
  operands.insert(operands.end(), {w.codes, w.scale, w.colsum});
}

int32_t activation_kind(const std::string& name) {
  using ert::kernels::Unary;
  return static_cast<int32_t>(name == "Sigmoid" ? Unary::kSigmoid : name == "Tanh" ? Unary::kTanh : Unary::kRelu);
}

// Three per direction; kinds with fewer repeat their last, which nothing reads.
void add_activations(const RnnAttrs& a, size_t directions, std::vector<int32_t>& ints) {
  const size_t per = a.activations.size() / directions;
  for (size_t d = 0; d < directions; ++d)
    for (size_t i = 0; i < recurrence::kActivationCount; ++i)
      ints.push_back(activation_kind(a.activations[d * per + std::min(i, per - 1)]));
}

}  // namespace

void lower_recurrence(LowerContext& c, const Node& n) {
  const RnnAttrs& a = n.as<RnnAttrs>();
  const Precision precision = c.options.plan.of(c.node_id).precision;
  const Tensor r = c.graph.value(n.in(1)).constant->cast(DType::kFloat).aligned();
  const int64_t directions = r.dims()[0], hidden = r.dims()[2];
  const Gates s{r.dims()[1] / hidden, hidden, static_cast<int64_t>(ert::kernels::round_up(static_cast<size_t>(hidden), 16))};
  Tensor bias;
  if (n.in(2) != kNone) bias = c.graph.value(n.in(2)).constant->cast(DType::kFloat).aligned();
  std::vector<int> inputs = named<recurrence::kFirstWeights>({{recurrence::kProjected, c.operand(n.in(0))},
                                                              {recurrence::kLengths, c.operand(n.in(3))},
                                                              {recurrence::kInitialH, c.operand(n.in(4))},
                                                              {recurrence::kInitialC, c.operand(n.in(5))},
                                                              {recurrence::kPeepholes, c.operand(n.in(6))}});
  for (int64_t d = 0; d < directions; ++d) {
    const float* b = n.in(2) == kNone ? nullptr : bias.as<float>().data() + d * s.count * hidden;
    add_weights(c, n.in(1), d, r.as<float>().data() + d * s.count * hidden * hidden, s, precision, inputs);
    inputs.push_back(b ? c.constant_f32({s.columns()}, padded_bias(b, s)) : -1);
  }
  const recurrence::Kind kind = a.kind == "LSTM" ? recurrence::kLstm : a.kind == "GRU" ? recurrence::kGru : recurrence::kRnn;
  const recurrence::Direction direction = a.direction == "bidirectional" ? recurrence::kBidirectional
                                          : a.direction == "reverse"     ? recurrence::kReverse
                                                                         : recurrence::kForward;
  std::vector<int32_t> ints = named<recurrence::kFirstActivation>({{recurrence::kKind, kind},
                                                                   {recurrence::kPrecision, precision},
                                                                   {recurrence::kDirection, direction},
                                                                   {recurrence::kLinearBeforeReset, a.linear_before_reset},
                                                                   {recurrence::kInputForget, a.input_forget}});
  add_activations(a, static_cast<size_t>(directions), ints);
  std::vector<int> outputs;
  for (ValueId v : n.outputs) outputs.push_back(c.result(v));
  c.op(n, OpCode::kRecurrence, std::move(inputs), std::move(outputs), std::move(ints),
       named_floats<recurrence::kFloatCount>({{recurrence::kClip, a.clip}}));
}

}  // namespace edgeconv
