// Tokenizers of strangers: what once crashed, hung or ended as an internal error is refused with its exit code, in little time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <unordered_map>

#include "convert/ir/diagnostics.h"
#include "convert/text/files/sentencepiece.pb.h"
#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"

namespace edgeconv::text {
namespace {

constexpr double kMostSeconds = 10;  // of CPU time, also under sanitizers; what hung took minutes

class HostileFolder : public ::testing::Test {
 protected:
  HostileFolder()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                (::testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~HostileFolder() override {
    std::filesystem::remove_all(folder_);
    EXPECT_LT(static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC, kMostSeconds);
  }
  void file(const std::string& name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }
  void config(const std::string& kind, const std::string& more) {
    file("tokenizer_config.json", R"({"tokenizer_class": ")" + kind + "\"" + more + "}");
  }
  void bert(const std::string& more) {
    file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\ncat\n");
    config("BertTokenizer", more);
  }
  // The message and exit code of what is refused; {kOk, ""} of a tokenizer that becomes tables.
  std::pair<ExitCode, std::string> outcome() const {
    try {
      table_bytes(read_tokenizer(folder_.string()));
    } catch (const FatalError& e) {
      return {e.code(), e.what()};
    }
    return {ExitCode::kOk, ""};
  }
  void expect(ExitCode code, const std::string& part) const {
    const auto [is, message] = outcome();
    EXPECT_EQ(is, code) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  std::filesystem::path folder_;
  std::clock_t start_ = std::clock();
};

std::string nested(int levels) {
  return std::string(static_cast<size_t>(levels), '[') + std::string(static_cast<size_t>(levels), ']');
}
std::string wordlevel(const std::string& more) {
  return "{" + more + R"("model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "a": 1}}})";
}
std::string repeated(const std::string& item, int times) {
  std::string out = item;
  for (int i = 1; i < times; ++i) out += ", " + item;
  return out;
}

spm::ModelProto model_of(int type) {
  spm::ModelProto m;
  m.mutable_trainer_spec()->set_model_type(type);
  for (const auto& [text, kind] : {std::pair("<unk>", 2), std::pair("<s>", 3), std::pair("</s>", 3), std::pair("a", 1), std::pair("b", 1)}) {
    auto* p = m.add_pieces();
    p->set_piece(text), p->set_score(-1), p->set_type(kind);
  }
  return m;
}

// Copies of such trees ended with SIGSEGV.
TEST_F(HostileFolder, DeepJsonIsRefusedWhereverItStands) {
  const std::string deep = nested(100000);
  file("vocab.json", "{\"a\": " + deep + "}");
  file("merges.txt", "");
  expect(ExitCode::kMalformed, "nests deeper");
  file("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": )" + deep + "}}}");
  config("LlamaTokenizer", R"(, "add_bos_token": true)");
  expect(ExitCode::kMalformed, "nests deeper");
  file("tokenizer.json", wordlevel(R"("normalizer": {"type": )" + deep + "}, "));
  config("BertTokenizer", R"(, "do_lower_case": true)");
  expect(ExitCode::kMalformed, "nests deeper");
  file("tokenizer.json", wordlevel(R"("truncation": null, )"));
  config("BertTokenizer", R"(, "cls_token": )" + deep);
  expect(ExitCode::kMalformed, "nests deeper");
  config("BertTokenizer", R"(, "cls_token": "\"[[[[")" + std::string(1000, ' '));  // brackets in strings nest nothing
  EXPECT_EQ(outcome().first, ExitCode::kOk) << outcome().second;
}

TEST_F(HostileFolder, TokenizerJsonThatIsAnArrayIsMalformed) {
  file("tokenizer.json", "[]");
  expect(ExitCode::kMalformed, "$ is not an object");
}

// Each was compared with all others.
// Its vocabulary was looked for by a JSON pointer, which throws in an array: exit 1.
TEST_F(HostileFolder, AModelThatIsAnArrayBesideLlama) {
  for (const char* model : {"[]", "[{}]", "7", "null"}) {
    SCOPED_TRACE(model);
    config("LlamaTokenizer", "");
    file("tokenizer.json", std::string(R"({"model": )") + model + "}");
    expect(ExitCode::kMalformed, "tokenizer.json");
  }
}

