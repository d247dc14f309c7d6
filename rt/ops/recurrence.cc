// Recurrence: runs the steps of an LSTM, GRU or simple RNN. A task owns some rows of the batch in one direction and walks
// all their steps; the products with the recurrent weights are quantized Linears over the rows that are still inside their
// length. A row never depends on its neighbours, so the split cannot change a bit. The state lives in the outputs last_h and
// last_c, so that scratch holds one block of rows whatever the batch.
#include <string.h>

#include "kernels_int8/dispatch/dispatch.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/recurrence_operands.h"
#include "rt/ops/recurrent_cells.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace recurrence_op {

using namespace ops;
namespace rec = params::recurrence;
namespace lin = params::linear;
using Sizes = RecurrenceSizes;

constexpr int64_t kBlockRows = 16;  // rows of the batch in one task at most

// Scratch of one thread: rows of the product's left side, then their gates, then the scales of quantized rows.
size_t max_row_bytes(int32_t precision, int64_t hidden) {
  const size_t k = static_cast<size_t>(hidden);
  if (precision == lin::kF32) return kernels::round_up(k * sizeof(float), 64);
  return kernels::max_quantized_row_bytes(lin::kernel_precision(precision), k);
}
int64_t scratch_rows(const Sizes& s) { return s.batch < kBlockRows ? s.batch : kBlockRows; }

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  const uint32_t most = rec::kFirstWeights + 2 * rec::kWeightInputCount;
  const uint32_t ints = rec::kFirstActivation + rec::kActivationCount;
  if (!check_counts(c, {rec::kFirstWeights + 1, most}, {2, 3}, {ints, ints + rec::kActivationCount}, {1, 1})) return false;
  if (!recurrence_operands_ok(c)) return false;
  const Sizes s = recurrence_sizes(c);
  const uint64_t row = max_row_bytes(c.ints[rec::kPrecision], s.hidden) + static_cast<uint64_t>(s.columns()) * sizeof(float) +
                       sizeof(kernels::RowScale);
  return set_scratch(scratch, static_cast<uint64_t>(scratch_rows(s)) * row);
}

uint64_t macs(const OpContext& c) {
  const Sizes s = recurrence_sizes(c);
  return static_cast<uint64_t>(s.steps) * static_cast<uint64_t>(s.batch) * static_cast<uint64_t>(s.directions) *
         static_cast<uint64_t>(s.gates * s.hidden) * static_cast<uint64_t>(s.hidden);
}

struct Job {
  const OpContext& c;
  Sizes s;
  int64_t block_rows, blocks;        // of one task; tasks of one direction
  kernels::LinearKernels quantized;  // unless precision is kF32
  kernels::Layout layout;
  size_t row_bytes;

  uint8_t* lhs(uint32_t thread) const { return c.scratch + c.scratch_stride * thread; }
  float* gates(uint32_t thread) const {
    return scratch_floats(c, thread, static_cast<size_t>(scratch_rows(s)) * max_row_bytes(c.ints[rec::kPrecision], s.hidden));
  }
  kernels::RowScale* scales(uint32_t thread) const {
    return static_cast<kernels::RowScale*>(static_cast<void*>(gates(thread) + scratch_rows(s) * s.columns()));
  }
  int64_t length(int64_t row) const {
    const Operand& lengths = input(c, rec::kLengths);
    return lengths.present() ? lengths.as<int32_t>()[row] : s.steps;
  }
};

// The rows of one task that take part in the current step, and the products that they share.
struct Block {
  const Job& j;
  int64_t direction;
  uint32_t thread;
  bool zero_states = false;
  int64_t active = 0;
  int64_t row[kBlockRows] = {};  // rows of the batch

  int64_t state_at(int64_t i) const { return (direction * j.s.batch + row[i]) * j.s.hidden; }
  bool adjacent() const { return row[active - 1] - row[0] == active - 1; }

  // Products of zeros are the bias. An fp32 weight might be infinite.
  bool multiplies_nothing() const { return zero_states && j.c.ints[rec::kPrecision] != lin::kF32; }

