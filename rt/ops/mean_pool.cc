// MeanPool: weighted mean over the sequence. Positions of weight zero are skipped, so appending them changes no bit.
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace mean_pool_op {

using namespace ops;
namespace mp = params::mean_pool;

enum { kX, kWeights };

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 2}, {1, 1}, {0, 0}, {mp::kFloatCount, mp::kFloatCount})) return false;
  const Operand &x = input(c, kX), &w = input(c, kWeights), &out = output(c, 0);
  if (!is_f32(x) || x.rank != 3 || x.dims[1] < 1 || !is_f32(out) || out.rank != 2) return false;
  if (out.dims[0] != x.dims[0] || out.dims[1] != x.dims[2]) return false;
  if (!is_finite(c.floats[mp::kEpsilon]) || c.floats[mp::kEpsilon] < 0.0f) return false;
  return !w.present() || (is_f32(w) && w.rank == 2 && w.dims[0] == x.dims[0] && w.dims[1] == x.dims[1]);
}

// Columns [first, last) of the mean of one sequence; dst holds the sums meanwhile.
void pool(const OpContext& c, const float* x, const float* weights, int64_t length, int64_t width, int64_t first, int64_t last,
          float* dst) {
  for (int64_t j = first; j < last; ++j) dst[j] = 0.0f;
  float total = static_cast<float>(length);
  if (weights) {
    total = c.kernels->sum(static_cast<size_t>(length), weights);
    if (!less_or_equal(c.floats[mp::kEpsilon], total)) total = c.floats[mp::kEpsilon];
  }
  for (int64_t s = 0; s < length; ++s) {
    const float* row = x + s * width;
    if (!weights) {
      for (int64_t j = first; j < last; ++j) dst[j] = plus(dst[j], row[j]);
    } else if (!equal(weights[s], 0.0f)) {
      const float w = weights[s];
      for (int64_t j = first; j < last; ++j) dst[j] = plus(dst[j], times(row[j], w));
    }
  }
  for (int64_t j = first; j < last; ++j) dst[j] = over(dst[j], total);
}

ert_status run(const OpContext& c) {
  const Operand &x = input(c, kX), &w = input(c, kWeights), &out = output(c, 0);
  const int64_t length = x.dims[1], width = x.dims[2];
  for_blocks(c, out.elements(), length, 64, [&](int64_t begin, int64_t end, uint32_t) {
    while (begin < end) {
      const int64_t batch = begin / width, first = begin % width;
      const int64_t last = width - first < end - begin ? width : first + (end - begin);
      pool(c, x.as<float>() + batch * length * width, w.present() ? w.as<float>() + batch * length : nullptr, length, width,
           first, last, out.mut<float>() + batch * width);
      begin += last - first;
    }
  });
  return ERT_OK;
}

}  // namespace mean_pool_op
}  // namespace

const OpDef kOpMeanPool = {"MeanPool", mean_pool_op::prepare, mean_pool_op::run, nullptr, 0};

}  // namespace ert
