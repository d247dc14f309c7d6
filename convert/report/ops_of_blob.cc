// See ops_of_blob.h.
#include "convert/report/ops_of_blob.h"

#include "rt/ops/row_bands.h"

namespace edgeconv {

std::vector<OpOfBlob> ops_of_blob(const ert::fb::Program& p) {
  std::vector<OpOfBlob> ops;
  for (const ert::fb::Op* op : *p.ops()) {
    OpOfBlob outer{op->code(), {}};
    for (uint32_t i = 0; i < op->n_inputs(); ++i) outer.inputs.push_back(p.operands()->Get(op->first_operand() + i));
    ops.push_back(outer);
    if (op->code() != static_cast<uint16_t>(ert::params::OpCode::kRowBands)) continue;
    ert::ops::InnerOps inner(p.ints()->data() + op->first_int(), op->n_ints());
    for (ert::ops::InnerOp i; inner.next(&i);) {
      OpOfBlob one{i.code, {}};
      for (int k = 0; k < i.n_inputs; ++k)
        one.inputs.push_back(i.inputs[k] < 0 ? -1 : outer.inputs[static_cast<size_t>(i.inputs[k])]);
      ops.push_back(one);
    }
  }
  return ops;
}

}  // namespace edgeconv
