// See task_output.h.
#include "convert/task/task_output.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "convert/ir/diagnostics.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;
namespace unary = ert::params::unary;

// Least sum of a mask and least length of a vector: those of sentence-transformers and torch.nn.functional.normalize.
constexpr float kLeastTokens = 1e-9f, kLeastLength = 1e-12f;

std::string listed(const Graph& g, const std::vector<ValueId>& values) {
  std::string s;
  for (ValueId v : values) {
    const Value& value = g.value(v);
    s += (s.empty() ? "" : ", ") + printable(value.name) + " " + std::string(dtype_name(value.dtype)) +
         (value.shape ? shape_str(*value.shape) : "");
  }
  return s;
}

[[noreturn]] void refuse_task(const Graph& g, const TaskSettings& s, const std::string& wanted, const std::string& hint) {
  throw FatalError(ExitCode::kUsage, "--task " + std::string(task_name(*s.kind)) + " needs " + wanted + "; the model has " +
                                         listed(g, g.outputs) + ". " + hint);
}

// The output of this rank: the one of one of these names, or the only one.
std::optional<ValueId> output_of(const Graph& g, int rank, std::initializer_list<std::string_view> names) {
  std::vector<ValueId> fitting;
  for (ValueId v : g.outputs)
    if (g.value(v).dtype == DType::kFloat && g.value(v).rank() == rank) fitting.push_back(v);
  for (const std::string_view name : names)
    for (ValueId v : fitting)
      if (g.value(v).name == name) return v;
  if (fitting.size() == 1) return fitting[0];
  return {};
}

// Nodes behind an output. Shapes of what is between are left to inference.
class Tail {
 public:
  Tail(Graph& g, std::string name) : g_(g), origin_{std::move(name), "Pooling", ""} {}
  ValueId combine(ert::params::binary::Kind kind, ValueId lhs, ValueId rhs) {
    return g_.add_node(OpKind::kBinary, {lhs, rhs}, BinaryAttrs{kind}, origin_);
  }
  ValueId floats(ValueId v) { return g_.add_node(OpKind::kCast, {v}, CastAttrs{DType::kFloat}, origin_); }
  ValueId sum(ValueId v, int64_t axis, bool keep) {
    return g_.add_node(OpKind::kReduce, {v}, ReduceAttrs{reduce::kSum, {axis}, keep, false}, origin_);
  }
  ValueId root(ValueId v) { return g_.add_node(OpKind::kUnary, {v}, UnaryAttrs{unary::kSqrt}, origin_); }
  ValueId number(float v) {
    return g_.add_constant(origin_.node + "/least", Tensor::of<float>(DType::kFloat, {}, std::vector<float>{v}));
  }
  ValueId ints(std::vector<int64_t> v) { return g_.add_constant(origin_.node + "/axes", Tensor::ints(v)); }
  ValueId column(ValueId v, int64_t axis) {
    return g_.add_node(OpKind::kUnsqueeze, {v, ints({axis})}, AxesAttrs{{axis}}, origin_);
  }
  ValueId running_sum(ValueId v, int64_t axis) {
    return g_.add_node(
        OpKind::kCumSum,
        {v, g_.add_constant(origin_.node + "/axis", Tensor::of<int64_t>(DType::kInt64, {}, std::vector<int64_t>{axis}))},
        CumSumAttrs{}, origin_);
  }
  ValueId first(ValueId v) {
    const ValueId zero =
        g_.add_constant(origin_.node + "/first", Tensor::of<int64_t>(DType::kInt64, {}, std::vector<int64_t>{0}));
    return g_.add_node(OpKind::kGather, {v, zero}, AxisAttrs{1}, origin_);
  }

 private:
  Graph& g_;
  Origin origin_;
};

