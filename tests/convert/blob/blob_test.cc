// Lowering and blob writing: the same graph gives the same bytes, the blob opens and computes what the interpreter computes,
// equal constants are stored once, and everything that cannot be lowered is reported together.
#include "convert/blob/blob.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "convert/blob/counts.h"
#include "convert/files/atomic_file.h"
#include "convert/lower/build_program.h"
#include "convert/interp/interpreter.h"
#include "convert/dims/dims.h"
#include "convert/run/blob_runner.h"
#include "rt/base/limits.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

const DimExpr B = DimExpr::symbol("batch");

TargetProgram lowered(const Graph& g, LowerOptions options = {}) {
  const DimPlan dims = plan_dims(g, {});
  options.dim_range = dims.range;
  for (const auto& [input, range] : dims.input_range) options.input_range[input] = range;
  Diagnostics d;
  return build_program(g, options, d);
}

// Two layers with a shared weight, and a second output.
GraphBuilder two_layers() {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 8}), w = b.weights({8, 8});
  const ValueId h = b.node(OpKind::kLinear, {x, w, b.weights({8})}, LinearAttrs{static_cast<int>(Unary::kRelu)});
  b.output(b.node(OpKind::kLinear, {h, w, kNone}, LinearAttrs{}));
  b.output(b.unary(Unary::kTanh, h));
  finish(b.g);
  return b;
}

LowerOptions all_int8(const Graph& g) {
  LowerOptions o;
  for (size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == OpKind::kLinear) o.plan.set(static_cast<NodeId>(i), ert::params::linear::kInt8);
  return o;
}

TEST(Blob, SameGraphSameBytes) {
  const Tensor a = write_blob(lowered(two_layers().g), {"p", "s", "{}", 0, {}});
  const Tensor b = write_blob(lowered(two_layers().g), {"p", "s", "{}", 0, {}});
  EXPECT_TRUE(a.same_bytes(b));
  const Tensor c = write_blob(lowered(two_layers().g), {"p", "t", "{}", 0, {}});
  EXPECT_FALSE(a.same_bytes(c));
}

TEST(Blob, ComputesWhatTheInterpreterComputes) {
  const GraphBuilder b = two_layers();
  const auto inputs = random_inputs(b.g);
  const auto want = interpret(b.g, inputs, {Backend::kCanonical, {}});
  for (const bool int8 : {false, true}) {
    const Tensor blob = write_blob(lowered(b.g, int8 ? all_int8(b.g) : LowerOptions{}), {"p", "s", "{}", 0, {}});
    BlobRunner runner(blob.data(), blob.bytes());
    ASSERT_EQ(runner.outputs().size(), 2u);
    const auto got = runner.run(inputs);
    for (size_t o = 0; o < 2; ++o) {
      ASSERT_EQ(got[o].dims(), want[o].dims());
      const auto w = want[o].to_float(), r = got[o].to_float();
      for (size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(r[i], w[i], int8 ? 0.05f : 0.0f) << "canonical fp32 is exact";
    }
  }
}

TEST(Blob, SharedWeightIsStoredOnce) {
  const GraphBuilder b = two_layers();
  const Tensor blob = write_blob(lowered(b.g), {"p", "s", "{}", 0, {}});
  BlobRunner runner(blob.data(), blob.bytes());
  ert_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ert_model_info(&runner.model(), &info), ERT_OK);
  EXPECT_EQ(info.segments, 2u) << "one weight, one bias";
  EXPECT_EQ(info.weight_bytes, (8 * 8 + 8) * sizeof(float));
}

TEST(Blob, Int8IsSmaller) {
  GraphBuilder b;
  b.output(b.node(OpKind::kLinear, {b.input("x", {B, 256}), b.weights({256, 256}), kNone}, LinearAttrs{}));
  finish(b.g);
  const size_t fp32 = write_blob(lowered(b.g), {"p", "s", "{}", 0, {}}).bytes();
  const size_t int8 = write_blob(lowered(b.g, all_int8(b.g)), {"p", "s", "{}", 0, {}}).bytes();
  EXPECT_LT(static_cast<double>(int8), 0.27 * static_cast<double>(fp32));
}

TEST(Blob, HeaderFollowsTheLayout) {
  const Tensor blob = write_blob(lowered(two_layers().g), {"p", "s", "{}", 77, {}});
  const uint8_t* h = blob.data();
  const auto u32 = [&](size_t at) {
    return static_cast<uint32_t>(h[at] | h[at + 1] << 8 | h[at + 2] << 16) | static_cast<uint32_t>(h[at + 3]) << 24;
  };
  EXPECT_EQ(std::string(h, h + 4), "ERT1");
  EXPECT_EQ(u32(8), 64u);
  EXPECT_EQ(u32(16), blob.bytes());
  EXPECT_EQ(u32(24), 64u);
  EXPECT_EQ(u32(36), 77u);
  EXPECT_EQ(u32(40) % 64, 0u);
  EXPECT_EQ(u32(56) | u32(60), 0u);
  EXPECT_EQ(std::string(h + 64 + 4, h + 64 + 8), "ERTP");
}

