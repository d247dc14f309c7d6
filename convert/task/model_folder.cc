// See model_folder.h.
#include "convert/task/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "convert/files/json.h"
#include "convert/files/mapped_file.h"

namespace edgeconv {

namespace {

namespace fs = std::filesystem;

// tokenizer_config.json says 1e30 where there is no limit.
constexpr double kNoLimit = 1e9;

// One JSON file of the folder; knows its name for messages.
class Document {
 public:
  Document(const std::string& folder, std::string name) : name_(std::move(name)), path_((fs::path(folder) / name_).string()) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(path_, error))) return;
    const auto file = MappedFile::open(path_);  // of a device there would be no end
    try {
      root_ = parse_json({reinterpret_cast<const char*>(file->data), file->bytes});
    } catch (const nlohmann::json::parse_error& e) {
      throw FatalError(ExitCode::kMalformed, printable(path_) + ": no valid JSON at byte " + std::to_string(e.byte));
    }
  }
  explicit operator bool() const { return root_.has_value(); }
  const std::string& name() const { return name_; }
  const Json& root() const { return *root_; }

  // Null where it is absent or null.
  const Json* find(const char* key) const {
    if (!root_ || !root_->is_object()) return nullptr;
    const auto it = root_->find(key);
    return it == root_->end() || it->is_null() ? nullptr : &*it;
  }
  std::optional<bool> flag(const char* key) const {
    const Json* j = find(key);
    if (!j) return {};
    if (!j->is_boolean()) wrong("/" + std::string(key), "true or false");
    return j->get<bool>();
  }
  std::optional<std::string> text(const char* key) const {
    const Json* j = find(key);
    if (!j) return {};
    if (!j->is_string()) wrong("/" + std::string(key), "a string");
    return j->get<std::string>();
  }
  std::optional<double> number(const char* key) const {
    const Json* j = find(key);
    if (!j) return {};
    if (!j->is_number()) wrong("/" + std::string(key), "a number");
    return j->get<double>();
  }
  [[noreturn]] void wrong(const std::string& path, const std::string& wanted) const {
    throw FatalError(ExitCode::kMalformed, printable(path_) + ": " + printable(path) + " is not " + wanted);
  }

 private:
  std::string name_, path_;
  std::optional<Json> root_;
};

class Reader {
 public:
  Reader(const std::string& folder, const TaskSettings& flags, bool lowercases, Diagnostics& d)
      : folder_(folder), flags_(flags), lowercases_(lowercases), d_(d) {}

  ModelFolder read() {
    model_config();
    sentence_transformer();
    longest_text();
    drop_what_flags_replace();
    result_.settings.override_with(flags_);
    return std::move(result_);
  }

 private:
  void say(const char* what, std::string value, const Document& from) {
    result_.facts.push_back({what, std::move(value), from.name()});
  }
  void not_understood(const Document& in, const std::string& what, const std::string& why, const std::string& hint) {
    d_.unsupported({in.name(), what, "", why, hint});
  }

  // What the task is in the end, and so which of the folder's words matter.
  TaskKind kind() const { return flags_.kind.value_or(result_.settings.kind.value_or(TaskKind::kNoTask)); }

  void drop_what_flags_replace() {
    TaskSettings& s = result_.settings;
    const TaskKind is = kind();
    const bool labelled = is == TaskKind::kClassify || is == TaskKind::kTokens || is == TaskKind::kZeroShot;
    if (!labelled) s.labels.clear();
    if (is != TaskKind::kClassify) s.independent.reset();
    if (is != TaskKind::kEmbed) s.pooling.reset(), s.normalize.reset();
    std::erase_if(result_.facts, [&](const FolderFact& f) {
      if (f.what == "task") return flags_.kind.has_value() && flags_.kind != s.kind;
      if (f.what == "labels") return !labelled || !flags_.labels.empty();
      if (f.what == "scores") return is != TaskKind::kClassify;
      if (f.what == "pooling") return is != TaskKind::kEmbed || flags_.pooling.has_value();
      if (f.what == "normalize") return is != TaskKind::kEmbed || flags_.normalize.has_value();
      return f.what == "max tokens" && flags_.max_tokens.has_value();
    });
  }