// x [batch, sequence, hidden] -> [batch, hidden]
ValueId pooled(Tail& tail, ValueId x, ValueId mask, Pooling pooling) {
  if (pooling == Pooling::kFirst) return tail.first(x);
  if (mask == kNone)
    throw FatalError(ExitCode::kUsage, "--pooling " + std::string(pooling_name(pooling)) +
                                           ": the model has no attention_mask, which tells the "
                                           "tokens from padding; export it with one, or use --pooling cls");
  ValueId weights = tail.floats(mask);
  if (pooling == Pooling::kLast) {
    // The last marked token is where the running sum of marks is all of them.
    const ValueId total = tail.sum(weights, 1, true), here = tail.combine(binary::kEqual, tail.running_sum(weights, 1), total);
    weights = tail.combine(binary::kMul, weights, tail.floats(here));
  }
  const ValueId column = tail.column(weights, 2), sum = tail.sum(tail.combine(binary::kMul, x, column), 1, false);
  if (pooling == Pooling::kLast) return sum;
  return tail.combine(binary::kDiv, sum, tail.combine(binary::kMax, tail.sum(column, 1, false), tail.number(kLeastTokens)));
}

void embed(Graph& g, const TextInputs& inputs, TaskSettings& s) {
  const std::optional<ValueId> whole = output_of(g, 2, {"sentence_embedding", "embeddings", "text_embeds", "pooler_output"});
  const std::optional<ValueId> tokens = output_of(g, 3, {"last_hidden_state", "token_embeddings", "hidden_states"});
  const bool named = whole && g.value(*whole).name == "sentence_embedding";
  // A model that ends with its embedding has pooling and normalization inside, whatever the folder says of the modules.
  const bool inside = s.pooling == Pooling::kInside || named || !tokens;
  if (inside) {
    if (!whole)
      refuse_task(g, s, "with --pooling none an output [batch, hidden]", "Use --pooling mean, or --outputs to choose one.");
    if (!tokens && s.pooling && *s.pooling != Pooling::kInside && !named)
      refuse_task(g, s, "for pooling an output [batch, sequence, hidden]",
                  "Use --pooling none to take the vector that is there.");
    s.pooling = Pooling::kInside;
    if (named) s.normalize = false;
  }
  if (!s.pooling) s.pooling = Pooling::kMean;
  if (!s.normalize) s.normalize = true;
  const std::string name = "sentence_embedding";
  Tail tail(g, name);
  const ValueId mask = inputs.mask < 0 ? kNone : g.inputs[static_cast<size_t>(inputs.mask)];
  ValueId v = inside ? *whole : pooled(tail, *tokens, mask, *s.pooling);
  if (*s.normalize) {
    const ValueId length = tail.root(tail.sum(tail.combine(binary::kMul, v, v), 1, true));
    v = tail.combine(binary::kDiv, v, tail.combine(binary::kMax, length, tail.number(kLeastLength)));
  }
  g.outputs = {v};
  if (g.value(v).name != name) {
    for (Value& other : g.values)
      if (other.name == name) other.name += "/before";
    g.value(v).name = name;
  }
}

void check_labels(const Graph& g, ValueId logits, TaskSettings& s) {
  const DimExpr& last = g.value(logits).shape->back();
  if (!last.is_constant()) refuse_task(g, s, "a fixed number of labels", "Its last axis has a name: give it with --fix.");
  const auto count = static_cast<size_t>(*last.constant());
  // As transformers name labels that a configuration does not.
  if (s.labels.empty())
    for (size_t i = 0; i < count; ++i) s.labels.push_back("LABEL_" + std::to_string(i));
  if (s.labels.size() != count)
    refuse_task(g, s, std::to_string(s.labels.size()) + " numbers for its " + std::to_string(s.labels.size()) + " labels",
                "Give the right names with --labels FILE, one a line.");
}

