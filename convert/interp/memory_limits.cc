// See memory_limits.h.
#include "convert/interp/memory_limits.h"

#include <optional>

#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

constexpr double kMaxBytes = 2e9;  // of one value; a sane model stays far below

struct TooLarge {
  const Node* node;  // null: an input
  ValueId value;
  double bytes;
};

double bytes_at(const Graph& g, ValueId v, const DimSizes& dims) {
  return v == kNone || !g.value(v).shape
             ? 0
             : elements_at(*g.value(v).shape, dims) * static_cast<double>(dtype_size(g.value(v).dtype));
}

std::optional<TooLarge> too_large(const Graph& g, const DimSizes& dims) {
  for (ValueId v : g.inputs)
    if (const double bytes = bytes_at(g, v, dims); bytes > kMaxBytes) return TooLarge{nullptr, v, bytes};
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    for (ValueId v : n.outputs)
      if (const double bytes = bytes_at(g, v, dims); bytes > kMaxBytes) return TooLarge{&n, v, bytes};
  }
  return {};
}

}  // namespace

bool within_interpreter_limits(const Graph& g, const DimSizes& dims) { return !too_large(g, dims); }

void check_interpreter_limits(const Graph& g, const DimSizes& dims) {
  if (const auto t = too_large(g, dims))
    throw FatalError(ExitCode::kLimit, (t->node ? "'" + t->node->origin.node + "' (" + t->node->origin.op_type + ") gives "
                                                : "input '" + printable(g.value(t->value).name) + "' is ") +
                                           shape_str(*g.value(t->value).shape) + ": " +
                                           std::to_string(static_cast<long long>(t->bytes / 1e6)) +
                                           " MB for the inputs that the conversion checks the blob with; 2000 MB are allowed");
}

void check_interpreter_limits(const Graph& g, const std::vector<Tensor>& inputs) {
  check_interpreter_limits(g, sizes_of(g, inputs));
}

}  // namespace edgeconv
