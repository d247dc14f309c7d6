// Every command of RECIPES.md, and those of README.md on models and texts, run as they stand there, in a folder that has the files that they name.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "convert/files/npy.h"
#include "convert/ir/tensor.h"
#include "tests/cli/cli_test.h"
#include "tests/cli/text_tasks_fixture.h"

namespace edgeconv::testing {

namespace {

constexpr const char* kRecipeWords =
    R"({"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "anna": 4, "live": 5, "in": 6, "rome": 7, "where": 8, "##s": 9, )"
    R"("does": 10, "the": 11, "cat": 12, "a": 13, "on": 14})";

// LSTM over a frame of features, whose two states come and go; the score is of the last hidden values.
std::string vad_model() {
  ModelWriter w;
  w.input("features", kOnnxFloat, {1, 1, 4});
  w.input("h", kOnnxFloat, {1, 1, 8});
  w.input("c", kOnnxFloat, {1, 1, 8});
  w.weights("W", {1, 32, 4});
  w.weights("R", {1, 32, 8});
  w.weights("B", {1, 64});
  w.weights("V", {8, 1});
  auto* hidden = w.node("LSTM", {"features", "W", "R", "B", "", "h", "c"}, {"y", "hn", "cn"}).add_attribute();
  hidden->set_name("hidden_size");
  hidden->set_type(2);  // INT
  hidden->set_i(8);
  w.node("MatMul", {"hn", "V"}, {"logit"});
  w.node("Sigmoid", {"logit"}, {"speech"});
  w.output("speech", kOnnxFloat, {1, 1, 1});
  w.output("hn", kOnnxFloat, {1, 1, 8});
  w.output("cn", kOnnxFloat, {1, 1, 8});
  return w.bytes();
}

std::string wake_model() {
  ModelWriter w;
  w.input("samples", kOnnxFloat, {1, 320});
  w.weights("W", {320, 16});
  w.weights("V", {16, 2});
  w.node("MatMul", {"samples", "W"}, {"x"});
  w.node("Relu", {"x"}, {"r"});
  w.node("MatMul", {"r", "V"}, {"scores"});
  w.output("scores", kOnnxFloat, {1, 2});
  return w.bytes();
}

// Ids of a real vocabulary and their mask.
std::string ids_model() {
  ModelWriter w;
  w.input("input_ids", kOnnxInt64, {"batch", "sequence"});
  w.input("attention_mask", kOnnxInt64, {"batch", "sequence"});
  w.weights("table", {30522, 8});
  w.node("Gather", {"table", "input_ids"}, {"embedded"});
  w.masked("embedded", "attention_mask", "y");
  w.output("y", kOnnxFloat, {"batch", "sequence", 8});
  return w.bytes();
}

class Recipes : public CliTest {
 protected:
  using Path = std::filesystem::path;
  void fixture(const std::string& name, const std::string& to) {
    for (const auto& file : std::filesystem::directory_iterator(Path(EDGECONV_OWN_FIXTURES) / name))
      std::filesystem::copy(file, Path(in(to)) / file.path().filename(), std::filesystem::copy_options::recursive);
  }
  void text_model(const std::string& name) {
    std::filesystem::create_directory(in("model"));
    fixture(name, "model");
    write_file(in("model/tokenizer.json"), tokenizer_json(kRecipeWords));
  }
  void language_model() {
    std::filesystem::create_directory(in("model"));
    const Path from = Path(EDGECONV_LANGID_MODEL).parent_path();
    std::filesystem::copy_file(EDGECONV_LANGID_MODEL, in("model/model.onnx"));
    for (const char* name : {"config.json", "tokenizer.json"}) std::filesystem::copy_file(from / name, Path(in("model")) / name);
  }
  void frames(const std::string& name, DType type, std::vector<int64_t> dims) {
    Tensor t(type, std::move(dims));
    std::memset(t.mutable_data(), 0, t.bytes());
    for (size_t i = 0; i < t.bytes(); i += 4) static_cast<uint8_t*>(t.mutable_data())[i] = static_cast<uint8_t>(i);
    write_npy(in(name), t);
  }

