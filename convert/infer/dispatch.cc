// The dispatch table of inference functions, from op_kinds.inc.
#include "convert/infer/dispatch.h"

namespace edgeconv {

void infer_none(NodeInference&) {}

InferFunction infer_function(OpKind kind) {
  static constexpr InferFunction kFunctions[] = {
#define EDGECONV_OP(name, inference, evaluation, lowering, computes, moves) inference,
#include "convert/ir/op_kinds.inc"
#undef EDGECONV_OP
  };
  const InferFunction f = kFunctions[static_cast<size_t>(kind)];
  return f == infer_none ? nullptr : f;
}

}  // namespace edgeconv
