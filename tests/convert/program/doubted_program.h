// A program over ids and a mask, for tests of what the proof of pack_rows accepts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "convert/program/program_pass.h"
#include "rt/include/ert.h"

namespace edgeconv::testing {

using ert::params::OpCode;

struct DoubtedProgram {
  DoubtedProgram() : p({{"batch", 1, 8}, {"seq", 1, 64}}) {
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
    op(OpCode::kBinary, {scalar(1), m}, inverse, {ert::params::binary::kSub});
    op(OpCode::kBinary, {inverse, scalar(fill)}, out, {ert::params::binary::kMul});
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
    return pass_pack_rows(p, {true}) > 0;
  }
  const DimExpr B = DimExpr::symbol("batch"), S = DimExpr::symbol("seq");
  TargetProgram p;
  int ids, mask, table, x, keys;
};

}  // namespace edgeconv::testing
