// Glu: an activation of some columns times other columns, row by row. Both may lie in one value, the merged product of two
// layers.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace glu_op {

using namespace ops;
namespace gl = params::glu;

constexpr int64_t kChunk = 512;  // columns whose activation is still in the nearest cache when it is multiplied

bool columns_ok(const Operand& o, const Operand& out, int32_t first) {
  if (!is_f32(o) || o.rank != out.rank || first < 0) return false;
  for (int i = 0; i + 1 < out.rank; ++i)
    if (o.dims[i] != out.dims[i]) return false;
  return int64_t{first} + out.dims[out.rank - 1] <= o.dims[o.rank - 1];
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {gl::kInputCount, gl::kInputCount}, {1, 1}, {gl::kIntCount, gl::kIntCount}, {0, 0})) return false;
  const Operand& out = output(c, 0);
  const int32_t kind = c.ints[gl::kActivation];
  if (!is_f32(out) || out.rank < 1 || kind < 0 || kind >= static_cast<int32_t>(kernels::Unary::kCount)) return false;
  return columns_ok(input(c, gl::kActivated), out, c.ints[gl::kActivatedFirst]) &&
         columns_ok(input(c, gl::kFactor), out, c.ints[gl::kFactorFirst]);
}

void multiply(int64_t n, const float* factor, float* x) {
  for (int64_t i = 0; i < n; ++i) x[i] = times(x[i], factor[i]);
}

ert_status run(const OpContext& c) {
  const Operand &activated = input(c, gl::kActivated), &factor = input(c, gl::kFactor), &out = output(c, 0);
  const int64_t n = out.dims[out.rank - 1], wide_a = activated.dims[out.rank - 1], wide_b = factor.dims[out.rank - 1];
  const auto activation = c.kernels->unary[c.ints[gl::kActivation]];
  for_blocks(c, n == 0 ? 0 : out.elements() / n, n, 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t row = begin; row < end; ++row) {
      const float* a = activated.as<float>() + row * wide_a + c.ints[gl::kActivatedFirst];
      const float* b = factor.as<float>() + row * wide_b + c.ints[gl::kFactorFirst];
      float* dst = out.mut<float>() + row * n;
      for (int64_t first = 0; first < n; first += kChunk) {
        const int64_t count = n - first < kChunk ? n - first : kChunk;
        activation(static_cast<size_t>(count), a + first, dst + first);
        multiply(count, b + first, dst + first);
      }
    }
  });
  return ERT_OK;
}

}  // namespace glu_op
}  // namespace

const OpDef kOpGlu = {"Glu", glu_op::prepare, glu_op::run, nullptr, 0};

}  // namespace ert
