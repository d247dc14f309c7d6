// Inference of products: MatMul, MatMulInteger, Einsum.
#include <algorithm>
#include <map>

#include "convert/infer/dispatch.h"
#include "convert/interp/einsum.h"

namespace edgeconv {
namespace {

std::optional<Shape> matmul_shape(NodeInference& c) {
  Shape a = c.shape(0), b = c.shape(1);
  if (a.empty() || b.empty()) {
    c.invalid("MatMul of a scalar");
    return std::nullopt;
  }
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), DimExpr(1));
  if (column) b.push_back(DimExpr(1));
  if (!c.unify(a.back(), b[b.size() - 2], "inner size of a MatMul")) return std::nullopt;
  auto batch = c.broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch) return std::nullopt;
  Shape out = *batch;
  if (!row) out.push_back(a[a.size() - 2]);
  if (!column) out.push_back(b.back());
  return out;
}

}  // namespace

void infer_matmul(NodeInference& c) {
  auto s = matmul_shape(c);
  if (!s) return;
  c.set(0, c.dtype(1) == DType::kFloat && is_float(c.dtype(0)) ? DType::kFloat : c.dtype(0), std::move(*s));
}

void infer_matmul_integer(NodeInference& c) {
  auto s = matmul_shape(c);
  if (s) c.set(0, DType::kInt32, std::move(*s));
}

void infer_einsum(NodeInference& c) {
  std::vector<int> ranks;
  for (size_t i = 0; i < c.node().inputs.size(); ++i) ranks.push_back(c.rank(i));
  std::string error;
  const auto spec = parse_einsum(c.node().as<EinsumAttrs>().equation, ranks, error);
  if (!spec) return c.invalid("the Einsum equation '" + c.node().as<EinsumAttrs>().equation + "': " + error);
  std::vector<DimExpr> sizes(static_cast<size_t>(spec->labels), DimExpr(1));
  for (size_t i = 0; i < spec->inputs.size(); ++i) {
    for (size_t k = 0; k < spec->inputs[i].size(); ++k) {
      const size_t label = static_cast<size_t>(spec->inputs[i][k]);
      const DimExpr d = c.shape(i)[k];
      if (d == DimExpr(1)) continue;
      if (sizes[label] != DimExpr(1) && !c.unify(sizes[label], d, "a letter of an Einsum")) return;
      if (sizes[label] == DimExpr(1) || d.is_constant()) sizes[label] = d;
    }
  }
  Shape out;
  for (int label : spec->output) out.push_back(sizes[static_cast<size_t>(label)]);
  c.set(0, c.dtype(0), std::move(out));
}

}  // namespace edgeconv
