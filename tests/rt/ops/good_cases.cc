#include "tests/rt/ops/good_cases.h"

namespace ert::test {
namespace {

Tensor f(Dims d) { return empty(ERT_F32, std::move(d)); }
Tensor i(Dims d) { return empty(ERT_I32, std::move(d)); }
Tensor u(Dims d) { return empty(ERT_U8, std::move(d)); }
Tensor b(Dims d) { return empty(ERT_BOOL, std::move(d)); }
Tensor constant(Tensor t) {
  t.constant = true;
  return t;
}
Tensor packed_n16k2(int32_t n, int32_t k) {
  Tensor t = constant(empty(params::kPackedN16K2, {n, k}));
  t.bytes.assign(kernels::packed_bytes(kernels::Layout::kN16K2, static_cast<size_t>(n), static_cast<size_t>(k)), 1);
  return t;
}

}  // namespace

std::vector<OpCase> good_cases() {
  return {
      {&kOpImportInt, {empty(ERT_I64, {2})}, {i({2})}, {}, {}, {}},
      {&kOpExportInt, {i({2})}, {empty(ERT_I64, {2})}, {}, {}, {}},
      {&kOpCopy, {f({2})}, {f({2})}, {}, {}, {}},
      {&kOpCast, {f({2})}, {i({2})}, {}, {}, {}},
      {&kOpFill, {}, {f({2})}, {0}, {}, {}},
      {&kOpDimsToTensor, {}, {i({2})}, {0, 0}, {}, {3}},
      {&kOpRange, {}, {i({2})}, {0, 1}, {}, {3}},
      {&kOpEmbedding, {i({2}), f({5, 3})}, {f({2, 3})}, {}, {}, {}},
      {&kOpLinear, {f({2, 4}), f({4, 3}), f({3})}, {f({2, 3})}, {1, -1}, {}, {}},
      {&kOpAttention, {f({1, 2, 4}), f({1, 3, 4}), f({1, 3, 4})}, {f({1, 2, 4})}, {1, 2, 2, 2, 2, 0, 0, 0, 0}, {1.0f}, {}},
      {&kOpLayerNorm, {f({2, 4}), f({2, 4}), f({4}), f({4})}, {f({2, 4}), f({2, 4})}, {0}, {1e-5f}, {}},
      {&kOpSoftmax, {f({2, 4})}, {f({2, 4})}, {1, 0}, {}, {}},
      {&kOpUnary, {f({2})}, {f({2})}, {0}, {}, {}},
      {&kOpBinary, {f({2}), f({2})}, {f({2})}, {0}, {}, {}},
      {&kOpWhere, {b({2}), f({2}), f({2})}, {f({2})}, {}, {}, {}},
      {&kOpReduce, {f({2, 3})}, {f({2})}, {0, 2}, {}, {}},
      {&kOpMatMul, {f({2, 3}), f({3, 4})}, {f({2, 4})}, {0}, {}, {}},
      {&kOpTranspose, {f({2, 3})}, {f({3, 2})}, {1, 0}, {}, {}},
      {&kOpSlice, {f({4})}, {f({2})}, {0, 1}, {}, {1}},
      {&kOpConcat, {f({2}), f({3})}, {f({5})}, {0}, {}, {}},
      {&kOpGather, {f({5, 2}), i({3})}, {f({3, 2})}, {0}, {}, {}},
      {&kOpGatherElements, {f({5, 2}), i({3, 2})}, {f({3, 2})}, {0}, {}, {}},
      {&kOpGatherND, {f({5, 2}), i({3, 1})}, {f({3, 2})}, {0}, {}, {}},
      {&kOpScatterND, {f({5, 2}), i({3, 1}), f({3, 2})}, {f({5, 2})}, {0}, {}, {}},
      {&kOpScatterElements, {f({5, 2}), i({3, 2}), f({3, 2})}, {f({5, 2})}, {0, 0}, {}, {}},
      {&kOpExpand, {f({2, 1})}, {f({2, 3})}, {}, {}, {}},
      {&kOpCumSum, {f({2, 3})}, {f({2, 3})}, {1, 0, 0}, {}, {}},
      {&kOpPad, {f({2})}, {f({4})}, {0, 0, 0}, {}, {1}},
      {&kOpArgMinMax, {f({2, 3})}, {i({2})}, {1, 1, 0}, {}, {}},
      {&kOpTopK, {f({2, 3})}, {f({2, 2}), i({2, 2})}, {1, 1, 1}, {}, {}},
      {&kOpMeanPool, {f({2, 3, 4}), f({2, 3})}, {f({2, 4})}, {}, {1e-9f}, {}},
      {&kOpL2Normalize, {f({2, 3})}, {f({2, 3})}, {}, {1e-9f}, {}},
      {&kOpTrilu, {f({3, 3})}, {f({3, 3})}, {1, 0}, {}, {0}},
      {&kOpOneHot, {i({3})}, {f({3, 4})}, {1, 1, 0}, {}, {}},
      {&kOpCustom, {f({2})}, {f({2})}, {0}, {}, {}},
      {&kOpRecurrence,
       {f({5, 3, 16}), i({3}), f({1, 3, 4}), f({1, 3, 4}), f({1, 12}), packed_n16k4(64, 4, std::vector<int8_t>(256)), f({64}),
        i({64}), f({64})},
       {f({5, 3, 4}), f({1, 3, 4}), f({1, 3, 4})},
       {0, 0, 0, 0, 0, 4, 3, 3},
       {0.0f},
       {}},
      {&kOpPackRows, {f({2, 3, 4})}, {f({1, 5, 4})}, {}, {}, {}, nullptr, {0, 2, 5}, 3},
      {&kOpUnpackRows, {f({1, 5, 4})}, {f({2, 3, 4})}, {}, {}, {}, nullptr, {0, 2, 5}, 3},
      {&kOpConv, {f({2, 5, 4}), f({8, 3}), f({3})}, {f({2, 4, 3})}, {1, -1, 0, 4, 0, 2, 1, 1, 0, 0}, {}, {}},
      {&kOpDepthwiseConv, {f({2, 4, 5, 3}), f({9, 3}), f({3})}, {f({2, 3, 3, 3})}, {0, 3, 1, 1, 1, 0, 3, 2, 1, 1, 1}, {}, {}},
      {&kOpDirectConv, {f({2, 3, 4, 5}), f({27, 7}), f({7})}, {f({2, 3, 3, 7})}, {0, 1, 3, 1, 1, 1, 0, 3, 2, 1, 1, 1}, {}, {}},
      {&kOpRope, {f({2, 3, 9}), f({1, 3, 2}), f({2, 3, 2})}, {f({2, 3, 8})}, {2, 4, 2, 1, 0}, {}, {}},
      {&kOpGlu, {f({2, 9}), f({2, 7})}, {f({2, 4})}, {0, 5, 3}, {}, {}},
      {&kOpImportFloat, {empty(ERT_I16, {2})}, {f({2})}, {}, {}, {}},
      {&kOpQuantizeMap, {f({1, 4, 2, 3}), f({4})}, {u({1, 2, 3, 4}), i({1, 2, 2})}, {1}, {}, {}},
      {&kOpMapToFloat, {u({1, 2, 3, 4}), i({1, 2, 2}), f({4})}, {f({1, 2, 3, 4})}, {}, {}, {}},
      {&kOpMapConv,
       {u({1, 4, 5, 3}), i({1, 4, 2}), packed_n16k4(48, 9, std::vector<int8_t>(48 * 9)), f({5}), i({48}), f({5}), f({5}),
        u({1, 4, 5, 5}), i({1, 4, 2}), f({5})},
       {u({1, 4, 5, 5}), i({1, 4, 2})},
       {0, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1},
       {},
       {}},
      {&kOpMapDepthwiseConv,
       {u({1, 4, 5, 3}), i({1, 4, 2}), packed_n16k4(48, 3, std::vector<int8_t>(48 * 3)), f({3}), i({48}), f({3}), f({3})},
       {u({1, 4, 5, 3}), i({1, 4, 2})},
       {0, 3, 1, 1, 1, 1, 3, 1, 1, 1, 1},
       {},
       {}},
      {&kOpMapMaxPool, {u({1, 4, 5, 3}), i({1, 4, 2})}, {u({1, 3, 4, 3}), i({1, 3, 2})}, {2, 1, 1, 0, 0, 2, 1, 1, 0, 0}, {}, {}},
      {&kOpMapMean, {u({1, 4, 5, 3}), i({1, 4, 2}), f({3})}, {f({1, 3})}, {}, {}, {}},
      // A Linear in fp32, then a DepthwiseConv of it: one value of [2, 6, 5, 3] between them.
      {&kOpRowBands,
       {f({2, 6, 5, 4}), constant(f({4, 3})), constant(f({9, 3})), constant(f({3}))},
       {f({2, 3, 5, 3})},
       {2, 2, 1, ERT_F32, 4, 0, 1, 2, 3, 9, 2, 1, 2, 0, 0, 1, params::linear::kF32, -1, 40, 3, 1, 11, 0, -2, 2, 3, 0, 3, 2, 1, 1, 1, 3, 1, 1, 1, 1},
       {},
       {2, 6, 5, 3}},
      {&kOpWideConv, {f({2, 4, 5, 3}), packed_n16k2(7, 30), f({7}), f({7})}, {f({2, 3, 3, 7})}, {0, 3, 1, 1, 1, 0, 3, 2, 1, 1, 1}, {}, {}},
      {&kOpPool, {f({2, 5, 3})}, {f({2, 3, 3})}, {0, 1, 3, 2, 1, 1, 1}, {}, {}},
  };
}

std::vector<OpCase> further_cases() {
  const std::vector<int8_t> weights(16 * 4, 3);
  const Tensor packed = packed_n16k4(16, 4, weights), scale = f({16}), sums = i({16});
  const auto packed_as = [&](int32_t n, int32_t k) {
    return packed_n16k4(n, k, std::vector<int8_t>(static_cast<size_t>(n * k), 2));
  };
  const std::vector<int32_t> lstm{0, 1, 0, 0, 0, 4, 3, 3}, gru{1, 1, 0, 1, 0, 4, 3, 3}, rnn{2, 1, 2, 0, 0, 3, 3, 3, 3, 3, 3};
  return {
      {&kOpLinear, {f({2, 4}), packed, f({16}), scale, sums, f({4})}, {f({2, 16})}, {0, -1}, {}, {}},
      {&kOpLinear, {f({5, 4}), packed, absent(), scale, sums}, {f({5, 16})}, {2, 3}, {}, {}},
      {&kOpLinear, {f({5, 4}), packed_n16k2(17, 4), f({17}), f({17}), absent(), f({4})}, {f({5, 17})}, {3, 3}, {}, {}},
      {&kOpWideConv, {f({2, 9, 4}), packed_n16k2(5, 12), f({5})}, {f({2, 5, 5})}, {-1, 3, 2, 1, 1, 1}, {}, {}},
      {&kOpDirectConv, {f({2, 4, 5, 6}), f({18, 7})}, {f({2, 3, 3, 7})}, {0, 0, 3, 1, 1, 1, 0, 3, 2, 1, 1, 1, 4}, {}, {}},
      // A Linear in fp32, then a Pool along the rows of its [2, 6, 5, 3].
      {&kOpRowBands,
       {f({2, 6, 5, 4}), constant(f({4, 3}))},
       {f({2, 3, 5, 3})},
       {2, 2, 1, ERT_F32, 4, 0, 1, 2, 3, 9, 2, 1, 2, 0, 0, 1, params::linear::kF32, -1, 56, 1, 1, 7, 0, -2, 0, 1, 3, 2, 1, 1, 1},
       {},
       {2, 6, 5, 3}},
      {&kOpConv,
       {f({1, 4, 6, 4}), packed_as(3, 8), f({3}), f({3}), i({3})},
       {f({1, 4, 5, 3})},
       {0, -1, 0, 4, 2, 1, 1, 1, 0, 0, 2, 1, 1, 0, 0},
       {},
       {}},
      {&kOpConv,
       {f({1, 4, 6, 4}), packed_as(32, 4), f({32}), f({32}), i({32})},
       {f({1, 4, 5, 6})},
       {0, -1, 0, 2, 0, 1, 1, 1, 0, 0, 2, 1, 1, 0, 0, 2},
       {},
       {}},
      {&kOpConv, {f({1, 6, 3})}, {f({1, 5, 6})}, {1, -1, 0, 3, 0, 2, 1, 1, 0, 0}, {}, {}},
      {&kOpAttention,
       {f({2, 2, 4}), f({2, 3, 4}), f({2, 3, 4}), f({2, 2, 2, 3}), b({2, 1, 1, 3})},
       {f({2, 2, 4})},
       {1, 2, 2, 2, 2, 0, 0, 0, 0},
       {1.0f},
       {}},
      {&kOpAttention,
       {f({1, 5, 4}), f({1, 5, 4}), f({1, 5, 4}), absent(), absent()},
       {f({1, 5, 4})},
       {1, 2, 2, 2, 2, 0, 0, 0, 0, 1},
       {0.5f},
       {},
       nullptr,
       {0, 2, 5},
       3},
      {&kOpReduce, {i({2, 3, 4})}, {i({2, 1, 4})}, {0, 2}, {}, {}},
      {&kOpReduce, {f({2, 3, 4})}, {f({2, 3})}, {3, 4}, {}, {}},
      {&kOpReduce, {f({2, 3, 40})}, {f({1, 3, 40})}, {9, 1}, {}, {}},
      {&kOpUnary, {f({3, 7})}, {f({3, 7})}, {params::unary::kCelu}, {0.5f}, {}},
      {&kOpUnary, {f({3, 7})}, {b({3, 7})}, {params::unary::kIsInf}, {}, {}},
      {&kOpBinary, {f({3, 1, 5}), f({4, 1})}, {f({3, 4, 5})}, {params::binary::kPow}, {}, {}},
      {&kOpBinary, {i({3, 5}), i({1})}, {i({3, 5})}, {params::binary::kPow}, {}, {}},
      {&kOpEmbedding, {i({2, 2}), empty(ERT_I8, {5, 3}), f({5})}, {f({2, 2, 3})}, {}, {}, {}},
      {&kOpPad, {f({2, 3, 4})}, {f({3, 5, 5})}, {1, 0, 0, 1, 0}, {}, {1, 0}},
      {&kOpScatterND, {f({5, 2}), i({3, 1}), f({3, 2})}, {f({5, 2})}, {3}, {}, {}},
      {&kOpScatterElements, {i({5, 2}), i({3, 2}), i({3, 2})}, {i({5, 2})}, {0, 4}, {}, {}},
      {&kOpCumSum, {i({2, 3, 2})}, {i({2, 3, 2})}, {1, 1, 1}, {}, {}},
      {&kOpRecurrence,
       {f({5, 2, 16}), absent(), absent(), absent(), absent(), f({4, 64}), absent(), absent(), f({64})},
       {f({5, 2, 4}), f({1, 2, 4}), f({1, 2, 4})},
       lstm,
       {1.5f},
       {}},
      {&kOpRecurrence,
       {f({3, 2, 12}), i({2}), f({1, 2, 4}), absent(), absent(), f({4, 48}), absent(), absent(), f({48})},
       {f({3, 2, 4}), f({1, 2, 4})},
       gru,
       {0.0f},
       {}},
      {&kOpRecurrence,
       {f({3, 2, 8}), absent(), absent(), absent(), absent(), f({4, 16}), absent(), absent(), f({16}), f({4, 16})},
       {f({3, 2, 8}), f({2, 2, 4})},
       rnn,
       {0.0f},
       {}},
      {&kOpExportInt, {b({2, 3})}, {empty(ERT_U8, {2, 3})}, {}, {}, {}},
      {&kOpImportFloat, {b({2, 3})}, {f({2, 3})}, {}, {}, {}},
      {&kOpMatMul, {f({3, 4, 2, 3}), f({3, 4, 5, 3})}, {f({3, 4, 2, 5})}, {params::matmul::kTransposeRhs}, {0.5f}, {}},
      {&kOpDepthwiseConv, {f({1, 9, 6}), f({3, 6}), f({6})}, {f({1, 9, 6})}, {0, 3, 1, 1, 1, 1}, {}, {}},
      {&kOpMapConv,
       {u({2, 3, 7, 8}), i({2, 3, 2}), packed_as(32, 8), f({17}), i({32})},
       {f({2, 3, 4, 17})},
       {params::unary::kLeakyRelu, 1, 1, 1, 0, 0, 1, 2, 1, 0, 0},
       {0.5f},
       {}},
      {&kOpMapDepthwiseConv,
       {u({2, 5, 7, 17}), i({2, 5, 2}), packed_as(64, 5), f({17}), i({64}), absent(), absent(), u({2, 3, 7, 17}), i({2, 3, 2})},
       {f({2, 3, 7, 17})},
       {-1, 2, 2, 2, 0, 2, 5, 1, 2, 4, 4},
       {},
       {}},
  };
}

}  // namespace ert::test
