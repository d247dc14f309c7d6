// Every file of the corpus has its exit code, and a message. In this process: a thousand files cost two seconds.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <map>
#include <set>

#include "convert/pipeline/convert.h"
#include "tests/cli/malformed_corpus.h"
#include "tests/cli/program.h"

namespace edgeconv::testing {

namespace {

struct Outcome {
  int exit_code = 0;
  std::string message;
};

// As main.cc tells it.
Outcome convert(const std::string& path) {
  try {
    convert_model(path, {});
    return {};
  } catch (const FatalError& e) {
    return {static_cast<int>(e.code()), e.what()};
  } catch (const std::bad_alloc&) {
    return {static_cast<int>(ExitCode::kLimit), "out of memory"};
  } catch (const std::exception& e) {
    return {static_cast<int>(ExitCode::kInternal), e.what()};
  }
}

TEST(MalformedCorpus, EveryFileHasItsExitCode) {
  Corpus corpus;
  add_wire_damage(corpus);
  add_tensor_damage(corpus);
  add_graph_damage(corpus);
  add_operator_damage(corpus);
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "m.onnx").string();
  std::map<int, int> exits;
  std::set<std::string> names;
  for (const CorpusFile& f : corpus) {
    EXPECT_TRUE(names.insert(f.name).second) << "two files are called '" << f.name << "'";
    write_file(path, f.bytes);
    const Outcome o = convert(path);
    EXPECT_EQ(o.exit_code, f.exit_code) << f.name << ": " << o.message.substr(0, 300);
    EXPECT_EQ(o.message.empty(), o.exit_code == 0) << f.name;
    record_message(o.exit_code, {f.name}, "error: " + o.message + "\n");
    ++exits[f.exit_code];
  }
  for (const auto& [code, count] : exits) std::printf("exit %d: %d files\n", code, count);
  EXPECT_GE(corpus.size(), 300u);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 512 << 10) << "KB: a size was believed before the data was counted";
}

}  // namespace

}  // namespace edgeconv::testing
