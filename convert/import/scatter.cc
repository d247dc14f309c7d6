// ScatterND and ScatterElements (Scatter before opset 11), with the reductions of opset 16 and 18; TensorScatter (24), which writes new rows into a cache.
#include <algorithm>

#include "convert/import/building_blocks.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

namespace scatter = ert::params::scatter;

int reduction(const OnnxNode& n) {
  const std::string r = n.text("reduction", "none");
  if (r == "none") return scatter::kReplace;
  if (r == "add") return scatter::kAdd;
  if (r == "mul") return scatter::kMul;
  if (r == "min") return scatter::kMin;
  if (r == "max") return scatter::kMax;
  throw NodeError("attribute 'reduction' is none of none, add, mul, min, max");
}

std::vector<ValueId> three_inputs(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 3);
  return {required_input(c, n, 0), required_input(c, n, 1), required_input(c, n, 2)};
}

}  // namespace

void import_scatter_nd(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kScatterND, three_inputs(c, n), ScatterAttrs{0, reduction(n)});
}

void import_scatter_elements(ImportContext& c, const OnnxNode& n) {
  c.emit(n, OpKind::kScatterElements, three_inputs(c, n), ScatterAttrs{n.integer("axis", 0), reduction(n)});
}

// Inputs: cache [B, .., size, ..], update of fewer positions along the axis, the first position of each row of the batch (absent: 0).
void import_tensor_scatter(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 3);
  const ValueId cache = required_input(c, n, 0), update = required_input(c, n, 1);
  const std::string mode = n.text("mode", "linear");
  if (mode != "linear" && mode != "circular") throw NodeError("attribute 'mode' is neither linear nor circular");
  const int rank = std::max(rank_hint(c.graph(), cache), rank_hint(c.graph(), update));
  if (rank < 0) refuse("the rank of its cache is not known when the file is read", "give the cache a shape in the file");
  const int64_t axis = from_front(n.integer("axis", -2), rank);
  if (axis < 1 || axis >= rank) throw NodeError("attribute 'axis' is none of the axes behind the batch");
  std::vector<int64_t> along, rows;
  for (int64_t a = 0; a < rank; ++a) {
    if (a != axis) along.push_back(a);
    if (a != 0) rows.push_back(a);
  }
  ValueId position = c.inner(n, OpKind::kRange, {int_scalar(c, n, 0), dim_size(c, n, update, axis), int_scalar(c, n, 1)});
  position = unsqueeze(c, n, position, along);
  if (const ValueId first = c.input(n, 2); first != kNone)
    position = add(c, n, unsqueeze(c, n, cast(c, n, first, DType::kInt64), rows), position);
  if (mode == "circular") position = binary(c, n, BinaryKind::kMod, position, dim_size(c, n, cache, axis));
  const ValueId shape = c.inner(n, OpKind::kShape, {update}, ShapeAttrs{0, INT64_MAX});
  const ValueId indices = c.inner(n, OpKind::kExpand, {position, shape});
  c.emit(n, OpKind::kScatterElements, {cache, indices, update}, ScatterAttrs{axis, scatter::kReplace});
}

}  // namespace edgeconv