void labels(Graph& g, TaskSettings& s, int rank) {
  const std::optional<ValueId> logits = output_of(g, rank, {"logits", "output", "scores"});
  if (!logits)
    refuse_task(g, s, rank == 2 ? "an output [batch, labels]" : "an output [batch, sequence, labels]",
                "Choose one with --outputs NAME, or another --task.");
  check_labels(g, *logits, s);
  if (s.kind == TaskKind::kZeroShot && entailment_label(s.labels) < 0)
    refuse_task(g, s, "a label that begins with 'entail'", "Name the labels with --labels FILE, one a line.");
  if (!s.independent) s.independent = false;
  if (s.kind == TaskKind::kZeroShot && !s.hypothesis) s.hypothesis = "This example is {}.";
  g.outputs = {*logits};
}

void spans(Graph& g, const TaskSettings& s) {
  std::optional<ValueId> start, end;
  std::vector<ValueId> fitting;
  for (ValueId v : g.outputs) {
    if (g.value(v).dtype != DType::kFloat || g.value(v).rank() != 2) continue;
    fitting.push_back(v);
    if (g.value(v).name.find("start") != std::string::npos) start = v;
    if (g.value(v).name.find("end") != std::string::npos) end = v;
  }
  if (!start && !end && fitting.size() == 2) start = fitting[0], end = fitting[1];
  if (!start || !end || start == end)
    refuse_task(g, s, "two outputs [batch, sequence], start and end", "Export the model with its question answering head.");
  g.outputs = {*start, *end};
}

}  // namespace

TextInputs find_text_inputs(const Graph& g) {
  constexpr std::pair<std::string_view, int TextInputs::*> kNames[] = {
      {"input_ids", &TextInputs::ids},         {"ids", &TextInputs::ids},
      {"attention_mask", &TextInputs::mask},   {"input_mask", &TextInputs::mask},
      {"token_type_ids", &TextInputs::types},  {"segment_ids", &TextInputs::types},
      {"position_ids", &TextInputs::positions}};
  TextInputs found;
  std::vector<ValueId> strange;
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    const Value& v = g.value(g.inputs[i]);
    const bool fits = is_integer(v.dtype) && v.rank() == 2;
    bool known = false;
    for (const auto& [name, member] : kNames)
      if (fits && v.name == name && found.*member < 0) found.*member = static_cast<int>(i), known = true;
    if (!known) strange.push_back(g.inputs[i]);
  }
  // A model of one input takes ids, whatever it calls them.
  if (found.ids < 0 && strange.size() == 1 && is_integer(g.value(strange[0]).dtype) && g.value(strange[0]).rank() == 2) {
    found.ids = static_cast<int>(std::find(g.inputs.begin(), g.inputs.end(), strange[0]) - g.inputs.begin());
    strange.clear();
  }
  if (found.ids < 0)
    throw FatalError(ExitCode::kUsage, "--tokenizer: the model has no input_ids, integers [batch, sequence]; it has " +
                                           listed(g, g.inputs) +
                                           ". Convert with --task none to keep the tokenizer beside the model");
  if (!strange.empty())
    throw FatalError(ExitCode::kUsage, "--tokenizer: no text gives " + listed(g, strange) +
                                           "; make constants of such inputs with --const, or convert with --task none");
  return found;
}

int ids_input(const Graph& g) {
  int fitting = -1, count = 0;
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    const Value& v = g.value(g.inputs[i]);
    if (!is_integer(v.dtype) || v.rank() != 2) continue;
    if (v.name == "input_ids" || v.name == "ids") return static_cast<int>(i);
    fitting = static_cast<int>(i), ++count;
  }
  return count == 1 ? fitting : -1;
}

void give_task_output(Graph& g, const TextInputs& inputs, TaskSettings& settings) {
  switch (settings.kind.value_or(TaskKind::kNoTask)) {
    case TaskKind::kNoTask: return;
    case TaskKind::kEmbed: embed(g, inputs, settings); break;
    case TaskKind::kClassify:
    case TaskKind::kZeroShot: labels(g, settings, 2); break;
    case TaskKind::kTokens: labels(g, settings, 3); break;
    case TaskKind::kQa: spans(g, settings); break;
  }
  g.remove_dead();
  g.sort();
}

}  // namespace edgeconv
