// What the command-line tests share: a fresh folder with a good model in it, and checks that hold for every refusal.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/model_writer.h"
#include "tests/cli/program.h"

namespace edgeconv::testing {

// Exit codes as `edgeconv --help` documents them.
constexpr int kUsage = 2, kMalformed = 3, kUnsupported = 4, kLimit = 5, kIo = 6, kAccuracy = 7, kChecksum = 8;

class CliTest : public ::testing::Test {
 protected:
  std::string in(const std::string& name) const { return (folder_.path() / name).string(); }

  // The command must exit with this code, say every one of `words` on stderr, print nothing on stdout, and leave the folder's
  // files and their contents as they were.
  void expect_refusal(const std::vector<std::string>& arguments, int exit_code, const std::vector<std::string>& words) {
    const auto before = snapshot();
    const ProgramResult r = edgeconv(arguments);
    EXPECT_EQ(r.exit_code, exit_code) << line(arguments) << r.err;
    EXPECT_EQ(r.out, "") << line(arguments);
    EXPECT_NE(r.err, "") << line(arguments) << "must say something";
    for (const std::string& w : words)
      EXPECT_NE(r.err.find(w), std::string::npos) << line(arguments) << "must say '" << w << "', said: " << r.err;
    EXPECT_EQ(r.err.find("internal error"), std::string::npos) << line(arguments) << r.err;
    EXPECT_TRUE(snapshot() == before) << line(arguments) << "must change no file";
  }

  ProgramResult expect_success(const std::vector<std::string>& arguments, const ProgramOptions& options = {}) {
    ProgramResult r = edgeconv(arguments, options);
    EXPECT_EQ(r.exit_code, 0) << line(arguments) << r.err;
    return r;
  }

  // Converts small_model() for up to 8 rows and returns the blob's path.
  std::string small_blob() {
    write_file(in("small.onnx"), small_model());
    expect_success({in("small.onnx"), "-q", "--dim", "batch=8"});
    return in("small.ert");
  }

  TemporaryFolder folder_;

 private:
  static std::string line(const std::vector<std::string>& arguments) {
    std::string s = "edgeconv";
    for (const std::string& a : arguments) s += " " + a;
    return s + "\n";
  }
  std::vector<std::string> snapshot() const {
    std::vector<std::string> all;
    for (const std::string& name : folder_.listing()) {
      all.push_back(name);
      if (name.back() != '/') all.push_back(read_file(folder_.path() / name));
    }
    return all;
  }
};

}  // namespace edgeconv::testing
