// From a model's folder to answers of texts: --tokenizer, --task and run --text, on models whose answers can be told by hand.
#include <cmath>
#include <sstream>

#include "tests/cli/text_tasks_fixture.h"

namespace edgeconv::testing {

namespace {

// What tokenizer.json cuts to is for somebody's batches: a blob cuts to the model's maximum, or to what --max-tokens says, with a task and without.
TEST_F(TextTasksTest, ABlobCutsToTheModelsMaximum) {
  std::string json = kTokenizer;
  json.replace(json.find(R"("truncation": null)"), 18,
               R"("truncation": {"max_length": 8, "strategy": "LongestFirst", "stride": 0})");
  write_file(in("model/tokenizer.json"), json);
  write_file(in("m.onnx"), token_model(
                               2, [](int64_t id, int64_t) { return static_cast<float>(id); }, "last_hidden_state")
                               .bytes());
  std::string words;
  for (int i = 0; i < 40; ++i) words += "rome ";
  write_file(in("words.txt"), words + "\n");
  ProgramOptions o;
  o.standard_input = in("words.txt");
  const auto tokens = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all = options;
    all.push_back("--force");
    convert(all);
    return parse_json(edgeconv({"tokenize", in("m.ert")}, o).out).size();
  };
  EXPECT_EQ(tokens({"--task", "embed", "--pooling", "mean"}), 16u);
  EXPECT_EQ(tokens({"--task", "embed", "--pooling", "mean", "--max-tokens", "10"}), 10u);
  EXPECT_EQ(tokens({"--task", "none"}), 16u);
}

TEST_F(TextTasksTest, MaximaWithoutRoomForTextAreRefused) {
  write_file(in("m.onnx"), token_model(2, [](int64_t id, int64_t) { return static_cast<float>(id); }, "y").bytes());
  expect_refusal({in("m.onnx"), "--tokenizer", in("model"), "--task", "none", "--dim", "sequence=9", "--max-tokens", "2"}, kUsage,
                 {"no room for text", "--max-tokens", "2 special"});
}

TEST_F(TextTasksTest, IdsThatTheTableHasNotAreRefusedWithoutATaskAndInTemplates) {
  write_file(in("m.onnx"), token_model(
                               2, [](int64_t id, int64_t) { return static_cast<float>(id); }, "last_hidden_state")
                               .bytes());
  const std::string json = kTokenizer;
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& task) {
    std::string changed = json;
    for (size_t at = changed.find(from); at != std::string::npos; at = changed.find(from, at + to.size()))
      changed.replace(at, from.size(), to);
    write_file(in("model/tokenizer.json"), changed);
    expect_refusal({in("m.onnx"), "-q", "--dim", "sequence=16", "--tokenizer", in("model"), "--task", task}, kUsage,
                   {"its highest id is 99"});
  };
  refused(R"("bad": 11)", R"("bad": 99)", "none");
  refused(R"("ids": [3])", R"("ids": [99])", "none");
}

TEST_F(TextTasksTest, FolderSaysHowSentencesBecomeVectors) {
  write_file(in("m.onnx"),
             token_model(
                 2, [](int64_t id, int64_t column) { return column ? 1.0f : static_cast<float>(id); }, "last_hidden_state")
                 .bytes());
  write_file(in("model/modules.json"), R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}, {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}])");
  std::filesystem::create_directory(in("model/1_Pooling"));
  write_file(in("model/1_Pooling/config.json"), R"({"pooling_mode_mean_tokens": true})");
  convert({});
  // [CLS] anna lives in rome [SEP]
  const double mean = (2 + 4 + 5 + 6 + 7 + 3) / 6.0, length = std::sqrt(mean * mean + 1);
  const Json j = ask({"--text", "Anna lives in ROME"});
  EXPECT_EQ(j["version"], 1);
  EXPECT_EQ(j["task"], "embed");
  EXPECT_EQ(j["truncated"], false);
  ASSERT_EQ(j["vector"].size(), 2u);
  EXPECT_NEAR(j["vector"][0].get<double>(), mean / length, 1e-6);
  EXPECT_NEAR(j["vector"][1].get<double>(), 1 / length, 1e-6);
  const ProgramResult told =
      expect_success({in("m.onnx"), "--tokenizer", in("model"), "--precision", "fp32", "--dim", "sequence=16"});
  for (const char* words : {"task embed, pooling mean, normalize on", "pooling: mean (1_Pooling/config.json)", "--text \"...\""})
    EXPECT_NE((told.out + told.err).find(words), std::string::npos) << words << ":\n" << told.out << told.err;
  // The command line wins over the folder.
  convert({"--pooling", "cls", "--normalize", "off", "--max-tokens", "4"});
  const Json first = ask({"--text", "anna lives in rome"});
  EXPECT_EQ(first["vector"], Json::parse("[2, 1]"));
  EXPECT_EQ(first["truncated"], true);
  const ProgramResult same = expect_success({"validate", in("m.onnx"), in("m.ert")});
  EXPECT_NE(same.out.find("sentence_embedding"), std::string::npos) << "compared with the pooled model: " << same.out;
}

