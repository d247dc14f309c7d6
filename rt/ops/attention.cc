// Attention: one task per batch entry and head; with few of those and many queries, also per block of queries. A query
// row is computed whole inside one task from the same keys and values, so the split cannot change a bit.
#include <string.h>

#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"

namespace ert {
namespace {
namespace attention_op {

using namespace ops;
namespace att = params::attention;

constexpr int64_t kQueryBlock = 64;         // smallest block of queries: each block quantizes keys and values anew

bool count_ok(int32_t n) { return n >= 1 && n <= params::kMaxExactDepth; }

// [B, S, columns] with room for `heads` heads of `width` columns from `first` on.
bool rows_ok(const Operand& o, int32_t first, int32_t heads, int32_t width) {
  if (!is_f32(o) || o.rank != 3 || first < 0) return false;
  return int64_t{first} + int64_t{heads} * width <= o.dims[2];
}

bool broadcast_ok(const Operand& o, int32_t batch, int32_t heads, int32_t seq_q, int32_t seq_k) {
  if (!o.present()) return true;
  if (o.rank != 4 || (o.dims[0] != 1 && o.dims[0] != batch) || (o.dims[1] != 1 && o.dims[1] != heads)) return false;
  return (o.dims[2] == 1 || o.dims[2] == seq_q) && o.dims[3] == seq_k;
}

bool parameters_ok(const OpContext& c) {
  const int32_t* p = c.ints;
  if (!is_flag(p[att::kPrecision]) || !is_flag(p[att::kCausal]) || !is_finite(c.floats[att::kScale])) return false;
  if (!count_ok(p[att::kHeads]) || !count_ok(p[att::kKvHeads]) || p[att::kHeads] % p[att::kKvHeads] != 0) return false;
  return count_ok(p[att::kHeadDim]) && count_ok(p[att::kVDim]);
}

bool is_packed(const OpContext& c) { return c.n_ints > att::kPacked && c.ints[att::kPacked] != 0; }

// q, k, v and the output hold packed rows.
bool packed_ok(const OpContext& c) {
  if (!is_flag(c.ints[att::kPacked]) || c.rows.batch < 1) return false;
  for (uint32_t i = att::kQ; i <= att::kV; ++i) {
    if (input(c, i).dims[0] != 1 || input(c, i).dims[1] != c.rows.total) return false;
  }
  return output(c, 0).dims[0] == 1 && output(c, 0).dims[1] == c.rows.total;
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {3, att::kInputCount}, {1, 1}, {att::kPacked, att::kIntCount}, {att::kFloatCount, att::kFloatCount}))
    return false;
  if (!parameters_ok(c)) return false;
  const int32_t* p = c.ints;
  const Operand &q = input(c, att::kQ), &k = input(c, att::kK), &v = input(c, att::kV), &out = output(c, 0);
  if (!rows_ok(q, p[att::kQFirst], p[att::kHeads], p[att::kHeadDim]) ||
      !rows_ok(k, p[att::kKFirst], p[att::kKvHeads], p[att::kHeadDim]))
    return false;
  if (!rows_ok(v, p[att::kVFirst], p[att::kKvHeads], p[att::kVDim])) return false;
  if (!is_f32(out) || out.rank != 3) return false;
  const bool packed = is_packed(c);
  if (packed && !packed_ok(c)) return false;
  const int32_t batch = packed ? c.rows.batch : q.dims[0], seq_q = packed ? c.rows.sequence : q.dims[1],
                seq_k = packed ? seq_q : k.dims[1];
  if (!packed && (k.dims[0] != batch || v.dims[0] != batch || v.dims[1] != seq_k)) return false;
  if (!packed && (out.dims[0] != batch || out.dims[1] != seq_q)) return false;
  if (seq_q < 1 || seq_k < 1 || seq_k > params::kMaxExactDepth) return false;
  if (out.dims[2] != int64_t{p[att::kHeads]} * p[att::kVDim]) return false;
  const Operand &bias = input(c, att::kBias), &mask = input(c, att::kMask);
  if ((bias.present() && !is_f32(bias)) || !broadcast_ok(bias, batch, p[att::kHeads], seq_q, seq_k)) return false;
  if ((mask.present() && !is_bool(mask)) || !broadcast_ok(mask, batch, p[att::kHeads], seq_q, seq_k)) return false;
  const uint64_t generous = 8 * (static_cast<uint64_t>(seq_q) + static_cast<uint64_t>(seq_k) + 64) *
                            static_cast<uint64_t>(p[att::kHeadDim] + p[att::kVDim] + 64);
  if (generous > PTRDIFF_MAX) return false;  // the exact size could wrap on a 32-bit machine
  return set_scratch(scratch, kernels::attention_scratch_bytes(seq_q, seq_k, p[att::kHeadDim], p[att::kVDim]));
}

uint64_t macs(const OpContext& c) {
  const Operand& q = input(c, att::kQ);
  const int32_t seq_k = is_packed(c) ? c.rows.sequence : input(c, att::kK).dims[1];
  const uint64_t scores = static_cast<uint64_t>(q.dims[0]) * static_cast<uint64_t>(q.dims[1]) * static_cast<uint64_t>(seq_k);
  return scores * static_cast<uint64_t>(c.ints[att::kHeads]) * static_cast<uint64_t>(c.ints[att::kHeadDim] + c.ints[att::kVDim]);
}

struct Job {
  const OpContext& c;
  int32_t query_rows;  // of one task
  uint32_t query_blocks;
};

// Elements from the start of a rank-4 broadcastable operand to the row of this batch entry, head and query; 0 strides where
// an axis has size 1.
int64_t broadcast_offset(const Operand& o, int64_t batch, int64_t head, int64_t row) {
  const int64_t row_step = o.dims[3], head_step = row_step * o.dims[2], batch_step = head_step * o.dims[1];
  return (o.dims[0] == 1 ? 0 : batch * batch_step) + (o.dims[1] == 1 ? 0 : head * head_step) +
         (o.dims[2] == 1 ? 0 : row * row_step);
}
ptrdiff_t row_stride(const Operand& o) { return o.dims[2] == 1 ? 0 : o.dims[3]; }

// Where one sequence is in q, k, v and the output.
struct Sequence {
  int64_t q_row, k_row;
  int32_t q_length, k_length;
};

Sequence sequence_of(const OpContext& c, int64_t batch) {
  const int32_t q_length = input(c, att::kQ).dims[1], k_length = input(c, att::kK).dims[1];
  if (!is_packed(c)) return {batch * q_length, batch * k_length, q_length, k_length};
  const int32_t start = c.rows.starts[batch], length = c.rows.starts[batch + 1] - start;
  return {start, start, length, length};
}

void head_task(void* arg, uint32_t index, uint32_t thread) {
  const Job& job = *static_cast<const Job*>(arg);
  const OpContext& c = job.c;
  const int32_t* p = c.ints;
  const Operand &q = input(c, att::kQ), &k = input(c, att::kK), &v = input(c, att::kV), &out = output(c, 0);
  const Operand &bias = input(c, att::kBias), &mask = input(c, att::kMask);
  const int64_t first_row = int64_t{job.query_rows} * (index % job.query_blocks);
  const int64_t head = index / job.query_blocks % static_cast<uint32_t>(p[att::kHeads]);
  const int64_t batch = index / job.query_blocks / static_cast<uint32_t>(p[att::kHeads]);
  const int64_t kv_head = head / (p[att::kHeads] / p[att::kKvHeads]);

  const Sequence s = sequence_of(c, batch);
  if (first_row >= s.q_length) return;

  kernels::AttentionArgs a = {};
  a.seq_q = static_cast<int32_t>(s.q_length - first_row < job.query_rows ? s.q_length - first_row : job.query_rows);
  a.seq_k = s.k_length;
  a.head_dim = p[att::kHeadDim];
  a.v_dim = p[att::kVDim];
  a.q_stride = q.dims[2];
  a.k_stride = k.dims[2];
  a.v_stride = v.dims[2];
  a.dst_stride = out.dims[2];
  a.q = q.as<float>() + (s.q_row + first_row) * q.dims[2] + p[att::kQFirst] + head * a.head_dim;
  a.k = k.as<float>() + s.k_row * k.dims[2] + p[att::kKFirst] + kv_head * a.head_dim;
  a.v = v.as<float>() + s.k_row * v.dims[2] + p[att::kVFirst] + kv_head * a.v_dim;
  a.dst = out.mut<float>() + (s.q_row + first_row) * out.dims[2] + head * a.v_dim;
  a.scale = c.floats[att::kScale];
  if (bias.present()) {
    a.bias = bias.as<float>() + broadcast_offset(bias, batch, head, first_row);
    a.bias_stride = row_stride(bias);
  }
  if (mask.present()) {
    a.mask = mask.as<uint8_t>() + broadcast_offset(mask, batch, head, first_row);
    a.mask_stride = row_stride(mask);
  }
  a.causal_offset = p[att::kCausal] ? static_cast<int32_t>(s.k_length - s.q_length + first_row) : INT32_MAX;
  a.scratch = c.scratch + c.scratch_stride * thread;
  (p[att::kPrecision] == 0 ? c.kernels->attention_i8 : c.kernels->attention_f32)(a);
}

ert_status run(const OpContext& c) {
  const int64_t batch = is_packed(c) ? c.rows.batch : input(c, att::kQ).dims[0];
  const int64_t pairs = batch * c.ints[att::kHeads], threads = c.parallel.threads;
  int32_t longest = 0;
  for (int64_t b = 0; b < batch; ++b) longest = sequence_of(c, b).q_length > longest ? sequence_of(c, b).q_length : longest;
  if (longest == 0) {  // packed, and all is padding
    memset(output(c, 0).mut<float>(), 0, static_cast<size_t>(output(c, 0).elements()) * sizeof(float));
    return ERT_OK;
  }
  Job job = {c, longest, 1};
  if (pairs > 0 && pairs < threads && longest >= 2 * kQueryBlock) {
    const int64_t wanted = (threads + pairs - 1) / pairs;
    int64_t rows = (longest + wanted - 1) / wanted;
    if (rows < kQueryBlock) rows = kQueryBlock;
    job.query_rows = static_cast<int32_t>(rows);
    job.query_blocks = static_cast<uint32_t>((longest + rows - 1) / rows);
  }
  c.parallel(static_cast<uint32_t>(pairs) * job.query_blocks, head_task, &job);
  return ERT_OK;
}

}  // namespace attention_op
}  // namespace

const OpDef kOpAttention = {"Attention", attention_op::prepare, attention_op::run, attention_op::macs, 0};

}  // namespace ert
