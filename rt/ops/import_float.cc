// ImportFloat: brings raw input (samples, pixels) into f32 in one step, where ImportInt would need i32 between.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace import_float_op {

using namespace ops;

// Inputs of u8 may be bound as bool.
bool is_raw(const Operand& o) { return o.dtype == ERT_U8 || o.dtype == ERT_I8 || o.dtype == ERT_I16 || o.dtype == ERT_BOOL; }

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  return is_raw(in) && is_f32(out) && same_shape(in, out);
}

template <class T>
void convert(const OpContext& c) {
  const T* src = input(c, 0).as<T>();
  float* dst = output(c, 0).mut<float>();
  const bool from_bool = is_bool(input(c, 0));
  for_blocks(c, output(c, 0).elements(), 1, 64, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t i = begin; i < end; ++i) dst[i] = static_cast<float>(from_bool ? T{src[i] != 0} : src[i]);
  });
}

ert_status run(const OpContext& c) {
  switch (input(c, 0).dtype) {
    case ERT_I16: convert<int16_t>(c); break;
    case ERT_I8: convert<int8_t>(c); break;
    default: convert<uint8_t>(c); break;
  }
  return ERT_OK;
}

}  // namespace import_float_op
}  // namespace

const OpDef kOpImportFloat = {"ImportFloat", import_float_op::prepare, import_float_op::run, nullptr, 0};

}  // namespace ert
