// Every fixture through the command line, in fp32 and in the default precision, against the outputs that ONNX Runtime or torch
// recorded. Prints a table of the worst errors, and what golden vectors take of the blobs.
//
// Rule: fp32 within 1e-4 of the output's largest magnitude, default precision cosine >= 0.995, both at unpadded positions: an
// output of shape [batch, sequence, ...] counts where attention_mask is 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include "convert/files/json.h"

#include "tests/cli/cli_test.h"
#include "tests/cli/fixture_folder.h"
#include "tests/cli/golden_shares.h"

namespace edgeconv::testing {

namespace {

constexpr double kFp32Tolerance = 1e-4, kCosineGate = 0.995;
constexpr const char* kFamilies[] = {
    "bert_",           "distilbert_", "roberta_",  "xlm_roberta", "electra_",    "albert_",   "mpnet_",    "minilm_",
    "textclassifier_", "mlp_",        "function_", "vit_",        "deit_",       "beit_",     "dinov2_",   "swin_",
    "siglip_",         "clip_",       "ast_",      "whisper_",    "wav2vec2_",   "hubert_",   "deberta_",  "modernbert_",
    "nomic_",          "esm_",        "roformer_", "qwen3_",      "mobilebert_", "convbert_", "layoutlm_", "torchencoder_"};

// Plain exports and external data; quantized, fp16 and optimised variants (other `__` suffixes) have other rules. Nothing was
// recorded of the model whose operator has no body: custom_op_test.cc.
bool is_plain(const std::string& name) {
  const size_t variant = name.find("__");
  if (variant != std::string::npos && name.compare(variant, 10, "__external") != 0) return false;
  return name != "custom_op_no_body";
}

// Encoders, whose attention is fused.
bool in_families(const std::string& name) {
  return is_plain(name) &&
         std::any_of(std::begin(kFamilies), std::end(kFamilies), [&](const char* f) { return name.rfind(f, 0) == 0; });
}

struct Row {
  std::string name;
  int sets = 0;
  double fp32_error = 0, int8_cosine = 1;
  std::vector<std::string> misses;
};

class FixtureTest : public CliTest {
 protected:
  // Converts and runs one fixture in one precision; notes the worst agreement and every miss in the row.
  void check(const fs::path& fixture, bool fp32, Row& row) {
    const std::string blob = in("t.ert"), mode = fp32 ? "fp32" : "default";
    std::vector<std::string> convert{(fixture / "model.onnx").string(), "-q", "-o", blob};
    if (fp32) convert.insert(convert.end(), {"--precision", "fp32"});
    const std::vector<std::string> dims = dim_options(fixture);
    convert.insert(convert.end(), dims.begin(), dims.end());
    if (const ProgramResult r = edgeconv(convert); r.exit_code != 0) {
      row.misses.push_back(fmt::format("{}: convert exits {}: {}", mode, r.exit_code, r.err));
      return;
    }
    const std::string wrong = golden_.add(parse_json(expect_success({"inspect", blob, "--json"}).out),
                                          parse_json(expect_success({"verify", blob, "--json"}).out));
    if (!wrong.empty()) row.misses.push_back(mode + ": " + wrong);
    for (const fs::path& set : sorted_folders(fixture, is_data_set)) {
      fs::remove_all(in("out"));
      const std::string where = mode + " " + set.filename().string();
      if (const ProgramResult r = edgeconv({"run", blob, "--data", set.string(), "--out", in("out")}); r.exit_code != 0) {
        row.misses.push_back(fmt::format("{}: run exits {}: {}", where, r.exit_code, r.err));
        continue;
      }
      check_outputs(set, fp32, where, row);
      row.sets += fp32;
    }
  }

  GoldenShares golden_;

