// BatchNormalization at inference is a multiply and an add per channel, which fold into a Linear before or after it.
#include <cmath>

#include "convert/passes/match.h"

namespace edgeconv {

int pass_decompose_batch_norm(Graph& g, Diagnostics&) {
  int done = 0;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kBatchNormalization) continue;
    const Node n = g.nodes[i];
    bool constant = g.value(n.in(0)).shape.has_value();
    for (size_t k = 1; k < 5; ++k) constant &= n.in(k) != kNone && g.value(n.in(k)).constant.has_value();
    if (!constant) continue;
    std::vector<float> in[4];
    for (size_t k = 0; k < 4; ++k) in[k] = g.value(n.in(k + 1)).constant->to_float();
    const auto& [scale, bias, mean, variance] = in;
    const int rank = g.value(n.in(0)).rank();
    // Channels are axis 1: [C] broadcasts as it is for rank 2, otherwise it needs trailing axes of size 1.
    std::vector<int64_t> dims{static_cast<int64_t>(scale.size())};
    for (int a = 2; a < rank; ++a) dims.push_back(1);
    Tensor factor(DType::kFloat, dims), shift(DType::kFloat, dims);
    const float epsilon = n.as<BatchNormAttrs>().epsilon;
    for (size_t c = 0; c < scale.size(); ++c) {
      factor.mut<float>()[c] = scale[c] / std::sqrt(variance[c] + epsilon);
      shift.mut<float>()[c] = bias[c] - mean[c] * factor.mut<float>()[c];
    }
    const ValueId f = g.add_constant(n.origin.node + "/scale", factor), s = g.add_constant(n.origin.node + "/shift", shift);
    const ValueId scaled = g.add_node(OpKind::kBinary, {n.in(0), f}, BinaryAttrs{ert::params::binary::kMul}, n.origin);
    redefine(g, n.outputs[0], OpKind::kBinary, {scaled, s}, BinaryAttrs{ert::params::binary::kAdd}, n.origin);
    ++done;
  }
  return done;
}

}  // namespace edgeconv
