// Which models skip padding and which must not, and that skipping changes no bit at positions that are not padding.
#include "convert/plan/pack_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "convert/convert.h"
#include "convert/emit/blob.h"
#include "convert/emit/certificate.h"
#include "convert/emit/lower.h"
#include "convert/passes/pass.h"
#include "convert/plan/dims.h"
#include "convert/plan/slots.h"
#include "convert/prepare.h"
#include "convert/quantize/synthetic_inputs.h"
#include "convert/run/blob_runner.h"
#include "rt/float_mode.h"
#include "rt/include/ert.h"
#include "tests/convert/fixtures.h"

namespace edgeconv {

namespace {

using ert::params::OpCode;
namespace bin = ert::params::binary;

struct Lowered {
  explicit Lowered(const std::string& fixture) {
    const ert::FloatMode mode;
    Diagnostics d;
    graph = prepare_model(fixture_model(fixture), {}, d).graph;
    dims = plan_dims(graph, {});
    run_passes(graph, d);
    LowerOptions o;
    o.dim_range = dims.range;
    for (const auto& [input, range] : dims.input_range) o.input_range[input] = range;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (!graph.nodes[i].dead && graph.nodes[i].kind == OpKind::kLinear) o.linear[static_cast<NodeId>(i)] = {};
    program = lower(graph, o, d);
    d.check();
  }
  Tensor blob(TargetProgram p) const {
    plan_slots(p);
    return write_blob(p, {"p", "s", "{}", 0, {}});
  }
  Graph graph;
  DimPlan dims;
  TargetProgram program{{}};
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
    Lowered model(name);
    EXPECT_TRUE(pack_rows(model.program)) << name;
    for (const TargetOp& op : model.program.ops) {
      const bool heavy = op.code == OpCode::kLinear || op.code == OpCode::kAttention;
      const Shape& x = model.program.values[static_cast<size_t>(op.inputs.empty() ? op.outputs[0] : op.inputs[0])].shape;
      EXPECT_FALSE(heavy && x.size() == 3 && x[1] == model.program.packing->sequence) << name << ": " << op.name;
    }
  }
  EXPECT_GE(tried, 10);
}

TEST(PackRows, OtherModelsStayAsTheyAre) {
  int tried = 0;
  for (const char* name : kNotPacked) {
    if (!has_fixture(name)) continue;
    ++tried;
    Lowered model(name);
    const size_t ops = model.program.ops.size();
    EXPECT_FALSE(pack_rows(model.program)) << name;
    EXPECT_FALSE(model.program.packing.has_value());
    EXPECT_EQ(model.program.ops.size(), ops);
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
  Lowered model(name);
  const Tensor whole = model.blob(model.program);
  ASSERT_TRUE(pack_rows(model.program)) << name;
  const Tensor packed = model.blob(model.program);
  BlobRunner full(whole.data(), whole.bytes()), skipping(packed.data(), packed.bytes());
  const int64_t sequence = 24;
  const std::vector<Row> rows{{0, 24}, {0, 1}, {0, 7}, {5, 24}, {0, 17, true}, {0, 12}, {0, 0}};
  const int64_t batch = static_cast<int64_t>(rows.size());
  std::vector<Tensor> inputs = synthetic_inputs(model.graph, model.dims, {batch, sequence, false, 5, true});
  const size_t mask = static_cast<size_t>(model.program.packing->mask);
  inputs[mask] = mask_of(rows, sequence, model.program, inputs[mask].dtype());
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
  Lowered model("minilm_sentence_ts14");
  ASSERT_TRUE(pack_rows(model.program));
  const Tensor blob = model.blob(model.program);
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
  for (size_t i = 0; i < zero.layers.size(); ++i) EXPECT_EQ(zero.layers[i].precision, compute.layers[i].precision);
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

// ---- small programs, one doubt each

class Doubt : public ::testing::Test {
 protected:
  Doubt() : p({{"batch", 1, 8}, {"seq", 1, 64}}) {
    ids = import("ids", {B, S}, 0, 15);
    mask = import("mask", {B, S}, INT32_MIN, INT32_MAX);
    table = constant({16, 8});
    x = arena(ERT_F32, {B, S, 8});
    op(OpCode::kEmbedding, {ids, table, -1}, x);
    keys = masked(mask, -10000.0f);
  }
  int arena(uint8_t dtype, Shape s) { return p.add_value(dtype, std::move(s)); }
  int constant(Shape s) {
    const int64_t n = *shape_elements(s).constant();
    return p.add_constant(ERT_F32, std::move(s), Tensor(DType::kFloat, {n}));
  }
  int scalar(float f) { return p.add_constant(ERT_F32, {}, Tensor::scalar(f)); }
  int index(int32_t i) { return p.add_constant(ERT_I32, {}, Tensor::of<int32_t>(DType::kInt32, {}, {i})); }
  void op(OpCode code, std::vector<int> in, int out, std::vector<int32_t> ints = {}, std::vector<float> floats = {}) {
    p.ops.push_back({code, std::move(in), {out}, std::move(ints), std::move(floats), "node"});
  }
  int import(const std::string& name, Shape s, int32_t min, int32_t max) {
    const int bound = arena(ERT_I64, s);
    p.values.back().storage = Storage::kInput;
    p.values.back().index = static_cast<int>(p.inputs.size());
    p.inputs.push_back({name, ERT_I64, bound, min, max});
    const int inner = arena(ERT_I32, s);
    op(OpCode::kImportInt, {bound}, inner);
    return inner;
  }
  int cast(int v, Shape view) {
    const int out = arena(ERT_F32, view);
    op(OpCode::kCast, {p.add_alias(v, view)}, out);
    return out;
  }
  // (1 - mask) * fill over keys
  int masked(int from, float fill) {
    const int m = cast(from, {B, 1, 1, S}), inverse = arena(ERT_F32, {B, 1, 1, S}), out = arena(ERT_F32, {B, 1, 1, S});
    op(OpCode::kBinary, {scalar(1), m}, inverse, {bin::kSub});
    op(OpCode::kBinary, {inverse, scalar(fill)}, out, {bin::kMul});
    return out;
  }
  int attention(int q, int kv, int bias, int boolean = -1) {
    const int out = arena(ERT_F32, {B, S, 8});
    op(OpCode::kAttention, {q, kv, kv, bias, boolean}, out, {0, 2, 2, 4, 4, 0, 0, 0, 0}, {0.5f});
    return out;
  }
  void output(int v) {
    const Shape shape = p.values[static_cast<size_t>(v)].shape;
    const int out = arena(ERT_F32, shape);
    p.values.back().storage = Storage::kOutput;
    p.values.back().index = static_cast<int>(p.outputs.size());
    op(OpCode::kCopy, {v}, out);
    p.outputs.push_back({"out", ERT_F32, out});
  }
  int mean(int v, int weights) {
    const int out = arena(ERT_F32, {B, 8});
    op(OpCode::kMeanPool, {v, weights}, out, {}, {1e-9f});
    return out;
  }
  bool packs(int v) {
    output(v);
    return pack_rows(p);
  }
  const DimExpr B = DimExpr::symbol("batch"), S = DimExpr::symbol("seq");
  TargetProgram p;
  int ids, mask, table, x, keys;
};

TEST_F(Doubt, SelfAttentionUnderTheMask) { EXPECT_TRUE(packs(attention(x, x, keys))); }
TEST_F(Doubt, AttentionWithoutMask) { EXPECT_FALSE(packs(attention(x, x, -1))); }
TEST_F(Doubt, OneOfTwoAttentionsWithoutMask) { EXPECT_FALSE(packs(attention(attention(x, x, keys), x, -1))); }
TEST_F(Doubt, AFillThatScoresCouldOutweigh) { EXPECT_FALSE(packs(attention(x, x, masked(mask, -10.0f)))); }
TEST_F(Doubt, AFillThatFavoursPadding) { EXPECT_TRUE(packs(attention(x, x, masked(mask, 10000.0f)))) << "1 marks padding then"; }
TEST_F(Doubt, TheMaskOfAnotherText) {
  const int other = import("other", {B, S}, INT32_MIN, INT32_MAX);
  const int both = arena(ERT_F32, {B, S, 8});
  op(OpCode::kBinary, {attention(x, x, keys), attention(x, x, masked(other, -10000.0f))}, both, {bin::kAdd});
  EXPECT_FALSE(packs(both));
}
TEST_F(Doubt, AMaskOverQueriesInsteadOfKeys) {
  const int m = cast(mask, {B, 1, S, 1}), wide = arena(ERT_F32, {B, 1, S, S}), bias = arena(ERT_F32, {B, 1, S, S});
  op(OpCode::kExpand, {m}, wide);
  op(OpCode::kBinary, {wide, scalar(10000.0f)}, bias, {bin::kMul});
  EXPECT_FALSE(packs(attention(x, x, bias)));
}
TEST_F(Doubt, AttentionToAnotherSequence) {
  const int other_ids = import("other_ids", {B, S}, 0, 15), y = arena(ERT_F32, {B, S, 8});
  op(OpCode::kEmbedding, {other_ids, table, -1}, y);
  EXPECT_FALSE(packs(attention(y, attention(x, x, keys), keys)));
}
TEST_F(Doubt, MeanOverPaddedPositions) { EXPECT_FALSE(packs(mean(attention(x, x, keys), -1))); }
TEST_F(Doubt, MeanUnderTheMask) { EXPECT_TRUE(packs(mean(attention(x, x, keys), cast(mask, {B, S})))); }
TEST_F(Doubt, MeanUnderTheMaskAlone) { EXPECT_TRUE(packs(mean(x, cast(mask, {B, S})))); }
TEST_F(Doubt, SumOfMaskedRows) {
  const int product = arena(ERT_F32, {B, S, 8}), sum = arena(ERT_F32, {B, 8});
  op(OpCode::kBinary, {attention(x, x, keys), cast(mask, {B, S, 1})}, product, {bin::kMul});
  op(OpCode::kReduce, {product}, sum, {ert::params::reduce::kSum, 2});
  EXPECT_TRUE(packs(sum));
}
TEST_F(Doubt, MaximumOfRowsThatAreZeroWherePadded) {
  const int product = arena(ERT_F32, {B, S, 8}), most = arena(ERT_F32, {B, 8});
  op(OpCode::kBinary, {attention(x, x, keys), cast(mask, {B, S, 1})}, product, {bin::kMul});
  op(OpCode::kReduce, {product}, most, {ert::params::reduce::kMax, 2});
  EXPECT_FALSE(packs(most));
}
TEST_F(Doubt, MaximumOfWhatAMaskSelects) {
  const int token = arena(ERT_BOOL, {B, S, 1}), chosen = arena(ERT_F32, {B, S, 8}), most = arena(ERT_F32, {B, 8});
  op(OpCode::kCast, {p.add_alias(mask, {B, S, 1})}, token);
  op(OpCode::kWhere, {token, attention(x, x, keys), scalar(-1e9f)}, chosen);
  op(OpCode::kReduce, {chosen}, most, {ert::params::reduce::kMax, 2});
  EXPECT_TRUE(packs(most));
}
TEST_F(Doubt, MaximumOfWhatAMaskSelectsTheWrongWayRound) {
  const int token = arena(ERT_BOOL, {B, S, 1}), chosen = arena(ERT_F32, {B, S, 8}), most = arena(ERT_F32, {B, 8});
  op(OpCode::kCast, {p.add_alias(mask, {B, S, 1})}, token);
  op(OpCode::kWhere, {token, scalar(-1e9f), attention(x, x, keys)}, chosen);
  op(OpCode::kReduce, {chosen}, most, {ert::params::reduce::kMax, 2});
  EXPECT_FALSE(packs(most));
}
TEST_F(Doubt, TheFirstPosition) {
  const int first = arena(ERT_F32, {B, 8});
  op(OpCode::kGather, {attention(x, x, keys), index(0)}, first, {1});
  EXPECT_TRUE(packs(first));
}
TEST_F(Doubt, TheLastPosition) {
  const int last = arena(ERT_F32, {B, 8});
  op(OpCode::kGather, {attention(x, x, keys), index(-1)}, last, {1});
  EXPECT_FALSE(packs(last));
}
TEST_F(Doubt, AnOutputWithPositionsElsewhere) {
  const int turned = arena(ERT_F32, {B, 8, S});
  op(OpCode::kTranspose, {attention(x, x, keys)}, turned, {0, 2, 1});
  EXPECT_FALSE(packs(turned));
}
TEST_F(Doubt, AnOpAcrossPositions) {
  const int sums = arena(ERT_F32, {B, S, 8});
  op(OpCode::kCumSum, {attention(x, x, keys)}, sums, {1, 0, 0});
  EXPECT_FALSE(packs(sums));
}
TEST_F(Doubt, AnElementwiseOpAcrossPositionsByBroadcast) {
  const int first = arena(ERT_F32, {B, 8}), difference = arena(ERT_F32, {B, S, 8}), a = attention(x, x, keys);
  op(OpCode::kGather, {a, index(0)}, first, {1});
  op(OpCode::kBinary, {a, p.add_alias(first, {B, 1, 8})}, difference, {bin::kSub});
  EXPECT_TRUE(packs(difference)) << "the first position of every row is not padding";
}
TEST_F(Doubt, PositionsOfTheirOwn) {
  const int position = constant({64, 8}), range = arena(ERT_I32, {S}), rows = arena(ERT_F32, {S, 8}),
            sum = arena(ERT_F32, {B, S, 8});
  op(OpCode::kRange, {}, range, {p.exprs.add(DimExpr(0)), 1});
  op(OpCode::kEmbedding, {range, position, -1}, rows);
  op(OpCode::kBinary, {x, rows}, sum, {bin::kAdd});
  EXPECT_TRUE(packs(attention(sum, sum, keys)));
}
TEST_F(Doubt, RotatedHeads) {
  const int cos = constant({64, 4}), range = arena(ERT_I32, {S}), angle = arena(ERT_F32, {S, 4}),
            turned = arena(ERT_F32, {B, S, 8});
  op(OpCode::kRange, {}, range, {p.exprs.add(DimExpr(0)), 1});
  op(OpCode::kEmbedding, {range, cos, -1}, angle);
  const int angles = p.add_alias(angle, {1, S, 4});
  op(OpCode::kRope, {x, angles, angles}, turned, {2, 4, 4, 0, 0});
  EXPECT_TRUE(packs(attention(turned, turned, keys)));
  for (const TargetOp& o : p.ops) {
    if (o.code != OpCode::kRope) continue;
    for (int v : o.inputs) EXPECT_EQ(p.values[static_cast<size_t>(v)].shape[1], DimExpr::symbol(p.packing->rows));
  }
}
TEST_F(Doubt, GatedHalves) {
  const int gated = arena(ERT_F32, {B, S, 4}), wide = arena(ERT_F32, {B, S, 8});
  op(OpCode::kGlu, {x, x}, gated, {0, 0, 4});
  op(OpCode::kConcat, {gated, gated}, wide, {2});
  EXPECT_TRUE(packs(attention(wide, wide, keys)));
}
TEST_F(Doubt, ATextWithoutMaskBesideOneWithMaskIsLeftOut) {
  const int other_ids = import("other_ids", {B, S}, 0, 15), y = arena(ERT_F32, {B, S, 8}), z = arena(ERT_F32, {B, S, 8});
  op(OpCode::kEmbedding, {other_ids, table, -1}, y);
  op(OpCode::kUnary, {y}, z, {ert::params::unary::kNeg}, {0});
  output(z);
  EXPECT_TRUE(packs(attention(x, x, keys)));
  for (const TargetOp& o : p.ops)
    EXPECT_TRUE(o.code != OpCode::kUnary || p.values[static_cast<size_t>(o.inputs[0])].shape[1] == S);
}

}  // namespace

}  // namespace edgeconv
