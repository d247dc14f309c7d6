// See fitted_operands.h.
#include "tests/fuzz/fitted_operands.h"

#include <cstring>

#include "rt/blob/kinds.h"
#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {
namespace {

using testing::BlobSpec;
namespace win = params::window;

int32_t step(RandomNumbers* r) {
  if (r->integer(0, 5) != 0) return r->integer(1, 3);
  return static_cast<int32_t>(odd_number(r, INT32_MAX) & INT32_MAX);
}
int32_t padding(RandomNumbers* r) {
  if (r->integer(0, 5) != 0) return r->integer(-2, 4);
  const int32_t odd = static_cast<int32_t>(odd_number(r, 1 << 30));
  return odd > -(1 << 30) && odd < 1 << 30 ? odd : (1 << 30) - 1;
}

}  // namespace

bool DrawnAxis::has_outputs() {
  const int64_t kernel = ints[win::kKernel], stride = ints[win::kStride], dilation = ints[win::kDilation];
  const int64_t span = size + ints[win::kBegin] + ints[win::kEnd] - dilation * (kernel - 1) - 1;
  if (kernel < 1 || stride < 1 || dilation < 1 || span < 0) return false;
  out = span / stride + 1;
  return out <= 40;
}

bool draw_axis(RandomNumbers* r, DrawnAxis* axis, int64_t size) {
  for (int tries = 0; tries < 30; ++tries) {
    const int32_t kernel = r->integer(0, 7) == 0 ? r->integer(1, 70) : r->integer(1, 4);
    *axis = {size == 0 ? r->integer(1, 9) : size, 0, {kernel, step(r), step(r), padding(r), padding(r)}};
    if (axis->has_outputs()) return true;
  }
  return false;
}

BlobSpec::Value* operand(BlobSpec* s, const std::vector<int32_t>& list, size_t i) {
  if (i >= list.size() || list[i] < 0 || static_cast<size_t>(list[i]) >= s->values.size()) return nullptr;
  return &s->values[static_cast<size_t>(list[i])];
}

uint32_t constant_of(BlobSpec* s, int64_t size) {
  for (uint32_t i = 0; i < s->exprs.size(); ++i)
    if (s->exprs[i].kind() == static_cast<uint32_t>(ExprKind::kConstant) && s->exprs[i].value() == size) return i;
  return s->constant(size);
}

void set_shape(BlobSpec* s, BlobSpec::Value* v, std::initializer_list<int64_t> sizes) {
  if (v == nullptr) return;
  std::vector<uint32_t> shape;
  for (const int64_t size : sizes) shape.push_back(constant_of(s, size));
  v->shape = shape;
}

void fill_constant(BlobSpec* s, RandomNumbers* r, BlobSpec::Value* v, size_t bytes, bool floats) {
  if (v == nullptr || v->storage != 1 || bytes > 16384) return;
  std::vector<uint8_t> contents(bytes);
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    const float x = r->integer(0, 30) == 0 ? odd_float(r) : r->normal();
    const uint32_t word = static_cast<uint32_t>(r->bits());
    std::memcpy(&contents[i], floats ? static_cast<const void*>(&x) : &word, 4);
  }
  v->index = static_cast<uint32_t>(s->segments.size());
  v->offset = 0;
  s->segments.push_back({contents});
}

void set_vector(BlobSpec* s, RandomNumbers* r, const BlobSpec::Op& op, size_t input, int64_t n) {
  BlobSpec::Value* v = operand(s, op.inputs, input);
  set_shape(s, v, {n});
  fill_constant(s, r, v, 4 * static_cast<size_t>(n), true);
}

}  // namespace ert::fuzz
