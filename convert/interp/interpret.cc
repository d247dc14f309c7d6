// interpret: runs a graph node by node. Intermediate tensors are released after their last use.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "convert/interp/eval.h"
#include "convert/interp/idle_memory.h"
#include "convert/interp/patch_rows.h"

namespace edgeconv {
namespace {

void check_input(const Graph& g, size_t i, const Tensor& t) {
  const Value& v = g.value(g.inputs[i]);
  const auto fail = [&](const std::string& what) { throw FatalError(ExitCode::kMalformed, "input '" + v.name + "': " + what); };
  if (v.dtype != DType::kUndefined && t.dtype() != v.dtype)
    fail("the data is " + std::string(dtype_name(t.dtype())) + ", the model wants " + std::string(dtype_name(v.dtype)));
  if (!v.shape) return;
  if (t.dims().size() != v.shape->size())
    fail("the data has rank " + std::to_string(t.rank()) + ", the model wants " + shape_str(*v.shape));
  for (size_t k = 0; k < t.dims().size(); ++k) {
    const auto c = (*v.shape)[k].constant();
    if (c && *c != t.dims()[k])
      fail("axis " + std::to_string(k) + " has size " + std::to_string(t.dims()[k]) + ", the model wants " + shape_str(*v.shape));
  }
}

// Sizes of the named dims, from the axes of the inputs that are exactly one of them.
std::map<std::string, int64_t> bound_dims(const Graph& g, const std::vector<Tensor>& inputs) {
  std::map<std::string, int64_t> dims;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& shape = g.value(g.inputs[i]).shape;
    for (size_t k = 0; shape && k < shape->size(); ++k)
      if ((*shape)[k].is_symbol()) dims[(*shape)[k].symbol_name()] = inputs[i].dims()[k];
  }
  return dims;
}

// Shape operands that passes made have no producer, only symbolic contents: evaluated here for the sizes at hand.
void fill_symbolic(const Graph& g, const std::map<std::string, int64_t>& dims, std::vector<Tensor>& values) {
  for (size_t i = 0; i < g.values.size(); ++i) {
    const Value& v = g.values[i];
    if (!v.elements || v.constant || v.producer != kNone || !v.shape || !is_static(*v.shape)) continue;
    std::vector<int64_t> contents;
    for (const DimExpr& e : *v.elements)
      if (const auto c = e.evaluate(dims)) contents.push_back(*c);
    if (contents.size() != v.elements->size()) continue;
    std::vector<int64_t> shape;
    for (const DimExpr& d : *v.shape) shape.push_back(*d.constant());
    values[i] = Tensor::of<int64_t>(DType::kInt64, shape, contents);
  }
}

// A Linear over rows that are made for it: `in` are its inputs, of which the first is not there.
std::vector<Tensor> over_patches(const Graph& g, const Node& n, const PatchRows& patches, std::vector<const Tensor*> in, Backend backend) {
  std::vector<Tensor> results;
  int64_t width = 0;
  for (int64_t row = 0; results.empty() || row < patches.count(); row += patches.block()) {
    const Tensor rows = patches.rows(row, std::min(patches.block(), patches.count() - row));
    in[0] = &rows;
    Tensor some = std::move(evaluate_node(g, n, in, backend)[0]);
    if (results.empty()) {
      width = some.dims()[1];
      std::vector<int64_t> dims = patches.dims();
      dims.back() = width;
      results.emplace_back(some.dtype(), dims);
    }
    if (some.bytes() > 0)
      std::memcpy(results[0].mutable_data() + static_cast<size_t>(row * width) * dtype_size(some.dtype()), some.data(), some.bytes());
  }
  return results;
}

// An elementwise function writes over what it reads where nothing else wants that: a map of a convolutional network is the most that a conversion holds.
// Which of its inputs, if any.
std::optional<size_t> overwritable(const Graph& g, const Node& n, size_t at, const std::vector<size_t>& last, const std::vector<const Tensor*>& in) {
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    const ValueId v = n.in(i);
    if (v == kNone || g.value(v).constant || last[static_cast<size_t>(v)] != at || std::count(n.inputs.begin(), n.inputs.end(), v) > 1) continue;
    if (n.kind == OpKind::kUnary ? unary_may_overwrite(n, *in[0]) : n.kind == OpKind::kBinary && binary_may_overwrite(n, in, i)) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<size_t> last_uses(const Graph& g) {
  std::vector<size_t> last(g.values.size(), 0);
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    if (g.nodes[i].dead) continue;
    for (ValueId v : g.nodes[i].inputs) {
      if (v != kNone) last[static_cast<size_t>(v)] = i;
    }
    for (ValueId v : g.nodes[i].outputs) {
      if (v != kNone) last[static_cast<size_t>(v)] = i;
    }
  }
  for (ValueId v : g.outputs) last[static_cast<size_t>(v)] = SIZE_MAX;
  const auto users = g.users();
  for (size_t v = 0; v < last.size(); ++v)
    if (const Node* patches = patches_read_in_blocks(g, static_cast<ValueId>(v), users)) {
      size_t& map = last[static_cast<size_t>(patches->in(0))];
      map = std::max(map, last[v]);
    }
  return last;
}

std::vector<Tensor> interpret(const Graph& g, const std::vector<Tensor>& inputs, const InterpreterOptions& options) {
  if (inputs.size() != g.inputs.size()) {
    throw FatalError(ExitCode::kMalformed, "the model has " + std::to_string(g.inputs.size()) + " inputs, but " +
                                               std::to_string(inputs.size()) + " were given");
  }
  std::vector<Tensor> values(g.values.size());
  for (size_t i = 0; i < g.values.size(); ++i) {
    if (g.values[i].constant) values[i] = *g.values[i].constant;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_input(g, i, inputs[i]);
    values[static_cast<size_t>(g.inputs[i])] = inputs[i];
  }
  fill_symbolic(g, bound_dims(g, inputs), values);
  const std::vector<size_t> last = last_uses(g);
  const auto users = g.users();
  const Tensor absent;
  std::vector<char> skipped(g.values.size(), 0);  // results of Custom nodes, and all that is computed from them
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (n.dead) continue;
    const auto unknown = [&](ValueId v) { return v != kNone && skipped[static_cast<size_t>(v)]; };
    if (n.kind == OpKind::kCustom || std::any_of(n.inputs.begin(), n.inputs.end(), unknown)) {
      for (ValueId v : n.outputs)
        if (v != kNone) skipped[static_cast<size_t>(v)] = 1;
      continue;
    }
    std::vector<const Tensor*> in;
    for (ValueId v : n.inputs) in.push_back(v == kNone ? &absent : &values[static_cast<size_t>(v)]);
    if (patches_read_in_blocks(g, n.outputs[0], users)) continue;
    const Node* patches = n.inputs.empty() ? nullptr : patches_read_in_blocks(g, n.in(0), users);
    std::vector<Tensor> out;
    if (patches) {
      const Tensor map = values[static_cast<size_t>(patches->in(0))].aligned();
      out = over_patches(g, n, PatchRows(*patches, map), in, options.backend);
    } else if (const auto over = overwritable(g, n, i, last, in)) {
      Tensor x = std::exchange(values[static_cast<size_t>(n.in(*over))], Tensor());
      out.push_back(n.kind == OpKind::kUnary ? unary_over(n, std::move(x), options.backend)
                                             : binary_over(n, std::move(x), *over, *in[1 - *over], options.backend));
    } else {
      out = evaluate_node(g, n, in, options.backend);
    }
    for (size_t o = 0; o < n.outputs.size() && o < out.size(); ++o) {
      if (n.outputs[o] != kNone) values[static_cast<size_t>(n.outputs[o])] = std::move(out[o]);
    }
    if (options.observe) options.observe(n, values);
    size_t freed = 0;
    const auto release = [&](ValueId v) {
      if (v == kNone || last[static_cast<size_t>(v)] != i || g.value(v).constant) return;
      freed += values[static_cast<size_t>(v)].bytes();
      values[static_cast<size_t>(v)] = Tensor();
    };
    for (ValueId v : n.inputs) release(v);
    for (ValueId v : n.outputs) release(v);
    if (patches) release(patches->in(0));
    give_back_idle_memory(freed);
  }
  std::vector<Tensor> results;
  for (ValueId v : g.outputs) results.push_back(values[static_cast<size_t>(v)]);
  return results;
}

}  // namespace edgeconv
