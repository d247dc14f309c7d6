// MatMul in fp32 with numpy batch broadcasting. A transposed lhs is read through strides; of a transposed rhs each task
// packs 16 columns into scratch. The sum over k is never split.
#include <string.h>

#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"
#include "rt/ops/strided_walk.h"

namespace ert {
namespace {
namespace matmul_op {

using namespace ops;
namespace mm = params::matmul;

constexpr int64_t kRowBlock = 32;       // rows of one task
constexpr int64_t kPackedColumns = 16;  // of a transposed rhs at a time

struct Shape {
  int64_t m, n, k;
  bool lhs_transposed, rhs_transposed;
};

Shape shape_of(const OpContext& c) {
  const Operand &a = input(c, 0), &out = output(c, 0);
  const bool ta = c.ints[mm::kTranspose] & mm::kTransposeLhs, tb = c.ints[mm::kTranspose] & mm::kTransposeRhs;
  return {out.dims[out.rank - 2], out.dims[out.rank - 1], a.dims[a.rank - (ta ? 2 : 1)], ta, tb};
}

// The operand's axes before the last two.
Operand batch_of(const Operand& o) {
  Operand b = o;
  b.rank = static_cast<uint8_t>(o.rank - 2);
  return b;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, 2}, {1, 1}, {mm::kIntCount, mm::kIntCount}, {0, 1})) return false;
  const Operand &a = input(c, 0), &b = input(c, 1), &out = output(c, 0);
  if (!is_f32(a) || !is_f32(b) || !is_f32(out) || a.rank < 2 || b.rank < 2 || out.rank < 2) return false;
  if (c.ints[mm::kTranspose] < 0 || c.ints[mm::kTranspose] > (mm::kTransposeLhs | mm::kTransposeRhs) ||
      (c.n_floats == 1 && !is_finite(c.floats[mm::kAlpha])))
    return false;
  const Shape s = shape_of(c);
  if (a.dims[a.rank - (s.lhs_transposed ? 1 : 2)] != s.m) return false;
  if (b.dims[b.rank - (s.rhs_transposed ? 1 : 2)] != s.k || b.dims[b.rank - (s.rhs_transposed ? 2 : 1)] != s.n) return false;
  const Operand a_batch = batch_of(a), b_batch = batch_of(b), out_batch = batch_of(out);
  const Operand* const batches[] = {&a_batch, &b_batch};
  if (!is_broadcast_of(out_batch, batches, 2)) return false;
  return !s.rhs_transposed || set_scratch(scratch, static_cast<uint64_t>(s.k) * kPackedColumns * sizeof(float));
}

uint64_t macs(const OpContext& c) {
  return static_cast<uint64_t>(output(c, 0).elements()) * static_cast<uint64_t>(shape_of(c).k);
}

struct Job {
  const OpContext& c;
  Shape s;
  StridedWalk walk;  // over the batch axes, in matrices
  int64_t blocks;    // per matrix: of rows, or of packed columns
  float alpha;
};

void scale_rows(float* dst, int64_t rows, int64_t columns, int64_t stride, float alpha) {
  if (alpha == 1.0f) return;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) dst[i * stride + j] = times(dst[i * stride + j], alpha);
  }
}

void rows_block(const Job& j, int64_t block, const float* lhs, const float* rhs, float* dst) {
  const Shape& s = j.s;
  const int64_t row = block * kRowBlock, rows = s.m - row < kRowBlock ? s.m - row : kRowBlock;
  const int64_t lhs_stride = s.lhs_transposed ? 1 : s.k, lhs_k_stride = s.lhs_transposed ? s.m : 1;
  j.c.kernels->gemm_f32(static_cast<size_t>(rows), static_cast<size_t>(s.n), static_cast<size_t>(s.k), lhs + row * lhs_stride,
                        lhs_stride, lhs_k_stride, rhs, s.n, nullptr, dst + row * s.n, s.n);
  scale_rows(dst + row * s.n, rows, s.n, s.n, j.alpha);
}

void columns_block(const Job& j, int64_t block, const float* lhs, const float* rhs, float* dst, float* packed) {
  const Shape& s = j.s;
  const int64_t column = block * kPackedColumns, columns = s.n - column < kPackedColumns ? s.n - column : kPackedColumns;
  for (int64_t i = 0; i < columns; ++i) {
    const float* src = rhs + (column + i) * s.k;
    for (int64_t kk = 0; kk < s.k; ++kk) packed[kk * columns + i] = src[kk];
  }
  const int64_t lhs_stride = s.lhs_transposed ? 1 : s.k, lhs_k_stride = s.lhs_transposed ? s.m : 1;
  j.c.kernels->gemm_f32(static_cast<size_t>(s.m), static_cast<size_t>(columns), static_cast<size_t>(s.k), lhs, lhs_stride,
                        lhs_k_stride, packed, columns, nullptr, dst + column, s.n);
  scale_rows(dst + column, s.m, columns, s.n, j.alpha);
}

void run_blocks(const Job& j, int64_t begin, int64_t end, uint32_t thread) {
  const Shape& s = j.s;
  float* packed = scratch_floats(j.c, thread);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t matrix = i / j.blocks, block = i % j.blocks;
    j.walk.runs<2>(matrix, matrix + 1, [&](int64_t out, const ptrdiff_t* offset, int64_t) {
      const float* lhs = input(j.c, 0).as<float>() + offset[0] * s.m * s.k;
      const float* rhs = input(j.c, 1).as<float>() + offset[1] * s.k * s.n;
      float* dst = output(j.c, 0).mut<float>() + out * s.m * s.n;
      s.rhs_transposed ? columns_block(j, block, lhs, rhs, dst, packed) : rows_block(j, block, lhs, rhs, dst);
    });
  }
}

ert_status run(const OpContext& c) {
  const Shape s = shape_of(c);
  const Operand& out = output(c, 0);
  if (out.elements() == 0) return ERT_OK;
  if (s.k == 0) {
    memset(out.mut<float>(), 0, static_cast<size_t>(out.elements()) * sizeof(float));
    return ERT_OK;
  }
  const Operand a_batch = batch_of(input(c, 0)), b_batch = batch_of(input(c, 1)), out_batch = batch_of(out);
  Job job = {c, s, StridedWalk(out_batch),
             s.rhs_transposed ? (s.n + kPackedColumns - 1) / kPackedColumns : (s.m + kRowBlock - 1) / kRowBlock,
             c.n_floats == 1 ? c.floats[mm::kAlpha] : 1.0f};
  job.walk.add_broadcast(a_batch);
  job.walk.add_broadcast(b_batch);
  job.walk.merge();
  const int64_t work = s.rhs_transposed ? s.m * kPackedColumns * s.k : kRowBlock * s.n * s.k;
  for_blocks(c, out_batch.elements() * job.blocks, work / 16, 1,
             [&](int64_t begin, int64_t end, uint32_t thread) { run_blocks(job, begin, end, thread); });
  return ERT_OK;
}

}  // namespace matmul_op
}  // namespace

const OpDef kOpMatMul = {"MatMul", matmul_op::prepare, matmul_op::run, matmul_op::macs, 0};

}  // namespace ert
