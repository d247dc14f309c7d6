// Looks at structure and names of the imported graph only.
#include "convert/prepare/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace edgeconv {

namespace {

constexpr float kLargestHalf = 65504.0f;
constexpr int64_t kMaxScanned = 1 << 20;  // elements of one constant
constexpr int64_t kFewRows = 4;           // token types have 1 or 2, vocabularies thousands

bool name_has(const std::string& name, std::initializer_list<const char*> words) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return lower.find(w) != std::string::npos; });
}

// The values that outputs are computed from. Reading a tensor's shape is no use of its contents.
std::set<ValueId> used_values(const Graph& g) {
  std::set<ValueId> used(g.outputs.begin(), g.outputs.end());
  std::vector<ValueId> open = g.outputs;
  while (!open.empty()) {
    const Node* n = g.producer(open.back());
    open.pop_back();
    if (n == nullptr || n->kind == OpKind::kShape || n->kind == OpKind::kSize) continue;
    for (ValueId v : n->inputs)
      if (v != kNone && used.insert(v).second) open.push_back(v);
  }
  return used;
}

void unused_inputs(const Graph& g, Diagnostics& d) {
  const std::set<ValueId> used = used_values(g);
  for (ValueId v : g.inputs) {
    if (used.count(v)) continue;
    const std::string& name = g.value(v).name;
    if (name_has(name, {"mask"}))
      d.warn("input '" + name +
             "' has no path to any output: padding will be attended. Pass it to the model by name when you export, and check "
             "that forward() hands it on");
    else
      d.warn(
          "input '" + name +
          "' has no path to any output: its contents are ignored. If it matters, check that forward() uses it when you export");
  }
}

// The graph input behind casts and views, or kNone.
ValueId input_behind(const Graph& g, ValueId v) {
  while (v != kNone && std::find(g.inputs.begin(), g.inputs.end(), v) == g.inputs.end()) {
    const Node* n = g.producer(v);
    if (n == nullptr) return kNone;
    if (n->kind != OpKind::kCast && !rearranges(n->kind)) return kNone;
    v = n->in(0);
  }
  return v;
}

// The table of weights [rows, width] behind v, which may be quantized or in another type; null if there is none.
const Value* table_behind(const Graph& g, ValueId v) {
  for (int depth = 0; v != kNone && depth < 4; ++depth) {
    if (g.value(v).constant) return g.value(v).rank() == 2 ? &g.value(v) : nullptr;
    const Node* n = g.producer(v);
    if (n == nullptr || (n->kind != OpKind::kDequantizeLinear && n->kind != OpKind::kCast && n->kind != OpKind::kIdentity))
      return nullptr;
    v = n->in(0);
  }
  return nullptr;
}

// A graph input whose values select rows of a table of weights.
struct IdInput {
  ValueId input;
  int64_t rows;
  bool whole;  // all of it, as tokens are; not a column of categories
};

bool has_as_many_elements(const Graph& g, ValueId a, ValueId b) {
  const auto &x = g.value(a).shape, &y = g.value(b).shape;
  return x && y && shape_elements(*x) == shape_elements(*y);
}

std::vector<IdInput> id_inputs(const Graph& g) {
  std::vector<IdInput> found;
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kGather || n.as<AxisAttrs>().axis != 0) continue;
    const Value* table = table_behind(g, n.in(0));
    if (table == nullptr) continue;
    const ValueId input = input_behind(g, n.in(1));
    if (input != kNone) found.push_back({input, table->constant->dims()[0], has_as_many_elements(g, n.in(1), input)});
  }
  return found;
}

void swapped_inputs(const Graph& g, Diagnostics& d) {
  constexpr const char* kFix =
      "The exporter binds tensors by position: give them in the order of forward()'s parameters, or by name (a dict), with "
      "input_names in the same order";
  std::set<ValueId> told;
  for (const auto& [input, rows, whole] : id_inputs(g)) {
    const std::string& name = g.value(input).name;
    const bool mask = name_has(name, {"mask"}), types = name_has(name, {"token_type", "segment_id"}), ids = name == "input_ids";
    const bool wrong = mask || (types && rows > 64) || (ids && rows <= kFewRows);
    if (!wrong || !told.insert(input).second) continue;
    d.warn(fmt::format("input '{}' selects rows of a table of {} ({}): the inputs look swapped. {}", name, rows,
                       rows <= kFewRows ? "as token types do" : "as token ids do", kFix));
  }
}

