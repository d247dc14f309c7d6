// Mistakes on the command line: exit code 2 and a message that names the flag and the way out.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class UsageTest : public CliTest {
 protected:
  void SetUp() override { write_file(in("small.onnx"), small_model()); }
};

TEST_F(UsageTest, NothingToDo) { expect_refusal({}, kUsage, {"edgeconv MODEL.onnx", "--help"}); }

TEST_F(UsageTest, UnknownFlag) {
  expect_refusal({in("small.onnx"), "--no-such-flag"}, kUsage, {"--no-such-flag"});
  expect_refusal({"inspect", in("small.onnx"), "--verbos"}, kUsage, {"--verbos"});
}

TEST_F(UsageTest, BadDim) {
  for (const char* bad : {"batch", "batch=", "=4", "batch=four", "batch=4x", "batch=99999999999999999999"})
    expect_refusal({in("small.onnx"), "--dim", bad}, kUsage, {"--dim", bad, "NAME=MAX"});
  for (const char* bad : {"batch=0", "batch=-3", "batch=4294967296"})
    expect_refusal({in("small.onnx"), "--dim", bad}, kUsage, {"--dim", "batch"});
}

TEST_F(UsageTest, UnknownDimNamesTheKnownOnes) {
  expect_refusal({in("small.onnx"), "--dim", "sequence=5"}, kUsage, {"sequence", "batch"});
}

TEST_F(UsageTest, ADimGivenTwiceIsNamed) {
  expect_refusal({in("small.onnx"), "--dim", "batch=4", "--dim", "batch=8"}, kUsage, {"--dim", "batch", "more than once"});
  expect_refusal({in("small.onnx"), "--dim", "batch=4", "--dim", "batch=4"}, kUsage, {"--dim", "batch", "more than once"});
}

TEST_F(UsageTest, BadByteCounts) {
  for (const char* flag : {"--arena-limit", "--flash-limit"})
    for (const char* bad : {"-5", "0", "1e3", "5.5", "0x10", "1Q", "K", " 5", "5 ", "99999999999999999999", "99999999999G"})
      expect_refusal({in("small.onnx"), std::string(flag) + "=" + bad}, kUsage, {flag, "64K"});
  for (const char* good : {"100000000", "100M", "100MB", "100MiB", "1g"})
    expect_success({in("small.onnx"), "-q", "--arena-limit", good});
  expect_refusal({in("small.onnx"), "--arena-limit", "1K", "-o", in("other.ert")}, 5, {"--arena-limit allows 1024"});
}

TEST_F(UsageTest, BadThreadCounts) {
  expect_success({in("small.onnx"), "-q"});
  for (const char* bad : {"-1", "0", "257", "two", "1.5", "99999999999999999999"})
    expect_refusal({"run", in("small.ert"), "--input", "x=" + in("x.npy"), "--out", in("out"), std::string("--threads=") + bad},
                   kUsage, {"--threads"});
}

TEST_F(UsageTest, BadPrecision) {
  expect_refusal({in("small.onnx"), "--precision", "int4"}, kUsage, {"--precision", "int4", "w8a16"});
}

TEST_F(UsageTest, BadGolden) {
  for (const char* bad : {"many", "-1", "17", "2x"})
    expect_refusal({in("small.onnx"), "--golden=" + std::string(bad)}, kUsage, {"--golden"});
}

TEST_F(UsageTest, OtherPeoplesFilesStay) {
  write_file(in("thesis.doc"), "four years of work");
  expect_refusal({in("small.onnx"), "-o", in("thesis.doc")}, kUsage, {"thesis.doc", "--force"});
  expect_refusal({in("small.onnx"), "-o", in("small.onnx"), "--force"}, kUsage, {"model itself"});
  std::filesystem::create_directory(in("folder.ert"));
  expect_refusal({in("small.onnx"), "-o", in("folder.ert")}, kUsage, {"folder.ert"});
}

TEST_F(UsageTest, BlobsAreReplacedAndForceReplacesAnything) {
  write_file(in("small.ert"), "old");
  expect_success({in("small.onnx"), "-q"});
  expect_success({"verify", in("small.ert")});
  write_file(in("firmware.bin"), "old");
  expect_success({in("small.onnx"), "-q", "-o", in("firmware.bin"), "--force"});
  EXPECT_EQ(read_file(in("firmware.bin")), read_file(in("small.ert")));
}

TEST_F(UsageTest, HelpAndVersionGoToStdout) {
  for (const char* flag : {"--help", "--version"}) {
    const ProgramResult r = expect_success({flag});
    EXPECT_NE(r.out.find("edgeconv"), std::string::npos);
    EXPECT_EQ(r.err, "");
  }
  const ProgramResult r = expect_success({"convert", "--help"});
  for (const char* option : {"--dim", "--precision", "--force", "--report"})
    EXPECT_NE(r.out.find(option), std::string::npos) << option;
}

TEST_F(UsageTest, SummaryOnStderrJsonOnStdoutQuietNeither) {
  const ProgramResult plain = expect_success({in("small.onnx")});
  EXPECT_EQ(plain.out, "");
  EXPECT_NE(plain.err.find("small.ert"), std::string::npos) << plain.err;
  const ProgramResult quiet = expect_success({in("small.onnx"), "--quiet"});
  EXPECT_EQ(quiet.out + quiet.err, "");
  const ProgramResult json = expect_success({in("small.onnx"), "--json"});
  EXPECT_EQ(json.out.front(), '{');
}

TEST_F(UsageTest, NamesThatAreTooLongAreErrorsOfInput) {
  const std::string name(5000, 'x');
  expect_refusal({"tokenize", name}, kIo, {"File name too long"});
}

}  // namespace

}  // namespace edgeconv::testing
