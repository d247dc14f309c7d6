// Every seed, and every case that the fuzzer ever found (tests/fuzz/found/TARGET), through its target; and, so that the targets themselves cannot rot
// unseen, some changes of each seed from fixed random numbers: ERT_FUZZ_CHANGES=N makes it N, which is fuzzing without clang, and
// ERT_FUZZ_LAST=FILE keeps the last of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "rt/include/ert_text.h"
#include "tests/fuzz/op_seeds.h"
#include "tests/fuzz/program_mutator.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/target.h"
#include "tests/support/blob_builder.h"

namespace ert::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<const Target*> all_targets() {
  return {
#define ERT_FUZZ_TARGET(name) &target_##name(),
#include "tests/fuzz/targets.inc"
#undef ERT_FUZZ_TARGET
  };
}

class Replay : public ::testing::TestWithParam<const Target*> {
 protected:
  bool is_blob() const { return std::string(GetParam()->name).find("open") == 0; }
};

// A finding ends the process, so that the case's name has to stand before it.
void run_case(const Target& target, const std::string& name, const Bytes& bytes) {
  SCOPED_TRACE(name);
  std::printf("%s: %s\n", target.name, name.c_str());
  std::fflush(stdout);
  target.run(bytes.data(), bytes.size());
}

TEST_P(Replay, Seeds) {
  const std::vector<Seed> seeds = seeds_of(GetParam()->name);
  ASSERT_FALSE(seeds.empty());
  for (const Seed& seed : seeds) run_case(*GetParam(), seed.name, seed.bytes);
}

// A seed that is refused would teach the fuzzer nothing of what lies behind open.
TEST(ReplaySeeds, OfOpenAreAccepted) {
  for (const Seed& seed : seeds_of("open_run")) {
    testing::AlignedBytes blob(seed.bytes.size());
    std::copy(seed.bytes.begin(), seed.bytes.end(), blob.data());
    ert_model m;
    EXPECT_EQ(ert_model_open(&m, blob.data(), blob.size()), ERT_OK) << seed.name;
  }
}

TEST(ReplaySeeds, OfTextAreAccepted) {
  for (const Seed& seed : seeds_of("text")) {
    testing::AlignedBytes tables(seed.bytes.size());
    std::copy(seed.bytes.begin(), seed.bytes.end(), tables.data());
    ert_text t;
    EXPECT_EQ(ert_text_open_tables(&t, tables.data(), tables.size()), ERT_OK) << seed.name;
  }
}

// A change of a number is mostly one that open lets pass, or the fuzzer would see little of what lies behind it.
TEST(ReplayChanges, OfTablesAreOftenAccepted) {
  int accepted = 0, all = 0;
  for (const Seed& seed : seeds_of("text"))
    for (int i = 0; i < 10; ++i, ++all) {
      RandomNumbers random((seed.name + std::to_string(i)).c_str());
      Bytes bytes = seed.bytes;
      ASSERT_TRUE(target_text().mutate(&bytes, &random)) << seed.name;
      testing::AlignedBytes tables(bytes.size());
      std::copy(bytes.begin(), bytes.end(), tables.data());
      ert_text t;
      accepted += ert_text_open_tables(&t, tables.data(), tables.size()) == ERT_OK;
    }
  EXPECT_GE(accepted, all / 4) << "of " << all;
  EXPECT_LE(accepted, all - all / 4) << "of " << all;
}

// What the changes of whole convolutions are for: they get past open. A third of them is odd by intention.
TEST(ReplayChanges, OfMapsAreMostlyAccepted) {
  int accepted = 0, all = 0;
  for (const auto& [name, program] : map_programs()) {
    testing::BlobSpec changed = program;
    for (int i = 0; i < 40; ++i, ++all) {
      RandomNumbers random((name + std::to_string(i)).c_str());
      if (i % 8 == 0) changed = program;
      ASSERT_TRUE(change_maps(&changed, &random)) << name;
      accepted += testing::open_spec(changed) == ERT_OK;
    }
  }
  EXPECT_GE(accepted, all / 2) << "of " << all;
  RecordProperty("accepted", accepted);
}

// Windows of every convolution, those in W12A13 among them, which stay so.
TEST(ReplayChanges, OfWindowsAreMostlyAccepted) {
  for (const auto& [name, program] : op_programs()) {
    testing::BlobSpec changed = program;
    RandomNumbers first(name.c_str());
    if (!change_window(&changed, &first)) continue;
    int accepted = 0, wide = 0;
    constexpr int kChanges = 60;
    for (int i = 0; i < kChanges; ++i) {
      RandomNumbers random((name + std::to_string(i)).c_str());
      changed = program;
      if (!change_window(&changed, &random)) continue;
      accepted += testing::open_spec(changed) == ERT_OK;
      for (const testing::BlobSpec::Value& v : changed.values) wide += v.dtype == params::kPackedN16K2;
    }
    EXPECT_GE(accepted, kChanges / 2) << name;
    const bool stays = program.ops.back().code == params::OpCode::kWideConv;
    EXPECT_GE(wide, stays ? kChanges / 2 : name == "conv_int8" ? 1 : 0) << name;
  }
}

// An output in the slot of an input that its op may overwrite, as MapConv its residual.
TEST(ReplayChanges, SharedSlotsAreAccepted) {
  int shared = 0;
  for (const auto& list : {op_programs(), map_programs(), band_programs()}) {
    for (const auto& [name, program] : list) {
      testing::BlobSpec s = program;
      plan_anew(&s);
      const uint32_t slots = s.slots;
      share_slots(&s);
      EXPECT_EQ(testing::open_spec(s), ERT_OK) << name;
      shared += s.slots < slots;
    }
  }
  EXPECT_GE(shared, 3);  // MapConv in each layout
}

TEST(ReplayFound, EveryCaseThatAFuzzerFound) {
  size_t replayed = 0;
  for (const Target* target : all_targets()) {
    const fs::path folder = fs::path(ERT_FUZZ_FOUND) / target->name;
    if (!fs::exists(folder)) continue;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      std::ifstream in(file, std::ios::binary);
      const Bytes bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      run_case(*target, file.filename().string(), bytes);
      ++replayed;
    }
  }
  RecordProperty("replayed", static_cast<int>(replayed));
#if ERT_FUZZ_UNPACK  // the only cases so far are its own
  EXPECT_GT(replayed, 0u) << ERT_FUZZ_FOUND;
#endif
}

TEST_P(Replay, ChangesOfSeeds) {
  const char* asked = std::getenv("ERT_FUZZ_CHANGES");
  const int changes = asked != nullptr ? std::atoi(asked) : is_blob() ? 60 : 8;
  for (const Seed& seed : seeds_of(GetParam()->name)) {
    Bytes bytes = seed.bytes;
    for (int i = 0; i < changes; ++i) {
      const std::string key = seed.name + std::to_string(i);
      RandomNumbers random(key.c_str());
      if (i % 4 == 0) bytes = seed.bytes;  // otherwise a change of what was changed
      if (!GetParam()->mutate(&bytes, &random) || bytes.size() > 1 << 18) {
        bytes = seed.bytes;
        continue;
      }
      SCOPED_TRACE(key);
      if (const char* last = std::getenv("ERT_FUZZ_LAST"))
        std::ofstream(last, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      GetParam()->run(bytes.data(), bytes.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, ::testing::ValuesIn(all_targets()),
                         [](const auto& target) { return std::string(target.param->name); });

}  // namespace
}  // namespace ert::fuzz
