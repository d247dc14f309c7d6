// Limits of the process's memory: whatever the limit, a command ends by itself with 0 or 5, and leaves a whole file or none.
// OpenBLAS asked for its buffer again for ever.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

constexpr const char* kHang = "60";  // seconds; a command takes hundredths
constexpr int kRandomLayout = 300;   // KB that addresses of one start may need more than those of another

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

  // KB, of a limit below which the loader cannot start the program: more without optimisation, and with counters of coverage.
  int least_to_start(const std::string& kind) {
    int low = 0, high = 1000000;
    while (high - low > 100) {
      const int kb = (low + high) / 2;
      const int code = limited("ulimit " + kind + " " + std::to_string(kb), {"--version"}).exit_code;
      (code == 0 || code == kLimit ? high : low) = kb;
    }
    return high + kRandomLayout;
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
  const int address_space = least_to_start("-v");
  for (const int more : {0, 24000, 40000, 104000, 160000, 1000000}) {
    const std::string limit = "ulimit -v " + std::to_string(address_space + more);
    check(limit, limited(limit, {in("small.onnx"), "-q", "-o", in("out.ert")}));
  }
  const int data = least_to_start("-d");
  for (const int more : {0, 300, 3300, 127000, 1000000}) {
    const std::string limit = "ulimit -d " + std::to_string(data + more);
    check(limit, limited(limit, {in("small.onnx"), "-q", "-o", in("out.ert")}));
  }
  EXPECT_GE(enough_, 2);
  EXPECT_GE(refused_, 5);
}

// Values alive at each op were listed for all ops: 500 MB here, and 10 GB for a blob of the most values and ops.
TEST_F(MemoryLimitTest, InspectHoldsNoValueForEveryOp) {
  constexpr int kValues = 1500, kOps = 6000;
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 4});
  w.output("y", kOnnxFloat, {"batch", 4});
  std::vector<std::string> sums;
  for (int i = 0; i < kValues; ++i) {
    const std::string n = std::to_string(i);
    float_constant(w, "c" + n, {}).add_float_data(static_cast<float>(1 + i));
    w.node("Mul", {"x", "c" + n}, {"v" + n});
    sums.push_back("v" + n);
  }
  for (int i = 0; i < kOps; ++i) w.node(i % 2 ? "Sin" : "Cos", {i ? "w" + std::to_string(i - 1) : "x"}, {"w" + std::to_string(i)});
  sums.push_back("w" + std::to_string(kOps - 1));
  w.node("Sum", sums, {"y"});
  write_file(in("many.onnx"), w.bytes());
  expect_success({in("many.onnx"), "-q", "--precision", "fp32"});
  EXPECT_NE(expect_success({"inspect", in("many.ert"), "--memory-limit", "100M"}).out.find("at most: values"), std::string::npos);
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
