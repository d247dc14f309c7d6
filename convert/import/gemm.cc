// Gemm: alpha * A' * B' + beta * C, written as Transpose, MatMul, Mul and Add. Also ONNX Runtime's FusedGemm (an activation
// behind it) and FusedMatMul.
#include "convert/import/fused_activation.h"

namespace edgeconv {
namespace {

ValueId gemm(ImportContext& c, const OnnxNode& n) {
  ValueId a = required_input(c, n, 0), b = required_input(c, n, 1), bias = c.input(n, 2);
  for (const ValueId v : {a, b})
    if (const int rank = rank_hint(c.graph(), v); rank >= 0 && rank != 2)
      throw NodeError("its inputs must be matrices, '" + c.graph().value(v).name + "' has rank " + std::to_string(rank));
  if (n.integer("transA", 0) != 0) a = transpose(c, n, a, {1, 0});
  if (n.integer("transB", 0) != 0) b = transpose(c, n, b, {1, 0});
  ValueId y = matmul(c, n, a, b);
  const float alpha = n.number("alpha", 1), beta = n.number("beta", 1);
  if (alpha != 1) y = mul(c, n, y, scalar_like(c, n, a, alpha));
  if (bias == kNone || beta == 0) return y;
  if (beta != 1) bias = mul(c, n, bias, scalar_like(c, n, bias, beta));
  return add(c, n, y, bias);
}

}  // namespace

void import_gemm(ImportContext& c, const OnnxNode& n) { c.bind(n, 0, gemm(c, n)); }

void import_fused_gemm(ImportContext& c, const OnnxNode& n) {
  std::vector<float> params;
  for (const char* name : {"activation_alpha", "activation_beta"})
    if (n.has(name)) params.push_back(n.number(name, 0));
  c.bind(n, 0, fused_activation(c, n, gemm(c, n), n.text("activation", ""), params));
}

void import_fused_matmul(ImportContext& c, const OnnxNode& n) {
  ValueId a = required_input(c, n, 0), b = required_input(c, n, 1);
  if (n.integer("transBatchA", 0) != 0 || n.integer("transBatchB", 0) != 0)
    refuse("transposed batch axes", "convert the model as it was before ONNX Runtime optimised it");
  const auto swapped = [&](ValueId x) {
    const int rank = rank_hint(c.graph(), x);
    if (rank < 2)
      refuse("the rank of a transposed operand is not known when the file is read",
             "convert the model as it was before ONNX Runtime optimised it");
    std::vector<int64_t> perm;
    for (int i = 0; i < rank; ++i) perm.push_back(i);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return transpose(c, n, x, std::move(perm));
  };
  if (n.integer("transA", 0) != 0) a = swapped(a);
  if (n.integer("transB", 0) != 0) b = swapped(b);
  const float alpha = n.number("alpha", 1);
  ValueId y = matmul(c, n, a, b);
  if (alpha != 1) y = mul(c, n, y, scalar_like(c, n, a, alpha));
  c.bind(n, 0, y);
}

}  // namespace edgeconv