 private:
  void check_outputs(const fs::path& set, bool fp32, const std::string& where, Row& row) {
    const auto inputs = read_all(set, "input_"), want = read_all(set, "output_"), got = read_all(in("out"), "output_");
    if (want.empty() || want.size() != got.size()) {
      row.misses.push_back(fmt::format("{}: {} outputs, {} expected", where, got.size(), want.size()));
      return;
    }
    for (size_t o = 0; o < want.size(); ++o) {
      if (want[o].first != got[o].first || want[o].second.dims() != got[o].second.dims() ||
          want[o].second.dtype() != got[o].second.dtype()) {
        row.misses.push_back(fmt::format("{}: output {} differs in name, shape or type", where, want[o].first));
        continue;
      }
      const Agreement a = compare(want[o].second, got[o].second, counted(want[o].second, inputs));
      if (fp32)
        row.fp32_error = std::max(row.fp32_error, a.relative_error);
      else
        row.int8_cosine = std::min(row.int8_cosine, a.cosine);
      if (fp32 && !(a.relative_error <= kFp32Tolerance))
        row.misses.push_back(
            fmt::format("{}: output {}: error {:.2e} of the largest magnitude", where, want[o].first, a.relative_error));
      if (!fp32 && !(a.cosine >= kCosineGate))
        row.misses.push_back(fmt::format("{}: output {}: cosine {:.5f}", where, want[o].first, a.cosine));
    }
  }
};

TEST_F(FixtureTest, PassTable) {
  const auto root = fixture_root();
  if (!root) GTEST_SKIP() << "the full fixture set is not here; set ERT_FIXTURES";
  std::vector<fs::path> fixtures;
  for (const fs::path& f : sorted_folders(*root, is_plain))
    if (fs::exists(f / "model.onnx")) fixtures.push_back(f);
  ASSERT_FALSE(fixtures.empty()) << root->string();
  std::vector<Row> rows;
  for (const fs::path& fixture : fixtures) {
    Row row;
    row.name = fixture.filename().string();
    check(fixture, true, row);
    check(fixture, false, row);
    if (row.sets == 0) row.misses.push_back("no data set was checked");
    rows.push_back(std::move(row));
  }
  int passed = 0;
  fmt::print("{:<32} {:>4} {:>12} {:>13}\n", "fixture", "sets", "fp32 error", "int8 cosine");
  for (const Row& r : rows) {
    fmt::print("{:<32} {:>4} {:>12.2e} {:>13.6f}  {}\n", r.name, r.sets, r.fp32_error, r.int8_cosine,
               r.misses.empty() ? "ok" : "MISS");
    passed += r.misses.empty();
    for (const std::string& m : r.misses) ADD_FAILURE() << r.name << ": " << m;
  }
  fmt::print("{}{} of {} fixtures pass\n", golden_.text(), passed, rows.size());
}

// Speed depends on it: every softmax of a transformer is part of a fused Attention, however the exporter wrote it.
TEST_F(FixtureTest, EveryAttentionIsFused) {
  const auto root = fixture_root();
  if (!root) GTEST_SKIP() << "the full fixture set is not here; set ERT_FIXTURES";
  int transformers = 0;
  for (const fs::path& fixture : sorted_folders(*root, in_families)) {
    const std::string model = (fixture / "model.onnx").string(), name = fixture.filename().string();
    const auto operators = parse_json(expect_success({"inspect", model, "--json"}).out).at("operators");
    std::vector<std::string> convert{model, "--json", "-o", in("t.ert")};
    const std::vector<std::string> dims = dim_options(fixture);
    convert.insert(convert.end(), dims.begin(), dims.end());
    const auto fusions = parse_json(expect_success(convert).out).at("fusions");
    // Half of ConvBERT's softmaxes make the kernels of its dynamic convolution.
    const int softmax = operators.value("Softmax", 0) / (name.rfind("convbert_", 0) == 0 ? 2 : 1);
    transformers += softmax > 0;
    if (softmax > 0) {
      EXPECT_EQ(fusions.at("fuse_attention"), softmax) << name;
    }
    if (operators.contains("Attention")) {
      EXPECT_GE(fusions.at("fuse_attention"), 1) << name;
    }
  }
  EXPECT_GT(transformers, 0);
}

// Rotations and gated units are one op each, whatever their spelling; one Rope for the queries and one for the keys of a layer.
TEST_F(FixtureTest, RotationsAndGatedUnitsAreFused) {
  struct Expected {
    const char* name;
    int rope, glu;
  };
  constexpr Expected kExpected[] = {{"modernbert_ts14", 4, 2}, {"nomic_ts17", 2, 1}, {"esm_ts13", 2, 0}, {"roformer_ts13", 2, 0}};
  const fs::path root = EDGECONV_OWN_FIXTURES;
  for (const Expected& e : kExpected) {
    const std::string model = (root / e.name / "model.onnx").string();
    const auto fusions = parse_json(expect_success({model, "--json", "--force", "-o", in("t.ert")}).out).at("fusions");
    EXPECT_EQ(fusions.at("fuse_rope"), e.rope) << e.name;
    EXPECT_EQ(fusions.at("fuse_glu"), e.glu) << e.name;
  }
}

TEST(GoldenShares, SeeWhatIsTooMuchAndWhatIsNotThere) {
  const auto wrong = [](int bytes, int golden, int vectors, int replayed) {
    return GoldenShares().add(Json{{"bytes", bytes}, {"golden_bytes", golden}, {"golden_vectors", vectors}},
                              Json{{"golden_vectors", replayed}});
  };
  EXPECT_EQ(wrong(5000, 4096, 1, 1), "");
  EXPECT_EQ(wrong(50000, 5000, 1, 1), "");
  EXPECT_NE(wrong(5000, 4097, 1, 1), "");
  EXPECT_NE(wrong(50000, 5001, 1, 1), "");
  EXPECT_NE(wrong(50000, 0, 0, 0), "");
  EXPECT_NE(wrong(50000, 100, 2, 1), "");
}

// The comparison itself must be able to fail.
TEST(FixtureRule, SeesErrors) {
  const Tensor want = Tensor::of<float>(DType::kFloat, {1, 2, 2}, {1, 2, 3, 4}),
               off = Tensor::of<float>(DType::kFloat, {1, 2, 2}, {1, 2, 3, 4.001f});
  EXPECT_GT(compare(want, off, {1, 1, 1, 1}).relative_error, kFp32Tolerance);
  EXPECT_LT(compare(want, Tensor::of<float>(DType::kFloat, {1, 2, 2}, {4, 3, 2, 1}), {1, 1, 1, 1}).cosine, kCosineGate);
  const Tensor mask = Tensor::of<int64_t>(DType::kInt64, {1, 2}, {1, 0});
  EXPECT_EQ(compare(want, off, counted(want, {{"attention_mask", mask}})).relative_error, 0);
  EXPECT_TRUE(in_families("bert_qa_ts14__external_one"));
  EXPECT_FALSE(in_families("bert_base_ts14__fp16"));
  EXPECT_FALSE(in_families("bart_encoder_dy18"));
  EXPECT_TRUE(is_plain("bart_encoder_dy18"));
  EXPECT_FALSE(is_plain("bart_encoder_ts13__ort_optimizer"));
}

}  // namespace

}  // namespace edgeconv::testing
