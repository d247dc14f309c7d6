// `edgeconv tokenize`: lines of text on stdin to ids on stdout, and back.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/standard_input.h"
#include "convert/cli/standard_output.h"
#include "convert/files/json.h"
#include "convert/ir/diagnostics.h"
#include "convert/run/status.h"
#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"
#include "convert/text/text_runner.h"

namespace edgeconv::cli {

namespace {

struct TokenizeArguments {
  std::string file;
  bool pair = false, json = false, decode = false;
};

void append_number(std::string& out, int64_t n) {
  char digits[24];
  const int count = std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(n));
  out.append(digits, static_cast<size_t>(count));
}

void append_array(std::string& out, const std::vector<int32_t>& v) {
  out += '[';
  for (size_t i = 0; i < v.size(); ++i) {
    if (i != 0) out += ", ";
    append_number(out, v[i]);
  }
  out += ']';
}

std::string encoding_json(const text::Encoding& e) {
  std::string out = "{\"ids\": ";
  append_array(out, e.ids);
  out += ", \"type_ids\": ", append_array(out, e.type_ids);
  out += ", \"attention_mask\": ", append_array(out, e.attention);
  out += ", \"special_tokens_mask\": ", append_array(out, e.special);
  out += ", \"offsets\": [";
  for (size_t i = 0; i < e.offsets.size(); ++i) {
    out += i == 0 ? "[" : ", [";
    append_number(out, e.offsets[i].start), out += ", ", append_number(out, e.offsets[i].end);
    out += ']';
  }
  return out + "]}";
}

// One array of ids. Throws FatalError(kUsage) naming the line.
std::vector<int32_t> read_ids(const std::string& line, uint64_t number) {
  const auto wrong = [number]() { return FatalError(ExitCode::kUsage, "line " + std::to_string(number) + " of stdin is no JSON array of ids"); };
  Json j;
  try {
    j = parse_json(line);
  } catch (const nlohmann::json::exception&) {
    throw wrong();
  }
  if (!j.is_array()) throw wrong();
  std::vector<int32_t> ids;
  for (const Json& id : j) {
    if (!id.is_number_integer() || id.get<int64_t>() < 0 || id.get<int64_t>() > INT32_MAX) throw wrong();
    ids.push_back(id.get<int32_t>());
  }
  return ids;
}

class LineTokenizer {
 public:
  LineTokenizer(const TokenizeArguments& o, text::TextRunner& runner, bool blob) : o_(o), runner_(runner) {
    options_.struct_size = sizeof options_;
    options_.flags = blob ? ERT_TEXT_NO_PADDING : ERT_TEXT_NO_PADDING | ERT_TEXT_NO_TRUNCATION;
  }
  std::string answer(const std::string& line, uint64_t number) {
    if (o_.decode) return json_in_one_line(Json(runner_.decode(read_ids(line, number), true)));
    std::string first, second;
    if (o_.pair) {
      const size_t tab = line.find('\t');
      if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos)
        throw FatalError(ExitCode::kUsage, "line " + std::to_string(number) + " of stdin has not exactly one tab: --pair takes TEXT, a tab, TEXT");
      first = line.substr(0, tab), second = line.substr(tab + 1);
    }
    const text::Encoding& e = o_.pair ? runner_.encode(first, &second, &options_) : runner_.encode(line, nullptr, &options_);
    if (o_.json) return encoding_json(e);
    std::string out;
    append_array(out, e.ids);
    return out;
  }

 private:
  const TokenizeArguments& o_;
  text::TextRunner& runner_;
  ert_text_options options_{};
};

int tokenize(const TokenizeArguments& o) {
  std::optional<BlobFile> blob;
  std::optional<text::TextRunner> runner;
  ert_model model;
  bool is_blob = false;
  std::error_code error;
  if (!std::filesystem::is_directory(o.file, error)) {
    blob.emplace(o.file);
    is_blob = blob->bytes() != 0 && blob->looks_like_blob();
  }
  if (is_blob) {
    if (const ert_status s = ert_model_open(&model, blob->data(), blob->bytes()); s != ERT_OK) throw_status(s, "'" + o.file + "' is not a valid blob");
    runner.emplace(model, o.file);
  } else {
    blob.reset();
    runner.emplace(text::table_bytes(text::read_tokenizer(o.file)));
  }
  LineTokenizer lines(o, *runner, is_blob);
  std::string line, out;
  uint64_t number = 0;
  for (InputLines in; in.next(&line);) {
    out += lines.answer(line, ++number);
    out += '\n';
    if (out.size() < 1 << 16) continue;
    print_data(out);
    out.clear();
  }
  print_data(out);
  return 0;
}

}  // namespace

Action add_tokenize(Arguments& a) {
  auto o = std::make_shared<TokenizeArguments>();
  a.option("file", o->file, "tokenizer.json, SentencePiece .model, vocab.txt, a folder that has one of them, or a blob with a tokenizer", {.required = true});
  a.flag("--pair", o->pair, "each line is a text, a tab, and its pair");
  a.flag("--json", o->json, "ids, type ids, masks and offsets (bytes of the line; of a pair's second text from its own start)");
  a.flag("--decode", o->decode, "lines are arrays of ids; gives their text as a JSON string, without special tokens", {.excludes = {"--pair", "--json"}});
  a.example("edgeconv tokenize tokenizer.json < texts.txt", "a line of ids for each line of text");
  return [o] { return tokenize(*o); };
}

}  // namespace edgeconv::cli
