// Reasons and advice per kind, and the search for further problems in a graph with holes.
#include "convert/lower/missing_ops.h"

#include <algorithm>
#include <set>

#include "convert/infer/inline_bodies.h"
#include "convert/infer/loop_rounds.h"
#include "convert/ir/foreign_text.h"
#include "convert/ir/input_reach.h"
#include "convert/lower/lower.h"
#include "convert/infer/infer.h"
#include "convert/passes/pass.h"
#include "convert/dims/dims.h"

namespace edgeconv {

namespace {

constexpr const char* kUnknownShape = "the shape of its input is not known when the model is converted";
constexpr const char* kFixShape = "export with inputs of known rank, and without sizes that depend on data (x[mask], nonzero)";
constexpr const char* kEvaluate = "export the model in evaluation mode (model.eval()), so that its parameters are constants";

bool constant_inputs_from(const Graph& g, const Node& n, size_t first) {
  for (size_t i = first; i < n.inputs.size(); ++i)
    if (n.in(i) != kNone && !g.value(n.in(i)).constant) return false;
  return true;
}

// Weights from the first on, or a bias, that are no constants.
MissingOp computed_weights(const Graph& g, const Node& n) {
  if (std::any_of(n.inputs.begin() + 1, n.inputs.end(), [&](ValueId v) { return v != kNone && reads_an_input(g, v); }))
    return {"its weights or bias are computed from an input of the model: the kernel is another one in every run",
            n.kind == OpKind::kConv ? "write it as products: torch.nn.functional.unfold, and matmul with the kernel"
                                    : "write it as products: matmul with the kernel, and torch.nn.functional.fold"};
  return {"its weights or bias are computed by the model", kEvaluate};
}

MissingOp quantization(const Graph& g, const Node& n) {
  if (n.kind == OpKind::kMatMulInteger || n.kind == OpKind::kConvInteger)
    return {
        "an integer product that belongs to no known pattern (DynamicQuantizeLinear, MatMulInteger or ConvInteger, Cast, Mul)",
        "convert the model as it was before it was quantized: edgeconv quantizes it itself"};
  const auto* a = std::get_if<QuantAttrs>(&n.attrs);
  if (a && a->block > 0)
    return {"scales for blocks along an axis of unknown size", "convert the model as it was before it was quantized"};
  if (!constant_inputs_from(g, n, 1))
    return {"its scales are computed by the model", "convert the model as it was before it was quantized"};
  return {"a quantized element type that devices do not compute with", "convert the model as it was before it was quantized"};
}

// Why a Resize of an axis whose size is known only at run time cannot be written with other operators (passes/decompose_resize.cc).
MissingOp resize_problem(const ResizeAttrs& a) {
  const std::string open = ", and an axis has a size known only at run time", fix = "fix that axis (--fix), or export ";
  if (a.antialias) return {"it is antialiased" + open, fix + "with antialias=False"};
  if (a.exclude_outside) return {"it leaves out what is outside (exclude_outside)" + open, fix + "without exclude_outside"};
  if (a.coordinates == ResizeAttrs::kSymmetricHalfPixel) return {"its positions are those of half_pixel_symmetric" + open, fix + "with half_pixel"};
  if (a.mode == ResizeAttrs::kNearest)
    return {"it rounds positions in a way that is not known to be exact for every size" + open,
            fix + "with mode='nearest' by a whole factor or its inverse, or mode='bilinear'"};
  return {kUnknownShape, kFixShape};
}

// The dim that the rounds of a loop are computed from; empty if there is no single one.
std::string dim_of_rounds(const Graph& g, const Node& n) {
  const auto count = number_of(g, n.in(0));
  if (!count) return "";
  const std::vector<std::string> dims = count->symbols();
  return dims.size() == 1 ? printable(dims[0]) : "";
}

// Why a Loop was not unrolled, and what helps.
MissingOp loop_problem(const Graph& g, const Node& n) {
  const SubgraphAttrs& a = n.as<SubgraphAttrs>();
  const bool ends_early = a.bodies.size() == 1 && !runs_to_the_end(*a.bodies[0]);
  const char* const kWithout = "export without the condition, computing all rounds and choosing among them; an LSTM, GRU or RNN operator takes any length";
  if (n.in(0) != kNone && g.value(n.in(0)).constant && g.value(n.in(0)).constant->elements() == 1) {
    const int64_t rounds = g.value(n.in(0)).constant->to_int64()[0];
    if (rounds <= kMaxTrips && ends_early) return {"a condition that depends on the data may end it before its " + std::to_string(rounds) + " rounds", kWithout};
    return {"its rounds, up to " + std::to_string(rounds) + ", are too many to unroll", "export with fewer rounds, or compute all of them at once"};
  }
  const std::string dim = dim_of_rounds(g, n);
  if (g.most_dims.count(dim) != 0 && g.most_dims.at(dim) <= kMaxTrips)
    return {"its rounds are as many as dim '" + dim + "' is large, or fewer: a condition that depends on the data ends them", kWithout};
  if (!dim.empty())
    return {"its rounds are as many as dim '" + dim + "' is large, which is known only at run time",
            "--dim " + shell_word(dim + "=MAX") + " unrolls it that often, at most 1024 times (shorter runs cost as much), --fix " + shell_word(dim + "=N") +
                " exactly; an LSTM, GRU or RNN operator takes any length"};
  return {"the number of rounds depends on the data, so the loop cannot be unrolled",
          "bound it: Min(count, N) in front of a loop that stacks nothing unrolls it N times; or export without torch.jit.script so that "
          "the loop is traced, or use an LSTM, GRU or RNN operator"};
}

}  // namespace

MissingOp missing_op(const Graph& g, const Node& n) {
  switch (n.kind) {
    case OpKind::kConv:
      if (!constant_inputs_from(g, n, 1)) return computed_weights(g, n);
      return {"its kernel has too many positions", "export it with a smaller kernel"};
    case OpKind::kConvTranspose:
      if (!constant_inputs_from(g, n, 1)) return computed_weights(g, n);
      return {"its stride is far larger than its kernel", "export it as an upsampling (Resize) and a Conv"};
    case OpKind::kDft:
    case OpKind::kStft:
      return {
          "the length of its transform has a prime factor above 4096, is above 1048576, or depends on dims in a way that is not "
          "known",
          "export it with a length that has small factors: powers of two, 400, 480"};
    case OpKind::kMelWeightMatrix:
      return {"its frequencies are computed by the model", "export it with constants for its five parameters"};
    case OpKind::kMaxPool:
    case OpKind::kAveragePool:
      return {"its kernel is longer than 1024, or the kernels longer than 64 have more than 4096 positions in all",
              "export it as a reduction over the whole axis, or as several pools"};
    case OpKind::kResize: return resize_problem(n.as<ResizeAttrs>());
    case OpKind::kRnn: return {"its weights, biases or peepholes are computed by the model", kEvaluate};
    case OpKind::kEinsum:
      return {"the equation '" + n.as<EinsumAttrs>().equation +
                  "' is not a product of tensors, or takes a diagonal of a size known only at run time",
              "write it with matmul, transpose and sum"};
    case OpKind::kLayerNormalization:
      return {constant_inputs_from(g, n, 1) ? "it is read for its mean or variance, or normalises axes of unknown size"
                                            : "its scale or bias is computed by the model",
              kEvaluate};
    case OpKind::kBatchNormalization:
      return {constant_inputs_from(g, n, 1) ? kUnknownShape : "its statistics are computed by the model", kEvaluate};
    case OpKind::kInstanceNormalization:
    case OpKind::kGroupNormalization:
      return {constant_inputs_from(g, n, 1) ? kUnknownShape : "its scale or bias is computed by the model", kEvaluate};
    case OpKind::kIf:
      return {"the condition depends on the data, so the branch to run is not known when the model is converted",
              "replace the branches by torch.where, or export with example inputs and options for which the condition is fixed"};
    case OpKind::kLoop: return loop_problem(g, n);
    case OpKind::kDynamicQuantizeLinear:
    case OpKind::kQuantizeLinear:
    case OpKind::kDequantizeLinear:
    case OpKind::kConvInteger:
    case OpKind::kMatMulInteger: return quantization(g, n);
    case OpKind::kShape:
    case OpKind::kSize: return {kUnknownShape, kFixShape};
    case OpKind::kEyeLike:
      return {"a matrix of a size that depends on the dims",
              "build the mask from comparisons of positions (arange), or export with a fixed size"};
    case OpKind::kCustom:
      return {"the runtime has no kernel for this custom operator",
              "name it with --custom-op and register a kernel, or export it as a function with its body in the file"};
    default:
      return {"the runtime has no operation of kind " + std::string(op_name(n.kind)),
              "express it with other operators: edgeconv supported-ops lists them"};
  }
}

namespace {

// Values that nothing defines because their producer was refused, and all that is computed from them.
std::vector<char> undefined_values(const Graph& g) {
  std::vector<char> undefined(g.values.size(), 0);
  const auto known = [&](ValueId v) {
    const Value& x = g.value(v);
    return x.shape && x.dtype != DType::kUndefined && !undefined[static_cast<size_t>(v)];
  };
  for (size_t v = 0; v < g.values.size(); ++v) {
    const Value& x = g.values[v];
    const bool source = x.constant || std::find(g.inputs.begin(), g.inputs.end(), static_cast<ValueId>(v)) != g.inputs.end();
    undefined[v] = (!source && x.producer == kNone) || !x.shape || x.dtype == DType::kUndefined;
  }
  for (const Node& n : g.nodes) {
    bool complete = true;
    for (ValueId v : n.inputs) complete &= v == kNone || known(v);
    for (ValueId v : n.outputs)
      if (v != kNone && !complete) undefined[static_cast<size_t>(v)] = 1;
  }
  return undefined;
}

// Leaves the nodes that can be judged. What the removed ones read becomes an output, so that it is not dead code.
void remove_undefined(Graph& g) {
  const std::vector<char> undefined = undefined_values(g);
  const auto bad = [&](ValueId v) { return v != kNone && undefined[static_cast<size_t>(v)]; };
  std::set<ValueId> read;
  for (Node& n : g.nodes) {
    if (n.dead || (std::none_of(n.inputs.begin(), n.inputs.end(), bad) && std::none_of(n.outputs.begin(), n.outputs.end(), bad)))
      continue;
    for (ValueId v : n.inputs)
      if (v != kNone && !bad(v) && !g.value(v).constant) read.insert(v);
    n.dead = true;
  }
  std::vector<ValueId> outputs;
  for (ValueId v : g.outputs)
    if (!bad(v)) outputs.push_back(v);
  for (ValueId v : read)
    if (std::find(outputs.begin(), outputs.end(), v) == outputs.end() &&
        std::find(g.inputs.begin(), g.inputs.end(), v) == g.inputs.end())
      outputs.push_back(v);
  g.outputs = outputs;
  g.sort();
}

// Import labels operators with domain and version, "ai.onnx::NonZero(13)"; nodes of the graph keep the plain type.
std::string plain_type(const std::string& label) {
  const size_t from = label.rfind("ai.onnx::", 0) == 0 ? 9 : 0;
  return label.substr(from, label.find('(') - from);
}

}  // namespace

void add_remaining_problems(Graph g, Diagnostics& d) {
  Diagnostics rest;
  try {
    remove_undefined(g);
    const PassOptions unchecked{false, nullptr};  // outputs of a graph with holes say nothing
    // What a pass writes may not be inferable: its values have no shape any more, and everybody behind relies on one.
    for (const auto run : {run_quantized_import, run_passes}) {
      Diagnostics passes;
      run(g, passes, unchecked);
      for (const Problem& p : passes.problems()) rest.unsupported(p);
      if (!passes.ok()) remove_undefined(g);
    }
    const DimPlan dims = plan_dims(g, {});
    LowerOptions options;
    options.dim_range = dims.range;
    lower(g, options, rest);
  } catch (const std::exception&) {
    // The first list stands: this one is an addition, and a graph with holes may not be workable.
  }
  std::set<std::pair<std::string, std::string>> told;
  for (const Problem& p : d.problems()) told.emplace(plain_type(p.op), p.where);
  for (const Problem& p : rest.problems())
    if (p.op != "input" && p.op != "output" && told.emplace(plain_type(p.op), p.where).second) d.unsupported(p);
}

}  // namespace edgeconv
