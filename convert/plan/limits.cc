// Evaluates all sizes and names the first that is out of bounds.
#include "convert/plan/limits.h"

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
          throw FatalError(ExitCode::kUnsupported, "'" + op.name + "' reads or gives " + shape_str(shape) +
                                                       ", which has an axis of size 0: the runtime has no empty tensors. Remove "
                                                       "the empty slice or concatenation from the model");
      if (elements_at(shape, dims) > kMaxElements)
        throw FatalError(ExitCode::kLimit, "'" + op.name + "' gives " + shape_str(shape) +
                                               ", more than 2^31 - 1 elements at the maximum dims (" + at +
                                               "); lower them with --dim NAME=MAX");
    }
  }
}

void check_interpreter_limits(const Graph& g, const std::vector<Tensor>& inputs) {
  std::map<std::string, int64_t> dims;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t a = 0; a < inputs[i].dims().size(); ++a)
      if ((*g.value(g.inputs[i]).shape)[a].is_symbol())
        dims[(*g.value(g.inputs[i]).shape)[a].symbol_name()] = inputs[i].dims()[a];
  for (const Node& n : g.nodes) {
    if (n.dead) continue;
    for (ValueId v : n.outputs) {
      if (v == kNone || !g.value(v).shape) continue;
      const double bytes = elements_at(*g.value(v).shape, dims) * static_cast<double>(dtype_size(g.value(v).dtype));
      if (bytes > kMaxInterpreterBytes)
        throw FatalError(ExitCode::kLimit,
                         "'" + n.origin.node + "' (" + n.origin.op_type + ") gives " + shape_str(*g.value(v).shape) + ": " +
                             std::to_string(static_cast<long long>(bytes / 1e6)) +
                             " MB for the inputs that the conversion checks the blob with; 2000 MB are allowed");
    }
  }
}

}  // namespace edgeconv
