// What is refused of tokenizer files, and how it is said.
#include <gtest/gtest.h>

#include <cstdlib>

#include "convert/ir/diagnostics.h"
#include "convert/text/files/decimal.h"
#include "convert/text/read_tokenizer.h"
#include "convert/text/table_bytes.h"
#include "convert/text/text_runner.h"

namespace edgeconv::text {
namespace {

// The message and exit code of a refused file.
std::pair<ExitCode, std::string> refusal(const std::string& json) {
  try {
    table_bytes(read_tokenizer_json(json, "tokenizer.json"));
  } catch (const FatalError& e) {
    return {e.code(), e.what()};
  }
  return {ExitCode::kOk, ""};
}

const std::string kModel = R"("model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "a": 1}})";

TEST(ReadTokenizer, UnknownComponentsAreNamedTogether) {
  const auto [code, message] = refusal(
      R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Foo"}, {"type": "Replace", "pattern": {"Regex": "x+"}, "content": ""}]},
    "pre_tokenizer": {"type": "UnicodeScripts"}, "decoder": {"type": "CTC"}, "post_processor": {"type": "Bar"}, )" +
      kModel + "}");
  EXPECT_EQ(code, ExitCode::kUnsupported);
  for (const char* part : {"5 components", "normalizer 'Foo' ($.normalizer.normalizers[0])", "Replace of the expression 'x+'",
                           "UnicodeScripts", "CTC", "'Bar'"})
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
}

TEST(ReadTokenizer, MalformedFilesNameThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"{", "not valid JSON"},
      {"[]", "$ is not an object"},
      {"{}", "$ has no 'model'"},
      {R"({"model": {"type": "WordPiece", "vocab": 3}})", "$.model.vocab is not an object"},
      {R"({"model": {"type": "WordPiece", "vocab": {"a": -1}}})", "$.model.vocab has no id"},
      {R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b c"]}})", "$.model.merges[0] is not two pieces"},
      {R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}})",
       "$.model.merges[0] makes 'ab', which is not in the vocabulary"},
      {R"({"model": {"type": "Unigram", "vocab": [["a"]]}})", "$.model.vocab[0] is no pair"},
      {R"({"model": {"type": "Unigram", "unk_id": 7, "vocab": [["a", 0.0]]}})", "$.model.unk_id is not in the vocabulary"},
  };
  for (const auto& [json, part] : cases) {
    const auto [code, message] = refusal(json);
    EXPECT_EQ(code, ExitCode::kMalformed) << json;
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
  }
}

// From every character of a text one may begin, so that long ones would take the square of a text's length.
TEST(ReadTokenizer, PiecesAndAddedTokensAreShort) {
  const auto piece = [](const std::string& bytes, const std::string& model) {
    return R"({"model": {"unk_token": "u", "unk_id": 0, "type": ")" + model + R"(", "vocab": )" +
           (model == "Unigram" ? R"([["u", 0.0], [")" + bytes + R"(", -1.0]])" : R"({"u": 0, ")" + bytes + R"(": 1})") + "}}";
  };
  const auto added = [](const std::string& bytes) {
    return R"({"added_tokens": [{"id": 2, "content": ")" + bytes + R"(", "special": true}], )" + kModel + "}";
  };
  const std::string most(1024, 'a'), more(1025, 'a');
  for (const char* model : {"Unigram", "WordPiece"}) {
    EXPECT_EQ(refusal(piece(most, model)).first, ExitCode::kOk) << model;
    EXPECT_EQ(refusal(piece(more, model)).first, ExitCode::kLimit) << model;
    EXPECT_NE(refusal(piece(more, model)).second.find("1025 bytes"), std::string::npos) << model;
  }
  EXPECT_EQ(refusal(piece(more, "WordLevel")).first, ExitCode::kOk) << "looked for as a whole";
  EXPECT_EQ(refusal(added(most)).first, ExitCode::kOk);
  EXPECT_EQ(refusal(added(more)).first, ExitCode::kLimit);
}

// Twelve blanks and twelve times one of them score the same but for the last bits, which the reference reads its own way.
TEST(ReadTokenizer, UnigramScoresAreThoseOfTheReferencesReader) {
  TextRunner runner(table_bytes(read_tokenizer_json(
      R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], [" ", -1.9836812745614534], ["            ", -6.877245591217035]]}})",
      "tokenizer.json")));
  EXPECT_EQ(runner.encode(std::string(28, ' '), nullptr, nullptr).ids, std::vector<int32_t>({1, 1, 1, 2, 1, 2}));
}

