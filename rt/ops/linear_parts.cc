// Checks of a Linear's operands, and how its rows are split.
#include "rt/ops/linear_parts.h"

namespace ert::ops {

bool quantized_operands_ok(const OpContext& c, int64_t n, int64_t k, int64_t factors) {
  namespace lin = params::linear;
  const Operand &w = input(c, lin::kWeights), &scale = input(c, lin::kScale), &colsum = input(c, lin::kColsum);
  const Operand& smooth = input(c, lin::kInvSmooth);
  const int32_t precision = c.ints[lin::kPrecision];
  if (!lin::has_layout(precision, w.dtype) || !w.constant || !aligned(w, ERT_BLOB_ALIGN)) return false;
  if (w.rank != 2 || w.dims[0] != n || w.dims[1] != k || k > params::kMaxExactDepth) return false;
  if (!is_f32(scale) || !is_vector(scale, n)) return false;
  if (lin::has_int8_weights(precision) ? !is_i32(colsum) || !is_vector(colsum, n) : colsum.present()) return false;
  return !smooth.present() || (is_f32(smooth) && is_vector(smooth, factors));
}

bool float_operands_ok(const OpContext& c, int64_t n, int64_t k) {
  namespace lin = params::linear;
  const Operand& w = input(c, lin::kWeights);
  if (!is_f32(w) || w.rank != 2 || w.dims[0] != k || w.dims[1] != n) return false;
  return !input(c, lin::kScale).present() && !input(c, lin::kColsum).present() && !input(c, lin::kInvSmooth).present();
}

RowSplit split_of(const OpContext& c, const ProductShape& s, bool in_pairs) {
  int64_t threads = c.parallel.threads;
  const bool small = s.m * s.n < kParallelMacs && s.m * s.n * s.k < kParallelMacs;  // of 31 bits each: nothing overflows
  if (small || threads < 1) threads = 1;
  if (threads == 1 && s.m <= most_block_rows(s)) return {1, false, s.m < 1 ? 1 : s.m};
  const bool far = s.n * s.k >= c.caches.l2, uneven = c.uneven;
  const int64_t worth_splitting = uneven ? kRowsWorthSplittingUnevenly : far ? kRowsWorthFetchingTwice : kRowsWorthSplitting;
  const bool by_columns = threads > 1 && s.m <= kBlockRows && s.m < threads * worth_splitting && s.n > kPanelColumns;
  int64_t blocks = ceil_div(ceil_div(s.m, most_block_rows(s)), threads) * threads;
  if (uneven && threads > 1 && kTaskRows * s.n * s.k >= kParallelMacs) {
    const int64_t tasks = threads * tasks_of_thread(s.m / threads, far ? kFarTaskRows : kTaskRows, kRowTasksOfThread);
    if (tasks > blocks) blocks = tasks;
  }
  const int64_t rows = ceil_div(s.m, blocks);
  if (kFastForms && in_pairs && rows % 2 != 0 && rows < s.m) return {threads, by_columns, rows + 1};
  return {threads, by_columns, rows < 1 ? 1 : rows};
}

}  // namespace ert::ops
