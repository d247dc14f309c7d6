// Evaluates all sizes and names the first that is out of bounds.
#include "convert/plan/limits.h"

#include <optional>

#include "convert/ir/diagnostics.h"
#include "convert/plan/slots.h"

namespace edgeconv {

namespace {

constexpr double kMaxElements = 2147483647.0;
constexpr double kMaxInterpreterBytes = 2e9;  // of one value; a sane model stays far below

// Elements as a double: sizes of hostile models overflow any integer.
double elements_at(const Shape& shape, const std::map<std::string, int64_t>& dims) {
  double n = 1;
  for (const DimExpr& d : shape) n *= static_cast<double>(d.evaluate(dims).value_or(INT64_MAX));
  return n;
}

}  // namespace

void check_runtime_limits(const TargetProgram& p) {
  const auto dims = max_dims(p);
  std::string at;
  for (const auto& [name, n] : dims) at += (at.empty() ? "" : " ") + name + "=" + std::to_string(n);
  for (const TargetOp& op : p.ops) {
    std::vector<int> operands = op.inputs;
    operands.insert(operands.end(), op.outputs.begin(), op.outputs.end());
    for (int v : operands) {
      if (v < 0) continue;
      const Shape& shape = p.values[static_cast<size_t>(v)].shape;
      for (const DimExpr& d : shape)
        if (d == DimExpr(0))
          throw FatalError(ExitCode::kUnsupported, "'" + printable(op.name) + "' reads or gives " + shape_str(shape) +
                                                       ", which has an axis of size 0: the runtime has no empty tensors. Remove "
                                                       "the empty slice or concatenation from the model");
      if (elements_at(shape, dims) > kMaxElements)
        throw FatalError(ExitCode::kLimit, "'" + printable(op.name) + "' gives " + shape_str(shape) +
                                               ", more than 2^31 - 1 elements at the maximum dims (" + at +
                                               "); lower them with --dim NAME=MAX");
    }
  }
}

namespace {

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
    if (const double bytes = bytes_at(g, v, dims); bytes > kMaxInterpreterBytes) return TooLarge{nullptr, v, bytes};
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    for (ValueId v : n.outputs)
      if (const double bytes = bytes_at(g, v, dims); bytes > kMaxInterpreterBytes) return TooLarge{&n, v, bytes};
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
