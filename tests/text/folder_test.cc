// What the files beside a vocabulary change of its ids. The expected ids are those of AutoTokenizer of transformers 4.57 (folders.py compares it all on real text).
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "convert/ir/diagnostics.h"
#include "convert/text/files/sentencepiece.pb.h"
#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"
#include "convert/text/text_runner.h"

namespace edgeconv::text {
namespace {

class FolderTest : public ::testing::Test {
 protected:
  FolderTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                (::testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }
  void file(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  void bert(const std::string& config) {
    file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\ncat\nc\u00e4t\nHello\n");
    file("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer")" + config + "}");
  }
  std::vector<int32_t> ids(const std::string& text) {
    return TextRunner(table_bytes(read_tokenizer(folder_.string()))).encode(text, nullptr, nullptr).ids;
  }
  std::pair<ExitCode, std::string> refusal() {
    try {
      read_tokenizer(folder_.string());
    } catch (const FatalError& e) {
      return {e.code(), e.what()};
    }
    return {ExitCode::kOk, ""};
  }
  std::filesystem::path folder_;
};

using Ids = std::vector<int32_t>;

TEST_F(FolderTest, BertTakesCaseAndAccentsOfItsConfiguration) {
  bert("");
  EXPECT_EQ(ids("Hello c\u00e4t"), Ids({2, 5, 6, 3}));
  bert(R"(, "do_lower_case": false)");
  EXPECT_EQ(ids("Hello c\u00e4t"), Ids({2, 8, 7, 3}));
  bert(R"(, "strip_accents": false)");
  EXPECT_EQ(ids("Hello c\u00e4t"), Ids({2, 5, 7, 3}));
}

TEST_F(FolderTest, TokensOfTheConfigurationStandAroundTexts) {
  bert(R"(, "cls_token": "[MASK]", "sep_token": {"content": "[PAD]"})");
  EXPECT_EQ(ids("cat"), Ids({4, 6, 0}));
  bert(R"(, "cls_token": "[X]")");
  const auto [code, message] = refusal();
  EXPECT_EQ(code, ExitCode::kMalformed);
  EXPECT_NE(message.find("has no [X], the cls_token"), std::string::npos) << message;
}

TEST_F(FolderTest, AddedTokensOfAllThreeFiles) {
  bert(R"(, "added_tokens_decoder": {"9": {"content": "<e>", "special": true}})");
  file("added_tokens.json", R"({"<unseen>": 9})");
  EXPECT_EQ(ids("cat<e>"), Ids({2, 6, 9, 3}));
  EXPECT_EQ(ids("<unseen>").size(), 5u) << "the older files count no more";
  bert("");
  EXPECT_EQ(ids("cat<unseen>"), Ids({2, 6, 9, 3}));
  file("special_tokens_map.json", R"({"additional_special_tokens": ["<m>", "cat"]})");
  EXPECT_EQ(ids("cathello<m>"), Ids({2, 6, 5, 10, 3}));
}

TEST_F(FolderTest, MalformedFilesNameThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(, "added_tokens_decoder": {"x": {"content": "<e>"}})", "$.added_tokens_decoder.x is no id"},
      {R"(, "added_tokens_decoder": [])", "$.added_tokens_decoder is not an object"},
      {R"(, "do_lower_case": 1)", "$.do_lower_case is neither true nor false"},
      {R"(, "cls_token": 7)", "$.cls_token is neither a token nor an object"},
      {R"(, "additional_special_tokens": [3])", "$.additional_special_tokens[0] is neither"},
  };
  for (const auto& [config, part] : cases) {
    bert(config);
    const auto [code, message] = refusal();
    EXPECT_EQ(code, ExitCode::kMalformed) << config;
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
  }
}

TEST_F(FolderTest, TokenizerJsonTakesTheConfigurationToo) {
  file(
      "tokenizer.json",
      R"({"normalizer": {"type": "BertNormalizer", "lowercase": true, "strip_accents": null, "handle_chinese_chars": true, "clean_text": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"}, "model": {"type": "WordPiece", "unk_token": "u", "vocab": {"u": 0, "cat": 1, "Cat": 2, "c\u00e4t": 3}}})");
  EXPECT_EQ(ids("Cat c\u00e4t"), Ids({1, 1}));
  file("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizerFast", "do_lower_case": false})");
  EXPECT_EQ(ids("Cat c\u00e4t"), Ids({2, 3}));
  file("tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": false, "eos_token": "<e>"})");
  EXPECT_EQ(ids("Cat<e>"), Ids({1, 4})) << "only BERT's classes know the key";
}

