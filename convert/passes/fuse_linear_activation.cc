// An activation that alone reads a Linear or a depthwise convolution becomes part of it.
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

// Only the kernels' own kinds: the others have parameters or are not worth a fused pass.
std::optional<int> kernel_activation(const Node& n) {
  const int kind = n.as<UnaryAttrs>().kind;
  if (kind < 0 || kind >= static_cast<int>(ert::kernels::Unary::kCount)) return {};
  return kind;
}

// A Conv has the parameter of a LeakyRelu.
bool leaky_behind_patches(const Graph& g, const Node& linear, const Node& activation) {
  return activation.as<UnaryAttrs>().kind == ert::params::unary::kLeakyRelu &&
         producer_of_kind(g, linear.in(0), OpKind::kPatches);
}

int fuse_depthwise_activation(Graph& g) {
  int fused = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (g.nodes[i].dead || g.nodes[i].kind != OpKind::kDepthwiseConv) continue;
    const Node n = g.nodes[i];
    DepthwiseConvAttrs a = n.as<DepthwiseConvAttrs>();
    const Node* reader = sole_user(g, users, n.outputs[0]);
    if (a.activation != ert::params::depthwise_conv::kNoActivation || !reader || reader->kind != OpKind::kUnary) continue;
    const auto kind = kernel_activation(*reader);
    if (!kind) continue;
    a.activation = *kind;
    const ValueId out = reader->outputs[0];
    g.nodes[i].dead = true;
    redefine(g, out, OpKind::kDepthwiseConv, n.inputs, a, n.origin);
    ++fused;
  }
  return fused;
}

}  // namespace

int pass_fuse_linear_activation(Graph& g, Diagnostics&) {
  return fuse_reader_of_linear(
             g, OpKind::kUnary,
             [&](const Node& n, const Node& activation, const Users&) -> std::optional<FusedLinear> {
               if (leaky_behind_patches(g, n, activation))
                 return FusedLinear{n.inputs, {ert::params::unary::kLeakyRelu, activation.as<UnaryAttrs>().alpha}};
               const auto kind = kernel_activation(activation);
               if (!kind) return {};
               return FusedLinear{n.inputs, {*kind}};
             }) +
         fuse_depthwise_activation(g);
}

}  // namespace edgeconv
