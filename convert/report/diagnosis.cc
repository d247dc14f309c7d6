// Looks at structure and names of the imported graph only.
#include "convert/report/diagnosis.h"

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
    switch (n->kind) {
      case OpKind::kCast:
      case OpKind::kIdentity:
      case OpKind::kReshape:
      case OpKind::kSqueeze:
      case OpKind::kUnsqueeze:
      case OpKind::kFlatten:
      case OpKind::kExpand:
      case OpKind::kSlice: v = n->in(0); break;
      default: return kNone;
    }
  }
  return v;
}

void swapped_inputs(const Graph& g, Diagnostics& d) {
  constexpr const char* kFix =
      "The exporter binds tensors by position: give them in the order of forward()'s parameters, or by name (a dict), with "
      "input_names in the same order";
  std::set<ValueId> told;
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kGather || n.as<AxisAttrs>().axis != 0 || !g.value(n.in(0)).constant ||
        g.value(n.in(0)).rank() != 2)
      continue;
    const int64_t rows = g.value(n.in(0)).constant->dims()[0];
    const ValueId input = input_behind(g, n.in(1));
    if (input == kNone) continue;
    const std::string& name = g.value(input).name;
    const bool mask = name_has(name, {"mask"}), types = name_has(name, {"token_type", "segment_id"}), ids = name == "input_ids";
    const bool wrong = mask || (types && rows > 64) || (ids && rows <= kFewRows);
    if (!wrong || !told.insert(input).second) continue;
    d.warn(fmt::format("input '{}' selects rows of a table of {} ({}): the inputs look swapped. {}", name, rows,
                       rows <= kFewRows ? "as token types do" : "as token ids do", kFix));
  }
}

// One warning for all inputs: they are fixed together.
void fixed_sizes(const Graph& g, Diagnostics& d) {
  std::string inputs, example;
  bool batch = false, sequence = false;
  for (ValueId v : g.inputs) {
    const Value& x = g.value(v);
    if (!x.shape || x.rank() != 2 || !(is_integer(x.dtype) || x.dtype == DType::kBool)) continue;
    const bool first = (*x.shape)[0].is_constant(), second = (*x.shape)[1].is_constant() && *(*x.shape)[1].constant() > 1;
    if (!first && !second) continue;
    batch |= first;
    sequence |= second;
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
}

}  // namespace edgeconv
