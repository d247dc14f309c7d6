// The edges of every kind of input, for one model of each family: sizes 0, 1, the maximum and beyond, ids out of range and
// negative, NaN and infinities, all-padding rows, lengths 0 and too long, widths of integers, random shapes. A refusal leaves the
// outputs untouched, says what it was about, and the context computes the same bits afterwards.
#include <limits>
#include <random>

#include "tests/cli/cli_test.h"
#include "tests/cli/edge_runner.h"
#include "tests/cli/fixture_folder.h"

namespace edgeconv::testing {

namespace {

// Small dims: the maxima are run too.
struct Case {
  const char* name;
  std::vector<std::string> options;
};
const Case kCases[] = {
    {"bert_base_ts14", {"--dim", "batch=4", "--dim", "sequence=24"}},          // text encoder
    {"minilm_sentence_ts14", {"--dim", "batch=4", "--dim", "sequence=24"}},    // pooled
    {"distilbert_seqcls_ts14", {"--dim", "batch=4", "--dim", "sequence=24"}},  // sequence classification
    {"roberta_base_ts14", {}},                                                 // positions from a cumulative sum of the ids
    {"t5_encoder_ts13__external_many", {"--dim", "batch=3", "--dim", "sequence=40"}},
    {"mlp_ts13", {}},
    {"lstm_lengths_bi_ts13", {"--dim", "batch=5", "--dim", "sequence=20"}},
    {"lstm_lengths_2layer_ts17", {"--dim", "batch=5", "--dim", "sequence=20"}},
    {"twoinput_lstm_ts13", {}},
    {"t5_seq2seq_ts14", {}},
    {"bart_seq2seq_dy18", {}},
};

class EdgesTest : public CliTest {
 protected:
  // Null when the fixture is not here (the repository has a part of them).
  std::unique_ptr<EdgeRunner> convert(const Case& c) {
    const auto root = fixture_root();
    if (!root || !fs::exists(*root / c.name / "model.onnx")) return nullptr;
    std::vector<std::string> arguments = {(*root / c.name / "model.onnx").string(), "-q", "-o", in("t.ert")};
    arguments.insert(arguments.end(), c.options.begin(), c.options.end());
    expect_success(arguments);
    return std::make_unique<EdgeRunner>(in("t.ert"));
  }
};

// The run before and after a refusal.
class Reference {
 public:
  explicit Reference(EdgeRunner& r) : r_(r) {
    r_.fill(r_.smallest(3), 1);
    EXPECT_EQ(r_.run(), ERT_OK);
    EXPECT_TRUE(r_.finite());
    outputs_ = r_.outputs();
  }
  // Restores good inputs and expects the bits of before.
  void expect_unchanged() {
    r_.fill(r_.smallest(3), 1);
    EXPECT_EQ(r_.run(), ERT_OK);
    EXPECT_TRUE(r_.outputs() == outputs_) << "other bits after a refusal";
  }
  void expect_refused(ert_status status, ert_fault fault) {
    EXPECT_EQ(r_.run(), status);
    EXPECT_TRUE(r_.untouched());
    EXPECT_EQ(r_.why().fault, static_cast<uint32_t>(fault));
  }