  // {"0": "NEGATIVE", "1": "POSITIVE"}
  std::vector<std::string> labels_of(const Document& config) {
    const Json* ids = config.find("id2label");
    if (!ids) return {};
    if (!ids->is_object()) config.wrong("/id2label", "an object");
    std::vector<std::string> labels(ids->size());
    for (const auto& [key, label] : ids->items()) {
      size_t index = labels.size();
      const bool digits =
          !key.empty() && key.size() < 6 && std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (digits) index = static_cast<size_t>(std::stoi(key));
      if (index >= labels.size() || !labels[index].empty()) config.wrong("/id2label/" + key, "an index from 0 on, each once");
      if (!label.is_string() || label.get<std::string>().empty()) config.wrong("/id2label/" + key, "the name of a label");
      labels[index] = label.get<std::string>();
    }
    return labels;
  }

  std::optional<TaskKind> task_of(const std::string& architecture) {
    constexpr std::pair<std::string_view, TaskKind> kEndings[] = {{"ForSequenceClassification", TaskKind::kClassify},
                                                                  {"ForTokenClassification", TaskKind::kTokens},
                                                                  {"ForQuestionAnswering", TaskKind::kQa},
                                                                  {"Model", TaskKind::kEmbed}};
    for (const auto& [ending, kind] : kEndings)
      if (architecture.ends_with(ending)) return kind;
    return {};
  }

  void model_config() {
    const Document config(folder_, "config.json");
    if (!config) return;
    if (!config.root().is_object()) config.wrong("/", "an object");
    TaskSettings& s = result_.settings;
    if (const Json* all = config.find("architectures")) {
      if (!all->is_array() || (!all->empty() && !all->front().is_string())) config.wrong("/architectures", "a list of names");
      if (!all->empty()) s.kind = task_of(all->front().get<std::string>());
      if (s.kind) say("task", std::string(task_name(*s.kind)), config);
    }
    // The task may be known from the command line alone.
    const TaskKind is = kind();
    if (is != TaskKind::kClassify && is != TaskKind::kTokens && is != TaskKind::kZeroShot) return;
    s.labels = labels_of(config);
    if (!s.labels.empty()) say("labels", std::to_string(s.labels.size()), config);
    if (is != TaskKind::kClassify) return;
    // As the text-classification pipeline: one label is a number of its own.
    const std::string type = config.text("problem_type").value_or("");
    if (type == "regression")
      not_understood(config, "/problem_type", "a regression has no labels", "convert with --task none: the output is the number");
    s.independent = type == "multi_label_classification" || s.labels.size() == 1;
    if (const std::optional<std::string> function = config.text("function_to_apply")) {
      if (*function == "sigmoid" || *function == "softmax")
        s.independent = *function == "sigmoid";
      else
        not_understood(config, "/function_to_apply", "'" + printable(*function) + "' is neither softmax nor sigmoid",
                       "convert with --task none");
    }
    say("scores", *s.independent ? "a sigmoid each" : "softmax", config);
  }

  void sentence_transformer() {
    const Document modules(folder_, "modules.json");
    if (!modules) return;
    if (!modules.root().is_array()) modules.wrong("/", "a list of modules");
    TaskSettings& s = result_.settings;
    s.kind = TaskKind::kEmbed;
    s.labels.clear();
    s.independent.reset();
    std::erase_if(result_.facts, [](const FolderFact&) { return true; });
    say("task", "embed", modules);
    s.normalize = false;
    for (size_t i = 0; i < modules.root().size(); ++i) {
      const Json& module = modules.root()[i];
      const std::string at = "/" + std::to_string(i);
      if (!module.is_object() || !module.contains("type") || !module["type"].is_string())
        modules.wrong(at + "/type", "the name of a module");
      const std::string type = module["type"].get<std::string>(), name = type.substr(type.rfind('.') + 1);
      const std::string path = module.contains("path") && module["path"].is_string() ? module["path"].get<std::string>() : "";
      for (const fs::path& part : fs::path(path))
        if (part == ".." || fs::path(path).is_absolute()) modules.wrong(at + "/path", "a folder below this one");
      if (name == "Transformer") continue;
      if (name == "Pooling")
        pooling(path.empty() ? "1_Pooling" : path);
      else if (name == "Normalize")
        s.normalize = true;
      else if (kind() == TaskKind::kEmbed && !flags_.pooling)
        not_understood(modules, at, "'" + printable(type) + "' is none of Transformer, Pooling and Normalize",
                       "export the whole of it to ONNX, and convert with --pooling none --normalize off");
    }
    say("normalize", *s.normalize ? "on" : "off", modules);
    prompts();
    const Document transformer(folder_, "sentence_bert_config.json");
    if (transformer && transformer.flag("do_lower_case").value_or(false) && !lowercases_ && kind() == TaskKind::kEmbed)
      not_understood(transformer, "/do_lower_case", "texts would need small letters, which the tokenizer does not make",
                     "give the tokenizer's file instead of the folder, and make small letters before");
  }

