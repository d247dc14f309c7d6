// Convolutions that have runtime ops of their own.
#include "convert/lower/lower.h"

namespace edgeconv {

using ert::params::OpCode;

void lower_depthwise_conv(LowerContext& c, const Node& n) {
  namespace depthwise = ert::params::depthwise_conv;
  namespace window = ert::params::window;
  const WindowAttrs& a = n.as<DepthwiseConvAttrs>().window;
  std::vector<int32_t> ints = {n.as<DepthwiseConvAttrs>().activation};
  for (size_t i = 0; i < a.kernel.size(); ++i) {
    const std::vector<int32_t> axis = named<window::kAxisInts>({{window::kKernel, a.kernel[i]},
                                                                {window::kStride, a.strides[i]},
                                                                {window::kDilation, a.dilations[i]},
                                                                {window::kBegin, a.begin[i]},
                                                                {window::kEnd, a.end[i]}});
    ints.insert(ints.end(), axis.begin(), axis.end());
  }
  c.op(n, OpCode::kDepthwiseConv,
       named<depthwise::kInputCount>({{depthwise::kX, c.operand(n.in(0))},
                                      {depthwise::kWeights, c.operand(n.in(1))},
                                      {depthwise::kBias, c.operand(n.in(2))}}),
       {c.result(n.outputs[0])}, ints);
}

}  // namespace edgeconv