  // Left sides of a product: row i starts at src + offset(i).
  void take(const float* src, ptrdiff_t stride, int64_t at, int64_t rows) const {
    if (multiplies_nothing()) return;
    const int32_t precision = j.c.ints[rec::kPrecision];
    const size_t hidden = static_cast<size_t>(j.s.hidden);
    uint8_t* dst = j.lhs(thread) + static_cast<size_t>(at) * j.row_bytes;
    if (precision == lin::kF32) {
      for (int64_t i = 0; i < rows; ++i)
        memcpy(dst + static_cast<size_t>(i) * j.row_bytes, src + i * stride, hidden * sizeof(float));
      return;
    }
    j.quantized.quantize_rows(static_cast<size_t>(rows), hidden, src, stride, nullptr, dst, j.row_bytes, j.scales(thread) + at);
  }
  void take_states(const float* states) const {
    if (adjacent()) return take(states + state_at(0), j.s.hidden, 0, active);
    for (int64_t i = 0; i < active; ++i) take(states + state_at(i), j.s.hidden, i, 1);
  }

  // Columns [first, first + columns) of the gates of all active rows.
  void multiply(int64_t first, int64_t columns) const {
    const int32_t precision = j.c.ints[rec::kPrecision];
    const size_t m = static_cast<size_t>(active), n = static_cast<size_t>(columns), k = static_cast<size_t>(j.s.hidden);
    const ptrdiff_t stride = j.s.columns();
    const Operand &w = recurrence_weight(j.c, direction, rec::kWeights), &b = recurrence_weight(j.c, direction, rec::kBias);
    const float* bias = b.present() ? b.as<float>() + first : nullptr;
    float* dst = j.gates(thread) + first;
    if (multiplies_nothing()) {
      for (int64_t i = 0; i < active; ++i, dst += stride) {
        for (size_t column = 0; column < n; ++column) dst[column] = bias != nullptr ? plus(0.0f, bias[column]) : 0.0f;
      }
      return;
    }
    if (precision == lin::kF32) {
      const float* lhs = static_cast<const float*>(static_cast<const void*>(j.lhs(thread)));
      j.c.kernels->gemm_f32(m, n, k, lhs, static_cast<ptrdiff_t>(j.row_bytes / sizeof(float)), 1, w.as<float>() + first, stride,
                            bias, dst, stride);
      return;
    }
    const Operand& colsum = recurrence_weight(j.c, direction, rec::kColsum);
    const kernels::PackedWeights packed = {w.as<int8_t>() + kernels::packed_bytes(j.layout, static_cast<size_t>(first), k),
                                           recurrence_weight(j.c, direction, rec::kScale).as<float>() + first,
                                           colsum.present() ? colsum.as<int32_t>() + first : nullptr, bias, j.layout};
    j.quantized.gemm({m, n, k, j.lhs(thread), j.row_bytes, j.scales(thread), packed, dst, stride, false, kernels::Clamp::kNone, j.c.caches});
  }
};

RecurrentCell cell_of(const Job& j, int64_t direction) {
  const Operand& peepholes = input(j.c, rec::kPeepholes);
  const int64_t first = direction * rec::kPeepholeCount * j.s.hidden;
  return {j.c.kernels,
          j.s.hidden,
          j.s.gate_columns,
          j.c.ints + rec::kFirstActivation + direction * rec::kActivationCount,
          j.c.floats[rec::kClip],
          peepholes.present() ? peepholes.as<float>() + first : nullptr,
          j.c.ints[rec::kLinearBeforeReset] != 0,
          j.c.ints[rec::kInputForget] != 0};
}

// Copies the initial states into the outputs, and clears what lies behind the end of each row.
void begin_rows(const Job& j, int64_t direction, int64_t first, int64_t last) {
  const Sizes& s = j.s;
  const size_t bytes = static_cast<size_t>(s.hidden) * sizeof(float);
  const Operand* initial[] = {&input(j.c, rec::kInitialH), &input(j.c, rec::kInitialC)};
  for (uint32_t k = 0; k + 1 < j.c.n_outputs; ++k) {
    for (int64_t b = first; b < last; ++b) {
      const int64_t at = (direction * s.batch + b) * s.hidden;
      float* state = output(j.c, k + 1).mut<float>() + at;
      if (initial[k]->present())
        memcpy(state, initial[k]->as<float>() + at, bytes);
      else
        memset(state, 0, bytes);
    }
  }
  float* y = output(j.c, 0).mut<float>() + direction * s.hidden;
  for (int64_t b = first; b < last; ++b) {
    for (int64_t t = j.length(b); t < s.steps; ++t) memset(y + (t * s.batch + b) * s.directions * s.hidden, 0, bytes);
  }
}

