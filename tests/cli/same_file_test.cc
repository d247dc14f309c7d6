// The same model and options give the same bytes, wherever and however the command runs; an interrupted one leaves nothing.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class SameFileTest : public CliTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(in("models"));
    write_file(in("models/small.onnx"), small_model());
    expect_success({in("models/small.onnx"), "-q", "-o", in("first.ert")});
    first_ = read_file(in("first.ert"));
  }
  std::string first_;
};

TEST_F(SameFileTest, Twice) {
  expect_success({in("models/small.onnx"), "-q", "-o", in("second.ert")});
  EXPECT_TRUE(read_file(in("second.ert")) == first_);
}

TEST_F(SameFileTest, OtherFolderUmaskAndLocale) {
  ProgramOptions options;
  options.cwd = folder_.path() / "models";
  options.umask = 077;
  options.environment = {"LC_ALL=de_DE.UTF-8", "LANG=tr_TR.UTF-8", "TZ=Asia/Kathmandu", "OPENBLAS_NUM_THREADS=1"};
  expect_success({"small.onnx", "--progress", "on"}, options);
  EXPECT_TRUE(read_file(in("models/small.ert")) == first_);
  const auto mode = std::filesystem::status(in("models/small.ert")).permissions();
  EXPECT_EQ(mode & std::filesystem::perms::all, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(SameFileTest, OtherNameOfTheModel) {
  std::filesystem::copy_file(in("models/small.onnx"), in("renamed.onnx"));
  expect_success({in("renamed.onnx"), "-q"});
  EXPECT_TRUE(read_file(in("renamed.ert")) == first_);
}

TEST_F(SameFileTest, OptionsChangeIt) {
  expect_success({in("models/small.onnx"), "-q", "-o", in("other.ert"), "--dim", "batch=3"});
  EXPECT_FALSE(read_file(in("other.ert")) == first_) << "the comparison cannot see a difference";
}

TEST_F(SameFileTest, RealModel) {
  for (const char* name : {"a.ert", "b.ert"}) expect_success({EDGECONV_LANGID_MODEL, "-q", "-o", in(name)});
  EXPECT_TRUE(read_file(in("a.ert")) == read_file(in("b.ert")));
}

TEST_F(SameFileTest, InterruptLeavesNothing) {
  const auto before = folder_.listing();
  ProgramOptions options;
  options.interrupt_after_stderr_bytes = 1;
  const ProgramResult r = edgeconv({EDGECONV_LANGID_MODEL, "--progress", "on", "-o", in("langid.ert")}, options);
  ASSERT_EQ(r.exit_code, 130) << r.err;
  EXPECT_EQ(folder_.listing(), before);
}

}  // namespace

}  // namespace edgeconv::testing