  void pooling(const std::string& path) {
    const bool matters = kind() == TaskKind::kEmbed && !flags_.pooling;
    const Document config(folder_, path + "/config.json");
    if (!config) {
      if (matters)
        not_understood(config, "pooling", "modules.json names the file, and it is not there", "give --pooling mean, cls or last");
      return;
    }
    constexpr std::pair<const char*, Pooling> kKnown[] = {{"pooling_mode_mean_tokens", Pooling::kMean},
                                                          {"pooling_mode_cls_token", Pooling::kFirst},
                                                          {"pooling_mode_lasttoken", Pooling::kLast}};
    constexpr const char* kUnknown[] = {"pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens",
                                        "pooling_mode_weightedmean_tokens"};
    std::vector<std::pair<std::string, std::optional<Pooling>>> chosen;
    for (const auto& [key, kind] : kKnown)
      if (config.flag(key).value_or(false)) chosen.emplace_back(key, kind);
    for (const char* key : kUnknown)
      if (config.flag(key).value_or(false)) chosen.emplace_back(key, std::nullopt);
    if (const std::optional<std::string> mode = config.text("pooling_mode")) {
      std::optional<Pooling> kind;
      if (*mode == "mean") kind = Pooling::kMean;
      if (*mode == "cls") kind = Pooling::kFirst;
      if (*mode == "lasttoken") kind = Pooling::kLast;
      chosen.emplace_back("pooling_mode: " + *mode, kind);
    }
    const char* hint = "export the whole of it to ONNX, and convert with --pooling none";
    for (const auto& [key, kind] : chosen)
      if (!kind && matters) not_understood(config, key, "no pooling of this kind", hint);
    if (chosen.size() > 1 && matters) not_understood(config, "pooling", "several kinds side by side", hint);
    if (chosen.size() != 1 || !chosen[0].second) return;
    result_.settings.pooling = chosen[0].second;
    say("pooling", std::string(pooling_name(*chosen[0].second)), config);
  }

  void prompts() {
    const Document config(folder_, "config_sentence_transformers.json");
    const std::optional<std::string> name = config ? config.text("default_prompt_name") : std::nullopt;
    if (!name) return;
    const Json* all = config.find("prompts");
    if (!all || !all->is_object() || !all->contains(*name) || !(*all)[*name].is_string())
      config.wrong("/default_prompt_name", "the name of one of its prompts");
    result_.settings.prompt = (*all)[*name].get<std::string>();
    if (!result_.settings.prompt.empty() && kind() == TaskKind::kEmbed)
      not_understood(config, "/default_prompt_name",
                     "texts would need the prompt '" + printable(result_.settings.prompt) + "' in front of them",
                     "give the tokenizer's file instead of the folder, and put the prompt before each text");
  }

  // The least of what the files say.
  void longest_text() {
    const auto limit = [&](const Document& from, const char* key, double extra) {
      if (!from) return;
      const std::optional<double> n = from.number(key);
      if (!n || !(*n - extra >= 1 && *n - extra < kNoLimit)) return;
      const auto tokens = static_cast<int64_t>(*n - extra);
      if (result_.settings.max_tokens && *result_.settings.max_tokens <= tokens) return;
      result_.settings.max_tokens = tokens;
      std::erase_if(result_.facts, [](const FolderFact& f) { return f.what == "max tokens"; });
      say("max tokens", std::to_string(tokens), from);
    };
    const Document config(folder_, "config.json");
    // RoBERTa and its kin count positions from the padding's id on.
    const std::string type = config ? config.text("model_type").value_or("") : "";
    constexpr std::string_view kFromPadding[] = {"roberta",    "xlm-roberta",    "camembert", "mpnet",
                                                 "longformer", "xlm-roberta-xl", "ibert",     "data2vec-text"};
    const bool offset = std::find(std::begin(kFromPadding), std::end(kFromPadding), type) != std::end(kFromPadding);
    limit(config, "max_position_embeddings", offset ? config.number("pad_token_id").value_or(1) + 1 : 0);
    limit(Document(folder_, "tokenizer_config.json"), "model_max_length", 0);
    limit(Document(folder_, "sentence_bert_config.json"), "max_seq_length", 0);
  }

  const std::string& folder_;
  const TaskSettings& flags_;
  const bool lowercases_;
  Diagnostics& d_;
  ModelFolder result_;
};

}  // namespace

ModelFolder read_model_folder(const std::string& folder, const TaskSettings& flags, bool lowercases, Diagnostics& d) {
  return Reader(folder, flags, lowercases, d).read();
}

}  // namespace edgeconv
