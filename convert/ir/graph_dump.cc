// The listing of a graph. One line each for inputs, the constants and symbolic operands that are read, nodes with their attributes,
// outputs, and what inference knows of the dims:
//   input %0 ids: int64 [batch, 8]
//   constant %1 w: float32 [8, 4] {0.5, -1, 0.25, 2, .. 32 elements}
//   %2 y: float32 [batch, 4] = Linear(%0, %1, -) activation=relu  # MatMul /encoder/MatMul
//   output %2 y: float32 [batch, 4]
#include <algorithm>

#include "convert/ir/attributes_text.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

namespace {

// Names of a model stay on their line.
std::string line(const std::string& indent, std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return indent + text + "\n";
}

std::string reference(ValueId v) { return v == kNone ? "-" : "%" + std::to_string(v); }

std::string definition(const Graph& g, ValueId id) {
  if (id == kNone) return "-";
  const Value& v = g.value(id);
  std::string s = reference(id) + " " + printable(v.name) + ": ";
  s += v.dtype == DType::kUndefined ? "?" : std::string(dtype_name(v.dtype));
  s += v.shape ? " " + shape_str(*v.shape) : " [?]";
  if (v.elements && !v.constant) {
    const std::string list = shape_str(*v.elements);
    s += " {" + list.substr(1, list.size() - 2) + "}";
  }
  if (v.constant) s += " " + tensor_text(*v.constant);
  if (v.quantized) s += " with the file's int8";
  return s;
}

// Values that no node makes, in the order of their numbers.
std::string operands(const Graph& g, const std::string& indent) {
  std::vector<char> read(g.values.size(), 0);
  for (const Node& n : g.nodes)
    for (ValueId v : n.inputs)
      if (!n.dead && v != kNone) read[static_cast<size_t>(v)] = 1;
  for (ValueId v : g.outputs) read[static_cast<size_t>(v)] = 1;
  std::string s;
  for (size_t i = 0; i < g.values.size(); ++i) {
    const Value& v = g.values[i];
    const auto id = static_cast<ValueId>(i);
    if (!read[i] || std::find(g.inputs.begin(), g.inputs.end(), id) != g.inputs.end()) continue;
    if (v.constant)
      s += line(indent, "constant " + definition(g, id));
    else if (v.producer == kNone)
      s += line(indent, (v.elements ? "symbolic " : "undefined ") + definition(g, id));
  }
  return s;
}

std::string node_text(const Graph& g, const Node& n) {
  std::string s;
  for (size_t i = 0; i < n.outputs.size(); ++i) s += (i ? ", " : "") + definition(g, n.outputs[i]);
  s += " = " + std::string(op_name(n.kind)) + "(";
  for (size_t i = 0; i < n.inputs.size(); ++i) s += (i ? ", " : "") + reference(n.inputs[i]);
  s += ")";
  if (const std::string attributes = attributes_text(n.attrs); !attributes.empty()) s += " " + attributes;
  return s + "  # " + n.origin.op_type + " " + n.origin.node;
}

std::string listing(const Graph& g, const std::string& indent) {
  std::string s;
  for (ValueId v : g.inputs) s += line(indent, "input " + definition(g, v));
  s += operands(g, indent);
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    s += line(indent, node_text(g, n));
    if (const auto* bodies = std::get_if<SubgraphAttrs>(&n.attrs))
      for (const auto& body : bodies->bodies) s += indent + "  body\n" + listing(*body, indent + "    ");
  }
  for (ValueId v : g.outputs) s += line(indent, "output " + definition(g, v));
  for (const auto& [name, least] : g.least_dims) s += line(indent, "dim " + printable(name) + " >= " + std::to_string(least));
  for (const SizeEquality& e : g.equalities)
    s += line(indent, "equal " + e.lhs.str() + " and " + e.rhs.str() + "  # " + e.what + " " + e.origin.node);
  return s;
}

}  // namespace

std::string Graph::dump() const { return listing(*this, ""); }

}  // namespace edgeconv
