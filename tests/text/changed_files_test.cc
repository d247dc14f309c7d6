// Tokenizer files with one place changed: each ends in an exit code that is documented, says which file it is, and what is accepted encodes and decodes.
// More than 300 lines, because the documents are as long as the files that they are like.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "convert/ir/diagnostics.h"
#include "convert/text/files/sentencepiece.pb.h"
#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"
#include "convert/text/text_runner.h"

namespace edgeconv::text {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// What stands at a place instead: other types, edges of numbers, names of things that other places know.
const std::vector<Json>& odd_values() {
  static const std::vector<Json> all = {
      nullptr, true, -1, 3000000000u, "", "x", "<s>", Json::array({"a", "b", "c"}), Json::object(), Json{{"content", "a"}, {"id", 1}},  // kOddTypes
      false, 0, 1, 2.5, 1e300, "A", "Left", "\u2581", std::string(1100, 'a'), Json::array(), Json::array({1}), Json{{"type", "Foo"}}, Json{{"String", ""}},
      Json{{"String", "b"}}, Json{{"Regex", "x+"}}, Json{{"type", "ByteLevel"}}, Json{{"type", "Metaspace"}, {"replacement", "_"}, {"add_prefix_space", false}},
      Json{{"type", "Lowercase"}}, Json{{"type", "Fuse"}}};
  return all;
}

constexpr size_t kOddTypes = 10;

// The outcome of reading, as an exit code. Of what is accepted one in `kTried` becomes tables, which take milliseconds, and must take a text.
constexpr int kTried = 64;
ExitCode outcome(const std::function<Tokenizer()>& read, const std::string& name) {
  static int accepted = 0;
  bool is_read = false;
  try {
    const Tokenizer tokenizer = read();
    is_read = true;
    if (accepted++ % kTried != 0) return ExitCode::kOk;
    TextRunner runner(table_bytes(tokenizer));
    const Encoding encoded = runner.encode("ab <s> Ab  c\n1", nullptr, nullptr);
    runner.decode(encoded.ids, false);
  } catch (const FatalError& e) {
    EXPECT_TRUE(e.code() == ExitCode::kMalformed || e.code() == ExitCode::kUnsupported || e.code() == ExitCode::kLimit) << e.what();
    EXPECT_TRUE(is_read || e.code() != ExitCode::kMalformed || std::string(e.what()).find(name) != std::string::npos) << e.what();
    return is_read ? ExitCode::kOk : e.code();
  }
  return ExitCode::kOk;
}

// One change in so many is tried. ERT_TOKENIZER_CHANGES=1 tries all, in a minute.
bool is_tried() {
  static const int step = std::getenv("ERT_TOKENIZER_CHANGES") ? std::atoi(std::getenv("ERT_TOKENIZER_CHANGES")) : 13;
  static int changes = 0;
  return ++changes % step == 0;
}

// Calls f with the document changed at each place in each way; of long lists the first two only.
void with_changes(const Json& document, const std::function<void(const Json&)>& f, size_t values = SIZE_MAX) {
  const std::function<void(const Json::json_pointer&, const Json&)> walk = [&](const Json::json_pointer& at, const Json& value) {
    if (!at.empty()) {
      for (size_t i = 0; i < std::min(values, odd_values().size()); ++i) {
        if (!is_tried()) continue;
        const Json& odd = odd_values()[i];
        Json changed = document;
        changed[at] = odd;
        SCOPED_TRACE(at.to_string() + " is " + odd.dump().substr(0, 60));
        f(changed);
      }
      Json without = document;
      if (without[at.parent_pointer()].is_object() && is_tried()) {
        without[at.parent_pointer()].erase(at.back());
        SCOPED_TRACE("without " + at.to_string());
        f(without);
      }
    }
    size_t taken = 0;
    if (value.is_object())
      for (const auto& [key, inner] : value.items())
        if (++taken <= 2 || value.size() < 16) walk(at / key, inner);
    if (value.is_array())
      for (; taken < std::min<size_t>(value.size(), 2); ++taken) walk(at / taken, value[taken]);
  };
  walk(Json::json_pointer(), document);
}

Json token(const char* content, int id) {
  return {{"id", id}, {"content", content}, {"single_word", false}, {"lstrip", false}, {"rstrip", false}, {"normalized", false}, {"special", true}};
}
Json part(const char* what, const char* id) { return {{what, {{"id", id}, {"type_id", 0}}}}; }

// One document of each model, with the components that go with it.
std::vector<Json> documents() {
  Json bytes = Json::object();
  for (int i = 0; i < 256; ++i) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(i));
    bytes[name] = i;
  }
  for (const auto& [piece, id] : {std::pair("<unk>", 256), {"a", 257}, {"b", 258}, {"ab", 259}, {"\u2581", 260}, {"\u2581ab", 261}}) bytes[piece] = id;
  const Json padding = {{"strategy", {{"Fixed", 8}}}, {"direction", "Right"}, {"pad_to_multiple_of", 4}, {"pad_id", 0}, {"pad_type_id", 0}, {"pad_token", "[PAD]"}};
  const Json truncation = {{"direction", "Right"}, {"max_length", 16}, {"strategy", "LongestFirst"}, {"stride", 0}};
  const Json scored = Json::array({Json::array({"<unk>", 0.0}), Json::array({"<s>", 0.0}), Json::array({"\u2581ab", -1.5}), Json::array({"a", -2.0}), Json::array({"\u2581", -3.0})});
  const Json words = {{"[UNK]", 0}, {"[CLS]", 1}, {"ab", 2}, {"##b", 3}, {"a", 4}, {"c", 5}};
  return {
      {{"truncation", truncation}, {"padding", padding}, {"added_tokens", Json::array({token("[UNK]", 0), token("[CLS]", 1)})},
       {"normalizer", {{"type", "BertNormalizer"}, {"clean_text", true}, {"handle_chinese_chars", true}, {"strip_accents", nullptr}, {"lowercase", true}}},
       {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
       {"post_processor", {{"type", "TemplateProcessing"}, {"single", {part("SpecialToken", "[CLS]"), part("Sequence", "A")}}, {"pair", {part("Sequence", "A"), part("Sequence", "B")}},
                           {"special_tokens", {{"[CLS]", {{"id", "[CLS]"}, {"ids", {1}}, {"tokens", {"[CLS]"}}}}}}}},
       {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
       {"model", {{"type", "WordPiece"}, {"unk_token", "[UNK]"}, {"continuing_subword_prefix", "##"}, {"max_input_chars_per_word", 100}, {"vocab", words}}}},
      {{"added_tokens", Json::array({token("<s>", 4)})},
       {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {{{"type", "Split"}, {"pattern", {{"Regex", "\\s+"}}}, {"behavior", "Isolated"}, {"invert", false}},
                                                                   {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}}}}}},
       {"post_processor", {{"type", "RobertaProcessing"}, {"sep", {"<s>", 4}}, {"cls", {"<s>", 4}}, {"trim_offsets", true}, {"add_prefix_space", false}}},
       {"decoder", {{"type", "ByteLevel"}}},
       {"model", {{"type", "BPE"}, {"dropout", nullptr}, {"unk_token", nullptr}, {"continuing_subword_prefix", ""}, {"end_of_word_suffix", ""}, {"fuse_unk", false}, {"byte_fallback", false},
                  {"ignore_merges", true}, {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}, {"\u0120", 3}}}, {"merges", Json::array({"a b"})}}}},
      {{"normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "Prepend"}, {"prepend", "\u2581"}}, {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}}}}}},
       {"decoder", {{"type", "Sequence"}, {"decoders", {{{"type", "Replace"}, {"pattern", {{"String", "\u2581"}}}, {"content", " "}}, {{"type", "ByteFallback"}}}}}},
       {"model", {{"type", "BPE"}, {"unk_token", "<unk>"}, {"fuse_unk", true}, {"byte_fallback", true}, {"vocab", bytes}, {"merges", Json::array({Json::array({"a", "b"}), "\u2581 ab"})}}}},
      {{"normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "NFKC"}}, {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}}}}}},
       {"pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}, {"split", true}}},
       {"post_processor", {{"type", "Sequence"}, {"processors", Json::array({{{"type", "BertProcessing"}, {"sep", {"<s>", 1}}, {"cls", {"<s>", 1}}}})}}},
       {"decoder", {{"type", "Sequence"}, {"decoders", {{{"type", "Fuse"}}, {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
       {"model", {{"type", "Unigram"}, {"unk_id", 0}, {"byte_fallback", false}, {"vocab", scored}}}},
      {{"added_tokens", Json::array({token("a a", 6)})},
       {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {{{"type", "Punctuation"}, {"behavior", "Isolated"}}, {{"type", "Digits"}, {"individual_digits", true}}}}}},
       {"decoder", {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}, {"split", true}}},
       {"model", {{"type", "WordLevel"}, {"unk_token", "[UNK]"}, {"vocab", words}}}},
      {{"pre_tokenizer", {{"type", "CharDelimiterSplit"}, {"delimiter", " "}}},
       {"decoder", {{"type", "BPEDecoder"}, {"suffix", "</w>"}}},
       {"model", {{"type", "BPE"}, {"unk_token", "[UNK]"}, {"continuing_subword_prefix", "##"}, {"end_of_word_suffix", "</w>"}, {"vocab", words}, {"merges", Json::array()}}}},
  };
}

TEST(ChangedTokenizer, EveryPlaceOfTokenizerJson) {
  int accepted = 0, all = 0;
  const std::vector<Json> documented = documents();
  const auto take = [&](const Json& changed) {
    ++all;
    accepted += outcome([&] { return read_tokenizer_json(changed.dump(), "tokenizer.json"); }, "tokenizer.json") == ExitCode::kOk;
  };
  for (size_t i = 0; i < documented.size(); ++i) {
    SCOPED_TRACE("document " + std::to_string(i));
    EXPECT_EQ(outcome([&] { return read_tokenizer_json(documented[i].dump(), "tokenizer.json"); }, "tokenizer.json"), ExitCode::kOk);
    with_changes(documented[i], take);
    for (const char* component : {"normalizer", "pre_tokenizer", "post_processor", "decoder", "model", "added_tokens"})
      for (const Json& other : documented) {
        Json mixed = documented[i];
        mixed[component] = other.value(component, Json());
        SCOPED_TRACE(std::string("with another ") + component);
        take(mixed);
      }
  }
  EXPECT_GT(accepted, all / 20);
  EXPECT_LT(accepted, all);
}

class ChangedFolder : public ::testing::Test {
 protected:
  ChangedFolder() : folder_(fs::path(::testing::TempDir()) / ("changed" + std::to_string(::getpid()))) { clear(); }
  ~ChangedFolder() override { fs::remove_all(folder_); }
  void clear() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void file(const std::string& name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }
  ExitCode read() {
    return outcome([&] { return read_tokenizer(folder_.string()); }, folder_.string());
  }
  fs::path folder_;
};

Json configuration(const char* kind) {
  const Json named = {{"content", "<s>"}, {"lstrip", false}, {"normalized", true}, {"rstrip", false}, {"single_word", false}, {"special", true}};
  return {{"tokenizer_class", kind}, {"do_lower_case", true}, {"strip_accents", true}, {"tokenize_chinese_chars", false}, {"keep_accents", false}, {"add_bos_token", true}, {"add_eos_token", true},
          {"add_prefix_space", true}, {"trim_offsets", false}, {"legacy", false}, {"truncation_side", "left"}, {"padding_side", "left"}, {"bos_token", "<s>"}, {"mask_token", named}};
}

spm::ModelProto sentencepiece(int type) {
  spm::ModelProto m;
  m.mutable_trainer_spec()->set_model_type(type);
  for (const auto& [text, kind] :
       {std::pair("<unk>", 2), {"<s>", 3}, {"</s>", 3}, {"a", 1}, {"b", 1}, {"ab", 1}, {"\xe2\x96\x81", 1}, {"1,", 1}, {"x,", 1}, {"c", 4}, {"<pad>", 3}}) {
    auto* p = m.add_pieces();
    p->set_piece(text), p->set_score(-1), p->set_type(kind);
  }
  return m;
}

TEST_F(ChangedFolder, EveryPlaceOfTheFilesBeside) {
  const std::string vocab = R"({"a": 0, "b": 1, "ab": 2, "<s>": 3, "</s>": 4, "<pad>": 5, "<unk>": 6, "<mask>": 7, "<|endoftext|>": 8, "<|startoftext|>": 9, "a</w>": 10, "b</w>": 11})";
  const std::string words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n<s>\n</s>\n<pad>\n<unk>\n<mask>\nab\na\n##b\nc\n";
  for (const char* kind : {"BertTokenizer", "MPNetTokenizer", "GPT2Tokenizer", "RobertaTokenizer", "CLIPTokenizer", "LlamaTokenizer", "XLMRobertaTokenizer", "T5Tokenizer",
                           "AlbertTokenizerFast", "Roberta", "FooTokenizer", ""}) {
    SCOPED_TRACE(kind);
    const std::string name = kind;
    clear();
    const bool of_pieces = name[0] == 'L' || name[0] == 'X' || name[0] == 'T' || name[0] == 'A', of_merges = name[0] == 'G' || name[0] == 'R' || name[0] == 'C';
    if (of_pieces) file("spiece.model", sentencepiece(name[0] == 'L' ? 2 : 1).SerializeAsString());
    if (of_merges) file("vocab.json", vocab), file("merges.txt", "#version: 0.2\na b\n");
    if (!of_pieces && !of_merges) file("vocab.txt", words);
    const Json config = configuration(kind);
    file("tokenizer_config.json", config.dump());
    read();
    with_changes(config, [&](const Json& changed) {
      file("tokenizer_config.json", changed.dump());
      read();
    }, kOddTypes);
    const Json with_ids = {{"tokenizer_class", kind}, {"added_tokens_decoder", {{"3", {{"content", "<s>"}, {"special", true}}}}}, {"additional_special_tokens", {"<s>", "zz"}}};
    with_changes(with_ids, [&](const Json& changed) {
      file("tokenizer_config.json", changed.dump());
      read();
    }, kOddTypes);
    file("tokenizer_config.json", Json{{"tokenizer_class", kind}}.dump());
    with_changes(Json{{"bos_token", "<s>"}, {"additional_special_tokens", Json::array({"<s>"})}, {"mask_token", {{"content", "<mask>"}, {"lstrip", true}}}}, [&](const Json& changed) {
      file("special_tokens_map.json", changed.dump());
      read();
    }, kOddTypes);
    fs::remove(folder_ / "special_tokens_map.json");
    with_changes(Json{{"<s>", 3}, {"new", 20}}, [&](const Json& changed) {
      file("added_tokens.json", changed.dump());
      read();
    }, kOddTypes);
    for (const char* whole : {"[]", "3", "{", "{}"}) {
      for (const char* beside : {"added_tokens.json", "special_tokens_map.json", "tokenizer_config.json"}) {
        file(beside, whole);
        read();
        fs::remove(folder_ / beside);
      }
    }
    for (const char* model : {"bert", "gpt2", "roberta", "clip", "llama", "xlm-roberta", "t5", "albert", "mpnet", "foo"}) {
      file("config.json", Json{{"model_type", model}}.dump());
      read();
    }
    file("config.json", R"({"model_type": 3, "tokenizer_class": "BertTokenizer"})");
    read();
  }
}

// A tokenizer.json that a configuration changes. Llama's ended in exit 1 where the model was an array: its vocabulary was looked for by a JSON pointer.
TEST_F(ChangedFolder, TokenizerJsonWithAConfiguration) {
  for (const Json& document : documents())
    for (const char* kind : {"BertTokenizer", "RobertaTokenizer", "LlamaTokenizer", "PreTrainedTokenizerFast"}) {
      file("tokenizer_config.json", configuration(kind).dump());
      for (const char* component : {"normalizer", "pre_tokenizer", "post_processor", "decoder", "model", "added_tokens"})
        for (const Json& odd : odd_values()) {
          if (!is_tried()) continue;
          Json changed = document;
          changed[component] = odd;
          SCOPED_TRACE(std::string(component) + " is " + odd.dump().substr(0, 60));
          file("tokenizer.json", changed.dump());
          read();
        }
    }
}

TEST_F(ChangedFolder, LinesOfVocabularies) {
  for (const char* lines : {"a b", "a b\r\na b\r\n", "a", "a b c", "", "#version\n\na b", " a", "b a", "\xff b", "a z"}) {
    SCOPED_TRACE(lines);
    for (const char* vocab : {R"({"a": 0, "b": 1, "ab": 2})", R"({"a": 0})", "[]", "{}", R"({"a": -1})", R"({"<s>": 0, "a": 1})", R"({"<|startoftext|>": 0, "<|endoftext|>": 1, "a</w>": 2})"}) {
      file("vocab.json", vocab), file("merges.txt", lines);
      read();
    }
  }
  clear();
  for (const std::string& lines : {std::string("a\r\nb\r\n[UNK]\r\n"), std::string("a\n\nb\n"), std::string(), std::string(1100, 'a'), std::string("[UNK]\n[CLS]\n[SEP]\na\na\n")}) {
    file("vocab.txt", lines);
    read();
  }
}

// Fields of a SentencePiece model, read as it is and by the classes of a configuration.
TEST_F(ChangedFolder, PiecesOfSentencePiece) {
  using Change = std::function<void(spm::ModelProto&)>;
  std::vector<Change> changes = {
      [](auto&) {},
      [](auto& m) { m.mutable_trainer_spec()->set_byte_fallback(true); },
      [](auto& m) { m.mutable_trainer_spec()->set_treat_whitespace_as_suffix(true); },
      [](auto& m) { m.mutable_trainer_spec()->set_unk_id(99); },
      [](auto& m) { m.mutable_denormalizer_spec()->set_precompiled_charsmap("abc"); },
      [](auto& m) { m.mutable_normalizer_spec()->set_escape_whitespaces(false); },
      [](auto& m) { m.mutable_normalizer_spec()->set_add_dummy_prefix(false); },
      [](auto& m) { m.mutable_normalizer_spec()->set_remove_extra_whitespaces(false); },
      [](auto& m) { m.mutable_pieces()->DeleteSubrange(0, 1); },
      [](auto& m) { m.mutable_pieces()->DeleteSubrange(2, m.pieces_size() - 2); },
      [](auto& m) {
        m.mutable_trainer_spec()->set_byte_fallback(true);
        for (int b = 0; b < 256; ++b) {
          char name[8];
          std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(b));
          auto* p = m.add_pieces();
          p->set_piece(name), p->set_score(0), p->set_type(6);
        }
      }};
  for (const std::string& map : {std::string("a"), std::string(4, '\0'), std::string("\4\0\0\0\1\0\0\0", 8), std::string("\xff\0\0\0\1\0\0\0", 8), std::string("\2\0\0\0abcd", 8)})
    changes.push_back([map](auto& m) { m.mutable_normalizer_spec()->set_precompiled_charsmap(map); });
  for (const int type : {0, 1, 2, 3, 4, 5, 6, 7, 99})
    for (const char* piece : {"a", "new", "", "<0x41>", "<0xZZ>", "<0x414>", "(0x41)"})
      changes.push_back([=](auto& m) { m.mutable_pieces(4)->set_type(type), m.mutable_pieces(4)->set_piece(piece); });
  changes.push_back([](auto& m) { m.mutable_pieces(4)->set_piece(std::string("a\0b", 3)); });
  changes.push_back([](auto& m) { m.mutable_pieces(4)->set_piece(std::string(1100, 'a')); });
  changes.push_back([](auto& m) { m.mutable_pieces(4)->set_piece("\xff\xfe"); });
  int accepted = 0;
  for (int type = 1; type <= 5; ++type)
    for (size_t i = 0; i < changes.size(); ++i) {
      SCOPED_TRACE("type " + std::to_string(type) + ", change " + std::to_string(i));
      spm::ModelProto m = sentencepiece(type);
      changes[i](m);
      file("spiece.model", m.SerializeAsString());
      if (!is_tried()) continue;
      fs::remove(folder_ / "tokenizer_config.json");
      accepted += read() == ExitCode::kOk;
      for (const char* kind : {"LlamaTokenizer", "XLMRobertaTokenizer", "T5Tokenizer", "AlbertTokenizer"}) {
        file("tokenizer_config.json", Json{{"tokenizer_class", kind}}.dump());
        read();
      }
    }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace edgeconv::text
