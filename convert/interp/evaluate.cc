// evaluate_node: the table of evaluators, and the widening of half-precision inputs around kinds that compute.
#include <string>

#include "convert/interp/eval.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/include/ert.h"

namespace edgeconv {

const ert::kernels::KernelTable& canonical_kernels() {
  static const ert::kernels::KernelTable& table = ert::kernels::kernel_table(ert_isa_available());
  return table;
}

void NodeInputs::fail(const std::string& message) const {
  std::string what = node.origin.op_type.empty() ? std::string(op_name(node.kind)) : node.origin.op_type;
  what += " '" + node.origin.node + "': " + message + " (inputs:";
  for (const Tensor& t : inputs_) {
    what += " " + std::string(dtype_name(t.dtype())) + "[";
    for (size_t i = 0; i < t.dims().size(); ++i) what += (i ? "," : "") + std::to_string(t.dims()[i]);
    what += "]";
  }
  throw FatalError(ExitCode::kMalformed, what + ")");
}

int64_t NodeInputs::integer(size_t i) const {
  if (in(i).elements() != 1) fail("input " + std::to_string(i) + " is not a single number");
  return in(i).to_int64()[0];
}

Results eval_none(const NodeInputs&) { return {}; }

Evaluator evaluator(OpKind kind) {
  static constexpr Evaluator kEvaluators[] = {
#define EDGECONV_OP(name, inference, evaluation, lowering, computes, moves) evaluation,
#include "convert/ir/op_kinds.inc"
#undef EDGECONV_OP
  };
  const Evaluator f = kEvaluators[static_cast<size_t>(kind)];
  return f == eval_none ? nullptr : f;
}

bool can_evaluate(OpKind kind) { return evaluator(kind) != nullptr; }

std::vector<Tensor> evaluate_node(const Graph& g, const Node& n, const std::vector<const Tensor*>& inputs, Backend backend) {
  const Evaluator f = evaluator(n.kind);
  if (!f)
    throw FatalError(ExitCode::kUnsupported,
                     n.origin.op_type + " '" + n.origin.node + "': this operator cannot be computed on the host");
  std::vector<Tensor> in;
  DType narrow = DType::kUndefined;
  bool mixed = false;
  const Computes types = computes(n.kind);
  for (const Tensor* t : inputs) {
    if (t == nullptr || t->dtype() == DType::kUndefined) {
      in.emplace_back();
      continue;
    }
    if (types != Computes::kAsStored && is_float(t->dtype())) {
      if (t->dtype() == DType::kFloat || (t->dtype() == DType::kDouble && types == Computes::kDouble)) {
        mixed = true;
      } else {
        narrow = t->dtype();
        in.push_back(t->cast(DType::kFloat));
        continue;
      }
    }
    in.push_back(t->aligned());
  }
  std::vector<Tensor> out = f(NodeInputs(g, n, std::move(in), backend));
  if (narrow != DType::kUndefined && !mixed) {
    for (size_t o = 0; o < out.size(); ++o) {
      // Fused nodes give fp32, whatever they read.
      const bool stays = o < n.outputs.size() && n.outputs[o] != kNone && g.value(n.outputs[o]).dtype == DType::kFloat;
      if (out[o].dtype() == DType::kFloat && !stays) out[o] = out[o].cast(narrow);
    }
  }
  return out;
}

}  // namespace edgeconv