TEST(Blob, GoldenVectorsReplay) {
  const GraphBuilder b = two_layers();
  const Tensor plain = write_blob(lowered(b.g, all_int8(b.g)), {"p", "s", "{}", 0, {}});
  GoldenVector golden;
  golden.inputs = random_inputs(b.g);
  BlobRunner first(plain.data(), plain.bytes());
  golden.dims = first.dims_of(golden.inputs);
  golden.outputs = first.run(golden.inputs);
  const auto selftest = [&] {
    const Tensor blob = write_blob(lowered(b.g, all_int8(b.g)), {"p", "s", "{}", 0, {golden}});
    BlobRunner runner(blob.data(), blob.bytes());
    const ert_memory_need need = runner.memory({}, {});
    Tensor arena(DType::kUint8, {static_cast<int64_t>(need.bytes)});
    const ert_region region{arena.mutable_data(), need.bytes};
    ert_context c;
    EXPECT_EQ(ert_context_init(&c, &runner.model(), nullptr, nullptr, &region, 1), ERT_OK);
    return ert_selftest(&c);
  };
  EXPECT_EQ(selftest(), ERT_OK);
  golden.outputs[1].mut<float>()[3] = std::nextafter(golden.outputs[1].mut<float>()[3], 2.0f);
  EXPECT_EQ(selftest(), ERT_ERR_SELFTEST) << "one bit of one output";
}

// An integer output, an output that is an input, and an output named twice.
TEST(Blob, UnusualOutputs) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 4}), ids = b.input("ids", {B, 4}, DType::kInt64);
  b.output(x);
  b.output(b.add(ids, ids));
  const ValueId y = b.unary(Unary::kRelu, x);
  b.output(y);
  b.output(y);
  finish(b.g);
  const Tensor blob = write_blob(lowered(b.g), {"p", "s", "{}", 0, {}});
  BlobRunner runner(blob.data(), blob.bytes());
  const auto inputs = random_inputs(b.g);
  const auto want = interpret(b.g, inputs), got = runner.run(inputs);
  ASSERT_EQ(got.size(), 4u);
  for (size_t o = 0; o < 4; ++o) EXPECT_TRUE(got[o].same_bytes(want[o])) << o;
}

TEST(Lower, AllProblemsTogether) {
  GraphBuilder b;
  const ValueId x = b.input("x", {B, 4});
  const ValueId a = b.node(OpKind::kMaxPool, {x}, ConvAttrs{}), c = b.node(OpKind::kEinsum, {x, x}, EinsumAttrs{"ij,ij->i"});
  b.output(a);
  b.output(c);
  for (ValueId v : {a, c}) {
    b.g.value(v).dtype = DType::kFloat;
    b.g.value(v).shape = Shape{B, 4};
  }
  Diagnostics d;
  LowerOptions options;
  options.dim_range["batch"] = {1, 8};
  lower(b.g, options, d);
  EXPECT_EQ(d.problems().size(), 2u);
  try {
    d.check();
    FAIL();
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kUnsupported);
    EXPECT_NE(std::string(e.what()).find("MaxPool"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("Einsum"), std::string::npos) << e.what();
  }
}

TEST(ExprTable, SharesSubexpressions) {
  ExprTable table({{"batch", 1, 8}, {"seq", 1, 64}});
  const DimExpr s = DimExpr::symbol("seq");
  const int product = table.add(B * s * DimExpr(4));
  const size_t rows = table.rows().size();
  EXPECT_EQ(table.add(B * s * DimExpr(4)), product);
  EXPECT_EQ(table.rows().size(), rows);
  table.add(s.floor_div(2));
  EXPECT_THROW(table.add(DimExpr::symbol("other")), std::logic_error);
}

// Unrolled loops have a size of their own in every round: said here, not by the runtime that refuses the blob.
TEST(Counts, WhatTheRuntimeHasNoRoomForIsNamed) {
  TargetProgram p({{"seq", 1, 4096}});
  const auto refusal = [&](size_t segments = 0) {
    try {
      check_counts(p, segments);
    } catch (const FatalError& e) {
      EXPECT_EQ(e.code(), ExitCode::kLimit);
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(4096), "");
  EXPECT_NE(refusal(4097).find("4097 constants and golden vectors (segments), the runtime takes 4096"), std::string::npos) << refusal(4097);
  for (int64_t i = 0; i < ERT_MAX_EXPRS; ++i) p.exprs.add(DimExpr::symbol("seq") + DimExpr(i));
  EXPECT_NE(refusal().find("size expressions), the runtime takes " + std::to_string(ERT_MAX_EXPRS)), std::string::npos) << refusal();
}

TEST(AtomicFile, ReplacesOrLeaves) {
  char folder[] = "/tmp/edgeconv-atomic-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/f";
  const auto content = [&] {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  write_file_atomically(path, "old", 3);
  write_file_atomically(path, "newer", 5);
  EXPECT_EQ(content(), "newer");
  EXPECT_THROW(write_file_atomically(std::string(folder) + "/none/f", "x", 1), FatalError);
  EXPECT_THROW(write_file_atomically(folder, "x", 1), FatalError) << "a folder is in the way";
  EXPECT_EQ(content(), "newer");
  std::remove(path.c_str());
  EXPECT_EQ(rmdir(folder), 0) << "nothing else was left";
}

}  // namespace

}  // namespace edgeconv::testing
