// Two Linears and a norm behind them, as layers of an encoder stand: a hand-built program.
#pragma once

#include "kernels_int8/contract/packed_layout.h"
#include "rt/ops/op_params.h"
#include "tests/support/context_fixture.h"
#include "tests/support/seeded_random.h"

namespace ert::testing {

// Rows [1, 300] x depth through two Linears, the first of which hands quantized rows to the second where that takes 8 bits, and a LayerNorm
// behind them that adds x.
inline BlobSpec linears_program(uint32_t depth_of_rows, int32_t second_precision) {
  const size_t n = depth_of_rows;
  BlobSpec s;
  const uint32_t rows = s.dim("rows", 1, 300), depth = s.constant(n);
  const uint32_t x = s.add_input("x", ERT_F32, {rows, depth});
  SeededRandom random;
  struct Weights {
    uint32_t codes, colsum;
  };
  const auto weights = [&] {
    std::vector<int8_t> codes(n * n);
    std::vector<int32_t> sums(n);
    for (size_t column = 0; column < n; ++column) {
      for (size_t k = 0; k < n; ++k) {
        const auto code = static_cast<int8_t>(static_cast<int32_t>(random.bits() % 255) - 127);
        codes[kernels::packed_offset(kernels::Layout::kN16K4, column, k, n)] = code;
        sums[column] += code;
      }
    }
    std::vector<float> lines(codes.size() / sizeof(float)), sum_bits(n);
    std::memcpy(lines.data(), codes.data(), codes.size());
    std::memcpy(sum_bits.data(), sums.data(), sums.size() * sizeof(int32_t));
    return Weights{s.add_constant(params::kPackedN16K4, {depth, depth}, lines), s.add_constant(ERT_I32, {depth}, sum_bits)};
  };
  const Weights w1 = weights(), w2 = weights();
  const uint32_t scale = s.add_constant(ERT_F32, {depth}, std::vector<float>(n, 0.0001f));
  const uint32_t gamma = s.add_constant(ERT_F32, {depth}, std::vector<float>(n, 1.5f));
  const uint32_t a = s.add({ERT_F32, {rows, depth}, 0, 0, 0, 0, 1}), b = s.add({ERT_F32, {rows, depth}, 0, 1, 0, 1, 2});
  const uint32_t y = s.add_output("y", ERT_F32, {rows, depth}, 2);
  const auto op = [&](params::OpCode code, std::vector<uint32_t> inputs, uint32_t out, std::vector<int32_t> ints,
                      std::vector<float> floats) {
    s.ops.push_back({code, {inputs.begin(), inputs.end()}, {static_cast<int32_t>(out)}, std::move(ints), std::move(floats)});
  };
  op(params::OpCode::kLinear, {x, w1.codes, UINT32_MAX, scale, w1.colsum}, a,
     {params::linear::kInt8, static_cast<int32_t>(kernels::Unary::kGeluCoarse)}, {});
  op(params::OpCode::kLinear, {a, w2.codes, UINT32_MAX, scale, w2.colsum}, b, {second_precision, params::linear::kNoActivation},
     {});
  op(params::OpCode::kLayerNorm, {b, x, gamma}, y, {0}, {1e-5f});
  s.slots = 2;
  s.arena_order = {a, b};
  return s;
}

}  // namespace ert::testing
