// Which models skip padding and which must not, and that skipping changes no bit at positions that are not padding.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "convert/pipeline/convert.h"
#include "convert/blob/blob.h"
#include "convert/result/certificate.h"
#include "convert/lower/build_program.h"
#include "convert/passes/pass.h"
#include "convert/dims/dims.h"
#include "convert/prepare/prepare.h"
#include "convert/inputs/synthetic_inputs.h"
#include "convert/run/blob_runner.h"
#include "rt/base/float_mode.h"
#include "rt/include/ert.h"
#include "tests/convert/fixtures.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;

struct Lowered {
  explicit Lowered(const std::string& fixture) {
    const ert::FloatMode mode;
    Diagnostics d;
    graph = prepare_model(fixture_model(fixture), {}, d).graph;
    dims = plan_dims(graph, {});
    run_passes(graph, d);
    LowerOptions o = lower_options(dims);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (!graph.nodes[i].dead && graph.nodes[i].kind == OpKind::kLinear)
        o.plan.set(static_cast<NodeId>(i), ert::params::linear::kInt8);
    whole = build_program(graph, o, d);
    o.skip_padding = true;
    skipping = build_program(graph, o, d);
  }
  static Tensor blob(const TargetProgram& p) { return write_blob(p, {"p", "s", "{}", 0, {}}); }
  Graph graph;
  DimPlan dims;
  TargetProgram whole{{}}, skipping{{}};
};

bool has_fixture(const std::string& name) { return std::filesystem::exists(fixture_model(name)); }

const char* const kPacked[] = {"minilm_sentence_ts14",
                               "bert_base_ts14",
                               "bert_base_ts11",
                               "bert_base_dy18",
                               "bert_base_dy23_sdpa",
                               "roberta_base_ts14",
                               "xlm_roberta_ts17",
                               "distilbert_seqcls_ts14",
                               "mpnet_ts14",
                               "t5_encoder_ts13",
                               "t5_gated_encoder_dy23",
                               "t5_encoder_ts13__external_many",
                               "textclassifier_mask_dy18",
                               "electra_ts13",
                               "albert_ts14",
                               "bert_qa_ts14__external_one",
                               "bart_encoder_dy18",
                               "bert_tokcls_dy18_external"};
// No mask, a mask that attention does not get, two sequences, sequences that run through every position.
const char* const kNotPacked[] = {"textclassifier_dy18",   "textclassifier_ts17", "mlp_ts13",
                                  "mlp_bn_dy18",           "bart_seq2seq_ts14",   "t5_seq2seq_ts14",
                                  "lstm_lengths_uni_ts13", "emb_bilstm_cls_dy18", "twoinput_gru_dy18"};

TEST(PackRows, ModelsWithAKeyPaddingMaskSkipPadding) {
  int tried = 0;
  for (const char* name : kPacked) {
    if (!has_fixture(name)) continue;
    ++tried;
    const Lowered model(name);
    const TargetProgram& p = model.skipping;
    ASSERT_TRUE(p.packing.has_value()) << name;
    for (const TargetOp& op : p.ops) {
      const bool heavy = op.code == OpCode::kLinear || op.code == OpCode::kAttention;
      const Shape& x = p.values[static_cast<size_t>(op.inputs.empty() ? op.outputs[0] : op.inputs[0])].shape;
      EXPECT_FALSE(heavy && x.size() == 3 && x[1] == p.packing->sequence) << name << ": " << op.name;
    }
  }
  EXPECT_GE(tried, 10);
}

TEST(PackRows, OtherModelsStayAsTheyAre) {
  int tried = 0;
  for (const char* name : kNotPacked) {
    if (!has_fixture(name)) continue;
    ++tried;
    const Lowered model(name);
    EXPECT_FALSE(model.skipping.packing.has_value()) << name;
    EXPECT_EQ(model.skipping.ops.size(), model.whole.ops.size());
  }
  EXPECT_GE(tried, 3);
}

// ---- the same bits

// Rows of a mask as (first, one past the last) token, with a hole where asked.
struct Row {
  int64_t first, last;
  bool hole = false;
};

bool is_token(const Row& r, int64_t s) { return s >= r.first && s < r.last && !(r.hole && s % 4 == 2 && s + 1 != r.last); }

