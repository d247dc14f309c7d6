// What a model with a tokenizer is for: it makes an answer of text (rt/include/ert_text.h). Part of it comes from a model's folder
// (model_folder.h), part from the command line, which wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgeconv {

enum class TaskKind : uint8_t {
  kNoTask,
  kEmbed,     // a vector for each text
  kClassify,  // labels with scores
  kTokens,    // spans of the text with a label
  kQa,        // the span of a context that answers a question
  kZeroShot,  // scores of labels that the user names: whether the text entails them
};

// How the vectors of tokens become one. kInside: the model does it itself.
enum class Pooling : uint8_t { kInside, kMean, kFirst, kLast };

constexpr std::string_view kTaskNames[] = {"none", "embed", "classify", "tokens", "qa", "zero-shot"};
constexpr std::string_view kPoolingNames[] = {"none", "mean", "cls", "last"};

constexpr std::string_view task_name(TaskKind kind) { return kTaskNames[static_cast<size_t>(kind)]; }
constexpr std::string_view pooling_name(Pooling pooling) { return kPoolingNames[static_cast<size_t>(pooling)]; }

// Throw FatalError(kUsage) for other names.
TaskKind parse_task(const std::string& name);
Pooling parse_pooling(const std::string& name);

// What is known of a task. What is empty is not said.
struct TaskSettings {
  std::optional<TaskKind> kind;
  std::optional<Pooling> pooling;
  std::optional<bool> normalize;          // vectors of length 1
  std::vector<std::string> labels;        // in the order of their index
  std::optional<bool> independent;        // labels do not exclude each other: a sigmoid each instead of a softmax over all
  std::optional<int64_t> max_tokens;      // of a text or pair, special tokens included
  std::optional<std::string> hypothesis;  // zero-shot: "This example is {}."
  std::string prompt;                     // what the model wants in front of every text

  // Everything that `over` says replaces what this says.
  void override_with(const TaskSettings& over);
  bool operator==(const TaskSettings&) const = default;
};

// Zero-shot: the label that stands for "the text entails it", as the names tell; -1 where none does.
int entailment_label(const std::vector<std::string>& labels);

// One label a line; the last line may end without a line feed. Throws FatalError(kIo, kUsage) for a file that cannot be read, or has
// empty or equal lines.
std::vector<std::string> read_label_names(const std::string& path);

}  // namespace edgeconv
