// See text.h.
#include "convert/pipeline/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "convert/task/model_folder.h"
#include "convert/task/task_output.h"
#include "convert/text/read_tokenizer.h"
#include "convert/text/task_tables.h"

namespace edgeconv {

namespace {

// Of tokens in a text, as the model's ids have them: the size of their second axis at its largest.
int64_t longest_sequence(const Graph& g, ValueId ids, const DimPlan& dims) {
  std::map<std::string, int64_t> most;
  for (const auto& [name, range] : dims.range) most[name] = range.second;
  const Shape& shape = *g.value(ids).shape;
  return shape.size() < 2 ? 1 : shape[1].evaluate(most).value_or(INT32_MAX);
}

bool lowercases(const text::Tokenizer& t) {
  return std::any_of(t.normalizer.begin(), t.normalizer.end(),
                     [](const text::Step& s) { return s.kind == static_cast<uint32_t>(ert::text::NormalizerKind::kLowercase); });
}

// Types are rows of a table of the model. Texts alone always get those of `single`; a pair's only where the task is of pairs, elsewhere nobody may
// ever give one.
void check_type_ids(const TextPlan& plan, const PreparedModel& model, const DimPlan& dims) {
  if (!plan.wanted() || model.text_inputs.types < 0) return;
  const auto range = dims.input_range.find(model.graph.inputs[static_cast<size_t>(model.text_inputs.types)]);
  if (range == dims.input_range.end()) return;
  const bool pairs = plan.task.kind == TaskKind::kQa || plan.task.kind == TaskKind::kZeroShot;
  for (const auto& piece : pairs ? plan.tokenizer->endings.pair : plan.tokenizer->endings.single)
    if (int64_t{piece.type_id} > range->second.second)
      throw FatalError(ExitCode::kUsage, fmt::format("--tokenizer: its post-processor gives the type id {}, the model's table of token types ends with {}: "
                                                     "they do not belong together; give the tokenizer of this model",
                                                     piece.type_id, range->second.second));
}

}  // namespace

std::optional<TaskSettings> TextPlan::wanted() const {
  if (!tokenizer || task.kind.value_or(TaskKind::kNoTask) == TaskKind::kNoTask) return {};
  return task;
}

TextPlan plan_text(const ConvertOptions& o, Diagnostics& d) {
  TextPlan plan;
  if (o.tokenizer.empty()) {
    if (o.task != TaskSettings{})
      throw FatalError(ExitCode::kUsage,
                       "--task, --labels, --pooling, --normalize and --max-tokens are for models with a tokenizer: give "
                       "--tokenizer FILE or DIR");
    return plan;
  }
  // All problems at once: those of the tokenizer, of the folder's other files, and of the model.
  try {
    plan.tokenizer = text::read_tokenizer(o.tokenizer);
  } catch (const text::UnsupportedTokenizer& e) {
    for (const std::string& what : e.unknowns())
      d.unsupported({e.name(), "tokenizer", "", what, "save the tokenizer without it, or leave out --tokenizer and give ids"});
  }
  if (std::error_code error; std::filesystem::is_directory(o.tokenizer, error)) {
    ModelFolder folder = read_model_folder(o.tokenizer, o.task, !plan.tokenizer || lowercases(*plan.tokenizer), d);
    plan.task = std::move(folder.settings);
    for (const FolderFact& f : folder.facts) plan.facts.push_back(fmt::format("{}: {} ({})", f.what, f.value, f.file));
  } else {
    plan.task = o.task;
  }
  if (!plan.task.kind && d.ok())
    throw FatalError(ExitCode::kUsage,
                     "--tokenizer " + printable(o.tokenizer) +
                         ": nothing says what the model is for; give --task embed, classify, tokens, qa, zero-shot or none");
  const TaskKind task = plan.task.kind.value_or(TaskKind::kEmbed);
  for (const auto& [given, flag] : {std::pair(o.task.pooling.has_value(), "--pooling"), std::pair(o.task.normalize.has_value(), "--normalize")})
    if (given && task != TaskKind::kEmbed)
      throw FatalError(ExitCode::kUsage, fmt::format("{}: the task is {}, and only embed has it: leave it out, or give --task embed", flag, task_name(task)));
  plan.asked_max_tokens = o.task.max_tokens;
  return plan;
}

void fit_text(TextPlan& plan, const PreparedModel& model, const DimPlan& dims) {
  if (!plan.tokenizer) return;
  plan.task = model.task.kind ? model.task : plan.task;
  // A model that ends with its embedding: what the folder says of the modules behind it is not taken, and not shown as taken.
  const auto behind = [](const std::string& fact) { return fact.starts_with("pooling: ") || fact.starts_with("normalize: "); };
  if (plan.task.pooling == Pooling::kInside && std::erase_if(plan.facts, behind) != 0)
    plan.facts.push_back("the model ends with its embedding: what the folder says of pooling and normalization is in it already");
  const bool has_task = plan.wanted().has_value();
  const int position = has_task ? model.text_inputs.ids : ids_input(model.graph);
  int64_t most = plan.task.max_tokens.value_or(INT32_MAX);
  check_type_ids(plan, model, dims);
  if (position >= 0) {
    const ValueId ids = model.graph.inputs[static_cast<size_t>(position)];
    const int64_t longest = longest_sequence(model.graph, ids, dims);
    if (plan.asked_max_tokens.value_or(0) > longest)
      throw FatalError(ExitCode::kUsage, fmt::format("--max-tokens {}: the model takes {} tokens at most; give no more, or a larger --dim where the model allows it",
                                                     *plan.asked_max_tokens, longest));
    most = std::min(most, longest);
    const int64_t highest = text::highest_id(*plan.tokenizer);
    if (const auto range = dims.input_range.find(ids); range != dims.input_range.end() && highest > range->second.second)
      throw FatalError(ExitCode::kUsage, fmt::format("--tokenizer: its highest id is {}, the model's table ends with {}: they do "
                                                     "not belong together; give the tokenizer of this model",
                                                     highest, range->second.second));
  }
  const auto& single = plan.tokenizer->endings.single;
  const auto special = std::count_if(single.begin(), single.end(), [](const auto& p) { return p.kind == 0; });
  if (most <= special)
    throw FatalError(
        ExitCode::kUsage,
        fmt::format("--tokenizer: {} tokens leave no room for text beside {} special ones; give a larger --max-tokens or --dim",
                    most, special));
  if (most < INT32_MAX) text::take_task(*plan.tokenizer, plan.task, model.text_inputs, most);
}

}  // namespace edgeconv