  // The commands of the recipe with this number. At most five, none in Python.
  static std::string commands(int number) {
    const std::string page = read_file(EDGECONV_RECIPES);
    const size_t head = page.find("\n## " + std::to_string(number) + ". ");
    const size_t begin = page.find("```sh\n", head), end = page.find("\n```\n", begin);
    EXPECT_TRUE(head != std::string::npos && begin != std::string::npos && begin < page.find("\n## ", head + 1)) << number;
    const std::string text = page.substr(begin + 6, end - begin - 5);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 5) << text;
    EXPECT_EQ(text.find("python"), std::string::npos) << text;
    return text;
  }

  // The first commands below a heading of README.md.
  static std::string readme_commands(const std::string& heading) {
    const std::string page = read_file(EDGECONV_README);
    const size_t head = page.find("\n## " + heading + "\n"), begin = page.find("\n```\n", head),
                 end = page.find("\n```\n", begin + 5);
    EXPECT_TRUE(head != std::string::npos && end != std::string::npos && begin < page.find("\n## ", head + 1)) << heading;
    return page.substr(begin + 5, end - begin - 4);
  }

  ProgramResult run(int number, const std::vector<std::string>& words) { return run_text(commands(number), words); }

  // Runs commands; every one must succeed, and what they print must have all of these words.
  ProgramResult run_text(const std::string& text, const std::vector<std::string>& words) {
    ProgramOptions o;
    o.cwd = folder_.path();
    o.environment = {std::string("PATH=") + Path(EDGECONV_BINARY).parent_path().string() + ":" + EDGECONV_RECIPE_PATH + ":" +
                     std::getenv("PATH")};
    ProgramResult r = run_program("bash", {"-e", "-o", "pipefail", "-c", text}, o);
    EXPECT_EQ(r.exit_code, 0) << text << r.out << r.err;
    for (const std::string& w : words)
      EXPECT_NE((r.out + r.err).find(w), std::string::npos) << "no '" << w << "' in\n" << r.out << r.err;
    return r;
  }
};

TEST_F(Recipes, SentenceEmbedding) {
  text_model("minilm_sentence_ts14");
  std::filesystem::create_directory(in("model/1_Pooling"));
  write_file(in("model/1_Pooling/config.json"), R"({"pooling_mode_mean_tokens": true})");
  run(1, {"task embed", "The cat sits on the mat."});
}

TEST_F(Recipes, Classifier) {
  language_model();
  run(2, {"task classify", "de German"});
}

TEST_F(Recipes, Tagger) {
  text_model("bert_tokcls_dy18_external");
  write_file(in("labels.txt"), "O\nB-PER\nI-PER\nB-ORG\nI-ORG\nB-LOC\nI-LOC\nB-MISC\nI-MISC\n");
  run(3, {"task tokens", "\"label\""});
}

TEST_F(Recipes, VoiceActivityWithState) {
  write_file(in("vad.onnx"), vad_model());
  frames("frames.npy", DType::kFloat, {6, 1, 1, 4});
  run(4, {"input     features", "speech", "[6,"});
}

TEST_F(Recipes, WakeWordFromSamples) {
  write_file(in("wake.onnx"), wake_model());
  frames("clip.npy", DType::kInt16, {1, 320});
  run(5, {"scores"});
  EXPECT_NE(read_file(in("wake.h")).find("WAKE_ARENA_BYTES"), std::string::npos);
}

TEST_F(Recipes, QuestionAnswering) {
  text_model("bert_qa_ts14__external_one");
  run(6, {"task qa"});
}

