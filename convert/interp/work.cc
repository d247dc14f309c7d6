// Prices were fitted to conversions of real models and of layers with absurd sizes; they are right within a factor of three.
#include "convert/interp/work.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "convert/interp/einsum.h"
#include "convert/ir/axis.h"

namespace edgeconv {

namespace {

constexpr double kElement = 2;         // reading or writing one, with what is computed from it
constexpr double kMultiplyAdd = 0.04;  // in a matrix product
constexpr double kIntegerMultiplyAdd = 1;
constexpr double kGate = 8;     // of a recurrent cell: an activation, and what is done with it
constexpr double kMadeUp = 15;  // one random number
constexpr double kNode = 1000;  // of a body that runs many times
// Of a Fourier transform: an element, for each unit of a prime factor of the length.
constexpr double kButterfly = 8;

// Constants that folding makes (a ConstantOfShape of 64 MB from 16 bytes) are not what the file brings. A byte may hold eight weights, and unrolled
// loops share theirs.
constexpr double kMostOfEach = 8;

// A second for what has 50,000 parameters. Few parameters over large sizes are nobody's network: a conversion runs a model some ten times,
// and a file of a few kilobytes should not keep it for longer than a second.
constexpr Allowance kAllowedWork = {.small_model = 1e9, .few_parameters = 3e7, .each_of_few = 2e4, .each = 400};

double elements(const Graph& g, ValueId v, const DimSizes& dims) {
  if (v == kNone) return 0;
  if (!g.value(v).shape) return 0;
  double n = 1;
  for (const DimExpr& d : *g.value(v).shape) n *= static_cast<double>(std::max<int64_t>(0, d.evaluate(dims).value_or(1)));
  return n;
}

double size(const Graph& g, ValueId v, int axis, const DimSizes& dims) {
  if (v == kNone || !g.value(v).shape) return 1;
  const Shape& shape = *g.value(v).shape;
  const size_t at = axis_index(axis, shape.size());
  if (at >= shape.size()) return 1;
  return static_cast<double>(std::max<int64_t>(0, shape[at].evaluate(dims).value_or(1)));
}

double ratio(double a, double b) { return a == 0 || b == 0 ? 0 : a / b; }

// Weights [out, in, taps...]: products for each position of the output, and the patches that they are made from.
double convolution(const Graph& g, const Node& n, const DimSizes& dims, double price) {
  const double out = elements(g, n.outputs[0], dims), per_out = ratio(elements(g, n.in(1), dims), size(g, n.in(1), 0, dims));
  const double groups = static_cast<double>(std::max<int64_t>(1, n.as<ConvAttrs>().group));
  const double positions = ratio(out, size(g, n.in(1), 0, dims));
  return out * per_out * price + positions * groups * per_out * kElement;
}

// Weights [in, out / groups, taps...]: every input element meets those of its channel, and the products are added up.
double transposed_convolution(const Graph& g, const Node& n, const DimSizes& dims) {
  const double per_in = ratio(elements(g, n.in(1), dims), size(g, n.in(1), 0, dims));
  const double positions = ratio(elements(g, n.in(0), dims), size(g, n.in(0), 1, dims));
  const double groups = static_cast<double>(std::max<int64_t>(1, n.as<ConvTransposeAttrs>().group));
  return elements(g, n.in(0), dims) * per_in * kMultiplyAdd + positions * groups * per_in * kElement;
}

double sum_of_factors(int64_t n) {
  int64_t sum = 0;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) sum += p;
  return static_cast<double>(sum + n);
}

// A length that a node has as an input, or else a size.
double length_of(const Graph& g, ValueId given, double otherwise, const DimSizes& dims) {
  if (given == kNone) return otherwise;
  const Value& v = g.value(given);
  if (v.constant && v.constant->elements() == 1) return static_cast<double>(v.constant->to_int64()[0]);
  if (v.elements && v.elements->size() == 1) return static_cast<double>((*v.elements)[0].evaluate(dims).value_or(1));
  return otherwise;
}

// A mixed-radix transform of `lines` lines.
double transform(double lines, double length) {
  if (!(length >= 1 && length < 1e9)) return length < 1 ? 0 : std::numeric_limits<double>::infinity();
  return lines * length * sum_of_factors(static_cast<int64_t>(length)) * kButterfly;
}

double dft(const Graph& g, const Node& n, const DimSizes& dims) {
  const DftAttrs& a = n.as<DftAttrs>();
  const double size_in = size(g, n.in(0), static_cast<int>(a.axis), dims);
  const double length = length_of(g, n.in(1), a.onesided && a.inverse ? 2 * (size_in - 1) : size_in, dims);
  return transform(ratio(elements(g, n.in(0), dims), size_in), length);
}

double stft(const Graph& g, const Node& n, const DimSizes& dims) {
  const double length = n.in(2) != kNone ? size(g, n.in(2), 0, dims) : length_of(g, n.in(3), size(g, n.in(0), 1, dims), dims);
  return transform(size(g, n.outputs[0], 0, dims) * size(g, n.outputs[0], 1, dims), length);
}

double pooling(const Graph& g, const Node& n, const DimSizes& dims) {
  double taps = 1;
  for (int64_t k : n.as<ConvAttrs>().kernel) taps *= static_cast<double>(std::max<int64_t>(1, k));
  return elements(g, n.outputs[0], dims) * taps * kElement;
}

double einsum(const Graph& g, const Node& n, const DimSizes& dims) {
  std::vector<int> ranks;
  for (ValueId v : n.inputs) ranks.push_back(v == kNone ? 0 : g.value(v).rank());
  std::string error;
  const auto spec = parse_einsum(n.as<EinsumAttrs>().equation, ranks, error);
  if (!spec) return 0;  // inference tells why
  std::vector<double> sizes(static_cast<size_t>(spec->labels), 1);
  for (size_t i = 0; i < spec->inputs.size(); ++i)
    for (size_t k = 0; k < spec->inputs[i].size(); ++k) {
      double& s = sizes[static_cast<size_t>(spec->inputs[i][k])];
      s = std::max(s, size(g, n.in(i), static_cast<int>(k), dims));
    }
  double all = kMultiplyAdd;
  for (double s : sizes) all *= s;
  return all;
}

double attention(const Graph& g, const Node& n, const DimSizes& dims) {
  const AttentionAttrs& a = n.as<AttentionAttrs>();
  const double v_dim = static_cast<double>(a.v_dim ? a.v_dim : a.head_dim);
  const double scores =
      size(g, n.in(0), 0, dims) * size(g, n.in(0), 1, dims) * size(g, n.in(1), 1, dims) * static_cast<double>(a.heads);
  return scores * ((static_cast<double>(a.head_dim) + v_dim) * kMultiplyAdd + 4 * kElement);
}

// Products of each step, and gates; r: weights [directions, gates * hidden, hidden].
double recurrence(const Graph& g, ValueId r, double steps, double products_of_step, const DimSizes& dims) {
  const double gates = ratio(elements(g, r, dims), size(g, r, -1, dims));
  return steps * (products_of_step * kMultiplyAdd + gates * kGate);
}

// Every body once; a loop's as often as its trip count says.
double bodies(const Graph& g, const Node& n, const DimSizes& dims) {
  double sum = 0;
  for (const auto& body : n.as<SubgraphAttrs>().bodies) {
    for (const Node& inner : body->nodes)
      if (!inner.dead) sum += kNode + node_work(*body, inner, dims);
  }
  if (n.kind != OpKind::kLoop) return sum;
  const ValueId count = n.in(0);
  if (count == kNone || !g.value(count).constant || g.value(count).constant->elements() != 1)
    return std::numeric_limits<double>::infinity();
  return sum * static_cast<double>(std::max<int64_t>(0, g.value(count).constant->to_int64()[0]));
}

// Beyond reading the inputs and writing the outputs.
double inner_work(const Graph& g, const Node& n, const DimSizes& dims) {
  const auto in = [&](size_t i) { return elements(g, n.in(i), dims); };
  const auto out = [&] { return elements(g, n.outputs[0], dims); };
  switch (n.kind) {
    case OpKind::kMatMul: return out() * size(g, n.in(0), -1, dims) * kMultiplyAdd;
    case OpKind::kMatMulInteger: return out() * size(g, n.in(0), -1, dims) * kIntegerMultiplyAdd;
    case OpKind::kDepthwiseConv: return out() * size(g, n.in(1), 0, dims) * kMultiplyAdd;
    case OpKind::kLinear: return out() * size(g, n.in(1), 0, dims) * kMultiplyAdd;
    case OpKind::kConv: return convolution(g, n, dims, kMultiplyAdd);
    case OpKind::kConvTranspose: return transposed_convolution(g, n, dims);
    case OpKind::kDft: return dft(g, n, dims);
    case OpKind::kStft: return stft(g, n, dims);
    case OpKind::kConvInteger: return convolution(g, n, dims, kIntegerMultiplyAdd);
    case OpKind::kMaxPool:
    case OpKind::kAveragePool: return pooling(g, n, dims);
    case OpKind::kEinsum: return einsum(g, n, dims);
    case OpKind::kAttention: return attention(g, n, dims);
    case OpKind::kRnn: return recurrence(g, n.in(2), ratio(in(0), size(g, n.in(0), -1, dims)), in(1) + in(2), dims);
    case OpKind::kRecurrence: return recurrence(g, n.in(1), ratio(in(0), size(g, n.in(0), -1, dims)), in(1), dims);
    case OpKind::kResize: return out() * 16 * kElement;
    case OpKind::kTopK: {  // the k best of each line, then in order
      const double k = size(g, n.outputs[0], static_cast<int>(n.as<TopKAttrs>().axis), dims);
      return in(0) * (20 + 4 * std::log2(std::max(1.0, k))) * kElement;
    }
    case OpKind::kReduce:
    case OpKind::kArgMinMax: return g.value(n.in(0)).constant ? in(0) * kElement : 0;
    case OpKind::kIf:
    case OpKind::kLoop: return bodies(g, n, dims);
    default: return 0;
  }
}

}  // namespace

