// Inside of the interpreter: what the evaluator of one node sees, and the evaluators. fp16 and bf16 inputs of computing kinds
// arrive widened to fp32 (evaluate.cc); integers compute in int64 and wrap to their type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/interp/interpreter.h"
#include "convert/ir/axis.h"
#include "convert/ir/diagnostics.h"
#include "kernels_int8/contract/kernel_table.h"

namespace edgeconv {

// Index of the last node that reads or gives each value; SIZE_MAX of the graph's outputs, which stay.
std::vector<size_t> last_uses(const Graph& g);

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
  int64_t integer(size_t i) const;  // the only element of an input
  bool canonical() const { return backend == Backend::kCanonical; }
  int64_t axis(int64_t a, int64_t rank) const {
    if (a < -rank || a >= rank) fail("axis " + std::to_string(a) + " is outside of rank " + std::to_string(rank));
    return from_front(a, rank);
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
// dst[columns, rows] of src[rows, columns].
void transpose_f32(int64_t rows, int64_t columns, const float* src, int64_t ld, float* dst);
void matmul_f32(Backend backend, int64_t m, int64_t n, int64_t k, MatrixView a, MatrixView b, float* c, int64_t c_ld);
// One elementwise function, a kernels::Unary or params::unary::Kind.
void apply_unary(Backend backend, int kind, float alpha, size_t n, const float* src, float* dst);
// Whether the result of a Unary or a Binary may stand where one of its inputs is; then it is written there. Bytes of somebody else's are copied first.
bool unary_may_overwrite(const Node& n, const Tensor& x);
Tensor unary_over(const Node& n, Tensor x, Backend backend);
bool binary_may_overwrite(const Node& n, const std::vector<const Tensor*>& in, size_t over);
Tensor binary_over(const Node& n, Tensor x, size_t over, const Tensor& other, Backend backend);
float apply_unary_one(Backend backend, int kind, float alpha, float x);
float exp_of(Backend backend, float x);
// Integers in their tensor type; wider values wrap.
Tensor from_int64(DType t, const std::vector<int64_t>& dims, const std::vector<int64_t>& v);
float sum_of(Backend backend, size_t n, const float* x);

// The functions named by op_kinds.inc, in the files named after what they evaluate. eval_none stands for none and is never called.
#define EDGECONV_OP(name, inference, evaluation, lowering, computes, moves) Results evaluation(const NodeInputs& c);
#include "convert/ir/op_kinds.inc"
#undef EDGECONV_OP

}  // namespace edgeconv