// One warning for all inputs: they are fixed together. Of ids and what has their shape: two rows of edges or six indices are no batch or sequence.
void fixed_sizes(const Graph& g, Diagnostics& d) {
  const std::vector<IdInput> ids = id_inputs(g);
  std::string inputs, example;
  bool batch = false, sequence = false;
  for (ValueId v : g.inputs) {
    const Value& x = g.value(v);
    if (!x.shape || x.rank() != 2 || !(is_integer(x.dtype) || x.dtype == DType::kBool)) continue;
    const bool first = (*x.shape)[0].is_constant(), second = (*x.shape)[1].is_constant() && *(*x.shape)[1].constant() > 1;
    const auto has_shape_of_x = [&](const IdInput& i) { return g.value(i.input).shape == x.shape; };
    const bool tokens = std::any_of(ids.begin(), ids.end(), [&](const IdInput& i) { return has_shape_of_x(i) && i.whole; });
    if ((!first && !(second && tokens)) || std::none_of(ids.begin(), ids.end(), has_shape_of_x)) continue;
    batch |= first;
    sequence |= second && tokens;
    inputs += (inputs.empty() ? "'" : ", '") + x.name + "' " + shape_str(*x.shape);
    if (example.empty()) example = "dynamic_axes={'" + x.name + "': {0: 'batch', 1: 'sequence'}, ...}";
  }
  if (inputs.empty()) return;
  d.warn(fmt::format(
      "the {} of {} {} fixed in the file: every run needs exactly {}. Export with {} (dynamo=True: dynamic_shapes) to run any "
      "size",
      batch && sequence ? "batch and sequence"
      : batch           ? "batch"
                        : "sequence length",
      inputs, batch && sequence ? "are" : "is", sequence ? "this length, padded and masked" : "this many rows", example));
}

bool has_infinity(const Value& v) {
  if (!v.constant || !is_float(v.dtype) || v.constant->elements() > kMaxScanned) return false;
  const std::vector<float> all = v.constant->to_float();
  return std::any_of(all.begin(), all.end(), [](float x) { return std::isinf(x); });
}

void infinite_factors(const Graph& g, Diagnostics& d) {
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kBinary || n.as<BinaryAttrs>().kind != ert::params::binary::kMul) continue;
    for (ValueId v : n.inputs)
      if (has_infinity(g.value(v))) {
        d.warn("node '" + n.origin.node +
               "' multiplies by an infinite constant, and 0 * inf is NaN: as in (1 - mask) * -inf, where the mask is 1. Export "
               "in float32, or write the mask with torch.finfo(dtype).min");
        return;
      }
  }
}

// Code that pads to a length of its own: a dynamic axis goes in, a fixed one comes out.
void padding_inside(const Graph& g, Diagnostics& d) {
  for (const Node& n : g.nodes) {
    if (n.dead || (n.kind != OpKind::kPad && n.kind != OpKind::kConcat) || !g.value(n.outputs[0]).shape) continue;
    const Shape& out = *g.value(n.outputs[0]).shape;
    for (ValueId v : n.inputs) {
      if (v == kNone || (n.kind == OpKind::kPad && v != n.in(0)) || !g.value(v).shape || g.value(v).elements) continue;
      const Shape& in = *g.value(v).shape;
      for (size_t axis = 0; axis < std::min(in.size(), out.size()); ++axis) {
        if (!in[axis].is_symbol() || !out[axis].is_constant()) continue;
        // A Pad by a negative number cuts, a Concat of a negative size fails.
        d.warn(
            fmt::format("node '{}' pads dim '{}' to {} inside the model: every run costs {} positions{}. Export without padding "
                        "to a fixed length (padding='max_length')",
                        n.origin.node, in[axis].symbol_name(), out[axis].str(), out[axis].str(),
                        n.kind == OpKind::kPad ? ", and longer inputs are cut off" : " and takes no more"));
        return;
      }
    }
  }
}

// Values that hold contents of an input position by position: masks, positions, comparisons of ids. Products, norms and lookups end
// that.
std::set<ValueId> positionwise_values(const Graph& g) {
  std::set<ValueId> reached(g.inputs.begin(), g.inputs.end());
  for (const Node& n : g.nodes) {
    bool passes = false;
    switch (n.kind) {
      case OpKind::kUnary:
      case OpKind::kBinary:
      case OpKind::kCast:
      case OpKind::kCumSum:
      case OpKind::kPad: passes = true; break;
      case OpKind::kGather: passes = n.in(0) != kNone && !g.value(n.in(0)).constant; break;
      default: passes = moved_inputs(n.kind) != 0;
    }
    if (!passes) continue;
    if (std::any_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) { return reached.count(v) != 0; }))
      for (ValueId v : n.outputs) reached.insert(v);
  }
  return reached;
}

