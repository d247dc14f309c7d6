// See kept_states.h.
#include "convert/dims/kept_states.h"

#include <algorithm>
#include <set>

#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

std::string names_of(const Graph& g, const std::vector<ValueId>& values) {
  std::string s;
  for (ValueId v : values) s += (s.empty() ? "" : ", ") + printable(g.value(v).name);
  return s.empty() ? "none" : s;
}

size_t position(const Graph& g, const std::vector<ValueId>& values, const std::string& name) {
  const auto it = std::find_if(values.begin(), values.end(), [&](ValueId v) { return g.value(v).name == name; });
  return static_cast<size_t>(it - values.begin());
}

std::string shape_text(const Value& v) { return v.shape ? shape_str(*v.shape) : "unknown"; }

std::string fix_advice(const Value& v) {
  std::string s;
  for (const DimExpr& d : *v.shape)
    if (d.is_symbol()) s += " --fix " + shell_word(d.symbol_name() + "=1");
  return s;
}

// What is wrong with a pair of which both sides exist; empty if nothing.
std::string mismatch(const Value& out, const Value& in) {
  if (out.dtype != in.dtype)
    return "the output is of type " + std::string(dtype_name(out.dtype)) + ", the input of type " +
           std::string(dtype_name(in.dtype));
  if (!in.shape || !out.shape) return "a shape is not known";
  const auto fixed = [](const Shape& s) {
    return std::all_of(s.begin(), s.end(), [](const DimExpr& d) { return d.is_constant(); });
  };
  if (!fixed(*in.shape))
    return "the input has shape " + shape_text(in) + ", and a state has one size in all runs: fix it, for example with" +
           fix_advice(in);
  if (*out.shape != *in.shape) return "the output has shape " + shape_text(out) + ", the input " + shape_text(in);
  return "";
}

}  // namespace

std::vector<KeptState> kept_states(const Graph& g, const std::vector<StateNames>& names) {
  std::vector<KeptState> states;
  std::string problems;
  std::set<size_t> outputs, inputs;
  for (const StateNames& n : names) {
    const KeptState s{position(g, g.outputs, n.output), position(g, g.inputs, n.input)};
    const std::string what = "\n  --state " + printable(n.output) + "=" + printable(n.input) + ": ";
    const KeptState swapped{position(g, g.outputs, n.input), position(g, g.inputs, n.output)};
    if (s.output == g.outputs.size() && swapped.output < g.outputs.size() && swapped.input < g.inputs.size()) {
      problems += what + "'" + printable(n.output) + "' is an input and '" + printable(n.input) +
                  "' an output: the output comes first, --state " + shell_word(n.input + "=" + n.output);
    } else if (s.output == g.outputs.size()) {
      problems += what + "the model has no output '" + printable(n.output) + "'; it has " + names_of(g, g.outputs);
    } else if (s.input == g.inputs.size()) {
      problems += what + "the model has no input '" + printable(n.input) + "'; it has " + names_of(g, g.inputs);
    } else if (!outputs.insert(s.output).second || !inputs.insert(s.input).second) {
      problems += what + "an output or input is part of one state only";
    } else if (const std::string why = mismatch(g.value(g.outputs[s.output]), g.value(g.inputs[s.input])); !why.empty()) {
      problems += what + why;
    }
    states.push_back(s);
  }
  std::sort(states.begin(), states.end(), [](const KeptState& a, const KeptState& b) { return a.input < b.input; });
  if (!problems.empty()) throw FatalError(ExitCode::kUsage, "states that the runtime cannot keep:" + problems);
  return states;
}

std::string unused_states_note(const std::set<std::string>& names) {
  std::string s;
  for (const std::string& name : names) s += (s.empty() ? "'" : ", '") + printable(name) + "'";
  return "what is recorded for " + std::string(names.size() == 1 ? "state " : "states ") + s +
         " is not used: the runtime keeps " + (names.size() == 1 ? "it" : "them") + " from frame to frame, from zeros on (--state)";
}

}  // namespace edgeconv
