// Limits of the process's stack (ulimit -s): a command does its work as ever. At 16 and 32 KB commands had ended in signal 11, and so had ert-bench. Below 24 KB the names and addresses that the system puts
// onto the stack decide whether any program starts.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class StackLimitTest : public CliTest {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer needs more stack before main";
#endif
    write_file(in("small.onnx"), small_model());
    expect_success({in("small.onnx"), "-q", "-o", in("good.ert")});
  }

  // Without the variables of whoever runs the tests: they are on the stack too.
  ProgramResult shell(const std::string& line) { return run_program("env", {"-i", "sh", "-c", line}); }

  ProgramResult limited(int kb, const std::string& limits, const std::vector<std::string>& arguments) {
    std::string line = limits + "ulimit -s " + std::to_string(kb) + "; exec '" EDGECONV_BINARY "'";
    for (const std::string& a : arguments) line += " '" + a + "'";
    return shell(line);
  }
};

TEST_F(StackLimitTest, EveryVerbWorksWhateverTheLimit) {
  for (const int kb : {16, 24, 32, 64, 1000, 8000}) {
    const std::string out = in(std::to_string(kb) + ".ert");
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {in("small.onnx"), "-o", out},
             {"verify", out},
             {"inspect", in("small.onnx")},
             {"inspect", out, "--json"},
             {"validate", in("small.onnx"), out},
             {"export", out, "--format", "c", "-o", "-"},
             {"keygen", "-o", in(std::to_string(kb) + ".pem")},
             {"sign", out, "--key", in(std::to_string(kb) + ".pem"), "-o", in(std::to_string(kb) + ".signed.ert")}}) {
      const ProgramResult r = limited(kb, "", arguments);
      EXPECT_EQ(r.exit_code, 0) << kb << " KB, " << arguments[0] << r.err;
    }
    EXPECT_EQ(read_file(out), read_file(in("good.ert"))) << kb;
  }
}

#if defined(EDGECONV_BENCH)
// They had ended in signal 11 at 16 KB, with threads at 24 KB.
TEST_F(StackLimitTest, MeasuringAndSelfTestWorkWhateverTheLimit) {
  for (const int kb : {16, 24, 32, 1000})
    for (const char* command : {"'" EDGECONV_BENCH "' --runs 2 ", "'" EDGECONV_BENCH "' --runs 2 --threads 2 ", "'" EDGECONV_SELFTEST "' "}) {
      const ProgramResult r = shell("ulimit -s " + std::to_string(kb) + "; exec " + command + in("good.ert"));
      EXPECT_EQ(r.exit_code, 0) << kb << " KB, " << command << r.err;
    }
  const ProgramResult none = shell("ulimit -s 24; ulimit -d 4000; exec '" EDGECONV_BENCH "' " + in("good.ert"));
  EXPECT_EQ(none.exit_code, kLimit) << none.err;
  EXPECT_NE(none.err.find("ulimit -s"), std::string::npos) << none.err;
}
#endif

TEST_F(StackLimitTest, RefusalsAreThoseOfEver) {
  write_file(in("wrong.onnx"), "no model");
  EXPECT_EQ(limited(24, "", {in("wrong.onnx")}).exit_code, kMalformed);
  EXPECT_EQ(limited(24, "", {"no such verb"}).exit_code, kUsage);
  // Less memory than the stack takes.
  const ProgramResult r = limited(24, "ulimit -d 4000; ", {in("small.onnx"), "-o", in("out.ert")});
  EXPECT_EQ(r.exit_code, kLimit) << r.err;
  EXPECT_NE(r.err.find("ulimit -s"), std::string::npos) << r.err;
}

}  // namespace

}  // namespace edgeconv::testing
