// RowBands: ops over maps, for a few rows of the last one's output at a time. Each op is given its next rows as maps of that height: what lies
// between ops is a window of rows in scratch, and a convolution's padding says how its rows lie to those. Every value is computed from the same numbers
// by the same code as without bands, so that no bit differs. Threads have rows of their own, and do again what both need at their border.
#include <new>

#include "rt/ops/map_operands.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/row_bands_run.h"

namespace ert {
namespace {
namespace row_bands_op {

using namespace ops;
using namespace ops::band_run;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, kMaxOperands}, {1, 2}, {bands::kFirstValue, UINT16_MAX}, {0, UINT16_MAX})) return false;
  Chain chain;
  Operand* const operands = c.inner;
  if (operands == nullptr || !read_chain(c, &chain) || !plan_rows(c, &chain, operands)) return false;
  Bytes bytes(kWorkBytes);
  size_t most = 0;
  OpContext inner;
  for (int32_t i = 0; i < chain.n; ++i) {
    const InnerOp op = chain.op(i);
    size_t own = 0;
    if (!whole_operands(c, chain, i, operands, &inner) || !find_op(op.code)->prepare(inner, &own)) return false;
    if (row_form(op).window != 0 && inner.n_ints > kMostWindowInts) return false;
    most = own > most ? own : most;
    for (uint32_t k = 0; i + 1 < chain.n && k < inner.n_outputs; ++k)
      bytes = bytes + value_bytes(chain.room(i), inner.outputs[k]);
  }
  return set_scratch(scratch, bytes + Bytes(most).aligned());
}

uint64_t macs(const OpContext& c) {
  Chain chain;
  if (!read_chain(c, &chain)) return 0;
  uint64_t sum = 0;
  for (int32_t i = 0; i < chain.n; ++i) {
    OpContext inner;
    if (!whole_operands(c, chain, i, c.inner, &inner)) return 0;
    const OpDef& def = *find_op(chain.op(i).code);
    sum += def.macs == nullptr ? 0 : def.macs(inner);
  }
  return sum;
}

// Threads may do rows twice (parts_of). Values between the ops are operands of none.
uint64_t further_steps(const OpContext& c) {
  Chain chain;
  if (!read_chain(c, &chain) || !plan_rows(c, &chain, c.inner)) return 0;
  const Operand& out = output(c, 0);
  const int64_t bands = (out.dims[1] / chain.rows + 1 + 2 * kMostRows / chain.rows) * int64_t{out.dims[0]};
  constexpr uint64_t kOfOp = 400;  // finding out what an op has to do for a band
  uint64_t steps = steps_of(kOfOp * static_cast<uint64_t>(chain.n), bands);
  for (int32_t i = 0; i < chain.n; ++i) {
    OpContext inner;
    if (!whole_operands(c, chain, i, c.inner, &inner)) return 0;
    const OpDef& def = *find_op(chain.op(i).code);
    uint64_t elements = 0;
    for (uint32_t k = 0; k < inner.n_inputs; ++k) elements += static_cast<uint64_t>(inner.inputs[k].elements());
    for (uint32_t k = 0; k < inner.n_outputs; ++k) {
      elements += static_cast<uint64_t>(inner.outputs[k].elements());
      if (i + 1 < chain.n) steps += steps_of(static_cast<uint64_t>(chain.kept(i)) * bytes_of_row(inner.outputs[k]), bands);
    }
    steps += 2 * (elements * def.steps_per_element + (def.macs == nullptr ? 0 : def.macs(inner)) +
                  (def.further_steps == nullptr ? 0 : def.further_steps(inner)));
    steps = steps_of(steps, 1);
  }
  return steps;
}

struct Job {
  const OpContext& c;
  int32_t parts, part_rows;  // of an image, in rows of the last op
  ert_status status;         // of one that was not OK
};

void part_task(void* arg, uint32_t index, uint32_t thread) {
  Job& j = *static_cast<Job*>(arg);
  const OpContext& c = j.c;
  uint8_t* at = c.scratch + c.scratch_stride * thread;
  Work* w = new (at) Work;
  at += kWorkBytes;
  OpContext& inner = w->inner;
  bool ok = read_chain(c, &w->chain) && plan_rows(c, &w->chain, w->operands);
  for (int32_t i = 0; ok && i + 1 < w->chain.n; ++i) {
    const Stage& s = w->chain.stages[i];
    ok = whole_operands(c, w->chain, i, w->operands, &inner);
    for (uint32_t k = 0; ok && k < inner.n_outputs; ++k) {
      w->rows[s.first_value + static_cast<int32_t>(k)] = at;
      at += value_bytes(w->chain.room(i), inner.outputs[k]).value();
    }
  }
  const int32_t image = static_cast<int32_t>(index) / j.parts, begin = static_cast<int32_t>(index) % j.parts * j.part_rows;
  const int32_t height = c.outputs[0].dims[1], end = begin + j.part_rows < height ? begin + j.part_rows : height;
  const ert_status status = !ok ? ERT_ERR_MODEL : begin < end ? run_part(c, w, at, image, begin, end) : ERT_OK;
  if (status != ERT_OK) __atomic_store_n(&j.status, status, __ATOMIC_RELAXED);
}

// How many parts of an image threads do, two each on cores that differ: of each at least as many rows as are done twice at its border.
int32_t parts_of(const OpContext& c, int32_t height) {
  Chain chain;
  if (c.parallel.threads < 2 || !read_chain(c, &chain) || !plan_rows(c, &chain, c.inner)) return 1;
  int64_t least = 1;
  for (int32_t i = 0; i < chain.n; ++i) {
    const Stage& s = chain.stages[i];
    const int64_t border = (s.ahead - s.behind + s.grow - 1) / s.grow;
    least += border > 0 ? border : 0;
  }
  const int64_t most = height / (2 * least), threads = int64_t{c.parallel.threads} * (c.uneven ? 2 : 1);
  return static_cast<int32_t>(most < 1 ? 1 : most < threads ? most : threads);
}

ert_status run(const OpContext& c) {
  const int32_t batch = c.outputs[0].dims[0], height = c.outputs[0].dims[1];
  const int32_t parts = batch >= static_cast<int32_t>(c.parallel.threads) ? 1 : parts_of(c, height);
  Job job = {c, parts, (height + parts - 1) / parts, ERT_OK};
  c.parallel(static_cast<uint32_t>(batch) * static_cast<uint32_t>(parts), part_task, &job);
  return job.status;
}

}  // namespace row_bands_op
}  // namespace

const OpDef kOpRowBands = {"RowBands", row_bands_op::prepare,      row_bands_op::run, row_bands_op::macs, 0, 0,
                           1,          row_bands_op::further_steps};

}  // namespace ert