TEST_F(FolderTest, ClipFromItsVocabularyAndMerges) {
  file("vocab.json", R"({"a": 0, "b": 1, "a</w>": 2, "b</w>": 3, "ab</w>": 4, "<|startoftext|>": 5, "<|endoftext|>": 6})");
  file("merges.txt", "#version: 0.2\na b</w>\n");
  EXPECT_EQ(ids("AB  a"), Ids({5, 4, 2, 6})) << "told by its pieces";
  file("tokenizer_config.json", R"({"tokenizer_class": "CLIPTokenizer"})");
  EXPECT_EQ(ids("AB  a"), Ids({5, 4, 2, 6}));
  file("merges.txt", "#version: 0.2\na b</w> c\n");
  EXPECT_NE(refusal().second.find("line 2 is not two pieces"), std::string::npos);
}

// The classes of T5 and Llama put a space before texts by two keys; null is not the same as absent.
TEST_F(FolderTest, SpacesBeforeTextsOfSentencePieceModels) {
  const auto model = [&](const char* name, int type) {
    spm::ModelProto m;
    m.mutable_trainer_spec()->set_model_type(type);
    m.mutable_trainer_spec()->set_unk_id(0);
    int rank = 0;
    for (const char* piece : {"<unk>", "<s>", "</s>", "\u2581", "a", "\u2581a"}) {
      auto* p = m.add_pieces();
      p->set_piece(piece), p->set_score(static_cast<float>(-rank));
      p->set_type(rank == 0 ? 2 : rank < 3 ? 3 : 1);
      ++rank;
    }
    file(name, m.SerializeAsString());
  };
  struct Case {
    const char* keys;
    Ids t5, llama;  // of "a</s>a"
  };
  const Case cases[] = {
      {"", {5, 2, 5, 2}, {1, 5, 2, 5}},
      {R"(, "legacy": null, "add_prefix_space": true)", {5, 2, 5, 2}, {1, 5, 2, 5}},
      {R"(, "legacy": false)", {5, 2, 4, 2}, {1, 5, 2, 4}},
      {R"(, "add_prefix_space": false)", {4, 2, 4, 2}, {1, 4, 2, 4}},
      {R"(, "add_prefix_space": null)", {4, 2, 4, 2}, {1, 4, 2, 4}},
      {R"(, "legacy": false, "add_prefix_space": false)", {4, 2, 4, 2}, {1, 4, 2, 4}},
  };
  model("spiece.model", 1);
  for (const Case& c : cases) {
    file("tokenizer_config.json", R"({"tokenizer_class": "T5Tokenizer", "extra_ids": 0)" + std::string(c.keys) + "}");
    EXPECT_EQ(ids("a</s>a"), c.t5) << "T5" << c.keys;
  }
  model("tokenizer.model", 2);
  for (const Case& c : cases) {
    file("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer")" + std::string(c.keys) + "}");
    EXPECT_EQ(ids("a</s>a"), c.llama) << "Llama" << c.keys;
  }
}

// The message named a place in a tokenizer.json that was no file.
TEST_F(FolderTest, AlbertPutsAddedTokensAroundTexts) {
  spm::ModelProto m;
  m.mutable_trainer_spec()->set_model_type(1);
  m.mutable_trainer_spec()->set_unk_id(1);
  for (const char* piece : {"<pad>", "<unk>", "\u2581", "a", "\u2581a"}) m.add_pieces()->set_piece(piece);
  file("spiece.model", m.SerializeAsString());
  const std::string first = R"({"tokenizer_class": "AlbertTokenizer")";
  file("tokenizer_config.json", first + R"(, "added_tokens_decoder": {"5": {"content": "[SEP]", "special": true}, "6": {"content": "[CLS]", "special": true}}})");
  EXPECT_EQ(ids("a"), Ids({6, 4, 5}));
  file("tokenizer_config.json", first + R"(, "added_tokens_decoder": {"0": {"content": "<pad>", "special": true}}})");
  EXPECT_EQ(ids("a"), Ids({5, 4, 6})) << "the class adds its own tokens behind";
  file("tokenizer_config.json", first + R"(, "cls_token": "<c>", "bos_token": "<c>"})");
  const auto [code, message] = refusal();
  EXPECT_EQ(code, ExitCode::kMalformed);
  EXPECT_NE(message.find("spiece.model' has no [CLS], which its class puts around texts"), std::string::npos) << message;
}

// "has no tokenizer", with the exit code of files that cannot be read.
TEST_F(FolderTest, RemBertWithoutTokenizerJsonIsAnUnknownClass) {
  file("sentencepiece.model", spm::ModelProto().SerializeAsString());
  file("tokenizer_config.json", R"({"tokenizer_class": "RemBertTokenizer"})");
  const auto [code, message] = refusal();
  EXPECT_EQ(code, ExitCode::kUnsupported);
  EXPECT_NE(message.find("'RemBertTokenizer'"), std::string::npos) << message;
}

TEST_F(FolderTest, ClassesThatNobodyKnowsAreNamed) {
  bert("");
  file("tokenizer_config.json", R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  const auto [code, message] = refusal();
  EXPECT_EQ(code, ExitCode::kUnsupported);
  EXPECT_NE(message.find("'BertJapaneseTokenizer'"), std::string::npos) << message;
}

}  // namespace
}  // namespace edgeconv::text
