// See names.h. The bounds are those that the runtime verifies (rt/verify/structure.cc).
#include "convert/blob/names.h"

#include <string>

#include "convert/ir/diagnostics.h"
#include "rt/base/limits.h"

namespace edgeconv {

namespace {

void check_name(const char* what, const std::string& name) {
  if (name.find('\0') != std::string::npos)
    throw FatalError(ExitCode::kMalformed, std::string("the name of ") + what + " '" + printable(name) +
                                               "' contains a zero byte; the file is not valid ONNX");
  if (name.size() > ert::limits::kMaxNameBytes)
    throw FatalError(ExitCode::kLimit, std::string("the name of ") + what + " '" + printable(name) + "' has " +
                                           std::to_string(name.size()) + " bytes, a blob holds names of at most " +
                                           std::to_string(ert::limits::kMaxNameBytes) + "; rename it in the model");
}

}  // namespace

void check_names(const TargetProgram& p) {
  for (const TargetDim& d : p.dims) check_name("dim", d.name);
  for (const TargetInput& i : p.inputs) check_name("input", i.name);
  for (const TargetOutput& o : p.outputs) check_name("output", o.name);
  for (const TargetOp& op : p.ops) check_name("node", op.name);
  for (const TargetCustomOp& op : p.custom_ops) {
    check_name("operator", op.name);
    for (const CustomAttribute& a : op.attributes) {
      check_name("attribute", a.first);
      if (const auto* text = std::get_if<std::string>(&a.second)) check_name("the text of attribute", *text);
    }
  }
}

}  // namespace edgeconv
