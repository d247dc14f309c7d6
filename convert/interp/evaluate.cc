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

Evaluator evaluator(OpKind kind) {
  switch (kind) {
    case OpKind::kUnary: return eval_unary;
    case OpKind::kBinary: return eval_binary;
    case OpKind::kWhere: return eval_where;
    case OpKind::kCast: return eval_cast;
    case OpKind::kIdentity: return eval_identity;
    case OpKind::kMatMul: return eval_matmul;
    case OpKind::kEinsum: return eval_einsum;
    case OpKind::kReduce: return eval_reduce;
    case OpKind::kSoftmax:
    case OpKind::kLogSoftmax: return eval_softmax;
    case OpKind::kLayerNormalization: return eval_layer_normalization;
    case OpKind::kBatchNormalization: return eval_batch_normalization;
    case OpKind::kInstanceNormalization: return eval_instance_normalization;
    case OpKind::kGroupNormalization: return eval_group_normalization;
    case OpKind::kReshape: return eval_reshape;
    case OpKind::kSqueeze: return eval_squeeze;
    case OpKind::kUnsqueeze: return eval_unsqueeze;
    case OpKind::kFlatten: return eval_flatten;
    case OpKind::kTranspose: return eval_transpose;
    case OpKind::kSlice: return eval_slice;
    case OpKind::kSplit: return eval_split;
    case OpKind::kConcat: return eval_concat;
    case OpKind::kGather: return eval_gather;
    case OpKind::kGatherElements: return eval_gather_elements;
    case OpKind::kGatherND: return eval_gather_nd;
    case OpKind::kScatterND: return eval_scatter_nd;
    case OpKind::kScatterElements: return eval_scatter_elements;
    case OpKind::kExpand: return eval_expand;
    case OpKind::kTile: return eval_tile;
    case OpKind::kShape: return eval_shape;
    case OpKind::kSize: return eval_size;
    case OpKind::kConstantOfShape: return eval_constant_of_shape;
    case OpKind::kRange: return eval_range;
    case OpKind::kCumSum: return eval_cumsum;
    case OpKind::kPad: return eval_pad;
    case OpKind::kTrilu: return eval_trilu;
    case OpKind::kOneHot: return eval_one_hot;
    case OpKind::kEyeLike: return eval_eye_like;
    case OpKind::kArgMinMax: return eval_arg_min_max;
    case OpKind::kTopK: return eval_topk;
    case OpKind::kConv: return eval_conv;
    case OpKind::kMaxPool:
    case OpKind::kAveragePool: return eval_pool;
    case OpKind::kResize: return eval_resize;
    case OpKind::kRnn: return eval_rnn;
    case OpKind::kRecurrence: return eval_recurrence;
    case OpKind::kDynamicQuantizeLinear: return eval_dynamic_quantize_linear;
    case OpKind::kQuantizeLinear: return eval_quantize_linear;
    case OpKind::kDequantizeLinear: return eval_dequantize_linear;
    case OpKind::kMatMulInteger: return eval_matmul_integer;
    case OpKind::kConvInteger: return eval_conv_integer;
    case OpKind::kIf: return eval_if;
    case OpKind::kLoop: return eval_loop;
    case OpKind::kLinear: return eval_linear;
    case OpKind::kAttention: return eval_attention;
    case OpKind::kRope: return eval_rope;
    case OpKind::kGlu: return eval_glu;
    case OpKind::kNorm: return eval_norm;
    case OpKind::kEmbedding: return eval_embedding;
    case OpKind::kMeanPool: return eval_mean_pool;
    case OpKind::kL2Normalize: return eval_l2_normalize;
    case OpKind::kCustom: return nullptr;
  }
  return nullptr;
}

bool can_evaluate(OpKind kind) { return evaluator(kind) != nullptr; }

namespace {

// Kinds that treat elements as bytes: every type passes through unchanged.
bool moves_bytes(OpKind kind) {
  switch (kind) {
    case OpKind::kWhere:
    case OpKind::kCast:
    case OpKind::kIdentity:
    case OpKind::kReshape:
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze:
    case OpKind::kFlatten:
    case OpKind::kTranspose:
    case OpKind::kSlice:
    case OpKind::kSplit:
    case OpKind::kConcat:
    case OpKind::kGather:
    case OpKind::kGatherElements:
    case OpKind::kGatherND:
    case OpKind::kExpand:
    case OpKind::kTile:
    case OpKind::kShape:
    case OpKind::kSize:
    case OpKind::kConstantOfShape:
    case OpKind::kEyeLike:
    case OpKind::kTrilu:
    case OpKind::kPad:
    case OpKind::kOneHot:
    case OpKind::kIf:
    case OpKind::kLoop: return true;
    default: return false;
  }
}

// Kinds that compute doubles as doubles; the others compute them in fp32.
bool knows_double(OpKind kind) {
  return kind == OpKind::kUnary || kind == OpKind::kBinary || kind == OpKind::kReduce || kind == OpKind::kCumSum ||
         kind == OpKind::kRange || kind == OpKind::kScatterND || kind == OpKind::kScatterElements || kind == OpKind::kTopK ||
         kind == OpKind::kArgMinMax;
}

}  // namespace

std::vector<Tensor> evaluate_node(const Graph& g, const Node& n, const std::vector<const Tensor*>& inputs, Backend backend) {
  const Evaluator f = evaluator(n.kind);
  if (!f)
    throw FatalError(ExitCode::kUnsupported,
                     n.origin.op_type + " '" + n.origin.node + "': this operator cannot be computed on the host");
  std::vector<Tensor> in;
  DType narrow = DType::kUndefined;
  bool mixed = false;
  const bool widen = !moves_bytes(n.kind);
  for (const Tensor* t : inputs) {
    if (t == nullptr || t->dtype() == DType::kUndefined) {
      in.emplace_back();
      continue;
    }
    if (widen && is_float(t->dtype())) {
      if (t->dtype() == DType::kFloat || (t->dtype() == DType::kDouble && knows_double(n.kind))) {
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
    for (Tensor& t : out) {
      if (t.dtype() == DType::kFloat) t = t.cast(narrow);
    }
  }
  return out;
}

}  // namespace edgeconv