 private:
  EdgeRunner& r_;
  std::vector<std::vector<uint8_t>> outputs_;
};

void sizes(EdgeRunner& r) {
  Reference reference(r);
  for (size_t d = 0; d < r.dims().size(); ++d) {
    const ert_dim_info& dim = r.dims()[d];
    for (const int32_t size : {dim.min, dim.max}) {
      auto dims = r.smallest(2);
      dims[d] = size;
      r.fill(dims, 2);
      EXPECT_EQ(r.run(), ERT_OK) << dim.name << "=" << size;
      EXPECT_TRUE(r.finite()) << dim.name << "=" << size;
    }
    for (const int32_t size : {0, dim.max + 1}) {
      SCOPED_TRACE(std::string(dim.name) + "=" + std::to_string(size));
      auto dims = r.smallest(2);
      dims[d] = size;
      r.fill(dims, 3);
      reference.expect_refused(size == 0 ? ERT_ERR_INPUT : ERT_ERR_DIMS, size == 0 ? ERT_FAULT_AXIS : ERT_FAULT_DIM);
      EXPECT_EQ(r.why().value, size);
      reference.expect_unchanged();
    }
  }
  std::vector<int32_t> largest;
  for (const ert_dim_info& dim : r.dims()) largest.push_back(dim.max);
  r.fill(largest, 4);
  EXPECT_EQ(r.run(), ERT_OK);
  EXPECT_TRUE(r.finite());
}

void contents(EdgeRunner& r) {
  Reference reference(r);
  for (size_t i = 0; i < r.inputs().size(); ++i) {
    EdgeInput& in = r.inputs()[i];
    SCOPED_TRACE(in.info.name);
    for (const size_t at : {size_t{0}, in.elements() - 1}) {
      if (in.is_float())
        for (float bad : {std::numeric_limits<float>::quiet_NaN(), HUGE_VALF, -HUGE_VALF}) {
          in.floats[at] = bad;
          reference.expect_refused(ERT_ERR_INPUT, ERT_FAULT_NOT_FINITE);
          EXPECT_EQ(r.why().input, static_cast<int32_t>(i));
          EXPECT_EQ(r.why().element, static_cast<int64_t>(at));
          reference.expect_unchanged();
        }
      if (!in.is_wide() || !in.has_range()) continue;
      const int64_t lowest = in.info.min_value, highest = in.info.max_value;
      for (int64_t bad : {lowest - 1, highest + 1, INT64_MIN, INT64_MAX}) {
        in.ints[at] = bad;
        reference.expect_refused(ERT_ERR_INPUT, ERT_FAULT_RANGE);
        EXPECT_EQ(r.why().input, static_cast<int32_t>(i));
        EXPECT_EQ(r.why().element, static_cast<int64_t>(at));
        EXPECT_EQ(r.why().value, bad);
        EXPECT_EQ(r.why().lowest, lowest);
        EXPECT_EQ(r.why().highest, highest);
        reference.expect_unchanged();
      }
    }
  }
}

// ONNX Gather counts negative ids from the end of the table.
void negative_ids(EdgeRunner& r) {
  for (size_t i = 0; i < r.inputs().size(); ++i) {
    if (!r.inputs()[i].has_range() || !r.inputs()[i].is_wide()) continue;
    const int64_t rows = int64_t{r.inputs()[i].info.max_value} + 1;
    EXPECT_EQ(r.inputs()[i].info.min_value, -rows);
    std::vector<std::vector<uint8_t>> expected;
    for (const bool negative : {false, true}) {
      r.fill(r.smallest(3), 5);
      EdgeInput& in = r.inputs()[i];
      in.ints[0] = negative ? -1 : rows - 1;
      in.ints[in.elements() - 1] = negative ? 7 % rows - rows : 7 % rows;
      EXPECT_EQ(r.run(), ERT_OK);
      if (!negative) expected = r.outputs();
    }
    EXPECT_TRUE(r.outputs() == expected) << r.inputs()[i].info.name;
  }
}

// Rows without a single token, alone and beside others: numbers, never NaN.
void padding(EdgeRunner& r) {
  for (const bool every_row : {false, true}) {
    r.fill(r.smallest(3), 6);
    for (EdgeInput& in : r.inputs()) {
      if (!in.is_mask()) continue;
      const size_t row = in.elements() / static_cast<size_t>(in.shape[0]);
      std::fill(in.ints.begin(),
                in.ints.empty() ? in.ints.end() : in.ints.begin() + static_cast<int64_t>(every_row ? in.ints.size() : row), 0);
      std::fill(in.bytes.begin(),
                in.bytes.empty() ? in.bytes.end() : in.bytes.begin() + static_cast<int64_t>(every_row ? in.bytes.size() : row),
                0);
    }
    EXPECT_EQ(r.run(), ERT_OK);
    EXPECT_TRUE(r.finite());
  }
}

// A length of 0 is an empty sequence; one beyond the steps that there are, or below 0, is refused.
void lengths(EdgeRunner& r) {
  Reference reference(r);
  for (EdgeInput& in : r.inputs()) {
    if (!in.is_lengths()) continue;
    const int64_t full = in.ints[0];
    in.ints[0] = 0;
    EXPECT_EQ(r.run(), ERT_OK);
    EXPECT_TRUE(r.finite());
    for (int64_t bad : {full + 1, int64_t{-1}, INT64_MAX, INT64_MIN}) {
      in.ints[0] = bad;
      EXPECT_EQ(r.run(), ERT_ERR_INPUT) << in.info.name << " " << bad;
      EXPECT_NE(r.why().fault, uint32_t{ERT_FAULT_NONE});
      reference.expect_unchanged();
    }
  }
}

void widths_and_shapes(EdgeRunner& r, uint32_t seed) {
  std::mt19937 random(seed);
  for (uint32_t round = 0; round < 12; ++round) {
    std::vector<int32_t> dims;
    for (const ert_dim_info& d : r.dims())
      dims.push_back(d.min + static_cast<int32_t>(random() % static_cast<uint32_t>(d.max - d.min + 1)));
    r.fill(dims, round);
    ASSERT_EQ(r.run(), ERT_OK);
    EXPECT_TRUE(r.finite());
    const auto wide = r.outputs();
    for (EdgeInput& in : r.inputs()) in.as_int32 = true;
    ASSERT_EQ(r.run(), ERT_OK);
    EXPECT_TRUE(r.outputs() == wide) << "int32 and int64 inputs";
  }
}

TEST_F(EdgesTest, EveryFamily) {
  int checked = 0;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto r = convert(c);
    if (!r || r->dims().empty()) continue;
    ++checked;
    sizes(*r);
    contents(*r);
    negative_ids(*r);
    padding(*r);
    lengths(*r);
    widths_and_shapes(*r, static_cast<uint32_t>(checked));
  }
  EXPECT_GE(checked, 5);
}

// A stack of convolutions over images of any size, as in a vision encoder's stem.
TEST_F(EdgesTest, Convolution) {
  ModelWriter w;
  w.input("pixels", kOnnxFloat, {"batch", 3, "height", 16});
  w.output("y", kOnnxFloat, {"batch", 8, "h2", "w2"});
  w.weights("k", {8, 3, 4, 4});
  w.weights("b", {8});
  auto* strides = w.node("Conv", {"pixels", "k", "b"}, {"y"}).add_attribute();
  strides->set_name("strides");
  strides->set_type(7);
  strides->add_ints(4);
  strides->add_ints(4);
  write_file(in("conv.onnx"), w.bytes());
  expect_success({in("conv.onnx"), "-q", "-o", in("t.ert"), "--dim", "batch=3", "--dim", "height=32"});
  EdgeRunner r(in("t.ert"));
  ASSERT_EQ(r.dims().size(), 2u);
  sizes(r);
  contents(r);
  widths_and_shapes(r, 1);
}

}  // namespace

}  // namespace edgeconv::testing