void step(const Block& block, const RecurrentCell& cell, int64_t t, bool backward) {
  const Job& j = block.j;
  const Sizes& s = j.s;
  const int32_t kind = j.c.ints[rec::kKind];
  float* gates = j.gates(block.thread);
  float* h = output(j.c, 1).mut<float>();
  const auto time_of = [&](int64_t i) { return backward ? j.length(block.row[i]) - 1 - t : t; };
  const auto projected = [&](int64_t i) {
    const int64_t row = time_of(i) * s.batch + block.row[i];
    return input(j.c, rec::kProjected).as<float>() + (row * s.directions + block.direction) * s.gates * s.hidden;
  };
  block.take_states(h);
  if (kind == rec::kGru) {
    const bool after = !cell.linear_before_reset;  // the third product takes the reset state
    block.multiply(0, after ? s.gate_columns + s.hidden : 2 * s.gate_columns + s.hidden);
    for (int64_t i = 0; i < block.active; ++i) gru_gates(cell, projected(i), gates + i * s.columns(), h + block.state_at(i));
    if (after) {
      block.take(gates + 2 * s.gate_columns, s.columns(), 0, block.active);
      block.multiply(2 * s.gate_columns, s.hidden);
    }
  } else {
    block.multiply(0, (s.gates - 1) * s.gate_columns + s.hidden);
  }
  for (int64_t i = 0; i < block.active; ++i) {
    float *own = gates + i * s.columns(), *state = h + block.state_at(i);
    if (kind == rec::kLstm) lstm_step(cell, projected(i), own, state, output(j.c, 2).mut<float>() + block.state_at(i));
    if (kind == rec::kGru) gru_step(cell, projected(i), own, state);
    if (kind == rec::kRnn) rnn_step(cell, projected(i), own, state);
    float* y = output(j.c, 0).mut<float>() + ((time_of(i) * s.batch + block.row[i]) * s.directions + block.direction) * s.hidden;
    memcpy(y, state, static_cast<size_t>(s.hidden) * sizeof(float));
  }
}

void block_task(void* arg, uint32_t index, uint32_t thread) {
  const Job& j = *static_cast<const Job*>(arg);
  const int64_t direction = index / j.blocks, first = index % j.blocks * j.block_rows;
  const int64_t last = j.s.batch - first < j.block_rows ? j.s.batch : first + j.block_rows;
  const bool backward = direction == 1 || j.c.ints[rec::kDirection] == rec::kReverse;
  const RecurrentCell cell = cell_of(j, direction);
  begin_rows(j, direction, first, last);
  Block block = {j, direction, thread};
  for (int64_t t = 0; t < j.s.steps; ++t) {
    block.zero_states = t == 0 && !input(j.c, rec::kInitialH).present();
    block.active = 0;
    for (int64_t b = first; b < last; ++b) {
      if (t < j.length(b)) block.row[block.active++] = b;
    }
    if (block.active == 0) break;
    step(block, cell, t, backward);
  }
}

ert_status run(const OpContext& c) {
  const Sizes s = recurrence_sizes(c);
  if (s.batch == 0) return ERT_OK;
  const int32_t precision = c.ints[rec::kPrecision];
  Job job = {c, s, 0, 0, {}, {}, max_row_bytes(precision, s.hidden)};
  for (int64_t b = 0; b < s.batch; ++b) {
    if (job.length(b) < 0 || job.length(b) > s.steps) return ERT_ERR_INPUT;
  }
  if (precision != lin::kF32) {
    job.layout = params::kernel_layout(recurrence_weight(c, 0, rec::kWeights).dtype);
    job.quantized = kernels::linear_kernels(*c.kernels, lin::kernel_precision(precision), job.layout);
    job.row_bytes = job.quantized.row_bytes(static_cast<size_t>(s.hidden));
  }
  // As many rows a task as keep all threads busy: a larger block reads the weights less often.
  const int64_t threads = c.parallel.threads < 1 ? 1 : c.parallel.threads;
  const int64_t shares = (threads + s.directions - 1) / s.directions;
  const int64_t rows = (s.batch + shares - 1) / shares;
  job.block_rows = rows < kBlockRows ? rows : kBlockRows;
  job.blocks = (s.batch + job.block_rows - 1) / job.block_rows;
  c.parallel(static_cast<uint32_t>(s.directions * job.blocks), block_task, &job);
  return ERT_OK;
}

}  // namespace recurrence_op
}  // namespace

const OpDef kOpRecurrence = {"Recurrence", recurrence_op::prepare, recurrence_op::run, recurrence_op::macs, 0};

}  // namespace ert