TEST_F(Recipes, TwoModelsInOneFirmware) {
  write_file(in("vad.onnx"), vad_model());
  write_file(in("wake.onnx"), wake_model());
  expect_success({in("vad.onnx"), "-q", "--state", "hn=h", "--state", "cn=c"});
  expect_success({in("wake.onnx"), "-q"});
  run(7, {});
  write_file(in("main.c"),
             "#include \"vad.h\"\n#include \"wake.h\"\nint main(void) { return vad_blob[0] != wake_blob[0] || VAD_BYTES == "
             "WAKE_BYTES; }\n");
  const ProgramOptions here = {folder_.path(), {}, -1, 0};
  ASSERT_EQ(run_program(EDGECONV_C_COMPILER, {"-o", "both", "main.c", "vad.o", "wake.o"}, here).exit_code, 0);
  EXPECT_EQ(run_program(in("both"), {}).exit_code, 0);
  const std::string ops = read_file(in("ops.inc"));
  for (const char* op : {"Recurrence)", "Linear)"}) {
    const size_t first = ops.find(op);
    ASSERT_NE(first, std::string::npos) << ops;
    EXPECT_EQ(ops.find(op, first + 1), std::string::npos) << "linked once: " << ops;
  }
}

TEST_F(Recipes, UpdateOverTheAir) {
  write_file(in("model.onnx"), small_model());
  run(8, {"signed by this key", "zstd", "counter 2"});
}

TEST_F(Recipes, AccuracyOnYourData) {
  language_model();
  std::filesystem::copy_file(EDGECONV_LANGID_TEXTS, in("texts.tsv"));
  std::filesystem::create_directory(in("tensors"));
  fixture("textclassifier_mask_dy18", "tensors");
  std::filesystem::rename(in("tensors/test_data_set_1"), in("tensors/samples"));
  expect_success({in("tensors/model.onnx"), "-q"});
  write_file(in("tensors/labels.txt"), "0\n1\n2\n");
  const ProgramResult r = run(9, {" of 100 right"});
  int right = 0;
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);)
    if (line.find(" of 100 right") != std::string::npos) right = std::stoi(line);
  EXPECT_GE(right, 90) << "real sentences and words of 40 languages";
}

TEST_F(Recipes, FindingTheSlowLayer) {
  fixture("minilm_sentence_ts14", "");
  expect_success({in("model.onnx"), "-q"});
  run(10, {"Attention", "slowest"});
  EXPECT_NE(read_file(in("latency.svg")).find("<svg"), std::string::npos);
  EXPECT_NE(read_file(in("model.html")).find("<html"), std::string::npos);
}

TEST_F(Recipes, ReadmeYourOwnModel) {
  write_file(in("model.onnx"), ids_model());
  std::filesystem::create_directory(in("build"));
  std::filesystem::create_directory_symlink(EDGECONV_BUILD_FOLDER, in("build/release"));
  run_text(readme_commands("Your own model"), {"input     input_ids int64 [batch, sequence]", "RAM", "[1, 3, 8]", "p50 us"});
  EXPECT_NE(read_file(in("model.html")).find("<html"), std::string::npos);
}

TEST_F(Recipes, ReadmeFromTextToAnAnswer) {
  text_model("minilm_sentence_ts14");
  std::filesystem::create_directory(in("model/1_Pooling"));
  write_file(in("model/1_Pooling/config.json"), R"({"pooling_mode_mean_tokens": true})");
  write_file(in("model/modules.json"), R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  // The first command fetches a model of 90 MB from PyPI; a tiny one of the same kind is in its place (./test.sh --text has the real one).
  std::filesystem::create_directories(in("bench/models"));
  write_file(in("bench/models/minilm.sh"), "#!/bin/sh\ntest \"$1\" = build/minilm\n");
  std::filesystem::permissions(in("bench/models/minilm.sh"), std::filesystem::perms::owner_all);
  std::filesystem::create_directories(in("build/minilm"));
  std::filesystem::rename(in("model/model.onnx"), in("build/minilm/minilm.onnx"));
  std::filesystem::rename(in("model"), in("build/minilm/model"));
  std::filesystem::create_directory_symlink(EDGECONV_BUILD_FOLDER, in("build/release"));
  run_text(readme_commands("From text to an answer"), {"task embed", "The cat sits on the mat."});
}

}  // namespace

}  // namespace edgeconv::testing
