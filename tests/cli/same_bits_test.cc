// The promise of NUMERICS.md on a real model: a text's logits are the same bits on every instruction set, alone or in a batch,
// whatever the padding, with one thread or two. Also how many answers int8 changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "convert/pipeline/convert.h"
#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "convert/run/blob_runner.h"
#include "rt/text/ngram.h"

namespace edgeconv::testing {

namespace {

constexpr int kTexts = 100, kBatch = 8, kMaxTokens = LANGID_MAX_IDS;

constexpr ert_ngram_form kForm = ERT_NGRAM_FORM_OF_LANGID;

using Logits = std::vector<float>;

struct Text {
  std::string label, text;
  std::vector<int32_t> ids;
};

std::vector<Text> read_texts() {
  std::vector<Text> texts;
  std::ifstream in(EDGECONV_LANGID_TEXTS);
  for (std::string line; std::getline(in, line);) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    Text t{line.substr(0, tab), line.substr(tab + 1), std::vector<int32_t>(kMaxTokens)};
    t.ids.resize(ert_ngram_ids(&kForm, t.text.data(), t.text.size(), t.ids.data(), kMaxTokens));
    texts.push_back(std::move(t));
  }
  return texts;
}

// Inputs of one call: the longest text plus `padding` tokens, at most the model's limit. Padded ids are not zero, to show that
// only the mask counts.
std::vector<Tensor> inputs_of(const std::vector<const Text*>& texts, int padding) {
  size_t longest = 0;
  for (const Text* t : texts) longest = std::max(longest, t->ids.size());
  const size_t tokens = std::min<size_t>(longest + static_cast<size_t>(padding), kMaxTokens);
  std::vector<int64_t> ids(texts.size() * tokens, 4711), mask(texts.size() * tokens, 0);
  for (size_t r = 0; r < texts.size(); ++r)
    for (size_t i = 0; i < texts[r]->ids.size(); ++i) {
      ids[r * tokens + i] = texts[r]->ids[i];
      mask[r * tokens + i] = 1;
    }
  const std::vector<int64_t> dims{static_cast<int64_t>(texts.size()), static_cast<int64_t>(tokens)};
  return {Tensor::of<int64_t>(DType::kInt64, dims, ids), Tensor::of<int64_t>(DType::kInt64, dims, mask)};
}

std::vector<Logits> split_rows(const Tensor& logits) {
  std::vector<Logits> rows;
  const std::vector<float> all = logits.to_float();
  const auto width = static_cast<std::ptrdiff_t>(logits.dims()[1]);
  for (std::ptrdiff_t r = 0; r < logits.dims()[0]; ++r) rows.emplace_back(all.begin() + r * width, all.begin() + (r + 1) * width);
  return rows;
}

size_t argmax(const Logits& l) { return static_cast<size_t>(std::max_element(l.begin(), l.end()) - l.begin()); }

bool same_bits(const Logits& a, const Logits& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class SameBitsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    texts_ = new std::vector<Text>(read_texts());
    blob_ = new Tensor(convert_model(EDGECONV_LANGID_MODEL, {}).blob);
  }
  static void TearDownTestSuite() {
    delete texts_;
    delete blob_;
  }
  void SetUp() override { ASSERT_EQ(texts_->size(), static_cast<size_t>(kTexts)); }

  // Logits of every text, in calls of `batch` texts.
  static std::vector<Logits> run_all(int batch, int padding, const RunnerOptions& options) {
    BlobRunner runner(blob_->data(), blob_->bytes());
    std::vector<Logits> all;
    for (size_t first = 0; first < texts_->size(); first += static_cast<size_t>(batch)) {
      std::vector<const Text*> some;
      for (size_t i = first; i < std::min(texts_->size(), first + static_cast<size_t>(batch)); ++i) some.push_back(&(*texts_)[i]);
      for (Logits& l : split_rows(runner.run(inputs_of(some, padding), options).at(0))) all.push_back(std::move(l));
    }
    return all;
  }

  static int differing(const std::vector<Logits>& a, const std::vector<Logits>& b) {
    int n = 0;
    for (size_t i = 0; i < a.size(); ++i) n += !same_bits(a[i], b[i]);
    return n;
  }

  static std::vector<Text>* texts_;
  static Tensor* blob_;
};

std::vector<Text>* SameBitsTest::texts_ = nullptr;
Tensor* SameBitsTest::blob_ = nullptr;

