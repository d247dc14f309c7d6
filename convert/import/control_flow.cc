// If, Loop and Scan. Outer values that a body reads become trailing inputs (SubgraphAttrs). Inference replaces nodes whose condition or trip
// count is known by their bodies (infer/inline_bodies.h). A Scan is a Loop whose body takes its part of what is scanned by the iteration.
#include <algorithm>

#include "convert/import/building_blocks.h"
#include "convert/infer/infer.h"
#include "convert/infer/inline_bodies.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

// One tensor that a Scan reads or gives, in parts along an axis.
struct Scanned {
  int64_t axis = 0;
  bool backward = false;
};

std::vector<Scanned> scanned(const OnnxNode& n, const std::string& which, size_t count) {
  const std::vector<int64_t> axes = n.integers(("scan_" + which + "_axes").c_str()),
                             directions = n.integers(("scan_" + which + "_directions").c_str());
  if ((!axes.empty() && axes.size() != count) || (!directions.empty() && directions.size() != count))
    throw NodeError("it has " + std::to_string(count) + " scan " + which +
                    "s, and another number of axes or directions for them");
  std::vector<Scanned> all(count);
  for (size_t i = 0; i < count; ++i) {
    if (!axes.empty()) all[i].axis = axes[i];
    if (directions.empty()) continue;
    if (directions[i] != 0 && directions[i] != 1) throw NodeError("a direction of it is neither 0 nor 1");
    all[i].backward = directions[i] == 1;
  }
  return all;
}

// The body as that of a Loop: iteration, condition, states, what is scanned, the numbers of its last parts, captures.
std::shared_ptr<Graph> as_loop_body(const OnnxNode& n, const Graph& body, size_t states, const std::vector<Scanned>& parts) {
  auto loop = std::make_shared<Graph>();
  const Origin origin{printable(n.name), "Scan", ""};
  const auto input = [&](std::string name, DType t, std::optional<Shape> shape) {
    loop->inputs.push_back(loop->add_value(std::move(name), t, std::move(shape)));
    return loop->inputs.back();
  };
  const ValueId iteration = input(n.name + "/iteration", DType::kInt64, Shape{});
  const ValueId condition = input(n.name + "/condition", DType::kBool, Shape{});
  std::vector<ValueId> inputs, wholes;
  for (size_t i = 0; i < states; ++i) {
    const Value& v = body.value(body.inputs[i]);
    inputs.push_back(input(v.name, v.dtype, v.shape));
  }
  for (size_t i = 0; i < parts.size(); ++i)
    wholes.push_back(input(n.name + "/scanned" + std::to_string(i), body.value(body.inputs[states + i]).dtype, {}));
  for (size_t i = 0; i < parts.size(); ++i) {
    const ValueId last = input(n.name + "/last" + std::to_string(i), DType::kInt64, Shape{});
    const ValueId at =
        parts[i].backward ? loop->add_node(OpKind::kBinary, {last, iteration}, BinaryAttrs{BinaryKind::kSub}, origin) : iteration;
    inputs.push_back(loop->add_node(OpKind::kGather, {wholes[i], at}, AxisAttrs{parts[i].axis}, origin));
  }
  for (size_t i = states + parts.size(); i < body.inputs.size(); ++i) {
    const Value& v = body.value(body.inputs[i]);
    inputs.push_back(input(v.name, v.dtype, v.shape));
  }
  loop->outputs = copy_body(*loop, body, inputs, "");
  loop->outputs.insert(loop->outputs.begin(), loop->add_node(OpKind::kIdentity, {condition}, {}, origin));
  return loop;
}

// Of sizes that are not known yet, each with a name of its own.
Shape part_shape(size_t input, int rank) {
  Shape shape;
  for (int a = 0; a < rank; ++a) shape.push_back(DimExpr::symbol("part " + std::to_string(input) + "." + std::to_string(a)));
  return shape;
}

// Ranks of what the body gives besides the states, -1 where they are not known. Its inputs have the shapes of the node's, without the scanned axis.
std::vector<int> ranks_of_parts(ImportContext& c, const OnnxNode& n, const Graph& body, const std::vector<ValueId>& captures,
                                size_t states) {
  Graph trial = body;
  for (size_t i = 0; i < body.inputs.size(); ++i) {
    Value& v = trial.value(trial.inputs[i]);
    const bool part = i >= states && i < n.inputs.size();
    const ValueId outer = i < n.inputs.size() ? c.input(n, i) : captures[i - n.inputs.size()];
    const int rank = rank_hint(c.graph(), outer) - (part ? 1 : 0);
    if (!v.shape && rank >= 0) v.shape = part_shape(i, rank);
    if (v.dtype == DType::kUndefined) v.dtype = dtype_hint(c.graph(), outer);
    if (i >= n.inputs.size() && outer != kNone) v.constant = c.graph().value(outer).constant;
  }
  std::vector<int> ranks;
  for (size_t i = states; i < body.outputs.size(); ++i) ranks.push_back(rank_hint(trial, trial.outputs[i]));
  if (std::find(ranks.begin(), ranks.end(), -1) == ranks.end()) return ranks;
  Diagnostics ignored;  // the loop is inferred again, with its sizes
  infer(trial, ignored);
  for (size_t i = states; i < body.outputs.size(); ++i) ranks[i - states] = std::max(ranks[i - states], trial.value(trial.outputs[i]).rank());
  return ranks;
}

