// Joins of outputs, and float32 in place of the other float types.
#include "convert/prepare/boundary.h"

#include <algorithm>
#include <set>

#include "convert/infer/node_inference.h"
#include "convert/ir/axis.h"

namespace edgeconv {

namespace {

[[noreturn]] void refuse(const std::string& join, const std::string& what) {
  throw FatalError(ExitCode::kUsage, "--concat " + join + ": " + what);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string listed(const std::vector<std::string>& names) {
  std::string s;
  for (const std::string& n : names) s += (s.empty() ? "" : ", ") + printable(n);
  return s;
}

std::string text_of(const Value& v) {
  return "'" + printable(v.name) + "' is " + std::string(dtype_name(v.dtype)) +
         (v.shape ? shape_str(*v.shape) : " of unknown rank");
}

std::vector<ValueId> find_outputs(const Graph& g, const Join& j) {
  std::vector<std::string> known;
  for (ValueId v : g.outputs) known.push_back(g.value(v).name);
  std::vector<ValueId> found;
  for (const std::string& name : j.outputs) {
    const auto it = std::find(known.begin(), known.end(), name);
    if (it == known.end()) refuse(j.name, "the model has no output '" + printable(name) + "'; it has " + listed(known));
    found.push_back(g.outputs[static_cast<size_t>(it - known.begin())]);
  }
  if (std::set<ValueId>(found.begin(), found.end()).size() != found.size())
    refuse(j.name, "an output is named twice; name each once");
  for (ValueId v : g.outputs)
    if (g.value(v).name == j.name && std::find(found.begin(), found.end(), v) == found.end())
      refuse(j.name, "the model has another output of this name");
  for (ValueId v : g.inputs)
    if (g.value(v).name == j.name) refuse(j.name, "the model has an input of this name");
  return found;
}

// Everything must agree except the size along the axis. Returns the axis counted from the front.
int64_t checked_axis(const Graph& g, const Join& j, const std::vector<ValueId>& parts) {
  const Value& first = g.value(parts[0]);
  for (ValueId v : parts) {
    const Value& other = g.value(v);
    if (!other.shape) refuse(j.name, "the rank of output '" + printable(other.name) + "' is not known at conversion");
    const std::string both = text_of(first) + ", " + text_of(other);
    if (other.dtype != first.dtype) refuse(j.name, "the outputs have different element types: " + both);
    if (other.rank() != first.rank()) refuse(j.name, "the outputs have different ranks: " + both);
  }
  const int64_t rank = first.rank(), axis = from_front(j.axis, rank);
  if (axis < 0 || axis >= rank) refuse(j.name, "there is no axis " + std::to_string(j.axis) + ": " + text_of(first));
  for (ValueId v : parts)
    for (int64_t a = 0; a < rank; ++a) {
      const DimExpr &lhs = (*first.shape)[static_cast<size_t>(a)], &rhs = (*g.value(v).shape)[static_cast<size_t>(a)];
      // Dims that only might differ are left to inference, which unites them or says why it cannot.
      if (a != axis && always_equal(lhs, rhs) == std::optional<bool>(false))
        refuse(j.name, "the outputs differ in axis " + std::to_string(a) + ", which is not the joined axis " +
                           std::to_string(axis) + ": " + text_of(first) + ", " + text_of(g.value(v)));
    }
  return axis;
}

}  // namespace

Join parse_join(const std::string& text) {
  const size_t eq = text.find('='), colon = text.rfind(':');
  Join j;
  try {
    if (eq == std::string::npos || eq == 0 || colon == std::string::npos || colon < eq) throw std::invalid_argument("");
    size_t used = 0;
    const std::string axis = text.substr(colon + 1);
    j.axis = std::stoll(axis, &used);
    j.name = text.substr(0, eq);
    j.outputs = split(text.substr(eq + 1, colon - eq - 1), ',');
    if (used != axis.size() || j.outputs.size() < 2 || std::count(j.outputs.begin(), j.outputs.end(), ""))
      throw std::invalid_argument("");
  } catch (const std::logic_error&) {
    throw FatalError(ExitCode::kUsage,
                     "--concat " + text + ": write NAME=OUT1,OUT2[,..]:AXIS, for example --concat scores=start,end:1");
  }
  return j;
}

void join_outputs(Graph& g, const std::vector<Join>& joins) {
  for (const Join& j : joins) {
    const std::vector<ValueId> parts = find_outputs(g, j);
    const int64_t axis = checked_axis(g, j, parts);
    const ValueId joined = g.add_node(OpKind::kConcat, parts, AxisAttrs{axis}, {j.name, "Concat", ""}, j.name);
    // Known at once, because the next join may name it.
    Shape shape = *g.value(parts[0]).shape;
    for (size_t i = 1; i < parts.size(); ++i)
      shape[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)] + (*g.value(parts[i]).shape)[static_cast<size_t>(axis)];
    g.value(joined).dtype = g.value(parts[0]).dtype;
    g.value(joined).shape = std::move(shape);
    std::vector<ValueId> outputs;
    bool placed = false;
    for (ValueId v : g.outputs) {
      const bool part = std::find(parts.begin(), parts.end(), v) != parts.end();
      if (!part)
        outputs.push_back(v);
      else if (!placed)
        outputs.push_back(joined);
      placed |= part;
    }
    g.outputs = outputs;
  }
}

bool expose_float32(Graph& g, Diagnostics& d) {
  const auto other_float = [&](ValueId v) { return is_float(g.value(v).dtype) && g.value(v).dtype != DType::kFloat; };
  const auto tell = [&](const char* side, ValueId v) {
    d.warn(std::string(side) + " '" + g.value(v).name + "' is " + std::string(dtype_name(g.value(v).dtype)) +
           " in the file; the blob has it as float32");
  };
  bool any = false;
  for (ValueId& output : g.outputs) {
    if (!other_float(output)) continue;
    tell("output", output);
    const std::string name = g.value(output).name;
    output = g.add_node(OpKind::kCast, {output}, CastAttrs{DType::kFloat}, {name, "Cast", ""}, name);
    any = true;
  }
  for (ValueId& input : g.inputs) {
    if (!other_float(input)) continue;
    tell("input", input);
    const ValueId inner = input;
    const std::string name = g.value(inner).name;
    input = g.add_value(name, DType::kFloat, g.value(inner).shape);
    g.add_node_with_outputs(OpKind::kCast, {input}, {inner}, CastAttrs{g.value(inner).dtype}, {name, "Cast", ""});
    any = true;
  }
  return any;
}

}  // namespace edgeconv
