// Limits of the process's memory: whatever the limit, a command ends by itself with 0 or 5, and leaves a whole file or none.
// OpenBLAS asked for its buffer again for ever.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

constexpr const char* kHang = "60";  // seconds; a command takes hundredths

class MemoryLimitTest : public CliTest {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer maps terabytes of shadow before main: no limit lets the command start";
#endif
    write_file(in("small.onnx"), small_model());
    expect_success({in("small.onnx"), "-q", "-o", in("good.ert")});
  }

  // The command within the shell's limit, as in "ulimit -v 56000".
  ProgramResult limited(const std::string& limit, const std::vector<std::string>& arguments) {
    std::string line = limit + "; exec timeout " + kHang + " '" EDGECONV_BINARY "'";
    for (const std::string& a : arguments) line += " '" + a + "'";
    return run_program("sh", {"-c", line});
  }

  // Counts which of the two it was.
  void check(const std::string& limit, const ProgramResult& r) {
    EXPECT_TRUE(r.exit_code == 0 || r.exit_code == kLimit) << limit << ": " << r.exit_code << r.err;
    EXPECT_EQ(r.exit_code == kLimit, r.err.find("out of memory") != std::string::npos) << limit << r.err;
    EXPECT_EQ(folder_.listing(), (r.exit_code == 0 ? std::vector<std::string>{"good.ert", "out.ert", "small.onnx"}
                                                   : std::vector<std::string>{"good.ert", "small.onnx"}))
        << limit;
    std::filesystem::remove(in("out.ert"));
    ++(r.exit_code == 0 ? enough_ : refused_);
  }
  int enough_ = 0, refused_ = 0;
};

TEST_F(MemoryLimitTest, EveryLimitEndsTheCommandWithZeroOrFive) {
  // KB. Below the first of each kind the loader cannot start the program.
  for (const int kb : {16000, 40000, 56000, 120000, 176000, 1000000}) {
    const std::string limit = "ulimit -v " + std::to_string(kb);
    check(limit, limited(limit, {in("small.onnx"), "-q", "-o", in("out.ert")}));
  }
  for (const int kb : {700, 1000, 4000, 128000, 1000000}) {
    const std::string limit = "ulimit -d " + std::to_string(kb);
    check(limit, limited(limit, {in("small.onnx"), "-q", "-o", in("out.ert")}));
  }
  EXPECT_GE(enough_, 2);
  EXPECT_GE(refused_, 5);
}

TEST_F(MemoryLimitTest, TheOption) {
  for (const char* limit : {"1", "100K", "500K", "1M", "2MB", "130M", "1G", "99999999G"})
    check(limit, limited(":", {in("small.onnx"), "-q", "-o", in("out.ert"), "--memory-limit", limit}));
  EXPECT_GE(enough_, 2);
  EXPECT_GE(refused_, 4);
  expect_refusal({"inspect", EDGECONV_LANGID_MODEL, "--memory-limit", "100K"}, kLimit, {"--memory-limit", "100 KB"});
  expect_refusal({"validate", in("small.onnx"), in("good.ert"), "--memory-limit", "1M"}, kLimit, {"--memory-limit"});
  expect_success({"inspect", in("small.onnx"), "--memory-limit", "64M"});
  expect_success({"validate", in("small.onnx"), in("good.ert"), "--memory-limit", "256M"});
  expect_refusal({in("small.onnx"), "--memory-limit", "0"}, kUsage, {"--memory-limit 0"});
  expect_refusal({in("small.onnx"), "--memory-limit", "many"}, kUsage, {"--memory-limit many"});
}

}  // namespace

}  // namespace edgeconv::testing
