// See shared_columns.h.
#include "convert/quantize/shared_columns.h"

#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

constexpr int64_t kNeighbours = 16;
constexpr int64_t kFewFilters = 128;  // with more of them the products take longer than what is saved

const PatchesAttrs* patches_of(const Graph& g, const Node& linear) {
  const Node* p = g.producer(linear.in(0));
  return p && p->kind == OpKind::kPatches ? &p->as<PatchesAttrs>() : nullptr;
}

// Columns of the rectangle of inputs around so many neighbours.
int64_t rectangle_columns(const WindowAttrs& w) {
  return (kNeighbours - 1) * w.strides[1] + w.dilations[1] * (w.kernel[1] - 1) + 1;
}

}  // namespace

int64_t shared_columns(const Graph& g, const Node& linear) {
  const PatchesAttrs* a = patches_of(g, linear);
  const Value& weight = g.value(linear.in(1));
  if (!a || a->window.kernel.size() != 2 || a->channels % 4 != 0 || !weight.shape || !weight.shape->back().constant()) return 0;
  if (*weight.shape->back().constant() > kFewFilters) return 0;
  const WindowAttrs& w = a->window;
  const int64_t columns = rectangle_columns(w);
  // No more than three quarters of the elements of all patches.
  const bool overlap = 4 * columns <= 3 * kNeighbours * w.kernel[1];
  return overlap && columns * w.kernel[0] * a->channels <= ert::params::kMaxExactDepth ? kNeighbours : 0;
}

int64_t tied_channels(const Graph& g, const Node& linear) {
  return shared_columns(g, linear) != 0 ? patches_of(g, linear)->channels : 0;
}

double quantized_share(const Graph& g, const Node& linear) {
  if (shared_columns(g, linear) == 0) return 1;
  const WindowAttrs& w = patches_of(g, linear)->window;
  return static_cast<double>(rectangle_columns(w)) / static_cast<double>(kNeighbours * w.kernel[1]);
}

}  // namespace edgeconv
