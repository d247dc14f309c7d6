// Words that are not right: the nearest one is named. Help that fits the terminal.
#include <sstream>

#include "convert/cli/nearest_word.h"
#include "convert/cli/progress.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class CommandsTest : public CliTest {
 protected:
  void SetUp() override { write_file(in("small.onnx"), small_model()); }
  const std::vector<std::string> verbs_ = {"convert", "inspect",  "verify", "keygen",        "sign",
                                           "run",     "validate", "export", "supported-ops", "tokenize"};
};

size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST_F(CommandsTest, TyposOfVerbsNameTheNearest) {
  const std::pair<const char*, const char*> typos[] = {
      {"inspct", "inspect"},         {"inspetc", "inspect"},  {"Inspect", "inspect"}, {"verfy", "verify"},
      {"exprot", "export"},          {"valdate", "validate"}, {"rnu", "run"},         {"suported-ops", "supported-ops"},
      {"conver", "convert"},         {"signn", "sign"},       {"kegen", "keygen"},    {"hlep", "help"},
      {"supported", "supported-ops"}};
  for (const auto& [typed, meant] : typos) {
    expect_refusal({typed, in("small.onnx")}, kUsage,
                   {"'" + std::string(typed) + "'", "did you mean 'edgeconv " + std::string(meant) + "'"});
    expect_refusal({"help", typed}, kUsage,
                   {typed, std::string(meant) == "help" ? "verb" : "did you mean '" + std::string(meant) + "'"});
  }
  const ProgramResult far = edgeconv({"quux"});
  EXPECT_EQ(far.exit_code, kUsage);
  EXPECT_EQ(far.err.find("did you mean"), std::string::npos) << "a guess that shares nothing misleads: " << far.err;
  for (const std::string& verb : verbs_) EXPECT_NE(far.err.find(verb), std::string::npos) << far.err;
}

// No distance of letters leads from what other programs call it.
TEST_F(CommandsTest, NamesOfOtherProgramsAreKnown) {
  const std::pair<const char*, const char*> names[] = {{"version", "edgeconv --version"},
                                                       {"quantize", "edgeconv convert"},
                                                       {"benchmark", "ert-bench"},
                                                       {"info", "edgeconv inspect"}};
  for (const auto& [typed, meant] : names) expect_refusal({typed}, kUsage, {"did you mean '" + std::string(meant) + "'?"});
}

TEST_F(CommandsTest, TyposOfValuesNameTheNearest) {
  expect_refusal({"export", "x.ert", "--format", "hx", "-o", "x"}, kUsage, {"'hx' is not c, incbin, ", "did you mean 'hex'?"});
  expect_refusal({in("small.onnx"), "--progress", "loud"}, kUsage, {"--progress: 'loud' is not auto, on or off;", "--help"});
  expect_refusal({"run", "x.ert", "--threads", "two"}, kUsage, {"--threads: 'two' is not a number from 1 to "});
}

// Took the next word, and complained about the one behind it.
TEST_F(CommandsTest, NothingBehindTheEqualsSign) {
  expect_refusal({"export", "x.ert", "--format", "c", "--name=", "-o", "x.c"}, kUsage,
                 {"--name=: ", "--name NAME", "export --help"});
  expect_refusal({in("small.onnx"), "--report=", "-q"}, kUsage, {"--report=: ", "--report FILE"});
  expect_refusal({in("small.onnx"), "--json="}, kUsage, {"--json=: ", "write --json alone"});
  expect_refusal({in("small.onnx"), "--jsn="}, kUsage, {"'--json'"});
  expect_refusal({"export", in("small.onnx"), "--format", "c", "--name", "", "-o", "x.c"}, kUsage, {"--name ''"});
}

// The name of a file that is not there stays an error of input and output.
TEST_F(CommandsTest, AMissingFileIsNoTypo) {
  expect_refusal({in("missing.onnx")}, kIo, {"missing.onnx"});
  expect_refusal({"missing.onnx"}, kIo, {"missing.onnx"});
  write_file(in("model"), small_model());
  const ProgramResult r = expect_success({"model", "-q"}, {folder_.path(), {}, -1, 0});
  EXPECT_TRUE(std::filesystem::exists(in("model.ert"))) << r.err;
}

