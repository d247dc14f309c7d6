// run --text of every task, and tokenize, when they are asked for what they do not have: labels, pairs, best ones, lines that are no ids.
#include "tests/cli/text_tasks_fixture.h"

namespace edgeconv::testing {

namespace {

class TextQuestionsTest : public TextTasksTest {
 protected:
  void zero_shot(const std::string& labels) {
    const ModelWriter w = two_class_model([](int64_t id, int64_t column) { return id == 10 + column ? 6.0f : 0.0f; });
    write_file(in("m.onnx"), w.bytes());
    write_file(in("names.txt"), labels);
    convert({"--task", "zero-shot", "--labels", in("names.txt")});
  }
  void embedding() {
    write_file(in("m.onnx"),
               token_model(12, [](int64_t id, int64_t column) { return static_cast<float>(id + column); }, "last_hidden_state").bytes());
    convert({"--task", "embed", "--pooling", "mean"});
  }
  void refused(std::vector<std::string> options, const std::vector<std::string>& words, int code = kUsage) {
    options.insert(options.begin(), {"run", in("m.ert")});
    expect_refusal(options, code, words);
  }
};

TEST_F(TextQuestionsTest, ZeroShotJudgesByTheLabelsThatItIsGiven) {
  zero_shot("entailment\nother\n");
  const Json j = ask({"--text", "anna lives in rome", "--labels", "good, bad"});
  EXPECT_EQ(j["task"], "zero-shot");
  ASSERT_EQ(j["labels"].size(), 2u);
  EXPECT_EQ(j["labels"][0]["label"], "good") << "its hypothesis has the word that the model takes for entailed";
  EXPECT_EQ(ask({"--text", "anna", "--labels", "good,bad,rome", "--top", "2"})["labels"].size(), 2u);
  write_file(in("candidates.txt"), "bad\ngood\n");
  EXPECT_EQ(ask({"--text", "anna", "--labels", "@" + in("candidates.txt")})["labels"][0]["label"], "good");
  refused({"--text", "anna"}, {"the blob's task is zero-shot", "--labels a,b,c or --labels @FILE"});
  refused({"--text", "anna", "--labels", "good,,bad"}, {"a label is empty"});
  refused({"--text", "anna", "--labels", "good, "}, {"a label is empty"});
  refused({"--text", "anna", "--labels", "@" + in("nothing.txt")}, {"nothing.txt", "cannot read"}, kIo);
  refused({"--text", "anna", "--pair", "rome", "--labels", "good,bad"}, {"task is zero-shot, which takes no pair"});
}

TEST_F(TextQuestionsTest, ZeroShotNeedsALabelThatSaysEntailed) {
  const ModelWriter w = two_class_model([](int64_t, int64_t) { return 1.0f; });
  write_file(in("m.onnx"), w.bytes());
  write_file(in("names.txt"), "yes\nno\n");
  expect_refusal({in("m.onnx"), "-q", "--dim", "sequence=16", "--tokenizer", in("model"), "--task", "zero-shot", "--labels", in("names.txt"), "-o", in("n.ert")},
                 kUsage, {"a label that begins with 'entail'"});
}

// They were read for ever, or until memory ended.
TEST_F(TextQuestionsTest, TextsWithoutAnEndAreRefused) {
  embedding();
  refused({"--text-file", "/dev/zero"}, {"/dev/zero", "a line has more than 16777216 bytes"}, kLimit);
  expect_refusal({in("m.onnx"), "-q", "--dim", "sequence=16", "--tokenizer", in("model"), "--task", "classify", "--labels", "/dev/zero", "-o", in("n.ert")}, kIo,
                 {"'/dev/zero': it is not a regular file"});
}

TEST_F(TextQuestionsTest, AnEmbeddingHasNoLabelsAndNoBestOnes) {
  embedding();
  refused({"--text", "anna", "--labels", "a,b"}, {"task is embed", "only zero-shot takes labels"});
  refused({"--text", "anna", "--top", "2"}, {"--top 2", "no best ones"});
  refused({"--text-file", in("nothing.txt")}, {"nothing.txt: the file cannot be read"}, kIo);
  refused({"--text-file", in("m.onnx"), "--text", "anna"}, {"give texts either there or with --text"});
  // What people read: the first numbers, and that there are more.
  const std::string said = expect_success({"run", in("m.ert"), "--text", "anna lives"}).out;
  EXPECT_EQ(said.find("anna lives\n  12 numbers:"), 0u) << said;
  EXPECT_NE(said.find("--json has all"), std::string::npos) << said;
  // From a pipe, a line each.
  write_file(in("lines.txt"), "anna\nrome\n");
  ProgramOptions piped;
  piped.standard_input = in("lines.txt");
  EXPECT_EQ(edgeconv({"run", in("m.ert"), "--text-file", "-"}, piped).out, expect_success({"run", in("m.ert"), "--text-file", in("lines.txt")}).out);
  // More than the model takes is cut, and said so.
  std::string words;
  for (int i = 0; i < 40; ++i) words += "rome ";
  EXPECT_NE(expect_success({"run", in("m.ert"), "--text", words}).out.find("(cut to what the model takes)"), std::string::npos);
}

TEST_F(TextQuestionsTest, LinesThatAreNoIdsAreNamed) {
  embedding();
  const auto decoded = [&](const std::string& lines, const std::string& option) {
    write_file(in("lines.txt"), lines);
    ProgramOptions piped;
    piped.standard_input = in("lines.txt");
    return edgeconv({"tokenize", in("m.ert"), option}, piped);
  };
  EXPECT_EQ(decoded("[4, 5, 6, 7]\n", "--decode").out, "\"anna lives in rome\"\n");
  for (const char* line : {"[4,", "4", "{}", "[\"anna\"]", "[1.5]", "[-1]", "[2147483648]"}) {
    const ProgramResult r = decoded(std::string("[4]\n") + line + "\n", "--decode");
    EXPECT_EQ(r.exit_code, kUsage) << line;
    EXPECT_NE(r.err.find("line 2 of stdin is no JSON array of ids"), std::string::npos) << line << r.err;
  }
  EXPECT_EQ(decoded("anna\trome\n", "--pair").out, "[2, 4, 3, 7, 3]\n");
  for (const char* line : {"anna", "a\tb\tc"}) EXPECT_EQ(decoded(line, "--pair").exit_code, kUsage) << line;
}

}  // namespace

}  // namespace edgeconv::testing
