// A model's folder as Hugging Face lays it out: what its files say of the task. Sources: config.json of transformers 4; modules.json,
// 1_Pooling/config.json, sentence_bert_config.json and config_sentence_transformers.json of sentence-transformers 2 to 5;
// tokenizer_config.json.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/task/task.h"

namespace edgeconv {

struct FolderFact {
  std::string what;   // "task"
  std::string value;  // "embed"
  std::string file;   // below the folder: "modules.json"
};

struct ModelFolder {
  TaskSettings settings;
  std::vector<FolderFact> facts;  // what was taken, for the summary
};

// Files that are not there say nothing. What `flags` (the command line) say replaces what the folder says: it is neither a fact nor a problem then.
// What is not understood is left in d as problems, all of them (exit 4). `lowercases`: the tokenizer makes small letters of texts itself.
// Throws FatalError(kMalformed) for files that are not what they should be, with the path inside the JSON; FatalError(kIo).
ModelFolder read_model_folder(const std::string& folder, const TaskSettings& flags, bool lowercases, Diagnostics& d);

}  // namespace edgeconv