// All elements are equal whatever the inputs hold: a mask of ones that the model makes up, and what is computed from it.
bool is_uniform(const Graph& g, ValueId v, int depth = 0) {
  if (v == kNone || depth > 24) return false;
  const Value& x = g.value(v);
  if (x.constant) {
    if (x.constant->elements() > kMaxScanned) return false;
    const std::vector<float> all = x.constant->to_float();
    return std::all_of(all.begin(), all.end(), [&](float e) { return e == all[0]; });
  }
  const Node* n = g.producer(v);
  if (n == nullptr) return false;
  switch (n->kind) {
    case OpKind::kConstantOfShape: return true;
    case OpKind::kUnary:
    case OpKind::kCast: return is_uniform(g, n->in(0), depth + 1);
    case OpKind::kBinary:
    case OpKind::kWhere:
      return std::all_of(n->inputs.begin(), n->inputs.end(), [&](ValueId i) { return is_uniform(g, i, depth + 1); });
    default: return rearranges(n->kind) && is_uniform(g, n->in(0), depth + 1);
  }
}

// The product of queries and keys, scaled, perhaps, and moved by the same number everywhere.
bool plain_scores(const Graph& g, ValueId v) {
  for (int depth = 0; depth < 12; ++depth) {
    const Node* n = g.producer(v);
    if (n == nullptr) return false;
    if (n->kind == OpKind::kMatMul) return true;
    if (n->kind == OpKind::kBinary) {
      const bool left = is_uniform(g, n->in(0));
      if (!left && !is_uniform(g, n->in(1))) return false;
      v = n->in(left ? 1 : 0);
    } else if (n->kind == OpKind::kCast || only_reshapes(n->kind)) {
      v = n->in(0);
    } else {
      return false;
    }
  }
  return false;
}

// TorchScript drops inputs that forward() does not use, so a mask that was forgotten leaves no trace but this.
void unmasked_attention(const Graph& g, Diagnostics& d) {
  std::string sequence;
  for (ValueId v : g.inputs) {
    const Value& x = g.value(v);
    if (is_integer(x.dtype) && x.shape && x.rank() == 2 && !(*x.shape)[0].is_constant() && (*x.shape)[1].is_symbol())
      sequence = (*x.shape)[1].symbol_name();
  }
  if (sequence.empty()) return;
  const std::set<ValueId> positionwise = positionwise_values(g);
  bool plain = false;
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kSoftmax || !g.value(n.in(0)).shape || g.value(n.in(0)).rank() < 3) continue;
    if (g.value(n.in(0)).shape->back() != DimExpr::symbol(sequence)) continue;
    if (positionwise.count(n.in(0)) || !plain_scores(g, n.in(0))) return;
    plain = true;
  }
  if (plain)
    d.warn(
        "no input masks the attention over '" + sequence +
        "': a text that is padded in a batch gives another result than alone. Export with an attention mask that forward() hands "
        "on (TorchScript drops inputs that it does not use), or run texts of different lengths one at a time");
}

}  // namespace

void diagnose_file(const Graph& g, Diagnostics& d) {
  fixed_sizes(g, d);
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kCast || n.as<CastAttrs>().to != DType::kFloat16 || n.in(0) == kNone) continue;
    const Value& x = g.value(n.in(0));
    if (!x.constant || !is_float(x.dtype) || x.dtype == DType::kFloat16 || x.constant->elements() > kMaxScanned) continue;
    for (float v : x.constant->to_float())
      if (std::isfinite(v) && std::fabs(v) > kLargestHalf) {
        d.warn(
            fmt::format("node '{}' casts the constant {:.4g} to float16, where it becomes infinite (the largest is 65504): a "
                        "fully masked row gives NaN. Export in float32, or write the mask with torch.finfo(dtype).min",
                        n.origin.node, v));
        return;
      }
  }
}

void diagnose_graph(const Graph& g, Diagnostics& d) {
  unused_inputs(g, d);
  swapped_inputs(g, d);
  infinite_factors(g, d);
  padding_inside(g, d);
  unmasked_attention(g, d);
  diagnose_order(g, d);
}

}  // namespace edgeconv