// What a Loop stacks along the first axis, as the Scan gives it.
ValueId placed(ImportContext& c, const OnnxNode& n, ValueId stacked, const Scanned& where, int rank_of_part) {
  ValueId v = stacked;
  if (where.backward)
    v = c.inner(n, OpKind::kSlice, {v, ints(c, n, {-1}), ints(c, n, {INT64_MIN}), ints(c, n, {0}), ints(c, n, {-1})});
  if (where.axis == 0) return v;
  if (rank_of_part < 0)
    refuse("a scan output along another axis than the first, of a rank that is not known when the file is read",
           "export it with scan_output_axes of 0, and transpose behind it");
  const int64_t rank = rank_of_part + 1, axis = from_front(where.axis, rank);
  if (axis < 0 || axis >= rank) throw NodeError("a scan output axis is outside of the rank");
  std::vector<int64_t> perm;
  for (int64_t a = 1; a < rank; ++a) perm.push_back(a);
  perm.insert(perm.begin() + axis, 0);
  return transpose(c, n, v, std::move(perm));
}

}  // namespace

void import_if(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 1);
  std::vector<ValueId> inputs = {required_input(c, n, 0)}, captures;
  SubgraphAttrs a = c.bodies(n, {"then_branch", "else_branch"}, captures);
  for (const auto& body : a.bodies)
    if (body->outputs.size() != n.outputs.size())
      throw NodeError("a branch has " + std::to_string(body->outputs.size()) + " outputs, the node has " +
                      std::to_string(n.outputs.size()));
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  c.emit(n, OpKind::kIf, std::move(inputs), std::move(a));
}

void import_loop(ImportContext& c, const OnnxNode& n) {
  if (n.inputs.size() < 2) throw NodeError("it needs a trip count and a condition input");
  std::vector<ValueId> inputs, captures;
  for (size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(i < 2 ? c.input(n, i) : required_input(c, n, i));
  SubgraphAttrs a = c.bodies(n, {"body"}, captures);
  a.carried = static_cast<int64_t>(n.inputs.size()) - 2;
  const Graph& body = *a.bodies[0];
  if (body.inputs.size() != n.inputs.size() + captures.size())
    throw NodeError("its body does not take the iteration, the condition and the carried values");
  if (body.outputs.size() != n.outputs.size() + 1)
    throw NodeError("its body does not give the condition and one value per output");
  a.carried = static_cast<int64_t>(n.inputs.size()) - 2;
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  c.emit(n, OpKind::kLoop, std::move(inputs), std::move(a));
}

void import_scan(ImportContext& c, const OnnxNode& n) {
  if (c.opset("") < 9)
    refuse("its form of opset 8, with a batch axis and lengths of its own, is older than what is read",
           "export the model again with opset_version=17 or newer");
  const int64_t count = n.integer("num_scan_inputs");
  if (count < 1 || count > static_cast<int64_t>(n.inputs.size())) throw NodeError("num_scan_inputs does not fit its inputs");
  const size_t scans = static_cast<size_t>(count), states = n.inputs.size() - scans;
  std::vector<ValueId> captures;
  SubgraphAttrs a = c.bodies(n, {"body"}, captures);
  const Graph& body = *a.bodies[0];
  if (body.inputs.size() != n.inputs.size() + captures.size())
    throw NodeError("its body does not take the states and one part of each scan input");
  if (body.outputs.size() != n.outputs.size() || n.outputs.size() < states)
    throw NodeError("its body does not give the states and one part of each scan output");
  const std::vector<Scanned> read = scanned(n, "input", scans), given = scanned(n, "output", n.outputs.size() - states);
  std::vector<ValueId> inputs{kNone, kNone}, last;
  for (size_t i = 0; i < n.inputs.size(); ++i) inputs.push_back(required_input(c, n, i));
  for (size_t i = 0; i < scans; ++i) {
    const ValueId size = dim_size(c, n, inputs[2 + states + i], read[i].axis);
    if (i == 0) inputs[0] = size;
    last.push_back(sub(c, n, size, int_scalar(c, n, 1)));
  }
  inputs.insert(inputs.end(), last.begin(), last.end());
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  const std::vector<int> ranks = ranks_of_parts(c, n, body, captures, states);
  a.carried = static_cast<int64_t>(states);
  a.bodies[0] = as_loop_body(n, body, states, read);
  const std::vector<ValueId> results = c.inner_outputs(n, OpKind::kLoop, std::move(inputs), n.outputs.size(), std::move(a));
  for (size_t i = 0; i < results.size(); ++i)
    c.bind(n, i, i < states ? results[i] : placed(c, n, results[i], given[i - states], ranks[i - states]));
}

}  // namespace edgeconv
