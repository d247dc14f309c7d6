// What an output must not replace though its name fits, and names that are none.
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class FilesOfOthersTest : public CliTest {
 protected:
  void SetUp() override {
    blob_ = small_blob();
    model_ = in("small.onnx");
  }
  std::string blob_, model_;
};

// A name is no proof: a hand-written model.c and a model folder's config.json were replaced without a word.
TEST_F(FilesOfOthersTest, AreKeptWhateverTheyAreNamed) {
  for (const char* name : {"a.c", "a.S", "a.h", "a.inc", "a.uf2", "a.bin", "config.json", "page.html"}) write_file(in(name), "mine\n");
  const auto exported = [&](const char* format, const char* name) {
    return std::vector<std::string>{"export", blob_, "--format", format, "-o", in(name)};
  };
  for (const auto& [format, name] :
       std::vector<std::pair<const char*, const char*>>{{"c", "a.c"}, {"incbin", "a.S"}, {"uf2", "a.uf2"}, {"bin", "a.bin"}})
    expect_refusal(exported(format, name), kUsage, {name, "not made by edgeconv", "--force"});
  for (const auto& [flag, name] : std::vector<std::pair<const char*, const char*>>{{"--header", "a.h"}, {"--ops", "a.inc"}}) {
    std::vector<std::string> arguments = exported("c", "b.c");
    arguments.insert(arguments.end(), {flag, in(name)});
    expect_refusal(arguments, kUsage, {name, "not made by edgeconv", "--force"});
  }
  for (const char* name : {"config.json", "page.html"})
    expect_refusal({model_, "-q", "--report", in(name)}, kUsage, {name, "not made by edgeconv", "--force"});
  for (const char* name : {"a.c", "a.S", "a.h", "a.inc", "a.uf2", "a.bin", "config.json", "page.html"})
    EXPECT_EQ(read_file(in(name)), "mine\n") << name;
  write_file(in("a.c"), "");  // as mktemp makes them
  expect_success(exported("c", "a.c"));
}

// As a script's -o "$OUT" is where OUT was never set: a file of another name was written.
TEST_F(FilesOfOthersTest, AnOutputNeedsAName) {
  expect_refusal({model_, "-q", "-o", ""}, kUsage, {"-o", "needs a value"});
  expect_refusal({model_, "-q", "--report", ""}, kUsage, {"--report", "name of a file"});
  for (const char* flag : {"--header", "--ops"})
    expect_refusal({"export", blob_, "--format", "c", "-o", in("a.c"), flag, ""}, kUsage, {flag, "needs a value"});
  EXPECT_EQ(folder_.listing(), (std::vector<std::string>{"small.ert", "small.onnx"}));
}

}  // namespace

}  // namespace edgeconv::testing