TEST_F(TextTasksTest, LabelsComeFromTheConfiguration) {
  const ModelWriter w = two_class_model([](int64_t id, int64_t column) { return id == 10 + column ? 6.0f : 0.0f; });
  write_file(in("m.onnx"), w.bytes());
  write_file(in("model/config.json"),
             R"({"architectures": ["BertForSequenceClassification"], "id2label": {"0": "GOOD", "1": "BAD"}})");
  convert({});
  const double sure = 1 / (1 + std::exp(-6.0));
  Json j = ask({"--text", "bad anna"});
  ASSERT_EQ(j["labels"].size(), 2u);
  EXPECT_EQ(j["labels"][0]["label"], "BAD");
  EXPECT_NEAR(j["labels"][0]["score"].get<double>(), sure, 1e-6);
  EXPECT_EQ(ask({"--text", "good good", "--top", "1"})["labels"].size(), 1u);
  write_file(in("names.txt"), "so\nor so\n");
  write_file(
      in("model/config.json"),
      R"({"architectures": ["BertForSequenceClassification"], "problem_type": "multi_label_classification", "id2label": {"0": "a", "1": "b"}})");
  convert({"--labels", in("names.txt")});
  j = ask({"--text", "good bad"});
  EXPECT_EQ(j["labels"][0]["label"], "so");
  EXPECT_NEAR(j["labels"][0]["score"].get<double>(), sure, 1e-6);
  EXPECT_NEAR(j["labels"][1]["score"].get<double>(), sure, 1e-6) << "labels do not exclude each other";
}

TEST_F(TextTasksTest, NeighboursOfOneKindAreOneSpan) {
  // 0: O, 1: B-PER, 2: I-PER, 3: B-LOC. "anna" begins a person, "##s" goes on with one, "rome" is a place.
  write_file(in("m.onnx"), token_model(
                               4,
                               [](int64_t id, int64_t column) {
                                 const int64_t kind = id == 4 ? 1 : id == 9 ? 2 : id == 7 ? 3 : 0;
                                 return kind == column ? 9.0f : 0.0f;
                               },
                               "logits")
                               .bytes());
  write_file(
      in("model/config.json"),
      R"({"architectures": ["BertForTokenClassification"], "id2label": {"0": "O", "1": "B-PER", "2": "I-PER", "3": "B-LOC"}})");
  convert({});
  const Json e = ask({"--text", "Ännas? annas in Rome"})["entities"];
  ASSERT_EQ(e.size(), 3u) << e.dump();
  EXPECT_EQ(e[0]["text"], "Ännas");
  EXPECT_EQ(e[1]["text"], "annas");
  EXPECT_EQ(e[1]["label"], "PER");
  EXPECT_EQ(e[1]["start"], 8) << "bytes, not characters";
  EXPECT_EQ(e[1]["end"], 13);
  EXPECT_EQ(e[2]["text"], "Rome");
  EXPECT_EQ(e[2]["label"], "LOC");
  // Of schemes with other prefixes the pipeline shows what stands behind the first '-'.
  write_file(
      in("model/config.json"),
      R"({"architectures": ["BertForTokenClassification"], "id2label": {"0": "O", "1": "U-PER", "2": "I-PER", "3": "S-LOC-X"}})");
  convert({"--force"});
  const Json others = ask({"--text", "in Rome"})["entities"];
  ASSERT_EQ(others.size(), 1u) << others.dump();
  EXPECT_EQ(others[0]["label"], "LOC-X");
}

