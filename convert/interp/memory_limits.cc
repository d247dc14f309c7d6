// See memory_limits.h.
#include "convert/interp/memory_limits.h"

#include <algorithm>
#include <optional>
#include <set>

#include "convert/interp/eval.h"
#include "convert/interp/patch_rows.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

constexpr double kMaxBytes = 2e9;  // of one value; a sane model stays far below
// A SAM holds 2 GB of scores of attention, 25 bytes for each of its parameters. A conversion of a file of a few kilobytes stays below half a gigabyte.
constexpr Allowance kAllowedBytes = {.small_model = 512e6, .few_parameters = 100e6, .each_of_few = 20e3, .each = 64};

struct TooLarge {
  const Node* node;  // null: an input
  ValueId value;
  double bytes;
};

std::optional<TooLarge> too_large(const Graph& g, const DimSizes& dims) {
  const auto users = g.users();
  for (ValueId v : g.inputs)
    if (const double bytes = value_bytes(g, v, dims); bytes > kMaxBytes) return TooLarge{nullptr, v, bytes};
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    for (ValueId v : n.outputs)
      if (const double bytes = value_bytes(g, v, dims); bytes > kMaxBytes && !patches_read_in_blocks(g, v, users)) return TooLarge{&n, v, bytes};
  }
  return {};
}

}  // namespace

double value_bytes(const Graph& g, ValueId v, const DimSizes& dims) {
  return v == kNone || !g.value(v).shape
             ? 0
             : elements_at(*g.value(v).shape, dims) * static_cast<double>(dtype_size(g.value(v).dtype));
}

double run_bytes(const Graph& g, const DimSizes& dims) {
  const std::vector<size_t> last = last_uses(g);
  const auto users = g.users();
  double held = 0;
  for (ValueId v : g.inputs) held += value_bytes(g, v, dims);
  double most = held;
  const auto is_input = [&](ValueId v) { return std::find(g.inputs.begin(), g.inputs.end(), v) != g.inputs.end(); };
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (n.dead) continue;
    for (ValueId v : n.outputs)
      if (!patches_read_in_blocks(g, v, users)) held += value_bytes(g, v, dims);
    most = std::max(most, held);
    std::set<ValueId> released;
    const Node* patches = n.inputs.empty() ? nullptr : patches_read_in_blocks(g, n.in(0), users);
    for (const auto* list : {&n.inputs, &n.outputs, patches ? &patches->inputs : &n.outputs})
      for (ValueId v : *list)
        if (v != kNone && last[static_cast<size_t>(v)] == i && !g.value(v).constant && !is_input(v) && !patches_read_in_blocks(g, v, users))
          released.insert(v);
    for (ValueId v : released) held -= value_bytes(g, v, dims);
  }
  return most;
}

double allowed_bytes(const Graph& g) { return kAllowedBytes.of(g); }

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