double elements_at(const Shape& shape, const DimSizes& dims) {
  double n = 1;
  for (const DimExpr& d : shape) n *= static_cast<double>(d.evaluate(dims).value_or(INT64_MAX));
  return n;
}

DimSizes sizes_of(const Graph& g, const std::vector<Tensor>& inputs) {
  DimSizes sizes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = *g.value(g.inputs[i]).shape;
    for (size_t a = 0; a < shape.size(); ++a)
      if (shape[a].is_symbol()) sizes[shape[a].symbol_name()] = inputs[i].dims()[a];
  }
  return sizes;
}

double node_work(const Graph& g, const Node& n, const DimSizes& dims) {
  double sum = 0;
  for (ValueId v : n.inputs)
    if (v != kNone && !g.value(v).constant) sum += elements(g, v, dims) * kElement;
  for (ValueId v : n.outputs) sum += elements(g, v, dims) * kElement;
  return n.outputs.empty() ? sum : sum + inner_work(g, n, dims);
}

double graph_work(const Graph& g, const DimSizes& dims) {
  double sum = 0;
  for (ValueId v : g.inputs) sum += elements(g, v, dims) * kMadeUp;
  for (const Node& n : g.nodes)
    if (!n.dead) sum += node_work(g, n, dims);
  return sum;
}

double parameters(const Graph& g) {
  double sum = 0;
  for (const Value& v : g.values)
    if (v.constant) sum += static_cast<double>(v.constant->elements());
  return sum;
}

double parameters_with_bodies(const Graph& g) {
  double sum = parameters(g);
  for (const Node& n : g.nodes) {
    if (n.dead || (n.kind != OpKind::kIf && n.kind != OpKind::kLoop)) continue;
    for (const auto& body : n.as<SubgraphAttrs>().bodies) sum += parameters_with_bodies(*body);
  }
  return sum;
}

double Allowance::of(const Graph& g) const {
  const double count = std::min(parameters(g), kMostOfEach * g.brought_parameters.value_or(parameters(g)));
  return std::min(small_model, few_parameters + each_of_few * count) + each * count;
}

double allowed_work(const Graph& g) { return kAllowedWork.of(g); }

}  // namespace edgeconv