// The expected numbers are those that tokenizers 0.23.3 writes back; the nearest doubles are others.
TEST(ReadTokenizer, DecimalsAreThoseOfSerdeJson) {
  const std::pair<const char*, double> cases[] = {
      {"-14.798440985945465", -14.798440985945463},
      {"-18.644937770365534", -18.644937770365537},
      {"4.9898867670432435327", 4.989886767043244},
      {"886684091210.244065375612250568038536564810", 886684091210.2441},
      {"554748329860899908680643650509e3", 5.5474832986089996e+32},
      {"9479379064544522388691.69707e-261", 9.479379064544522e-240},
  };
  for (const auto& [literal, expected] : cases) {
    EXPECT_EQ(serde_double(literal), expected) << literal;
    EXPECT_NE(std::strtod(literal, nullptr), expected) << literal << ": shows nothing";
  }
  EXPECT_EQ(serde_double("-2.5E+2"), -250);
  EXPECT_EQ(serde_double("1e-999999999999"), 0);
  EXPECT_EQ(serde_double("0e400"), 0);
  EXPECT_EQ(refusal(R"({"model": {"type": "Unigram", "vocab": [["a", 1e400]]}})").first, ExitCode::kMalformed);
}

// One of the two was lost, and text with it became unknown.
TEST(ReadTokenizer, TwoPiecesWithOneIdAreRefused) {
  for (const char* model : {R"("type": "WordLevel", "unk_token": "u", "vocab": {"a": 0, "b": 0, "u": 1})",
                            R"("type": "WordPiece", "unk_token": "u", "vocab": {"a": 0, "b": 0, "u": 1})",
                            R"("type": "BPE", "vocab": {"a": 0, "b": 0, "ab": 2, "u": 1}, "merges": ["a b"])"}) {
    const auto [code, message] = refusal("{\"model\": {" + std::string(model) + "}}");
    EXPECT_EQ(code, ExitCode::kMalformed) << model;
    EXPECT_NE(message.find("'tokenizer.json': $.model.vocab gives the id 0 to both 'a' and 'b'"), std::string::npos) << message;
  }
}

TEST(ReadTokenizer, MalformedCharsmapsAreNamedWithTheirPlace) {
  for (const char* map : {"", "AAAA", "BQAAAGFiY2RlZg==", "//8AAGFiY2RlZg==", "!!!"}) {
    const auto [code, message] =
        refusal(R"({"normalizer": {"type": "Precompiled", "precompiled_charsmap": ")" + std::string(map) + "\"}, " + kModel + "}");
    EXPECT_EQ(code, ExitCode::kMalformed) << map;
    EXPECT_NE(message.find("'tokenizer.json': $.normalizer.precompiled_charsmap is "), std::string::npos) << message;
  }
}

TEST(ReadTokenizer, VersionsAndReplacementsThatTheReferenceRefuses) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("version": "1.1", )", "$.version is not"},
      {R"("version": null, )", "$.version is not"},
      {R"("version": 1.0, )", "$.version is not"},
      {R"("pre_tokenizer": {"type": "Metaspace", "replacement": "__"}, )", "$.pre_tokenizer.replacement is not one character"},
      {R"("pre_tokenizer": {"type": "Metaspace", "replacement": ""}, )", "$.pre_tokenizer.replacement is not one character"},
      {R"("decoder": {"type": "Metaspace", "replacement": "e\u0301"}, )", "$.decoder.replacement is not one character"},
  };
  for (const auto& [part, expected] : cases) {
    const auto [code, message] = refusal("{" + std::string(part) + kModel + "}");
    EXPECT_EQ(code, ExitCode::kMalformed) << part;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
  for (const char* part : {"", R"("version": "1.0", )", R"("pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581"}, )"})
    EXPECT_EQ(refusal("{" + std::string(part) + kModel + "}").first, ExitCode::kOk) << part;
}

TEST(ReadTokenizer, AddedTokensOfWhichTheNormalizerLeavesNothingAreNamed) {
  const auto token = [](const char* normalized) {
    return refusal(R"({"added_tokens": [{"id": 2, "content": "  ", "normalized": )" + std::string(normalized) +
                   R"(}], "normalizer": {"type": "Strip"}, )" + kModel + "}");
  };
  const auto [code, message] = token("true");
  EXPECT_EQ(code, ExitCode::kUnsupported);
  EXPECT_NE(message.find("the added token '  ' of id 2"), std::string::npos) << message;
  EXPECT_EQ(token("false").first, ExitCode::kOk);
}

TEST(ReadTokenizer, WordsThatTheReferenceDoesNotKnowAreMalformed) {
  for (const char* part : {R"("truncation": {"max_length": 4, "direction": "Up"}, )", R"("padding": {"strategy": "Foo"}, )",
                           R"("padding": {"strategy": "BatchLongest", "direction": "Foo"}, )"}) {
    const auto [code, message] = refusal("{" + std::string(part) + kModel + "}");
    EXPECT_EQ(code, ExitCode::kMalformed) << part;
    EXPECT_NE(message.find(" is neither "), std::string::npos) << message;
  }
}

