// Inference of indexed reads and writes.
#include "convert/infer/dispatch.h"

namespace edgeconv {

namespace {

bool indices_are_integers(NodeInference& c, size_t input) {
  if (is_integer(c.dtype(input))) return true;
  c.invalid("its indices are " + std::string(dtype_name(c.dtype(input))), "indices are int32 or int64");
  return false;
}

constexpr int64_t kMostIndicesTried = 1 << 16;

// Constant indices name elements of axes whose size is a number, as where the data is constant too. Coordinate i is of the axis behind `first` + i; where
// there is one only, every index is of axis `first`.
bool known_indices_exist(NodeInference& c, int64_t first, int64_t coordinates = 1) {
  const auto& indices = c.in(1).constant;
  if (!indices || indices->elements() > kMostIndicesTried || coordinates < 1) return true;
  const std::vector<int64_t> all = indices->to_int64();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto axis = static_cast<size_t>(first) + i % static_cast<size_t>(coordinates);
    const auto size = c.shape(0)[axis].constant();
    if (!size || (all[i] >= -*size && all[i] < *size)) continue;
    c.invalid("index " + std::to_string(all[i]) + " is outside of axis " + std::to_string(axis) + " of size " + std::to_string(*size));
    return false;
  }
  return true;
}

// Of GatherElements and ScatterElements: indices of the data's rank, along other axes than theirs no more than the data has. What dims decide is tried
// out when their ranges are known (dims/fitting_sizes.cc).
bool indices_lie_within(NodeInference& c, int64_t axis) {
  const auto along = c.axis(axis, c.rank(0));
  if (!along) return false;
  if (c.rank(0) != c.rank(1)) {
    c.invalid("indices of rank " + std::to_string(c.rank(1)) + " over data of rank " + std::to_string(c.rank(0)), "both have the same rank");
    return false;
  }
  for (size_t i = 0; i < c.shape(0).size(); ++i) {
    const auto have = c.shape(0)[i].constant(), want = c.shape(1)[i].constant();
    if (static_cast<int64_t>(i) == *along || !have || !want || *want <= *have) continue;
    c.invalid("its indices have " + std::to_string(*want) + " elements in axis " + std::to_string(i) + ", the data has " + std::to_string(*have));
    return false;
  }
  return known_indices_exist(c, *along);
}

void too_many_coordinates(NodeInference& c, int64_t depth) {
  c.invalid("an index has " + std::to_string(depth) + " coordinates, of data of rank " + std::to_string(c.rank(0)));
}

void wrong_rank_of_updates(NodeInference& c, int64_t wanted) {
  c.invalid("updates of rank " + std::to_string(c.rank(2)) + " where data and indices need rank " + std::to_string(wanted));
}

bool updates_have(NodeInference& c, const Shape& wanted) {
  if (c.node().as<ScatterAttrs>().reduction != ert::params::scatter::kReplace && c.dtype(0) == DType::kBool) {
    c.problem("it reduces bool", "scatter int32, and compare the result with 0");
    return false;
  }
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!c.unify(Shape(c.shape(2))[i], wanted[i], "axis " + std::to_string(i) + " of the updates of a " + std::string(op_name(c.node().kind))))
      return false;
  return true;
}

}  // namespace

void infer_gather(NodeInference& c) {
  if (!indices_are_integers(c, 1)) return;
  const auto ax = c.axis(c.node().as<AxisAttrs>().axis, c.rank(0));
  if (!ax || !known_indices_exist(c, *ax)) return;
  const Shape& data = c.shape(0);
  const Shape& indices = c.shape(1);
  Shape out(data.begin(), data.begin() + *ax);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), data.begin() + *ax + 1, data.end());
  c.set(0, c.dtype(0), std::move(out));
  if (!move_elements(c)) trace_elements(c);
}

void infer_gather_elements(NodeInference& c) {
  if (!indices_are_integers(c, 1) || !indices_lie_within(c, c.node().as<AxisAttrs>().axis)) return;
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
  if (!depth)
    return c.problem("the last axis of the indices (" + indices.back().str() + ") is not a known size", "index with a constant number of axes");
  if (*depth < 0 || batch + *depth > c.rank(0)) return too_many_coordinates(c, *depth);
  if (!known_indices_exist(c, batch, *depth)) return;
  for (int64_t i = 0; i < batch; ++i) {
    if (!c.unify(data[static_cast<size_t>(i)], indices[static_cast<size_t>(i)], "batch axis of a GatherND")) return;
  }
  Shape out(indices.begin(), indices.end() - 1);
  out.insert(out.end(), data.begin() + batch + *depth, data.end());
  c.set(0, c.dtype(0), std::move(out));
  move_elements(c);
}

// Updates [indices[:-1], data[depth:]], where the last axis of the indices has coordinates of the first `depth` axes of the data.
void infer_scatter_nd(NodeInference& c) {
  if (!indices_are_integers(c, 1)) return;
  const Shape data = c.shape(0), indices = c.shape(1);
  if (data.empty() || indices.empty()) return c.invalid("data and indices need rank 1 or more");
  // A number of coordinates that is computed follows from the updates.
  const int64_t leading = c.rank(1) - 1, depth = indices.back().constant().value_or(leading + c.rank(0) - c.rank(2));
  if (depth < 0 || depth > c.rank(0)) return too_many_coordinates(c, depth);
  if (c.rank(2) != leading + c.rank(0) - depth) return wrong_rank_of_updates(c, leading + c.rank(0) - depth);
  if (!c.unify(indices.back(), depth, "coordinates of a ScatterND")) return;
  Shape wanted(indices.begin(), indices.end() - 1);
  wanted.insert(wanted.end(), data.begin() + depth, data.end());
  if (!updates_have(c, wanted) || !known_indices_exist(c, 0, depth)) return;
  c.set(0, c.dtype(0), data);
  move_elements(c);
}

// Updates of the indices' shape.
void infer_scatter_elements(NodeInference& c) {
  if (!indices_are_integers(c, 1) || !indices_lie_within(c, c.node().as<ScatterAttrs>().axis)) return;
  if (c.rank(2) != c.rank(1)) return wrong_rank_of_updates(c, c.rank(1));
  if (!updates_have(c, Shape(c.shape(1)))) return;
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
