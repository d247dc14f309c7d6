// Copy: the same elements under another shape or in another place.
#include <string.h>

#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace copy_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  return element_bytes(in) != 0 && in.dtype == out.dtype && in.elements() == out.elements();
}

ert_status run(const OpContext& c) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  if (in.data == out.data) return ERT_OK;
  const int64_t bytes = in.elements() * static_cast<int64_t>(element_bytes(in));
  for_blocks(c, bytes, 1, 64, [&](int64_t begin, int64_t end, uint32_t) {
    memcpy(out.mut<uint8_t>() + begin, in.as<uint8_t>() + begin, static_cast<size_t>(end - begin));
  });
  return ERT_OK;
}

}  // namespace copy_op
}  // namespace

const OpDef kOpCopy = {"Copy", copy_op::prepare, copy_op::run, nullptr, 1};

}  // namespace ert