Tensor mask_of(const std::vector<Row>& rows, int64_t sequence, const TargetProgram& p, DType dtype) {
  std::vector<int64_t> m;
  for (const Row& r : rows)
    for (int64_t s = 0; s < sequence; ++s) m.push_back(is_token(r, s) ? 1 - p.packing->padding : p.packing->padding);
  return Tensor::of<int64_t>(DType::kInt64, {static_cast<int64_t>(rows.size()), sequence}, m).cast(dtype);
}

// Row r, positions [0, n), of a [batch, sequence, ..] tensor.
Tensor part(const Tensor& t, int64_t r, int64_t n) {
  std::vector<int64_t> dims = t.dims();
  const size_t row = t.bytes() / static_cast<size_t>(dims[0]), kept = row / static_cast<size_t>(dims[1]) * static_cast<size_t>(n);
  dims[0] = 1;
  dims[1] = n;
  Tensor out(t.dtype(), dims);
  std::memcpy(out.mutable_data(), t.data() + static_cast<size_t>(r) * row, kept);
  return out;
}

void check_bits(const std::string& name) {
  const Lowered model(name);
  ASSERT_TRUE(model.skipping.packing.has_value()) << name;
  const Tensor whole = model.blob(model.whole), packed = model.blob(model.skipping);
  BlobRunner full(whole.data(), whole.bytes()), skipping(packed.data(), packed.bytes());
  const int64_t sequence = 24;
  const std::vector<Row> rows{{0, 24}, {0, 1}, {0, 7}, {5, 24}, {0, 17, true}, {0, 12}, {0, 0}};
  const int64_t batch = static_cast<int64_t>(rows.size());
  std::vector<Tensor> inputs = synthetic_inputs(model.graph, model.dims, {batch, sequence, false, 5, true});
  const size_t mask = static_cast<size_t>(model.skipping.packing->mask);
  inputs[mask] = mask_of(rows, sequence, model.skipping, inputs[mask].dtype());
  const std::vector<Tensor> want = full.run(inputs), got = skipping.run(inputs);
  for (size_t o = 0; o < want.size(); ++o) {
    ASSERT_EQ(got[o].dims(), want[o].dims()) << name;
    const bool by_position = got[o].rank() >= 2 && got[o].dims()[1] == sequence;
    for (int64_t r = 0; r < batch; ++r) {
      const int64_t extent = rows[static_cast<size_t>(r)].last;
      if (extent == 0 && !by_position) {  // a head computed from zeros
        for (const float x : part(got[o], r, got[o].dims()[1]).to_float()) ASSERT_TRUE(std::isfinite(x)) << name;
        continue;
      }
      const int64_t kept = by_position ? extent : got[o].dims()[1];
      if (kept != 0) {
        EXPECT_TRUE(part(got[o], r, kept).same_bytes(part(want[o], r, kept))) << name << " output " << o << " row " << r;
      }
      if (!by_position) continue;
      const std::vector<float> all = part(got[o], r, sequence).to_float();
      for (size_t i = all.size() / static_cast<size_t>(sequence) * static_cast<size_t>(extent); i < all.size(); ++i)
        ASSERT_EQ(all[i], 0.0f) << name << " output " << o << " row " << r;
    }
  }
  // Each sequence alone, without its padding.
  for (int64_t r = 0; r < batch; ++r) {
    const int64_t extent = rows[static_cast<size_t>(r)].last;
    if (extent == 0) continue;
    std::vector<Tensor> own;
    for (const Tensor& t : inputs) own.push_back(part(t, r, extent));
    const std::vector<Tensor> alone = skipping.run(own);
    for (size_t o = 0; o < alone.size(); ++o)
      EXPECT_TRUE(alone[o].same_bytes(part(got[o], r, alone[o].dims()[1])))
          << name << " output " << o << " row " << r << " alone";
  }
  for (uint32_t isa = 0; isa < 32; ++isa)
    for (uint32_t threads : {1u, 2u}) {
      if ((ert_isa_available() >> isa & 1) == 0) continue;
      const std::vector<Tensor> other = skipping.run(inputs, {threads, 1u << isa, false});
      for (size_t o = 0; o < got.size(); ++o) EXPECT_TRUE(other[o].same_bytes(got[o])) << name << " isa " << isa;
    }
}

TEST(PackRows, SkippingChangesNoBitWhereThereIsNoPadding) {
  for (const char* name : kPacked) {
    if (has_fixture(name)) check_bits(name);
  }
}