TEST_F(CommandsTest, TyposOfOptionsNameTheNearest) {
  expect_refusal({"--verison"}, kUsage, {"'--verison'", "'--version'"});
  expect_refusal({"--halp"}, kUsage, {"'--halp'", "'--help'"});
  expect_refusal({"-version"}, kUsage, {"'-version'; did you mean '--version'"});
  expect_refusal({in("small.onnx"), "--presicion", "int8"}, kUsage,
                 {"'--presicion'", "'--precision'", "edgeconv convert --help"});
  expect_refusal({"--presicion", "int8", in("small.onnx")}, kUsage, {"'--presicion'", "'--precision'"});
  expect_refusal({in("small.onnx"), "--presicion=int8"}, kUsage, {"'--precision'"});
  expect_refusal({"run", in("small.ert"), "--inptu", "x=1"}, kUsage, {"'--inptu'", "'--input'", "edgeconv run --help"});
  expect_refusal({"export", in("small.ert"), "--fromat", "c"}, kUsage, {"'--fromat'", "'--format'"});
  expect_refusal({"inspect", in("small.onnx"), "--jsno"}, kUsage, {"'--jsno'", "'--json'"});
  expect_refusal({"inspect", in("small.onnx"), "--zzzzzzzz"}, kUsage, {"'--zzzzzzzz'", "--help lists"});
}

TEST_F(CommandsTest, MissingAndAdditionalArgumentsAreNamed) {
  expect_refusal({"verify"}, kUsage, {"BLOB is missing", "edgeconv verify BLOB", "--help"});
  expect_refusal({"verify", "a.ert", "b.ert"}, kUsage, {"'b.ert'", "one argument too many", "edgeconv verify BLOB"});
  expect_refusal({"export", "a.ert"}, kUsage, {"--format", "is required", "c|incbin|hex|srec|uf2|bin"});
  expect_refusal({"inspect", "x.onnx", "--dim"}, kUsage,
                 {"--dim: its value is missing; write --dim NAME=", "edgeconv inspect --help"});
}

TEST_F(CommandsTest, HelpOfAVerb) {
  EXPECT_EQ(expect_success({"help"}).out, expect_success({"--help"}).out);
  for (const std::string& verb : verbs_) {
    const ProgramResult r = expect_success({"help", verb});
    EXPECT_EQ(r.out, expect_success({verb, "--help"}).out);
    EXPECT_NE(r.out.find("\nusage:\n  edgeconv " + verb), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("\nExample:\n  edgeconv "), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("\nExit codes:\n  0 ok\n"), std::string::npos) << r.out;
  }
  const std::string convert = expect_success({"help", "convert"}).out;
  for (const char* group : {"\nOutput:\n", "\nSizes and inputs:\n", "\nAccuracy:\n", "\nLimits:\n", "\nMessages:\n"})
    EXPECT_NE(convert.find(group), std::string::npos) << group;
}

TEST_F(CommandsTest, HelpFitsTheTerminal) {
  std::vector<std::string> verbs = verbs_;
  verbs.push_back("");
  for (const std::string& verb : verbs) {
    for (const size_t width : {30, 40, 60, 80, 100}) {
      std::vector<std::string> words = {"help"};
      if (!verb.empty()) words.push_back(verb);
      const ProgramResult r = expect_success(words, {{}, {"COLUMNS=" + std::to_string(width)}, -1, 0});
      EXPECT_LE(longest_line(r.out), width) << verb << "\n" << r.out;
      EXPECT_GT(longest_line(r.out), width / 2) << verb << ": the width is used";
    }
  }
  EXPECT_LE(longest_line(expect_success({"convert", "--help"}, {{}, {"COLUMNS=5000"}, -1, 0}).out), 110u)
      << "lines stay readable";
}

TEST_F(CommandsTest, NothingIsColoured) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"}, {"convert", "--help"}, {in("small.onnx")}}) {
    const ProgramResult r = expect_success(words, {{}, {"NO_COLOR=1"}, -1, 0});
    EXPECT_EQ((r.out + r.err).find('\033'), std::string::npos);
  }
}

TEST(NearestWord, OfEqualDistancesTheFirstAndOfFarOnesNone) {
  EXPECT_EQ(cli::nearest_word("dmi", {"dim", "fix"}), "dim");
  EXPECT_EQ(cli::nearest_word("aaa", {"aab", "aac"}), "aab");
  EXPECT_EQ(cli::nearest_word("zzzzzz", {"dim", "fix"}), "");
  EXPECT_EQ(cli::nearest_word("", {"dim"}), "");
  EXPECT_EQ(cli::nearest_word(std::string(100000, 'x'), {"dim"}), "");
  EXPECT_EQ(cli::typing_distance("ab", "ba"), 1u);
}

TEST(ProgressText, IsCutToTheWidth) {
  for (const size_t width : {10, 20, 30, 39, 40, 60, 79, 200}) {
    for (const double share : {0.0, 0.5, 1.0, 7.0}) {
      const std::string s = cli::progress_text("choosing the precision of layers", share, 12.4, width);
      EXPECT_LE(s.size(), width) << s;
      EXPECT_NE(s.find('%'), std::string::npos) << s;
    }
  }
  EXPECT_EQ(cli::progress_text("stage", 0.5, 3, 79), "[###############...............]  50 %   3 s  stage");
  EXPECT_EQ(cli::progress_text("stage", 0.5, 3, 12), " 50 %   3 s ");
}

}  // namespace

}  // namespace edgeconv::testing