TEST_F(HostileFolder, ManySpecialTokensTakeLinearTime) {
  std::string names = "\"t0\"", ids = R"("5": {"content": "t0"})";
  for (int i = 1; i < 30000; ++i) {
    names += ", \"t" + std::to_string(i) + "\"";
    ids += ", \"" + std::to_string(i + 5) + R"(": {"content": "t)" + std::to_string(i) + "\"}";
  }
  bert(R"(, "additional_special_tokens": [)" + names + "], \"added_tokens_decoder\": {" + ids + "}");
  EXPECT_EQ(outcome().first, ExitCode::kOk) << outcome().second;
}

TEST_F(HostileFolder, LoopsOfLinksAndDevicesAreErrorsOfInput) {
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"})
    for (const char* target : {name, "/dev/zero", "nowhere"}) {
      file("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n");
      std::filesystem::create_symlink(target, folder_ / name);
      expect(ExitCode::kIo, "cannot read");
      std::filesystem::remove(folder_ / name);
    }
  std::filesystem::remove(folder_ / "vocab.txt");
  std::filesystem::create_symlink("tokenizer.json", folder_ / "tokenizer.json");
  expect(ExitCode::kIo, "has no tokenizer");
  EXPECT_THROW(read_tokenizer(std::string(5000, 'x')), FatalError);
}

TEST_F(HostileFolder, NamesInMessagesStayInTheirLine) {
  bert(R"(, "added_tokens_decoder": {"\u001b[2J\nerror: no": {"content": "x"}})");
  expect(ExitCode::kMalformed, "\\x1B[2J\\x0Aerror: no is no id");
}

// 64 steps are tried on every character that has a mapping, which takes seconds under sanitizers: a test for each of the lists.
TEST_F(HostileFolder, MoreNormalizersThanTablesHoldAreALimit) {
  for (const int count : {64, 65}) {
    file("tokenizer.json", wordlevel(R"("normalizer": {"type": "Sequence", "normalizers": [)" + repeated(R"({"type": "Lowercase"})", count) + "]}, "));
    count == 64 ? expect(ExitCode::kOk, "") : expect(ExitCode::kLimit, "65 steps");
  }
}

TEST_F(HostileFolder, MorePretokenizersThanTablesHoldAreALimit) {
  for (const int count : {64, 65}) {
    file("tokenizer.json", wordlevel(R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [)" + repeated(R"({"type": "BertPreTokenizer"})", count) + "]}, "));
    count == 64 ? expect(ExitCode::kOk, "") : expect(ExitCode::kLimit, "65 steps");
  }
}

TEST_F(HostileFolder, MorePiecesOfATemplateThanTablesHoldAreALimit) {
  for (const int count : {256, 257}) {
    file("tokenizer.json", wordlevel(R"("post_processor": {"type": "TemplateProcessing", "pair": [], "special_tokens": {}, "single": [)" +
                                     repeated(R"({"Sequence": {"id": "A"}})", count) + "]}, "));
    // An empty pair becomes two texts.
    expect(ExitCode::kLimit, std::to_string(count + 2) + " pieces");
  }
}

// The first took 4 s, the second all of the memory.
TEST_F(HostileFolder, ReplacementsThatAreLongOrGrowAreALimit) {
  file("tokenizer.json", wordlevel(R"("normalizer": {"type": "Replace", "pattern": {"String": ")" + std::string(60000, 'x') + R"("}, "content": "y"}, )"));
  expect(ExitCode::kLimit, "a string of 60000 bytes");
  file("tokenizer.json", wordlevel(R"("normalizer": {"type": "Sequence", "normalizers": [)" +
                                   repeated(R"({"type": "Replace", "pattern": {"String": "x"}, "content": "xxx"})", 60) + "]}, "));
  expect(ExitCode::kLimit, "can make a byte of text more than 64 bytes");
}

// It was an internal error.
TEST_F(HostileFolder, MarksOfMetaspaceAreOneCharacter) {
  for (const std::string& mark : {std::string(), std::string("ab"), std::string(100000, 'x')}) {
    file("tokenizer.json", wordlevel(R"("pre_tokenizer": {"type": "Metaspace", "replacement": ")" + mark + R"(", "prepend_scheme": "never"}, )"));
    expect(ExitCode::kMalformed, "$.pre_tokenizer.replacement is not one character");
    file("tokenizer.json", wordlevel(R"("decoder": {"type": "Metaspace", "replacement": ")" + mark + R"("}, )"));
    expect(ExitCode::kMalformed, "$.decoder.replacement is not one character");
  }
}

// Two words of six characters that go on with the same hash from h. Letters alone differ in too few bits.
std::pair<std::string, std::string> collision(uint32_t* h) {
  constexpr std::string_view kCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";
  std::unordered_map<uint32_t, std::string> seen;
  for (uint64_t n = 0;; ++n) {
    std::string word;
    uint32_t hash = *h;
    for (uint64_t k = 0, rest = n * 0x9e3779b97f4a7c15u >> 28; k < 6; ++k, rest /= 64) word += kCharacters[rest % 64];
    for (const char c : word) hash = ert::text::hash_byte(hash, static_cast<uint8_t>(c));
    if (const auto [it, fresh] = seen.emplace(hash, word); !fresh) {
      *h = hash;
      return {it->second, word};
    }
  }
}

// No table was ever large enough.
TEST_F(HostileFolder, PiecesOfOneHashAreALimit) {
  std::vector<std::string> words = {""};
  uint32_t h = ert::text::kHashStart;
  while (words.size() <= ert::text::kMostProbes) {
    const auto [left, right] = collision(&h);
    std::vector<std::string> longer;
    for (const std::string& w : words) longer.push_back(w + left), longer.push_back(w + right);
    words = longer;
  }
  std::string vocab = "\"u\": 0";
  for (size_t i = 0; i < words.size(); ++i) vocab += ", \"" + words[i] + "\": " + std::to_string(i + 1);
  file("tokenizer.json", R"({"model": {"type": "WordLevel", "unk_token": "u", "vocab": {)" + vocab + "}}}");
  expect(ExitCode::kLimit, "too many equal hashes");
}

TEST_F(HostileFolder, ExtraIdsHaveALimit) {
  file("spiece.model", model_of(1).SerializeAsString());
  config("T5Tokenizer", R"(, "extra_ids": 2147483647)");
  expect(ExitCode::kLimit, "$.extra_ids");
  config("T5Tokenizer", R"(, "extra_ids": 10)");
  EXPECT_EQ(outcome().first, ExitCode::kOk) << outcome().second;
}

// Every character of a text became a million spaces, which needed no room because they were trimmed.
TEST_F(HostileFolder, CharsmapsOfLongStringsAreALimit) {
  spm::ModelProto m = model_of(2);
  const std::string trie = std::string("\x04\0\0\0", 4) + std::string(4, '\0');
  m.mutable_normalizer_spec()->set_precompiled_charsmap(trie + std::string(1025, ' ') + '\0');
  file("tokenizer.model", m.SerializeAsString());
  expect(ExitCode::kLimit, "makes a character 1025 bytes");
  m.mutable_normalizer_spec()->set_precompiled_charsmap(trie + std::string(1024, ' ') + '\0');
  file("tokenizer.model", m.SerializeAsString());
  expect(ExitCode::kOk, "");
}

// Each of its 10^6 cuts was copied and looked for.
TEST_F(HostileFolder, LongPiecesOfLlamaAreALimit) {
  spm::ModelProto m = model_of(2);
  m.add_pieces()->set_piece(std::string(1000000, 'x'));
  file("tokenizer.model", m.SerializeAsString());
  config("LlamaTokenizer", "");
  expect(ExitCode::kLimit, "piece 5 has more than 1024 bytes");
}

TEST_F(HostileFolder, ScoresAreNumbers) {
  for (const float score : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    for (const auto& [kind, type] : {std::pair("LlamaTokenizer", 2), std::pair("T5Tokenizer", 1), std::pair("", 2)}) {
      spm::ModelProto m = model_of(type);
      m.mutable_pieces(4)->set_score(score);
      file("tokenizer.model", m.SerializeAsString());
      std::filesystem::remove(folder_ / "tokenizer_config.json");
      if (*kind != 0) config(kind, "");
      expect(ExitCode::kMalformed, "the score of piece 4 is no number");
    }
}

TEST_F(HostileFolder, MessagesNameAHundredUnknownComponents) {
  file("tokenizer.json", wordlevel(R"("normalizer": {"type": "Sequence", "normalizers": [)" + repeated(R"({"type": "Foo"})", 20000) + "]}, "));
  expect(ExitCode::kUnsupported, "and 19900 more");
}

}  // namespace
}  // namespace edgeconv::text
