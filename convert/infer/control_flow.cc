// Inference of an If or Loop that is not decided: where condition or trip count are known the driver inlines the bodies
// (inline_bodies.h). Bodies are graphs; their inputs are bound to outer values as SubgraphAttrs says. Both branches of an If must give the
// same shapes, and what a Loop carries must keep its own.
#include <algorithm>

#include "convert/infer/dispatch.h"
#include "convert/infer/inline_bodies.h"

namespace edgeconv {
namespace {

// Hands types, sizes and contents of outer values to a body's inputs.
void bind_input(Graph& body, size_t i, const Value& outer, bool with_contents) {
  Value& v = body.value(body.inputs[i]);
  v.dtype = outer.dtype;
  v.shape = outer.shape;
  if (!with_contents) return;
  v.constant = outer.constant;
  v.elements = outer.elements;
}

InferLog infer_body(NodeInference& c, Graph& body) {
  body.fold_budget = c.graph().fold_budget;
  for (const auto& [dim, least] : c.graph().least_dims) body.least_dims[dim] = std::max(body.least_dims[dim], least);
  InferLog log = infer_body_graph(body);
  c.graph().fold_budget = body.fold_budget;
  return log;
}

void add(InferLog& to, InferLog body) {
  for (Problem& p : body.problems) to.problems.push_back(std::move(p));
  for (SizeEquality& e : body.equalities) to.equalities.push_back(std::move(e));
  for (auto& sign : body.unknown_signs) to.unknown_signs.push_back(std::move(sign));
}

const Problem* contradiction(const InferLog& log) {
  const auto p = std::find_if(log.problems.begin(), log.problems.end(), [](const Problem& x) { return x.malformed; });
  return p == log.problems.end() ? nullptr : &*p;
}

bool same_shape(const Value& a, const Value& b) { return a.shape && b.shape && *a.shape == *b.shape && a.dtype == b.dtype; }

}  // namespace

void infer_if(NodeInference& c) {
  SubgraphAttrs& attrs = c.graph().node(c.id()).as<SubgraphAttrs>();
  auto& bodies = attrs.bodies;
  attrs.only = -1;
  if (bodies.size() != 2) return c.invalid("If needs two branches");
  if (known_scalar(c.graph(), c.node().in(0))) return;  // inlined behind this round, and the other branch is never looked at
  std::vector<InferLog> logs;
  for (const auto& body : bodies) {
    if (body->inputs.size() + 1 != c.node().inputs.size())
      return c.problem("captures of a branch do not match", "this is a fault of the importer");
    for (size_t i = 0; i < body->inputs.size(); ++i) {
      if (c.has(i + 1)) bind_input(*body, i, c.in(i + 1), true);
    }
    logs.push_back(infer_body(c, *body));
  }
  // A branch that contradicts itself at these sizes fails in every runtime as soon as it is taken: whoever runs the model takes the other.
  for (size_t i = 0; i < 2; ++i) {
    const Problem* p = contradiction(logs[i]);
    if (p == nullptr || !logs[1 - i].problems.empty() || !bodies[1 - i]->import_problems.empty()) continue;
    attrs.only = static_cast<int64_t>(1 - i);
    c.warn(c.where() + ": its " + (i == 0 ? "then" : "else") + " branch cannot run at these sizes (" + p->op + " '" + p->where +
           "': " + p->reason + "), so the other branch runs whatever the condition says");
    return add(c.log(), std::move(logs[1 - i]));
  }
  for (InferLog& log : logs) add(c.log(), std::move(log));
  for (size_t o = 0; o < c.node().outputs.size(); ++o) {
    if (o >= bodies[0]->outputs.size() || o >= bodies[1]->outputs.size()) return;
    const Value& a = bodies[0]->value(bodies[0]->outputs[o]);
    const Value& b = bodies[1]->value(bodies[1]->outputs[o]);
    if (!same_shape(a, b)) {
      return c.problem("the branches give different shapes (" + (a.shape ? shape_str(*a.shape) : "?") + " and " +
                           (b.shape ? shape_str(*b.shape) : "?") + ") and the condition depends on data",
                       "export with a condition that is known, or compute both branches and select with torch.where");
    }
    c.set(o, a.dtype, *a.shape);
  }
}

void infer_loop(NodeInference& c) {
  const SubgraphAttrs& a = c.node().as<SubgraphAttrs>();
  const size_t inputs = c.node().inputs.size(), outputs = c.node().outputs.size();
  if (a.bodies.size() != 1 || inputs < 2 || a.bodies[0]->inputs.size() != inputs || a.bodies[0]->outputs.size() != outputs + 1) {
    return c.invalid("the body of a Loop does not fit the node");
  }
  Graph& body = *a.bodies[0];
  const size_t carried = a.carried >= 0 ? static_cast<size_t>(a.carried) : inputs - 2;
  Value iteration, condition;
  iteration.dtype = DType::kInt64;
  condition.dtype = DType::kBool;
  iteration.shape = condition.shape = Shape{};
  bind_input(body, 0, iteration, false);
  bind_input(body, 1, condition, false);
  for (size_t i = 2; i < inputs; ++i) {
    if (c.has(i)) bind_input(body, i, c.in(i), i >= 2 + carried);
  }
  add(c.log(), infer_body(c, body));
  if (!c.is_single(0)) return;
  const auto trips = c.has(0) ? c.elements(0) : std::nullopt;
  for (size_t o = 0; o < outputs; ++o) {
    const Value& v = body.value(body.outputs[o + 1]);
    if (!v.shape) return;
    if (o < carried) {
      if (!same_shape(v, c.in(o + 2))) {
        return c.problem("a value carried by a Loop changes its shape", "unroll the loop in the exported module");
      }
      c.set(o, v.dtype, *v.shape);
      continue;
    }
    if (!trips) return c.problem("the number of iterations of a Loop is not known", "unroll the loop in the exported module");
    if (!runs_to_the_end(body)) return;  // perhaps fewer than the count: known when the loop is unrolled
    Shape s = *v.shape;
    s.insert(s.begin(), trips->at(0));
    c.set(o, v.dtype, std::move(s));
  }
}

}  // namespace edgeconv
