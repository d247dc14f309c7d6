// Fixtures that are another form of a model: quantized by ONNX Runtime, fp16, optimised. Each folder has what the form itself
// gave (variant_output) and what the fp32 original gave (output). Prints a table.
//
// Rule: in fp32 within 2e-2 of variant_output's largest magnitude, or cosine >= 0.98 with output; in the default and int8
// precision cosine >= 0.99 with output, or >= 0.98 with variant_output. All at unpadded positions. The original counts because
// static quantization can be far off it (a mask constant widens the calibrated range) while the converted model, which does not
// round activations that way, is not.
#include <fmt/format.h>

#include <algorithm>

#include "tests/cli/cli_test.h"
#include "tests/cli/fixture_folder.h"
#include "tests/cli/golden_shares.h"

namespace edgeconv::testing {

namespace {

constexpr double kVariantTolerance = 2e-2, kOriginalCosine = 0.98, kInt8OriginalCosine = 0.99, kInt8VariantCosine = 0.98;
constexpr const char* kModes[] = {"fp32", "auto", "int8"};

bool is_variant(const std::string& name) { return name.find("__") != std::string::npos; }

struct Distance {
  Agreement variant, original;
  int compared = 0;
};

bool within_rule(const std::string& mode, const Agreement& variant, const Agreement& original) {
  if (mode == "fp32") return variant.relative_error <= kVariantTolerance || original.cosine >= kOriginalCosine;
  return original.cosine >= kInt8OriginalCosine || variant.cosine >= kInt8VariantCosine;
}

class VariantTest : public CliTest {
 protected:
  Distance check(const fs::path& fixture, const std::string& mode, std::vector<std::string>& misses) {
    Distance worst;
    const std::string blob = in("t.ert");
    if (const ProgramResult r = edgeconv({(fixture / "model.onnx").string(), "-q", "-o", blob, "--precision", mode});
        r.exit_code != 0) {
      misses.push_back(fmt::format("{}: convert exits {}: {}", mode, r.exit_code, r.err));
      return worst;
    }
    const std::string wrong = golden_.add(parse_json(expect_success({"inspect", blob, "--json"}).out),
                                          parse_json(expect_success({"verify", blob, "--json"}).out));
    if (!wrong.empty()) misses.push_back(mode + ": " + wrong);
    for (const fs::path& set : sorted_folders(fixture, is_data_set)) {
      fs::remove_all(in("out"));
      if (const ProgramResult r = edgeconv({"run", blob, "--data", set.string(), "--out", in("out")}); r.exit_code != 0)
        misses.push_back(fmt::format("{}: {}: run exits {}: {}", mode, set.filename().string(), r.exit_code, r.err));
      else
        check_outputs(set, mode, worst, misses);
    }
    if (worst.compared == 0) misses.push_back(mode + ": nothing was compared");
    return worst;
  }

  GoldenShares golden_;

 private:
  void check_outputs(const fs::path& set, const std::string& mode, Distance& worst, std::vector<std::string>& misses) {
    const std::string where = mode + ": " + set.filename().string();
    const auto inputs = read_all(set, "input_"), original = read_all(set, "output_"), got = read_all(in("out"), "output_");
    auto variant = read_all(set, "variant_output_");
    if (variant.empty()) variant = original;  // external data: the same model
    if (original.empty() || original.size() != got.size() || original.size() != variant.size()) {
      misses.push_back(fmt::format("{}: {} outputs, {} expected", where, got.size(), original.size()));
      return;
    }
    for (size_t o = 0; o < original.size(); ++o) {
      if (original[o].first != got[o].first || original[o].second.dims() != got[o].second.dims()) {
        misses.push_back(fmt::format("{}: output {} differs in name or shape", where, original[o].first));
        continue;
      }
      const std::vector<char> flags = counted(original[o].second, inputs);
      const Agreement v = compare(variant[o].second, got[o].second, flags), r = compare(original[o].second, got[o].second, flags);
      worst.variant = {std::max(worst.variant.relative_error, v.relative_error), std::min(worst.variant.cosine, v.cosine)};
      worst.original = {std::max(worst.original.relative_error, r.relative_error), std::min(worst.original.cosine, r.cosine)};
      ++worst.compared;
      if (!within_rule(mode, v, r))
        misses.push_back(
            fmt::format("{}: output {}: error {:.2e} and cosine {:.5f} with the variant, cosine {:.5f} with the original", where,
                        original[o].first, v.relative_error, v.cosine, r.cosine));
    }
  }
};

TEST_F(VariantTest, PassTable) {
  const auto root = fixture_root();
  if (!root) GTEST_SKIP() << "the full fixture set is not here; set ERT_FIXTURES";
  fmt::print("{:<44} {:<5} {:>13} {:>14} {:>15}\n", "variant", "mode", "variant error", "variant cosine", "original cosine");
  int fixtures = 0, passed = 0;
  for (const fs::path& fixture : sorted_folders(*root, is_variant)) {
    if (!fs::exists(fixture / "model.onnx")) continue;
    ++fixtures;
    std::vector<std::string> misses;
    for (const char* mode : kModes) {
      const Distance d = check(fixture, mode, misses);
      fmt::print("{:<44} {:<5} {:>13.2e} {:>14.5f} {:>15.5f}\n", fixture.filename().string(), mode, d.variant.relative_error,
                 d.variant.cosine, d.original.cosine);
    }
    passed += misses.empty();
    for (const std::string& m : misses) ADD_FAILURE() << fixture.filename().string() << ": " << m;
  }
  ASSERT_GT(fixtures, 0) << root->string();
  fmt::print("{}{} of {} variants pass\n", golden_.text(), passed, fixtures);
}

// The rule itself must be able to fail, on each of its sides.
TEST(VariantRule, SeesErrors) {
  const Agreement good{0.01, 0.999}, bad{0.5, 0.9};
  EXPECT_TRUE(within_rule("fp32", good, bad));
  EXPECT_TRUE(within_rule("fp32", bad, good));
  EXPECT_FALSE(within_rule("fp32", bad, bad));
  EXPECT_TRUE(within_rule("int8", bad, {0.5, 0.991}));
  EXPECT_FALSE(within_rule("int8", {0.5, 0.979}, {0.01, 0.989}));
  EXPECT_TRUE(is_variant("mlp_bn_ts14__static_qdq"));
  EXPECT_FALSE(is_variant("mlp_bn_ts14"));
}

}  // namespace

}  // namespace edgeconv::testing
