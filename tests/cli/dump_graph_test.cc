// --dump-graph and -v: what the passes of a conversion did.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class DumpGraphTest : public CliTest {
 protected:
  void SetUp() override {
    write_file(in("small.onnx"), small_model());
    small_ = in("small.onnx");
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  std::string small_;
};

TEST_F(DumpGraphTest, ShowsTheGraphBeforeAndAfterAPass) {
  expect_success({small_, "-q", "-o", in("plain.ert")});
  expect_success({small_, "-q", "-o", in("dumped.ert"), "--dump-graph", "make_linear=" + in("passes.txt")});
  EXPECT_TRUE(read_file(in("plain.ert")) == read_file(in("dumped.ert")));
  const std::string text = read_file(in("passes.txt"));
  EXPECT_EQ(text.rfind("== make_linear round 1 before\ninput %", 0), 0u) << text;
  const size_t after = text.find("== make_linear round 1 after\n");
  ASSERT_NE(after, std::string::npos) << text;
  EXPECT_FALSE(has(text.substr(0, after), " = Linear("));
  EXPECT_TRUE(has(text.substr(after), " = Linear("));
  EXPECT_FALSE(has(text, "== fuse_layer_norm"));
}

TEST_F(DumpGraphTest, ShowsTheProgram) {
  const ProgramResult r = expect_success({small_, "-q", "--dump-graph", "plan_slots=-"});
  // Round 1 is the program with placeholders for weights, round 2 the one that is written.
  for (const char* heading : {"== plan_slots round 1 before\n", "== plan_slots round 1 after\n", "== plan_slots round 2 after\n"})
    EXPECT_TRUE(has(r.out, heading)) << r.out;
  EXPECT_TRUE(has(r.out, " slot 0 = Linear(")) << r.out;
}

TEST_F(DumpGraphTest, ShowsAllPassesInTheirOrder) {
  expect_success({small_, "-q", "--dump-graph", "all=" + in("passes.txt")});
  const std::string text = read_file(in("passes.txt"));
  size_t at = 0;
  for (const char* pass :
       {"fold_dequantize", "decompose_quantization", "make_linear", "fuse_residual_norm", "remove_unread", "pack_rows"}) {
    const size_t next = text.find(std::string("== ") + pass + " round 1 before\n", at);
    ASSERT_NE(next, std::string::npos) << pass;
    at = next;
  }
  EXPECT_TRUE(has(text, "== select_branches round 1 after\n(as above)\n"));
}

TEST_F(DumpGraphTest, ReplacesAnEarlierOneOnly) {
  for (int i = 0; i < 2; ++i) expect_success({small_, "-q", "--dump-graph", "make_linear=" + in("passes.txt")});
  write_file(in("notes.txt"), "mine");
  expect_refusal({small_, "--dump-graph", "make_linear=" + in("notes.txt")}, 2,
                 {"notes.txt", "exists and was not made by edgeconv"});
}

TEST_F(DumpGraphTest, NamesThatNoPassHasAreRefusedWithTheList) {
  expect_refusal({small_, "--dump-graph", "fuse_atention=" + in("x.txt")}, 2,
                 {"no pass 'fuse_atention'", "all", "fold_dequantize", "fuse_attention", "plan_slots"});
  for (const char* text : {"make_linear", "make_linear=", "="})
    expect_refusal({small_, "--dump-graph", text}, 2, {"--dump-graph"});
}

TEST_F(DumpGraphTest, OtherFilesOfTheCommandAreNotReplaced) {
  expect_refusal({small_, "--dump-graph", "all=" + small_}, 2, {"--dump-graph", "small.onnx", "the model itself"});
  expect_refusal({small_, "-o", in("y.ert"), "--dump-graph", "all=" + in("y.ert")}, 2,
                 {"--dump-graph", "have the same name", "y.ert"});
  expect_refusal({small_, "--report", in("r.json"), "--dump-graph", "all=" + in("r.json")}, 2,
                 {"--dump-graph", "have the same name", "r.json"});
  expect_refusal({small_, "--dump-graph", "all=" + folder_.path().string()}, 2, {"is a folder"});
  expect_refusal({small_, "--json", "--dump-graph", "all=-"}, 2, {"--dump-graph", "--json", "same place"});
  expect_refusal({small_, "--dump-graph", "all=" + in("none/x.txt")}, 6, {"none/x.txt"});
}

TEST_F(DumpGraphTest, IsWrittenWhereAGateIsMissed) {
  const ProgramResult r =
      edgeconv({small_, "--precision", "int8", "--max-loss", "1e-9", "--dump-graph", "all=" + in("passes.txt")});
  EXPECT_EQ(r.exit_code, 7) << r.err;
  EXPECT_TRUE(has(r.err, "only the passes were listed: " + in("passes.txt"))) << r.err;
  EXPECT_TRUE(has(read_file(in("passes.txt")), "== plan_slots round 2 after\n"));
  EXPECT_FALSE(std::filesystem::exists(in("small.ert")));
}

TEST_F(DumpGraphTest, VerboseLogsPassesWithTheirMatches) {
  const ProgramResult r = expect_success({small_, "-v"});
  for (const char* line : {"pass make_linear round 1: ", "pass plan_slots round 1: ", "passes: ", "without a match: "})
    EXPECT_TRUE(has(r.err, line)) << r.err;
  EXPECT_FALSE(has(expect_success({small_}).err, "pass make_linear"));
  EXPECT_EQ(expect_success({small_, "-v", "-q"}).err, "");
}

}  // namespace

}  // namespace edgeconv::testing
