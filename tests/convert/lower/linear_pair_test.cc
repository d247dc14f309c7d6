// Two int8 Linears in a row: the first hands its rows over in quantized form; a LayerNorm behind a Linear runs block by block. Same
// bits as without that, for all rows, threads and ISA levels, and it does happen.
#include <gtest/gtest.h>

#include <functional>

#include "kernels_int8/contract/kernel_table.h"
#include "rt/context/context.h"
#include "rt/ops/handed_rows.h"
#include "tests/convert/lower/run_lowered.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kWidth = 24, kHidden = 160;

// int8, but for the last layer.
Tensor blob_of(GraphBuilder& b, ert::params::linear::Precision last = ert::params::linear::kInt8) {
  finish(b.g);
  LowerOptions options = lower_options(plan_dims(b.g, {{"rows", 300}}));
  options.plan = int8_plan(b.g);
  options.plan.set(options.plan.layers().back().first, last);
  Diagnostics d;
  return write_blob(build_program(b.g, options, d), {"p", "s", "{}", 0, {}});
}

// x -> Linear, activation -> Linear; with `shown` the hidden rows are an output too.
Tensor two_layers(bool shown, ert::params::linear::Precision second = ert::params::linear::kInt8) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("rows"), kWidth});
  LinearAttrs relu;
  relu.activation = static_cast<int>(ert::kernels::Unary::kRelu);
  const ValueId hidden = b.node(OpKind::kLinear, {x, b.weights({kWidth, kHidden}), b.weights({kHidden})}, relu);
  b.output(b.node(OpKind::kLinear, {hidden, b.weights({kHidden, kWidth}), kNone}, LinearAttrs{}));
  if (shown) b.output(hidden);
  return blob_of(b, second);
}

Tensor rows_of(int64_t m) {
  std::vector<float> values;
  for (int64_t i = 0; i < m * kWidth; ++i) values.push_back(static_cast<float>((i * 7919) % 1009) / 500.0f - 1.0f);
  return Tensor::of<float>(DType::kFloat, {m, kWidth}, values);
}

void expect_same_bits(const Tensor& blob, const std::function<std::vector<float>(const Tensor& x, const RunnerOptions&)>& want) {
  BlobRunner runner(blob.data(), blob.bytes());
  for (const uint32_t isa : {0u, 1u << ERT_ISA_REF, 1u << ERT_ISA_AVX2}) {
    if ((isa & ~ert_isa_available()) != 0) continue;
    for (const uint32_t threads : {1u, 2u, 3u})
      for (const int64_t m : {1, 2, 7, 12, 17, 32, 33, 48, 64, 128, 300}) {
        RunnerOptions o;
        o.threads = threads;
        o.isa_mask = isa;
        EXPECT_EQ(runner.run({rows_of(m)}, o)[0].to_float(), want(rows_of(m), o))
            << m << " rows, " << threads << " threads, ISA mask " << isa;
      }
  }
}

TEST(LinearPair, SameBitsAsApart) {
  const Tensor apart = two_layers(true);
  BlobRunner of_apart(apart.data(), apart.bytes());
  expect_same_bits(two_layers(false),
                   [&](const Tensor& x, const RunnerOptions& o) { return of_apart.run({x}, o)[0].to_float(); });
}

// x -> Linear -> norm(y + x) -> Linear -> norm(x + y) -> Linear: the norm is behind the Linear with and without memory in common.
Tensor normed_layers() {
  GraphBuilder b;
  ValueId x = b.input("x", {DimExpr::symbol("rows"), kWidth});
  for (int i = 0; i < 2; ++i) {
    const ValueId y = b.node(OpKind::kLinear, {x, b.weights({kWidth, kWidth}), b.weights({kWidth})}, LinearAttrs{});
    const std::vector<ValueId> sum = i == 0 ? std::vector<ValueId>{y, x} : std::vector<ValueId>{x, y};
    x = b.node(OpKind::kNorm, {sum[0], sum[1], b.weights({kWidth}, 1), b.weights({kWidth})}, FusedNormAttrs{1e-5f, i == 1});
  }
  b.output(b.node(OpKind::kLinear, {x, b.weights({kWidth, kWidth}), kNone}, LinearAttrs{}));
  return blob_of(b);
}

TEST(LinearPair, NormByBlocksGivesTheSameBits) {
  const Tensor blob = normed_layers();
  BlobRunner apart(blob.data(), blob.bytes());
  expect_same_bits(blob, [&](const Tensor& x, RunnerOptions o) {
    o.observe = [](const ObservedOp&) {};  // keeps all values, so every op runs for itself
    return apart.run({x}, o)[0].to_float();
  });
}

void run_rows(ert_context* context, int64_t m) {
  const Tensor x = rows_of(m);
  Tensor y(DType::kFloat, {m, kWidth});
  const auto bind = [&](const void* data) {
    ert_tensor t{};
    t.struct_size = sizeof t;
    t.dtype = ERT_F32;
    t.rank = 2;
    t.shape[0] = static_cast<int32_t>(m);
    t.shape[1] = static_cast<int32_t>(kWidth);
    t.data = const_cast<void*>(data);
    t.bytes = static_cast<size_t>(m * kWidth * 4);
    return t;
  };
  const ert_tensor in = bind(x.data());
  ert_tensor out = bind(y.mutable_data());
  EXPECT_EQ(ert_bind_input(context, 0, &in), ERT_OK);
  EXPECT_EQ(ert_bind_output(context, 0, &out), ERT_OK);
  EXPECT_EQ(ert_run(context), ERT_OK);
}

