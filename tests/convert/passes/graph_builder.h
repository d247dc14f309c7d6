// Hand-made graphs for the pass tests, and the check that every pass test makes: outputs before and after are equal.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/passes/pass.h"

namespace edgeconv {

#define EDGECONV_PASS(name, outputs) int pass_##name(Graph& g, Diagnostics& d);
#include "convert/passes/pass_list.inc"
#undef EDGECONV_PASS

}  // namespace edgeconv

namespace edgeconv::testing {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;
namespace unary = ert::params::unary;
using ert::kernels::Unary;

class GraphBuilder {
 public:
  Graph g;

  ValueId input(const std::string& name, Shape shape, DType dtype = DType::kFloat);
  ValueId constant(Tensor t);
  ValueId scalar(float v) { return constant(Tensor::scalar(v)); }
  ValueId ints(const std::vector<int64_t>& v) { return constant(Tensor::ints(v)); }
  // Fixed pseudo-random values in [-0.5, 0.5) plus `mean`.
  ValueId weights(const std::vector<int64_t>& dims, float mean = 0);

  ValueId node(OpKind kind, const std::vector<ValueId>& inputs, Attributes attrs = {});
  std::vector<ValueId> node_with_outputs(OpKind kind, const std::vector<ValueId>& inputs, size_t outputs, Attributes attrs = {});
  ValueId unary(int kind, ValueId x) { return node(OpKind::kUnary, {x}, UnaryAttrs{kind, 0}); }
  ValueId unary(Unary kind, ValueId x) { return unary(static_cast<int>(kind), x); }
  ValueId add(ValueId a, ValueId b) { return node(OpKind::kBinary, {a, b}, BinaryAttrs{binary::kAdd}); }
  ValueId sub(ValueId a, ValueId b) { return node(OpKind::kBinary, {a, b}, BinaryAttrs{binary::kSub}); }
  ValueId mul(ValueId a, ValueId b) { return node(OpKind::kBinary, {a, b}, BinaryAttrs{binary::kMul}); }
  ValueId div(ValueId a, ValueId b) { return node(OpKind::kBinary, {a, b}, BinaryAttrs{binary::kDiv}); }
  ValueId pow(ValueId a, ValueId b) { return node(OpKind::kBinary, {a, b}, BinaryAttrs{binary::kPow}); }
  ValueId max(ValueId a, ValueId b) { return node(OpKind::kBinary, {a, b}, BinaryAttrs{binary::kMax}); }
  ValueId matmul(ValueId a, ValueId b) { return node(OpKind::kMatMul, {a, b}); }
  ValueId mean(ValueId x) { return node(OpKind::kReduce, {x}, ReduceAttrs{reduce::kMean, {-1}, true, false}); }
  ValueId transpose(ValueId x, std::vector<int64_t> perm) {
    return node(OpKind::kTranspose, {x}, TransposeAttrs{std::move(perm)});
  }
  // 0 keeps an axis, -1 is inferred, as in ONNX.
  ValueId reshape(ValueId x, const std::vector<int64_t>& shape) {
    return node(OpKind::kReshape, {x, ints(shape)}, ReshapeAttrs{});
  }
  ValueId softmax(ValueId x) { return node(OpKind::kSoftmax, {x}, AxisAttrs{-1}); }
  void output(ValueId v) { g.outputs.push_back(v); }

 private:
  uint32_t random_ = 7;
  int names_ = 0;
  std::string fresh(const char* prefix) { return prefix + std::to_string(names_++); }
};

// Sorts and infers; a problem is a test failure.
void finish(Graph& g);

int count(const Graph& g, OpKind kind);
// The only live node of a kind; a failure when there is not exactly one.
const Node& only(const Graph& g, OpKind kind);

// Random inputs for a graph: symbolic dims are 3 (first) and 5 (others), integers lie in [0, 4).
std::vector<Tensor> random_inputs(const Graph& g);

// Applies `passes` in order (with dead code removal and inference between them) to g, and compares the outputs for random inputs
// before and after; the same of the graph's near misses (changed_passes.h). Returns the matches of the last pass.
int apply(Graph& g, const std::vector<PassFunction>& passes, float tolerance = 2e-5f);
// The same with the whole pipeline, each pass checked for itself.
PipelineResult apply_all(Graph& g, float tolerance = 2e-5f);

}  // namespace edgeconv::testing
