// The tokenizer and the task of a conversion: what --tokenizer and a model's folder say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/dims/dims.h"
#include "convert/result/convert_options.h"
#include "convert/text/tokenizer.h"

namespace edgeconv {

struct TextPlan {
  std::optional<text::Tokenizer> tokenizer;  // nothing: none was asked for
  TaskSettings task;                         // of the folder, then of the command line
  std::optional<int64_t> asked_max_tokens;   // --max-tokens; what a folder says is cut to the model's without a word
  std::vector<std::string> facts;            // what was taken from where, a line each

  // What prepare_model shall make of the outputs.
  std::optional<TaskSettings> wanted() const;
};

// Reads the tokenizer and, where a folder is given, what its files say of the task. Problems of both are left in d. Throws FatalError.
TextPlan plan_text(const ConvertOptions& o, Diagnostics& d);

// Fits both together, once the graph and its dims are known: how long texts may be, and whether the model has a row for each id.
// Throws FatalError(kUsage).
void fit_text(TextPlan& plan, const PreparedModel& model, const DimPlan& dims);

}  // namespace edgeconv