std::vector<ert_isa> available_levels() {
  std::vector<ert_isa> levels;
  for (int i = 0; i < 32; ++i)
    if (ert_isa_available() >> i & 1) levels.push_back(static_cast<ert_isa>(i));
  return levels;
}

TEST_F(SameBitsTest, EveryLevelBatchPaddingAndThreadCount) {
  const std::vector<Logits> reference = run_all(1, 0, {1, ERT_ISA_BIT(ERT_ISA_REF)});
  int runs = 0;
  for (const ert_isa isa : available_levels())
    for (const int batch : {1, kBatch})
      for (const int padding : {0, 1, 7, 16, kMaxTokens})
        for (const uint32_t threads : {1u, 2u}) {
          const std::vector<Logits> got = run_all(batch, padding, {threads, ERT_ISA_BIT(isa)});
          ASSERT_EQ(got.size(), reference.size());
          EXPECT_EQ(differing(got, reference), 0)
              << ert_isa_name(isa) << ", batch " << batch << ", padding " << padding << ", threads " << threads;
          ++runs;
        }
  fmt::print("{} texts, {} settings, levels:", kTexts, runs);
  for (const ert_isa isa : available_levels()) fmt::print(" {}", ert_isa_name(isa));
  fmt::print("\n");
}

// The comparison can fail: one changed token changes the bits.
TEST_F(SameBitsTest, CanarySeesAChangedToken) {
  const std::vector<Logits> before = run_all(1, 0, {});
  const int32_t kept = (*texts_)[0].ids[0];
  (*texts_)[0].ids[0] = kept == 20 ? 21 : 20;
  const std::vector<Logits> after = run_all(1, 0, {});
  (*texts_)[0].ids[0] = kept;
  EXPECT_EQ(differing(before, after), 1);
}

// A level that was asked for is the one that runs.
TEST_F(SameBitsTest, ForcedLevelIsTaken) {
  for (const ert_isa isa : available_levels()) {
    ert_model model;
    ASSERT_EQ(ert_model_open(&model, blob_->data(), blob_->bytes()), ERT_OK);
    ert_config cfg{};
    cfg.struct_size = sizeof cfg;
    cfg.isa_mask = ERT_ISA_BIT(isa);
    const std::array<int32_t, 2> dims{1, 4};
    ert_memory_need need{};
    need.struct_size = sizeof need;
    ASSERT_EQ(ert_arena_bytes(&model, &cfg, dims.data(), &need), ERT_OK);
    Tensor arena(DType::kUint8, {static_cast<int64_t>(need.bytes)});
    const ert_region region{arena.mutable_data(), need.bytes};
    ert_context context;
    ASSERT_EQ(ert_context_init(&context, &model, &cfg, dims.data(), &region, 1), ERT_OK);
    ert_isa taken = ERT_ISA_REF;
    ASSERT_EQ(ert_context_isa(&context, &taken), ERT_OK);
    EXPECT_EQ(taken, isa);
  }
}

TEST_F(SameBitsTest, Int8ChangesFewAnswers) {
  Diagnostics d;
  ImportedModel m = import_model(EDGECONV_LANGID_MODEL, d);
  d.check();
  infer(m.graph, d);
  d.check();
  const std::vector<Logits> int8 = run_all(1, 0, {});
  std::ifstream label_file(EDGECONV_LANGID_LABELS);
  std::vector<std::string> labels;
  for (std::string line; std::getline(label_file, line);) labels.push_back(line.substr(0, line.find(' ')));
  int changed = 0, right_fp32 = 0, right_int8 = 0;
  for (size_t i = 0; i < texts_->size(); ++i) {
    const Text& t = (*texts_)[i];
    const Logits fp32 = interpret(m.graph, inputs_of({&t}, 0)).at(0).to_float();
    ASSERT_EQ(fp32.size(), labels.size());
    changed += argmax(fp32) != argmax(int8[i]);
    right_fp32 += labels[argmax(fp32)] == t.label;
    right_int8 += labels[argmax(int8[i])] == t.label;
  }
  fmt::print("{} texts: fp32 {} right, int8 {} right, {} answers changed\n", kTexts, right_fp32, right_int8, changed);
  EXPECT_LE(changed, 2);
  EXPECT_GE(right_int8, right_fp32 - 2);
}

}  // namespace

}  // namespace edgeconv::testing
