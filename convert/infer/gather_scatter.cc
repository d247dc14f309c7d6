// Inference of indexed reads and writes.
#include "convert/infer/dispatch.h"

namespace edgeconv {

namespace {

bool indices_are_integers(NodeInference& c, size_t input) {
  if (is_integer(c.dtype(input))) return true;
  c.invalid("its indices are " + std::string(dtype_name(c.dtype(input))), "indices are int32 or int64");
  return false;
}

}  // namespace

void infer_gather(NodeInference& c) {
  if (!indices_are_integers(c, 1)) return;
  const auto ax = c.axis(c.node().as<AxisAttrs>().axis, c.rank(0));
  if (!ax) return;
  const Shape& data = c.shape(0);
  const Shape& indices = c.shape(1);
  Shape out(data.begin(), data.begin() + *ax);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), data.begin() + *ax + 1, data.end());
  c.set(0, c.dtype(0), std::move(out));
  if (!move_elements(c)) trace_elements(c);
}

void infer_gather_elements(NodeInference& c) {
  if (!indices_are_integers(c, 1)) return;
  if (!c.axis(c.node().as<AxisAttrs>().axis, c.rank(0))) return;
  c.set(0, c.dtype(0), c.shape(1));
  move_elements(c);
}

void infer_gather_nd(NodeInference& c) {
  if (!indices_are_integers(c, 1)) return;
  const int64_t batch = c.node().as<GatherNDAttrs>().batch_dims;
  const Shape data = c.shape(0), indices = c.shape(1);
  if (indices.empty() || batch < 0 || batch >= static_cast<int64_t>(indices.size()) ||
      batch >= static_cast<int64_t>(data.size())) {
    return c.invalid("batch_dims does not fit the ranks");
  }
  const auto depth = indices.back().constant();
  if (!depth || *depth < 0 || batch + *depth > static_cast<int64_t>(data.size())) {
    return c.problem("the last axis of the indices (" + indices.back().str() + ") is not a known size within the rank",
                     "index with a constant number of axes");
  }
  for (int64_t i = 0; i < batch; ++i) {
    if (!c.unify(data[static_cast<size_t>(i)], indices[static_cast<size_t>(i)], "batch axis of a GatherND")) return;
  }
  Shape out(indices.begin(), indices.end() - 1);
  out.insert(out.end(), data.begin() + batch + *depth, data.end());
  c.set(0, c.dtype(0), std::move(out));
  move_elements(c);
}

void infer_scatter(NodeInference& c) {
  if (!indices_are_integers(c, 1)) return;
  c.set(0, c.dtype(0), c.shape(0));
  move_elements(c);
}

void infer_one_hot(NodeInference& c) {
  const auto* a = std::get_if<AxisAttrs>(&c.node().attrs);
  const auto ax = c.axis(a ? a->axis : -1, c.rank(0) + 1);
  if (!ax || !c.is_single(1) || !c.has_elements(2, 2)) return;
  const auto depth = c.elements(1);
  if (!depth && !c.in(1).constant) return c.data_dependent(1);
  Shape out = c.shape(0);
  // A float may be no whole number, or a large one: as eval_one_hot has it.
  out.insert(out.begin() + *ax, depth ? depth->at(0) : DimExpr(c.in(1).constant->cast(DType::kInt64).to_int64()[0]));
  c.set(0, c.dtype(2), std::move(out));
}

}  // namespace edgeconv
