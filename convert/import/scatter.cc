// ScatterND and ScatterElements (Scatter before opset 11), with the reductions of opset 16 and 18.
#include "convert/import/building_blocks.h"

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

}  // namespace edgeconv