TEST_F(TextTasksTest, QuestionsAreAnsweredWithWordsOfTheContext) {
  ModelWriter w = token_model(
      2, [](int64_t id, int64_t column) { return id == (column ? 9 : 4) ? 8.0f : 0.0f; }, "tokens");
  w.proto().mutable_graph()->clear_output();
  w.output("start_logits", kOnnxFloat, {"batch", "sequence"});
  w.output("end_logits", kOnnxFloat, {"batch", "sequence"});
  add_int(w, w.node("Split", {"tokens"}, {"s", "e"}), "axis", 2);
  for (const auto& [from, to] : {std::pair("s", "start_logits"), std::pair("e", "end_logits")}) {
    auto* shape = w.proto().mutable_graph()->add_initializer();
    shape->set_name(std::string(to) + "_axes");
    shape->set_data_type(kOnnxInt64);
    shape->add_dims(1);
    const int64_t axis = 2;
    shape->set_raw_data(&axis, sizeof axis);
    w.node("Squeeze", {from, std::string(to) + "_axes"}, {to});
  }
  write_file(in("m.onnx"), w.bytes());
  write_file(in("model/config.json"), R"({"architectures": ["BertForQuestionAnswering"]})");
  convert({});
  const std::string context = "in rome annas lives";
  const Json a = ask({"--text", "where", "--pair", context})["answers"];
  ASSERT_EQ(a.size(), 1u);
  EXPECT_EQ(a[0]["text"], "annas") << "the whole word";
  EXPECT_EQ(a[0]["start"], 8);
  EXPECT_EQ(a[0]["end"], 13);
  EXPECT_GT(a[0]["score"].get<double>(), 0.9);
  // The context is longer than a window.
  std::string far;
  for (int i = 0; i < 30; ++i) far += "in rome lives ";
  const Json b = ask({"--text", "where", "--pair", far + "annas"})["answers"];
  EXPECT_EQ(b[0]["start"], far.size());
  expect_refusal({"run", in("m.ert"), "--text", "where"}, kUsage, {"qa", "--pair"});
  expect_refusal({"run", in("m.ert"), "--text", "where", "--pair", context, "--top", "17"}, kUsage,
                 {"--top 17", "16 answers at most"});
  // A question that fills the model has no answer, and takes those of the other lines with it no more.
  std::string question;
  for (int i = 0; i < 40; ++i) question += "where ";
  write_file(in("lines.txt"), "where\t" + context + "\n" + question + "\t" + context + "\nwhere\t" + context + "\n");
  const ProgramResult r = edgeconv({"run", in("m.ert"), "--json", "--text-file", in("lines.txt")});
  EXPECT_EQ(r.exit_code, kUsage);
  for (const char* words : {"lines.txt, line 2: the question leaves no room for its context", "takes 16 tokens", "fewer words"})
    EXPECT_NE(r.err.find(words), std::string::npos) << r.err;
  std::istringstream answers(r.out);
  std::vector<size_t> counts;
  for (std::string line; std::getline(answers, line);) counts.push_back(parse_json(line)["answers"].size());
  EXPECT_EQ(counts, std::vector<size_t>({1, 0, 1})) << r.out;
}

TEST_F(TextTasksTest, TypeIdsThatTheTableHasNotAreRefused) {
  ModelWriter w;
  w.input("input_ids", kOnnxInt64, {"batch", "sequence"});
  w.input("token_type_ids", kOnnxInt64, {"batch", "sequence"});
  w.output("last_hidden_state", kOnnxFloat, {"batch", "sequence", 4});
  w.weights("words", {12, 4});
  w.weights("types", {2, 4});
  w.node("Gather", {"words", "input_ids"}, {"a"});
  w.node("Gather", {"types", "token_type_ids"}, {"b"});
  w.node("Add", {"a", "b"}, {"last_hidden_state"});
  write_file(in("m.onnx"), w.bytes());
  const std::vector<std::string> all{in("m.onnx"), "-q", "--dim", "sequence=16", "--tokenizer", in("model"), "--task", "embed", "--pooling", "cls"};
  expect_success(all);
  std::string json = kTokenizer;
  const std::string from = R"("id": "A", "type_id": 0)";
  json.replace(json.find(from), from.size(), R"("id": "A", "type_id": 2)");
  write_file(in("model/tokenizer.json"), json);
  expect_refusal(all, kUsage, {"gives the type id 2", "token types ends with 1"});
}