// What the memory of the hidden rows holds after runs of one context with these numbers of rows, the largest first.
std::vector<float> hidden_after_runs(const Tensor& blob, const std::vector<int64_t>& sizes, bool keep) {
  ert_model model;
  EXPECT_EQ(ert_model_open(&model, blob.data(), blob.bytes()), ERT_OK);
  const std::vector<int32_t> dims{static_cast<int32_t>(sizes.front())};
  ert_config cfg{};
  cfg.struct_size = sizeof cfg;
  ert_memory_need need{};
  need.struct_size = sizeof need;
  EXPECT_EQ(ert_arena_bytes(&model, &cfg, dims.data(), &need), ERT_OK);
  Tensor arena(DType::kUint8, {static_cast<int64_t>(need.bytes)});
  const ert_region region{arena.mutable_data(), need.bytes};
  ert_context context;
  EXPECT_EQ(ert_context_init(&context, &model, &cfg, dims.data(), &region, 1), ERT_OK);
  if (keep) {
    EXPECT_EQ(ert::keep_values(&context), ERT_OK);
  }
  for (const int64_t m : sizes) run_rows(&context, m);
  const ert_context* const after = &context;
  const auto& state = *reinterpret_cast<const ert::ContextState*>(after);
  const ert::Program p = ert::program_of(state);
  const ert::Operand& hidden = state.values[ert::operand_of(p, p.ops[0], p.ops[0].n_inputs())];
  return {hidden.as<float>(), hidden.as<float>() + hidden.elements()};
}

TEST(LinearPair, HandsOverUnlessValuesAreKept) {
  const Tensor blob = two_layers(false);
  const std::vector<float> want = BlobRunner(two_layers(true).data(), two_layers(true).bytes()).run({rows_of(64)})[1].to_float();
  EXPECT_EQ(hidden_after_runs(blob, {64}, true), want);
  EXPECT_NE(hidden_after_runs(blob, {64}, false), want);
}

TEST(LinearPair, HandsOverAtOtherDimsToo) {
  const Tensor blob = two_layers(false);
  const std::vector<float> want = BlobRunner(two_layers(true).data(), two_layers(true).bytes()).run({rows_of(32)})[1].to_float();
  EXPECT_EQ(hidden_after_runs(blob, {64, 32}, true), want);
  EXPECT_NE(hidden_after_runs(blob, {64, 32}, false), want);
}

TEST(LinearPair, OnlyForAnInt8Reader) {
  const Tensor blob = two_layers(false, ert::params::linear::kInt8A16);
  EXPECT_EQ(hidden_after_runs(blob, {64}, false), hidden_after_runs(blob, {64}, true));
}

// Quantized rows, their scales and the fp32 blocks stay inside the memory and apart.
TEST(HandedRows, DoNotOverlap) {
  Tensor room(DType::kFloat, {500, 1536});
  uint8_t* memory = room.mutable_data();
  for (const int64_t k : {16, 64, 80, 1536})
    for (const int64_t m : {1, 2, 31, 32, 33, 64, 100, 500})
      for (const int64_t threads : {1, 2, 4}) {
        const size_t row_bytes = ert::kernels::max_quantized_row_bytes(ert::kernels::Precision::kW8A8, static_cast<size_t>(k));
        const ert::ops::HandedRows h = ert::ops::place_handed_rows(memory, m, k, row_bytes, 32, threads, false);
        if (k == 16) {
          EXPECT_EQ(h.rows, nullptr) << "no room for the scale";
          continue;
        }
        ASSERT_EQ(h.rows, memory);
        const ert::ops::HandedRows pairs = ert::ops::place_handed_rows(memory, m, k, row_bytes, 32, threads, true);
        EXPECT_EQ(pairs.rows, h.in_pairs() ? h.rows : nullptr);
        EXPECT_EQ(pairs.blocks, h.blocks);
        EXPECT_EQ(h.stride % 64, 0u);
        EXPECT_GE(h.stride, row_bytes + sizeof(ert::kernels::RowScale));
        const size_t all = static_cast<size_t>(m * k) * sizeof(float), quantized = static_cast<size_t>(m) * h.stride;
        EXPECT_LE(quantized, all);
        if (h.blocks == nullptr) continue;
        EXPECT_GE(h.blocks, h.rows + quantized);
        EXPECT_GE(h.block_bytes, 32 * static_cast<size_t>(k) * sizeof(float));
        EXPECT_LE(h.blocks + static_cast<size_t>(threads) * h.block_bytes, h.rows + all);
      }
}

TEST(HandedRows, NeedWholeLines) {
  alignas(64) static uint8_t memory[128];
  EXPECT_EQ(ert::ops::place_handed_rows(memory, 64, 84, 128, 32, 1, false).rows, nullptr);
  EXPECT_EQ(ert::ops::place_handed_rows(memory + 16, 64, 80, 128, 32, 1, false).rows, nullptr);
}

}  // namespace

}  // namespace edgeconv::testing