// The path of each component was as long as it was deep: a file of 1 MB took minutes.
TEST(ReadTokenizer, ComponentsNestedThousandfoldAreRefusedAtOnce) {
  std::string json = R"({"type": "NFC"})";
  for (int i = 0; i < 200; ++i) json = R"({"type": "Sequence", "normalizers": [)" + json + "]}";
  const auto [code, message] = refusal("{\"normalizer\": " + json + ", " + kModel + "}");
  EXPECT_EQ(code, ExitCode::kMalformed);
  EXPECT_NE(message.find("nests components too deeply"), std::string::npos) << message.substr(0, 300);
}

TEST(ReadTokenizer, NgramsThatDoNotFitAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("buckets": 16, "first_hash": 16, "first_script": 2, "no_text": 1)", "$.model.first_hash is not below buckets"},
      {R"("buckets": 64, "first_hash": 11, "first_script": 2, "no_text": 1)",
       "$.model.first_script leaves no room for 10 scripts"},
      {R"("buckets": 64, "first_hash": 16, "first_script": 2, "no_text": 64)", "$.model.no_text is not below buckets"},
      {R"("buckets": 16777217, "first_hash": 16, "first_script": 2, "no_text": 1)", "$.model.buckets is more than"},
      {R"("buckets": 64, "first_hash": 16, "first_script": 2)", "$.model has no 'no_text'"},
  };
  for (const auto& [form, part] : cases) {
    const auto [code, message] = refusal(R"({"model": {"type": "HashedNgram", "longest_word": 16, )" + std::string(form) + "}}");
    EXPECT_EQ(code, ExitCode::kMalformed) << form;
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
  }
  const auto [code, message] = refusal(
      R"({"normalizer": {"type": "NFC"}, "model": {"type": "HashedNgram", "longest_word": 16, "buckets": 64, "first_hash": 16, "first_script": 2, "no_text": 1}})");
  EXPECT_EQ(code, ExitCode::kUnsupported) << message;
}

// Lines are cut into words only where no piece joins one word to the next.
TEST(ReadTokenizer, PiecesMayJoinWords) {
  for (const bool joins : {false, true}) {
    const std::string more = joins ? R"(, "a\u2581": 4, "a\u2581b": 5)" : "";
    const std::string merges = joins ? R"("a \u2581", "a\u2581 b")" : "";
    TextRunner runner(table_bytes(read_tokenizer_json(
        R"({"normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}, "model": {"type": "BPE", "unk_token": "u", "vocab": {"u": 0, "a": 1, "b": 2, "\u2581": 3)" +
            more + R"(}, "merges": [)" + merges + "]}}",
        "tokenizer.json")));
    EXPECT_EQ(runner.encode("a b", nullptr, nullptr).ids, joins ? std::vector<int32_t>({5}) : std::vector<int32_t>({1, 3, 2}));
  }
}

TEST(ReadTokenizer, DropoutIsRefused) {
  EXPECT_EQ(refusal(R"({"model": {"type": "BPE", "dropout": 0.1, "vocab": {"a": 0}, "merges": []}})").first,
            ExitCode::kUnsupported);
}

TEST(ReadTokenizer, BrokenSentencePieceModels) {
  for (const std::string& contents : {std::string("\n\xff\xff\xff"), std::string("\x08\x01", 2), std::string()})
    EXPECT_THROW(read_sentencepiece(contents, "spiece.model"), FatalError);
}

TEST(TextApi, WrongCallsAreRefused) {
  const std::string tables = table_bytes(read_tokenizer_json("{" + kModel + "}", "tokenizer.json"));
  TextRunner runner(tables);
  ert_text closed{};
  size_t need = 0;
  EXPECT_EQ(ert_text_bytes(&closed, 1, 0, &need), ERT_ERR_ARG);
  EXPECT_EQ(ert_text_bytes(&runner.tables(), SIZE_MAX / 2, 0, &need), ERT_ERR_LIMIT);
  EXPECT_EQ(ert_text_open(&closed, nullptr), ERT_ERR_ARG);
  uint64_t work[2000] = {};
  int32_t id = 0;
  ert_encoding e{};
  e.struct_size = sizeof e;
  e.ids = &id;
  EXPECT_EQ(ert_text_encode(&runner.tables(), nullptr, "a", 1, nullptr, 0, work, sizeof work, &e), ERT_ERR_NOMEM);
  EXPECT_EQ(e.tokens, 1u);
  e.capacity = 1;
  EXPECT_EQ(ert_text_encode(&runner.tables(), nullptr, "a", 1, nullptr, 0, work, sizeof work, &e), ERT_OK);
  EXPECT_EQ(id, 1);
  EXPECT_EQ(ert_text_window(&runner.tables(), work, 1, &e), ERT_ERR_ARG);
  EXPECT_EQ(
      ert_text_encode(&runner.tables(), nullptr, "a", 1, nullptr, 0, reinterpret_cast<uint8_t*>(work) + 1, sizeof work - 8, &e),
      ERT_ERR_ALIGN);
  EXPECT_EQ(ert_text_encode(&runner.tables(), nullptr, nullptr, 1, nullptr, 0, work, sizeof work, &e), ERT_ERR_ARG);
}

}  // namespace
}  // namespace edgeconv::text