// They were taken, and changed nothing.
TEST_F(TextTasksTest, FlagsWithoutAnEffectAreNamed) {
  write_file(in("m.onnx"), token_model(
                               2, [](int64_t id, int64_t) { return static_cast<float>(id); }, "last_hidden_state")
                               .bytes());
  const std::vector<std::string> all{in("m.onnx"), "-q", "--dim", "sequence=16", "--tokenizer", in("model"), "--task"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> options = all;
    options.insert(options.end(), more.begin(), more.end());
    return options;
  };
  expect_refusal(with({"none", "--pooling", "mean"}), kUsage, {"--pooling: the task is none", "embed"});
  expect_refusal(with({"tokens", "--normalize", "off"}), kUsage, {"--normalize: the task is tokens", "embed"});
  expect_refusal(with({"embed", "--max-tokens", "17"}), kUsage, {"--max-tokens 17", "16 tokens at most"});
  expect_success(with({"embed", "--max-tokens", "16"}));
  expect_refusal({"run", in("m.ert"), "--text", "rome", "--top", "2"}, kUsage, {"--top 2", "the blob's task is embed"});
  // What a folder says is for its own model, whose sequences may be longer.
  write_file(in("model/tokenizer_config.json"), R"({"model_max_length": 512})");
  expect_success(with({"embed", "--force"}));
}

TEST_F(TextTasksTest, WhatDoesNotBelongTogetherIsRefused) {
  write_file(in("m.onnx"), token_model(
                               2, [](int64_t id, int64_t) { return static_cast<float>(id); }, "last_hidden_state")
                               .bytes());
  expect_refusal({in("m.onnx"), "--tokenizer", in("model")}, kUsage, {"nothing says what the model is for", "--task"});
  expect_refusal({in("m.onnx"), "--task", "embed"}, kUsage, {"--tokenizer"});
  expect_refusal({in("m.onnx"), "--tokenizer", in("model"), "--task", "qa"}, kUsage, {"start and end", "last_hidden_state"});
  expect_refusal({in("m.onnx"), "--tokenizer", in("model"), "--task", "cook"}, kUsage, {"--task", "zero-shot"});
  write_file(in("model/modules.json"), R"([{"type": "sentence_transformers.models.Dense"}, {"type": "my.Own"}])");
  expect_refusal({in("m.onnx"), "--tokenizer", in("model")}, kUnsupported, {"Dense", "my.Own"});
  std::filesystem::remove(in("model/modules.json"));
  // A table with fewer rows than the tokenizer has ids.
  ModelWriter w;
  w.input("input_ids", kOnnxInt64, {"batch", "sequence"});
  w.output("last_hidden_state", kOnnxFloat, {"batch", "sequence", 4});
  w.weights("small", {9, 4});
  w.node("Gather", {"small", "input_ids"}, {"last_hidden_state"});
  write_file(in("small.onnx"), w.bytes());
  expect_refusal({in("small.onnx"), "--tokenizer", in("model"), "--task", "embed", "--pooling", "cls"}, kUsage,
                 {"highest id is 11", "ends with 8"});
  const std::string blob = small_blob();
  expect_refusal({"run", blob, "--text", "hello"}, kUsage, {"no tokenizer", "--tokenizer"});
  expect_success({in("m.onnx"), "-q", "--tokenizer", in("model"), "--task", "none"});
  expect_refusal({"run", in("m.ert"), "--text", "hello"}, kUsage, {"no task", "--task"});
  write_file(in("lines.txt"), "Anna in ROME\n\n");
  write_file(in("ids.txt"), "[2,4,9,6,7,3]\n");
  ProgramOptions from;
  from.standard_input = in("lines.txt");
  const ProgramResult ids = expect_success({"tokenize", in("m.ert")}, from);
  EXPECT_EQ(ids.out, "[2, 4, 6, 7, 3]\n[2, 3]\n");
  from.standard_input = in("ids.txt");
  const ProgramResult text = expect_success({"tokenize", in("m.ert"), "--decode"}, from);
  EXPECT_EQ(text.out, "\"annas in rome\"\n");
  expect_success({in("m.onnx"), "-q", "--tokenizer", in("model"), "--task", "embed"});
  expect_refusal({"run", in("m.ert"), "--text", "hello", "--out", in("o")}, kUsage, {"--out"});
  expect_refusal({"run", in("m.ert"), "--text", "a", "--pair", "b", "--pair", "c"}, kUsage, {"2 given for 1"});
  expect_refusal({"run", in("m.ert"), "--text", "a", "--labels", "x,y"}, kUsage, {"only zero-shot"});
}

}  // namespace

}  // namespace edgeconv::testing
