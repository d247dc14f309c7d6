// See refusal.h.
#include "convert/run/refusal.h"

#include <bit>
#include <cmath>

#include "convert/ir/diagnostics.h"
#include "rt/loading/model.h"
#include "rt/ops/op.h"
#include "rt/blob/program.h"

namespace edgeconv {

namespace {

std::string quoted(const std::string& name) { return "'" + printable(name) + "'"; }

std::string allowed(const ert_error_detail& d) {
  return d.lowest == d.highest ? std::to_string(d.lowest) : std::to_string(d.lowest) + " to " + std::to_string(d.highest);
}

// The tensor that the refusal is about.
std::string subject(const BlobRunner& blob, const ert_error_detail& d) {
  if (d.input >= 0) return "input " + quoted(blob.inputs()[static_cast<size_t>(d.input)].name);
  if (d.output >= 0) return "output " + quoted(blob.outputs()[static_cast<size_t>(d.output)].name);
  return "a tensor";
}

// [row, column, ...] of a dense tensor's element.
std::string position(const std::vector<int64_t>& dims, int64_t element) {
  std::string s;
  for (size_t axis = dims.size(); axis-- > 0;) {
    s = std::to_string(element % dims[axis]) + (s.empty() ? "" : ", " + s);
    element /= dims[axis];
  }
  return "[" + s + "]";
}

std::string op_text(const BlobRunner& blob, uint32_t op) {
  const ert::ModelState& m = *ert::model_state(&blob.model());
  const ert::Program p = ert::program_view(m.blob, m.root);
  const ert::OpDef* def = ert::find_op(p.ops[op].code());
  return "while running '" + printable(ert::op_name(p, op)) + "' (" + (def ? def->name : "?") +
         "): an index that it computes or is given lies outside of its table or tensor";
}

std::string element_text(const BlobRunner& blob, const std::vector<Tensor>& inputs, const ert_error_detail& d) {
  const std::string where = subject(blob, d) + " at " + position(inputs[static_cast<size_t>(d.input)].dims(), d.element);
  if (d.fault == ERT_FAULT_RANGE) return where + " is " + std::to_string(d.value) + ", allowed is " + allowed(d);
  const float v = std::bit_cast<float>(static_cast<uint32_t>(d.value));
  return where + " is " + (std::isnan(v) ? "NaN" : v > 0 ? "infinite" : "minus infinite; in a mask that is added, -1e9 hides as well");
}

}  // namespace

std::string refusal_text(const BlobRunner& blob, const std::vector<Tensor>& inputs, const ert_error_detail& d) {
  const std::string value = std::to_string(d.value);
  switch (d.fault) {
    case ERT_FAULT_UNBOUND: return subject(blob, d) + " is not given";
    case ERT_FAULT_DTYPE:
      return subject(blob, d) + " has another type than the model's " +
             (d.input >= 0 ? std::string(dtype_name(blob.inputs()[static_cast<size_t>(d.input)].dtype)) : "output");
    case ERT_FAULT_RANK: return subject(blob, d) + " has " + value + " axes, the model wants " + allowed(d);
    case ERT_FAULT_AXIS:
      return subject(blob, d) + ": axis " + std::to_string(d.axis) + " is " + value + ", the model or another input wants " +
             allowed(d);
    case ERT_FAULT_DIM:
      return "dim " + quoted(blob.dims()[static_cast<size_t>(d.dim)].name) + " is " + value + ", allowed is " + allowed(d);
    case ERT_FAULT_BUFFER: return subject(blob, d) + " has " + value + " bytes, needed are " + allowed(d);
    case ERT_FAULT_ALIGNMENT: return subject(blob, d) + " is not aligned to " + allowed(d) + " bytes";
    case ERT_FAULT_OVERLAP: return subject(blob, d) + " overlaps another buffer";
    case ERT_FAULT_RANGE:
    case ERT_FAULT_NOT_FINITE: return element_text(blob, inputs, d);
    case ERT_FAULT_OP: return op_text(blob, static_cast<uint32_t>(d.op));
    default: return "";
  }
}

}  // namespace edgeconv