TEST(PackRows, TheArenaIsExact) {
  const Lowered model("minilm_sentence_ts14");
  ASSERT_TRUE(model.skipping.packing.has_value());
  const Tensor blob = model.blob(model.skipping);
  const BlobRunner runner(blob.data(), blob.bytes());
  const std::vector<int32_t> dims{3, 20};
  ert_memory_need need = runner.memory(dims, {});
  Tensor arena(DType::kUint8, {static_cast<int64_t>(need.bytes)});
  ert_context context{};
  const auto init = [&](size_t bytes) {
    const ert_region region{arena.mutable_data(), bytes};
    return ert_context_init(&context, &runner.model(), nullptr, dims.data(), &region, 1);
  };
  EXPECT_EQ(init(need.bytes - 1), ERT_ERR_NOMEM);
  EXPECT_EQ(init(need.bytes), ERT_OK);
}

TEST(PackRows, MadeUpMasksMarkTokensInTheModelsWay) {
  Lowered model("minilm_sentence_ts14");
  const ValueId mask = model.graph.inputs[1];
  ASSERT_EQ(model.graph.value(mask).name, "attention_mask");
  const std::vector<Tensor> usual = synthetic_inputs(model.graph, model.dims, {3, 8, true, 5, true});
  model.dims.ones_are_padding.insert(mask);
  const std::vector<Tensor> inverse = synthetic_inputs(model.graph, model.dims, {3, 8, true, 5, true});
  const std::vector<int64_t> a = usual[1].to_int64(), b = inverse[1].to_int64();
  EXPECT_EQ(a[0], 1);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i] + b[i], 1) << i;
  EXPECT_TRUE(usual[0].same_bytes(inverse[0])) << "ids stay";
}

// The choice of precisions looks at all positions, so that both kinds of blob hold the same layers and give the same bits.
TEST(PackRows, TheOptionChangesNothingButPadding) {
  ConvertOptions o;
  const ConvertResult zero = convert_model(fixture_model("minilm_sentence_ts14"), o);
  o.skip_padding = false;
  const ConvertResult compute = convert_model(fixture_model("minilm_sentence_ts14"), o);
  EXPECT_TRUE(zero.skips_padding);
  EXPECT_EQ(zero.mask, "attention_mask");
  EXPECT_FALSE(compute.skips_padding);
  ASSERT_EQ(zero.layers.size(), compute.layers.size());
  EXPECT_EQ(zero.plan, compute.plan) << zero.plan.str() << "\n" << compute.plan.str();
  EXPECT_EQ(zero.warnings, compute.warnings);
  EXPECT_NE(certificate_json(zero, o, {}).find("\"padding\":\"zero\""), std::string::npos);
  EXPECT_NE(certificate_json(compute, o, {}).find("\"padding\":\"compute\""), std::string::npos);
  BlobRunner a(zero.blob.data(), zero.blob.bytes()), b(compute.blob.data(), compute.blob.bytes());
  const Lowered model("minilm_sentence_ts14");
  const std::vector<Tensor> inputs = synthetic_inputs(model.graph, model.dims, {4, 16, true, 9, true});
  const std::vector<Tensor> got = a.run(inputs), want = b.run(inputs);
  EXPECT_TRUE(got[1].same_bytes(want[1])) << "the mean over tokens";
  EXPECT_FALSE(got[0].same_bytes(want[0])) << "zeros at padded positions";
}

TEST(PackRows, ComparisonsCountTokensOnly) {
  const TokenMask mask{2, 2, {1, 0, 1, 1}};
  Comparison c({"hidden", "pooled"});
  const Tensor reference = Tensor::of<float>(DType::kFloat, {2, 2, 2}, {1, 2, 9, 9, 3, 4, 5, 6});
  const Tensor result = Tensor::of<float>(DType::kFloat, {2, 2, 2}, {1, 2, 0, 0, 3, 4, 5, 6});
  const Tensor pooled = Tensor::of<float>(DType::kFloat, {2, 3}, {1, 2, 3, 4, 5, 6});
  c.add({reference, pooled}, {result, pooled}, mask);
  EXPECT_EQ(c.errors()[0].max_abs, 0);
  EXPECT_EQ(c.errors()[0].elements, 6);
  EXPECT_EQ(c.errors()[1].elements, 6);
  Comparison all({"hidden", "pooled"});
  all.add({reference, pooled}, {result, pooled});
  EXPECT_EQ(all.errors()[0].max_abs, 9) << "without a mask every position counts";
}

}  // namespace

}  // namespace edgeconv
