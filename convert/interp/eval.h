// Inside of the interpreter: what the evaluator of one node sees, and the evaluators. fp16 and bf16 inputs of computing kinds
// arrive widened to fp32 (evaluate.cc); integers compute in int64 and wrap to their type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/interp/interpreter.h"
#include "convert/ir/diagnostics.h"
#include "kernels_int8/contract/kernel_table.h"

namespace edgeconv {

class NodeInputs {
 public:
  NodeInputs(const Graph& graph, const Node& n, std::vector<Tensor> in, Backend b)
      : g(graph), node(n), backend(b), inputs_(std::move(in)) {}

  const Graph& g;
  const Node& node;
  const Backend backend;

  size_t count() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i].dtype() != DType::kUndefined; }
  const Tensor& in(size_t i) const {
    if (!has(i)) fail("input " + std::to_string(i) + " is missing");
    return inputs_[i];
  }
  bool canonical() const { return backend == Backend::kCanonical; }
  int64_t axis(int64_t a, int64_t rank) const {
    if (a < -rank || a >= rank) fail("axis " + std::to_string(a) + " is outside of rank " + std::to_string(rank));
    return a < 0 ? a + rank : a;
  }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::vector<Tensor> inputs_;
};

using Results = std::vector<Tensor>;
using Evaluator = Results (*)(const NodeInputs&);

Evaluator evaluator(OpKind kind);  // null for kinds that cannot be evaluated

// The table of ert's kernels that the canonical backend runs on: the best that this host has; all give the same bits.
const ert::kernels::KernelTable& canonical_kernels();

// c[m, n] = a[m, k] * b[k, n] in fp32; leading dimensions in elements. beta is 0.
struct MatrixView {
  const float* data;
  int64_t ld;
  bool transposed = false;
};
void matmul_f32(Backend backend, int64_t m, int64_t n, int64_t k, MatrixView a, MatrixView b, float* c, int64_t c_ld);
// One elementwise function, a kernels::Unary or params::unary::Kind.
void apply_unary(Backend backend, int kind, float alpha, size_t n, const float* src, float* dst);
float apply_unary_one(Backend backend, int kind, float alpha, float x);
float exp_of(Backend backend, float x);
// Integers in their tensor type; wider values wrap.
Tensor from_int64(DType t, const std::vector<int64_t>& dims, const std::vector<int64_t>& v);
float sum_of(Backend backend, size_t n, const float* x);

// elementwise.cc, elementwise_binary.cc
Results eval_unary(const NodeInputs& c);
Results eval_binary(const NodeInputs& c);
Results eval_where(const NodeInputs& c);
Results eval_cast(const NodeInputs& c);
// matmul.cc, einsum.cc
Results eval_matmul(const NodeInputs& c);
Results eval_matmul_integer(const NodeInputs& c);
Results eval_conv_integer(const NodeInputs& c);
Results eval_einsum(const NodeInputs& c);
// reduce.cc
Results eval_reduce(const NodeInputs& c);
// norm.cc
Results eval_softmax(const NodeInputs& c);
Results eval_layer_normalization(const NodeInputs& c);
Results eval_batch_normalization(const NodeInputs& c);
Results eval_instance_normalization(const NodeInputs& c);
Results eval_group_normalization(const NodeInputs& c);
// movement.cc
Results eval_identity(const NodeInputs& c);
Results eval_reshape(const NodeInputs& c);
Results eval_squeeze(const NodeInputs& c);
Results eval_unsqueeze(const NodeInputs& c);
Results eval_flatten(const NodeInputs& c);
Results eval_transpose(const NodeInputs& c);
Results eval_slice(const NodeInputs& c);
Results eval_split(const NodeInputs& c);
Results eval_concat(const NodeInputs& c);
Results eval_expand(const NodeInputs& c);
Results eval_tile(const NodeInputs& c);
Results eval_pad(const NodeInputs& c);
// shape_ops.cc
Results eval_shape(const NodeInputs& c);
Results eval_size(const NodeInputs& c);
Results eval_constant_of_shape(const NodeInputs& c);
Results eval_range(const NodeInputs& c);
Results eval_eye_like(const NodeInputs& c);
Results eval_trilu(const NodeInputs& c);
Results eval_one_hot(const NodeInputs& c);
// gather_scatter.cc
Results eval_gather(const NodeInputs& c);
Results eval_gather_elements(const NodeInputs& c);
Results eval_gather_nd(const NodeInputs& c);
Results eval_scatter_nd(const NodeInputs& c);
Results eval_scatter_elements(const NodeInputs& c);
// search.cc
Results eval_cumsum(const NodeInputs& c);
Results eval_arg_min_max(const NodeInputs& c);
Results eval_topk(const NodeInputs& c);
// conv.cc, pool.cc
Results eval_conv(const NodeInputs& c);
Results eval_pool(const NodeInputs& c);
// resize.cc
Results eval_resize(const NodeInputs& c);
// rnn.cc
Results eval_rnn(const NodeInputs& c);
Results eval_recurrence(const NodeInputs& c);
// quantized.cc
Results eval_dynamic_quantize_linear(const NodeInputs& c);
Results eval_quantize_linear(const NodeInputs& c);
Results eval_dequantize_linear(const NodeInputs& c);
// fused.cc
Results eval_linear(const NodeInputs& c);
Results eval_attention(const NodeInputs& c);
Results eval_norm(const NodeInputs& c);
Results eval_embedding(const NodeInputs& c);
Results eval_rope(const NodeInputs& c);
Results eval_glu(const NodeInputs& c);
Results eval_mean_pool(const NodeInputs& c);
Results eval_l2_normalize(const NodeInputs& c);
// control_flow.cc
Results eval_if(const NodeInputs& c);
Results eval_loop(const NodeInputs& c);

}  // namespace edgeconv
