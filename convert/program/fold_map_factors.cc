// The factors of a map that a convolution writes become part of its scales, biases and residual where its activation lets positive factors through: then nothing
// multiplies a row before it is quantized.
#include <algorithm>

#include "convert/program/map_ops.h"
#include "convert/program/program_pass.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace map_conv = ert::params::map_conv;
using ert::params::OpCode;

// act(f * y) = f * act(y) for f > 0.
bool lets_factors_through(int32_t activation) {
  return activation == map_conv::kNoActivation || activation == static_cast<int32_t>(ert::kernels::Unary::kRelu) ||
         activation == ert::params::unary::kLeakyRelu;
}

bool is_constant(const TargetProgram& p, int v) {
  return v < 0 || p.values[static_cast<size_t>(v)].storage == Storage::kConstant;
}

// Each of v times its factor; v < 0: the factors.
int times(TargetProgram& p, int v, int factors) {
  if (v < 0) return factors;
  std::vector<float> product;
  const auto f = p.values[static_cast<size_t>(factors)].data.as<float>();
  const auto of = p.values[static_cast<size_t>(v)].data.as<float>();
  for (size_t i = 0; i < of.size(); ++i) product.push_back(of[i] * f[i]);
  const Shape shape = p.values[static_cast<size_t>(v)].shape;
  return p.add_constant(ERT_F32, shape, Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(product.size())}, product));
}

}  // namespace

int pass_fold_map_factors(TargetProgram& p, const ProgramPassOptions&) {
  int folded = 0;
  for (size_t i = 0; i < p.ops.size(); ++i) {
    TargetOp& op = p.ops[i];
    if (op.code != OpCode::kMapConv && op.code != OpCode::kMapDepthwiseConv) continue;
    const int factors = op.inputs[map_conv::kFactors];
    if (factors < 0 || !lets_factors_through(op.ints[map_conv::kActivation])) continue;
    const int own[] = {factors, op.inputs[map_conv::kScale], op.inputs[map_conv::kBias], op.inputs[map_conv::kResidualFactors]};
    if (!std::all_of(std::begin(own), std::end(own), [&](int v) { return is_constant(p, v); })) continue;
    const auto f = p.values[static_cast<size_t>(factors)].data.as<float>();
    if (!std::all_of(f.begin(), f.end(), [](float x) { return x > 0; })) continue;
    op.inputs[map_conv::kScale] = times(p, own[1], factors);
    if (own[2] >= 0) op.inputs[map_conv::kBias] = times(p, own[2], factors);
    if (op.inputs[map_conv::kResidual] >= 0) op.inputs[map_conv::kResidualFactors] = times(p, own[3], factors);
    op.inputs[map_conv::kFactors] = -1;
    ++folded;
  }
  if (folded > 0) p.remove_dead();
  return folded;
}

}  // namespace edgeconv
