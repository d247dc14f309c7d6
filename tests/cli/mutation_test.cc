// Damaged files in bulk, from fixed seeds (model_mutator.h): bytes of ONNX models and of a blob, models changed within the rules of
// protobuf, operators over odd operands, and ONNX's node tests with their inputs made constants. Every command ends by itself within the time limit, with a documented exit code that is not
// "internal error", says something when it fails, and leaves no output behind. What was run, and the most that a case took, is printed.
//
// EDGECONV_MUTATIONS=N sets the number of cases of each kind (the full tier's is in CMakeLists.txt), EDGECONV_MUTATION_FIRST=N the first
// seed. EDGECONV_MUTATION_SEED=N replays one, and leaves its file in the working directory.
// EDGECONV_MUTATION_LIMITS=1 also holds each case to the seconds of CPU time and the memory that SECURITY.md states.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "tests/cli/cli_test.h"
#include "tests/cli/fixture_folder.h"
#include "tests/cli/model_mutator.h"
#include "tests/cli/node_test_models.h"

namespace edgeconv::testing {

namespace {

constexpr const char* kTimeLimit = "300";  // seconds of one command, on a busy machine too; a hang, not a measurement
constexpr int kTimedOut = 124;
constexpr uintmax_t kLargestSeed = 64 << 10;
constexpr double kMostSeconds = 1;  // of CPU time
constexpr long kMostKb = 512 << 10;

struct Seeds {
  int first, end;
  bool replay;
};

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

Seeds case_seeds() {
  if (const int one = number_from("EDGECONV_MUTATION_SEED", -1); one >= 0) return {one, one + 1, true};
  const int first = number_from("EDGECONV_MUTATION_FIRST", 0);
  return {first, first + std::max(1, number_from("EDGECONV_MUTATIONS", 25)), false};
}

// The smallest models of the fixtures that are here.
std::vector<std::string> seeds() {
  std::vector<std::string> models = {small_model(), model_with_two_problems()};
  const auto root = fixture_root();
  if (!root) return models;
  for (const fs::path& folder : sorted_folders(*root, [](const std::string&) { return true; }))
    if (fs::exists(folder / "model.onnx") && fs::file_size(folder / "model.onnx") < kLargestSeed)
      models.push_back(read_file(folder / "model.onnx"));
  return models;
}

class MutationTest : public CliTest {
 protected:
  // Runs the command under a time limit; it must keep the promises above.
  void check(int seed, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {kTimeLimit, EDGECONV_BINARY});
    const ProgramResult r = run_program("timeout", arguments, {});
    ++exits_[r.exit_code];
    double seconds = r.cpu_seconds;
    if (seconds > kMostSeconds) {  // on a busy machine a CPU second does less: once more
      fs::remove(in("out.ert"));
      seconds = std::min(seconds, run_program("timeout", arguments, {}).cpu_seconds);
    }
    if (seconds > seconds_) seconds_ = seconds, slowest_ = seed;
    if (r.peak_kb > kb_) kb_ = r.peak_kb, largest_ = seed;
    if (seconds > kMostSeconds / 2 || r.peak_kb > kMostKb / 2)
      std::printf("seed %d: exit %d, %.2f s, %ld MB\n", seed, r.exit_code, seconds, r.peak_kb >> 10);
    if (number_from("EDGECONV_MUTATION_LIMITS", 0)) {
      EXPECT_LE(seconds, kMostSeconds) << "seed " << seed << ": " << r.exit_code << r.err;
      EXPECT_LE(r.peak_kb, kMostKb) << "seed " << seed << ": " << r.exit_code << r.err;
    }
    const bool documented = r.exit_code == 0 || (r.exit_code >= 2 && r.exit_code <= 8);
    EXPECT_TRUE(documented) << "seed " << seed << (r.exit_code == kTimedOut ? ": time limit " : ": ") << r.exit_code << "\n"
                            << r.err;
    if (case_seeds().replay) {
      const fs::path file = arguments[arguments[2] == "verify" || arguments[2] == "inspect" ? 3 : 2];
      fs::copy_file(file, "mutated_" + std::to_string(seed) + file.extension().string(), fs::copy_options::overwrite_existing);
    }
    const bool output = fs::exists(in("out.ert"));
    EXPECT_EQ(output && r.exit_code != 0, false) << "seed " << seed << ": an output file of a failed conversion";
    EXPECT_TRUE(r.exit_code == 0 || !r.err.empty()) << "seed " << seed;
    if (output) fs::remove(in("out.ert"));
  }
  ~MutationTest() override {
    for (const auto& [code, count] : exits_) std::printf("exit %d: %d\n", code, count);
    std::printf("most CPU seconds: %.2f (seed %d); most memory: %ld MB (seed %d)\n", seconds_, slowest_, kb_ >> 10, largest_);
  }
  std::map<int, int> exits_;
  double seconds_ = 0;
  long kb_ = 0;
  int slowest_ = -1, largest_ = -1;
};

TEST_F(MutationTest, BytesOfModels) {
  const std::vector<std::string> models = seeds();
  for (int seed = case_seeds().first; seed < case_seeds().end; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    std::string bytes = models[static_cast<size_t>(seed) % models.size()];
    mutate_bytes(bytes, random);
    write_file(in("m.onnx"), bytes);
    check(seed, {in("m.onnx"), "-q", "-o", in("out.ert")});
  }
}

TEST_F(MutationTest, FieldsOfModels) {
  const std::vector<std::string> models = seeds();
  for (int seed = case_seeds().first; seed < case_seeds().end; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 1000000);
    pb::ModelProto m;
    ASSERT_TRUE(m.ParseFromString(models[static_cast<size_t>(seed) % models.size()]));
    for (size_t changes = 1 + below(random, 3); changes > 0; --changes) mutate_model(m, random);
    write_file(in("m.onnx"), m.SerializeAsString());
    check(seed, {in("m.onnx"), "-q", "-o", in("out.ert")});
  }
}

TEST_F(MutationTest, OperatorsOnOddOperands) {
  for (int seed = case_seeds().first; seed < case_seeds().end; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 3000000);
    write_file(in("m.onnx"), odd_operator(random).SerializeAsString());
    check(seed, {in("m.onnx"), "-q", "-o", in("out.ert")});
  }
}

TEST_F(MutationTest, NodeTestsWithOddConstants) {
  const std::vector<fs::path> folders = node_test_folders();
  if (folders.empty()) GTEST_SKIP() << "no node tests of ONNX here (Debian: libonnx-testdata)";
  for (int seed = case_seeds().first; seed < case_seeds().end; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 4000000);
    pb::ModelProto m = node_test_model(folders[static_cast<size_t>(seed) * 37 % folders.size()], random);
    for (size_t changes = below(random, 4); changes > 0; --changes) mutate_model(m, random);
    write_file(in("m.onnx"), m.SerializeAsString());
    check(seed, {in("m.onnx"), "-q", "-o", in("out.ert")});
  }
}

TEST_F(MutationTest, BytesOfBlobs) {
  const std::string good = read_file(small_blob());
  for (int seed = case_seeds().first; seed < case_seeds().end; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 2000000);
    std::string bytes = good;
    mutate_bytes(bytes, random);
    write_file(in("b.ert"), bytes);
    static constexpr const char* kVerbs[] = {"verify", "inspect"};
    check(seed, {kVerbs[seed % 2], in("b.ert")});
    if (bytes == good) exits_.erase(0);
    EXPECT_EQ(exits_.count(0), 0u) << "seed " << seed << ": a damaged blob passed";
  }
}

}  // namespace

}  // namespace edgeconv::testing
