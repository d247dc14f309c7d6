// Inference of the fused kinds that passes make; conventions of their inputs are in ir/attributes.h.
#include "convert/infer/dispatch.h"

namespace edgeconv {

void infer_linear(NodeInference& c) {
  if (c.rank(0) < 1 || c.rank(1) != 2) return c.problem("Linear needs x and a weight matrix", "this is a fault of a pass");
  const Shape x = c.shape(0), w = c.shape(1);
  if (!c.unify(x.back(), w[0], "inner size of a Linear")) return;
  if (c.has(2) && !c.unify(w[1], c.shape(2).back(), "bias of a Linear")) return;
  Shape out = x;
  out.back() = w[1];
  c.set(0, DType::kFloat, std::move(out));
}

void infer_attention(NodeInference& c) {
  const AttentionAttrs& a = c.node().as<AttentionAttrs>();
  if (c.rank(0) != 3 || c.rank(1) != 3 || c.rank(2) != 3)
    return c.problem("Attention needs q, k and v of rank 3", "this is a fault of a pass");
  const DimExpr batch = c.shape(0)[0], rows = c.shape(0)[1];
  if (!c.unify(c.shape(1)[1], c.shape(2)[1], "key and value rows of an Attention")) return;
  if (!c.unify(batch, c.shape(1)[0], "batch of an Attention")) return;
  for (size_t i = 3; i < 5; ++i) {
    if (c.has(i) && c.rank(i) != 4) return c.problem("bias and mask of an Attention need rank 4", "this is a fault of a pass");
  }
  c.set(0, DType::kFloat, {batch, rows, DimExpr(a.heads * (a.v_dim ? a.v_dim : a.head_dim))});
}

void infer_rope(NodeInference& c) {
  const RopeAttrs& a = c.node().as<RopeAttrs>();
  if (c.rank(0) != 3 || c.rank(1) != 3 || c.rank(2) != 3)
    return c.problem("Rope needs x and tables of rank 3", "this is a fault of a pass");
  if (!c.unify(c.shape(1)[1], c.shape(0)[1], "positions of a Rope") ||
      !c.unify(c.shape(2)[1], c.shape(0)[1], "positions of a Rope"))
    return;
  c.set(0, DType::kFloat, {c.shape(0)[0], c.shape(0)[1], DimExpr(a.heads * a.head_dim)});
}

void infer_glu(NodeInference& c) {
  if (c.rank(0) < 1 || c.rank(1) != c.rank(0)) return c.problem("Glu needs operands of one rank", "this is a fault of a pass");
  Shape out = c.shape(0);
  for (size_t i = 0; i + 1 < out.size(); ++i)
    if (!c.unify(out[i], c.shape(1)[i], "operands of a Glu")) return;
  out.back() = c.node().as<GluAttrs>().width;
  c.set(0, DType::kFloat, std::move(out));
}

void infer_norm(NodeInference& c) {
  const Shape x = c.shape(0);
  if (c.has(1)) {
    if (c.rank(1) != c.rank(0)) return c.problem("the residual of a Norm has another rank", "this is a fault of a pass");
    for (size_t i = 0; i < x.size(); ++i) {
      if (!c.unify(x[i], c.shape(1)[i], "residual of a Norm")) return;
    }
  }
  c.set(0, DType::kFloat, x);
  c.set(1, DType::kFloat, x);
}

void infer_embedding(NodeInference& c) {
  if (c.rank(1) != 2) return c.problem("Embedding needs a table of rank 2", "this is a fault of a pass");
  Shape out = c.shape(0);
  out.push_back(c.shape(1)[1]);
  c.set(0, DType::kFloat, std::move(out));
}

void infer_mean_pool(NodeInference& c) {
  const Shape x = c.shape(0);
  if (x.size() != 3) return c.problem("MeanPool needs rank 3", "this is a fault of a pass");
  if (c.has(1)) {
    if (c.rank(1) != 2 || !c.unify(x[0], c.shape(1)[0], "weights of a MeanPool") ||
        !c.unify(x[1], c.shape(1)[1], "weights of a MeanPool"))
      return;
  }
  c.set(0, DType::kFloat, {x[0], x[2]});
}

}  // namespace edgeconv
