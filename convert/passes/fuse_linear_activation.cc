// An activation that alone reads a Linear becomes part of it.
#include "convert/passes/match.h"

namespace edgeconv {

int pass_fuse_linear_activation(Graph& g, Diagnostics&) {
  return fuse_reader_of_linear(g, OpKind::kUnary,
                               [](const Node& n, const Node& activation, const Users&) -> std::optional<FusedLinear> {
                                 const int kind = activation.as<UnaryAttrs>().kind;
                                 // Only the kernels' own kinds: the others have parameters or are not worth a fused pass.
                                 if (kind < 0 || kind >= static_cast<int>(ert::kernels::Unary::kCount)) return {};
                                 return FusedLinear{n.inputs, LinearAttrs{kind}};
                               });
}

}  // namespace edgeconv
