// Compiled with the fp32 ops under -Dert=ert_soft and ERT_FLUSH_IN_SOFTWARE: runs one of them for the harness. The structs have the
// same members in both namespaces.
#include "tests/rt/ops/ops_without_fpu.h"

#include <string.h>

#include "kernels_int8/dispatch/dispatch.h"
#include "rt/ops/op_defs.h"

namespace ert {

void Parallel::on_hook(uint32_t tasks, ert_task task, void* arg) const { hook(context, tasks, task, arg); }

namespace {

const OpDef* const kOps[] = {&kOpArgMinMax,       &kOpAttention,     &kOpBinary,     &kOpCast,      &kOpConv,
                             &kOpCumSum,          &kOpDepthwiseConv, &kOpDirectConv, &kOpEmbedding, &kOpGlu,
                             &kOpL2Normalize,     &kOpLayerNorm,     &kOpLinear,     &kOpMapConv,   &kOpMapDepthwiseConv,
                             &kOpMapMaxPool,      &kOpMapMean,       &kOpMapToFloat, &kOpMatMul,    &kOpMeanPool,
                             &kOpPool,            &kOpQuantizeMap,   &kOpRecurrence, &kOpReduce,    &kOpRope,
                             &kOpScatterND,       &kOpScatterElements, &kOpSoftmax,  &kOpTopK,      &kOpUnary,
                             &kOpWideConv};

const OpDef* find(const char* name) {
  for (const OpDef* op : kOps) {
    if (strcmp(op->name, name) == 0) return op;
  }
  return nullptr;
}

}  // namespace
}  // namespace ert

bool is_op_without_fpu(const char* name) { return ert::find(name) != nullptr; }

bool run_op_without_fpu(const char* name, const void* context, ert_status* status) {
  if (!is_op_without_fpu(name)) return false;
  ert::OpContext c = *static_cast<const ert::OpContext*>(context);
  c.kernels = &ert::kernels::kernel_table(0);
  *status = ert::find(name)->run(c);
  return true;
}
