// Sizes that the runtime cannot hold, found before anything of that size is made: every value at the maximum dims within 2^31 - 1
// elements, no axis of size 0. Throws FatalError(kLimit or kUnsupported) that names the first value and what to do.
#include "convert/interp/work.h"
#include "convert/ir/diagnostics.h"
#include "convert/program/program_pass.h"
#include "convert/program/slots.h"

namespace edgeconv {

namespace {

constexpr double kMaxElements = 2147483647.0;

}  // namespace

int pass_check_limits(TargetProgram& p, const ProgramPassOptions&) {
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
                                               ", more than 2^31 - 1 elements" +
                                               (at.empty() ? "; the runtime counts them in 32 bits: the model needs smaller sizes"
                                                           : " at the maximum dims (" + at + "); lower them with --dim NAME=MAX"));
    }
  }
  return 0;
}

}  // namespace edgeconv
