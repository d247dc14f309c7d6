// Rope: rotates pairs of the leading columns of every head by the angles of the row's position, and moves the heads to an
// output of their own width. A row is rotated whole inside one task.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace rope_op {

using namespace ops;
namespace ro = params::rope;

constexpr int32_t kChunk = 64;        // pairs that are read before any of them is written: the output may be the input
constexpr int32_t kMaxWidth = 65000;  // of a head, and heads

bool table_ok(const Operand& t, const Operand& x, int32_t rotated) {
  return is_f32(t) && t.rank == 3 && (t.dims[0] == 1 || t.dims[0] == x.dims[0]) && t.dims[1] == x.dims[1] && t.dims[2] == rotated;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {ro::kInputCount, ro::kInputCount}, {1, 1}, {ro::kIntCount, ro::kIntCount}, {0, 0})) return false;
  const Operand &x = input(c, ro::kX), &out = output(c, 0);
  const int32_t heads = c.ints[ro::kHeads], width = c.ints[ro::kHeadDim], rotated = c.ints[ro::kRotated],
                first = c.ints[ro::kFirst];
  if (heads < 1 || heads > kMaxWidth || width < 2 || width > kMaxWidth || first < 0 || !is_flag(c.ints[ro::kInterleaved]))
    return false;
  if (rotated < 2 || rotated > width || rotated % 2 != 0) return false;
  if (!is_f32(x) || !is_f32(out) || x.rank != 3 || out.rank != 3) return false;
  if (int64_t{first} + int64_t{heads} * width > x.dims[2]) return false;
  if (out.dims[0] != x.dims[0] || out.dims[1] != x.dims[1] || out.dims[2] != int64_t{heads} * width) return false;
  return table_ok(input(c, ro::kCos), x, rotated) && table_ok(input(c, ro::kSin), x, rotated);
}

struct Pairs {
  int32_t count, step, distance;  // pair i: elements i * step and i * step + distance
};

// y1 = x1 * cos1 + (-x2) * sin1, y2 = x2 * cos2 + x1 * sin2, every product and sum rounded.
void rotate(const Pairs& p, const float* cos, const float* sin, const float* src, float* dst) {
  float one[kChunk], two[kChunk];
  for (int32_t begin = 0; begin < p.count; begin += kChunk) {
    const int32_t n = p.count - begin < kChunk ? p.count - begin : kChunk, from = begin * p.step, to = from + p.distance;
    for (int32_t i = 0; i < n; ++i) {
      one[i] = src[from + i * p.step];
      two[i] = src[to + i * p.step];
    }
    for (int32_t i = 0; i < n; ++i) {
      const float a = one[i], b = two[i];
      one[i] = minus(times(a, cos[from + i * p.step]), times(b, sin[from + i * p.step]));
      two[i] = plus(times(b, cos[to + i * p.step]), times(a, sin[to + i * p.step]));
    }
    for (int32_t i = 0; i < n; ++i) {
      dst[from + i * p.step] = one[i];
      dst[to + i * p.step] = two[i];
    }
  }
}

// All heads of a position.
void rotate_heads(const Pairs& p, int32_t heads, int32_t width, const float* cos, const float* sin, const float* src,
                  float* dst) {
  for (int32_t h = 0; h < heads; ++h, src += width, dst += width) {
    rotate(p, cos, sin, src, dst);
    for (int32_t i = 2 * p.count; i < width; ++i) dst[i] = src[i];
  }
}

ert_status run(const OpContext& c) {
  const Operand &x = input(c, ro::kX), &cos = input(c, ro::kCos), &sin = input(c, ro::kSin), &out = output(c, 0);
  const int32_t heads = c.ints[ro::kHeads], width = c.ints[ro::kHeadDim], rotated = c.ints[ro::kRotated];
  const Pairs pairs = c.ints[ro::kInterleaved] ? Pairs{rotated / 2, 2, 1} : Pairs{rotated / 2, 1, rotated / 2};
  const int64_t positions = x.dims[1];
  for_blocks(c, int64_t{x.dims[0]} * positions, out.dims[2], 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t row = begin; row < end; ++row) {
      const float* angle_cos = cos.as<float>() + (cos.dims[0] == 1 ? row % positions : row) * rotated;
      const float* angle_sin = sin.as<float>() + (sin.dims[0] == 1 ? row % positions : row) * rotated;
      const float* src = x.as<float>() + row * x.dims[2] + c.ints[ro::kFirst];
      rotate_heads(pairs, heads, width, angle_cos, angle_sin, src, out.mut<float>() + row * out.dims[2]);
    }
  });
  return ERT_OK;
}

}  // namespace rope_op
}  // namespace

const OpDef kOpRope = {"Rope", rope_op::prepare, rope_op::run, nullptr, 1};

}  // namespace ert
