// How a thread goes through some rows of a RowBands: what it has in its scratch, and the operands of each op for its next rows.
#pragma once

#include <string.h>

#include "rt/ops/row_bands_plan.h"

namespace ert::ops::band_run {

namespace win = params::window;

constexpr uint32_t kMostWindowInts = 32;

// Rows [first, end) of op i, which it is about to do.
struct Rows {
  int32_t i, first, end, image;
};

// Behind it in a thread's scratch: the rows of all values, then the scratch of the ops.
struct Work {
  Chain chain;
  Operand operands[bands::kMostOperands];
  int32_t ints[kMostWindowInts];
  // Of the op that runs; here and not on the stack, which is short on small cores.
  Rows now;
  InnerOp op;
  OpContext inner;
  int32_t first, held;  // rows of what its window reads: `held` from `first` on
  uint8_t* rows[bands::kMostValues];
  int32_t base[bands::kMostOps],
      top[bands::kMostOps];  // of each op rows [base, top) are in memory; of the last one [.., top) are done

  // The first row of op i's outputs that is still to be read when its readers go on; `least` if none is before.
  int64_t first_wanted(int32_t i, int64_t least) const {
    for (int32_t r = i + 1; r < chain.n; ++r) {
      if ((chain.stages[i].readers >> r & 1) == 0 || top[r] >= chain.stages[r].height) continue;
      const InnerOp reader = chain.op(r);
      const RowForm& form = row_form(reader);
      if (chain.reads(reader, form.rows, i) && top[r] < least) least = top[r];
      if (chain.reads(reader, form.window, i) && first_met(reader, top[r]) < least) least = first_met(reader, top[r]);
    }
    return least;
  }
};
constexpr size_t kWorkBytes = (sizeof(Work) + 63) / 64 * 64;

inline Bytes value_bytes(int32_t room, const Operand& value) {
  return (Bytes(static_cast<uint64_t>(room)) * Bytes(static_cast<uint64_t>(bytes_of_row(value)))).aligned();
}

// From row `row` of image `image` on.
inline void move_to(Operand* o, int64_t image, int64_t row) {
  o->data = o->as<uint8_t>() + static_cast<size_t>(image * o->dims[1] + row) * bytes_of_row(*o);
}

// Rows up to `end` of op i get room behind those that are still to be read.
inline bool make_room(Work* w, int32_t i, const OpContext& inner, int32_t end) {
  const Stage& s = w->chain.stages[i];
  const int32_t base = w->base[i], top = w->top[i], room = w->chain.room(i);
  if (end - base <= room) return true;
  const int64_t wanted = w->first_wanted(i, top);
  const int32_t first = wanted < base ? base : static_cast<int32_t>(wanted);
  for (uint32_t k = 0; k < inner.n_outputs; ++k) {
    const size_t row = bytes_of_row(inner.outputs[k]);
    uint8_t* rows = w->rows[s.first_value + static_cast<int32_t>(k)];
    memmove(rows, rows + static_cast<size_t>(first - base) * row, static_cast<size_t>(top - first) * row);
  }
  w->base[i] = first;
  return end - first <= room;
}

// Points an input that goes with the outputs row by row at those rows, or at the one that all rows share.
inline bool point_by_rows(const Work& w, int32_t ref, Operand* x) {
  const Rows& r = w.now;
  const bool shared = x->dims[1] == 1;
  if (ref >= 0) {
    move_to(x, x->dims[0] == 1 ? 0 : r.image, shared ? 0 : r.first);
  } else {
    const int32_t v = bands::value_of(ref), writer = w.chain.writer(v);
    if (r.first < w.base[writer] || r.end > w.top[writer]) return false;
    x->data = w.rows[v] + static_cast<size_t>(r.first - w.base[writer]) * bytes_of_row(*x);
  }
  x->dims[0] = 1;
  if (!shared) x->dims[1] = r.end - r.first;
  return true;
}

// Points an input that a window reads at the rows that are in memory, w->held of them from w->first on.
inline bool point_by_window(Work* w, int32_t ref, Operand* x) {
  const Rows& r = w->now;
  const InnerOp& op = w->op;
  if (ref >= 0) {
    const bool channels_first =
        op.code == static_cast<uint16_t>(params::OpCode::kDirectConv) && op.ints[params::direct_conv::kChannelsFirst] != 0;
    w->first = 0;
    w->held = x->dims[channels_first ? 2 : 1];
    move_to(x, r.image, 0);
  } else {
    const int32_t v = bands::value_of(ref), writer = w->chain.writer(v), height = w->chain.stages[writer].height;
    const int64_t begin = first_met(op, r.first), behind = first_met(op, r.end - 1) + reach_of(op);
    if ((begin > 0 ? begin : 0) < w->base[writer] && behind > 0) return false;
    if ((behind < height ? behind : height) > w->top[writer]) return false;
    w->first = w->base[writer];
    w->held = w->top[writer] > w->first ? w->top[writer] - w->first : 1;  // where all that is met is padding
    x->data = w->rows[v];
    x->dims[1] = w->held;
  }
  x->dims[0] = 1;
  return true;
}

// The window's ints for these outputs over the rows that are held.
inline const int32_t* window_of_rows(Work* w) {
  const Rows& r = w->now;
  const InnerOp& op = w->op;
  memcpy(w->ints, op.ints, op.n_ints * sizeof(int32_t));
  int32_t* window = w->ints + row_form(op).window_int;
  const int64_t begin = w->first - first_met(op, r.first);
  window[win::kBegin] = static_cast<int32_t>(begin);
  window[win::kEnd] =
      static_cast<int32_t>((int64_t{r.end} - r.first - 1) * window[win::kStride] + reach_of(op) - w->held - begin);
  return w->ints;
}

// Does the rows that w->now says, of what is there of the inputs.
inline ert_status run_rows(const OpContext& c, Work* w, uint8_t* rest) {
  const Rows& r = w->now;
  const Stage& s = w->chain.stages[r.i];
  const bool last = r.i + 1 == w->chain.n;
  w->op = w->chain.op(r.i);
  const InnerOp& op = w->op;
  const RowForm& form = row_form(op);
  OpContext& inner = w->inner;
  if (!whole_operands(c, w->chain, r.i, w->operands, &inner)) return ERT_ERR_MODEL;
  if (!last && !make_room(w, r.i, inner, r.end)) return ERT_ERR_MODEL;
  w->first = w->held = 0;
  for (uint32_t k = 0; k < inner.n_inputs; ++k) {
    Operand* x = w->operands + k;
    const bool window = (form.window >> k & 1) != 0, by_rows = (form.rows >> k & 1) != 0 && !x->constant;
    if (!x->present() || (!window && !by_rows)) continue;
    if (window ? !point_by_window(w, op.inputs[k], x) : !point_by_rows(*w, op.inputs[k], x)) return ERT_ERR_MODEL;
  }
  for (uint32_t k = 0; k < inner.n_outputs; ++k) {
    Operand* y = w->operands + inner.n_inputs + k;
    if (last)
      move_to(y, r.image, r.first);
    else
      y->data = w->rows[s.first_value + static_cast<int32_t>(k)] + static_cast<size_t>(r.first - w->base[r.i]) * bytes_of_row(*y);
    y->dims[0] = 1;
    y->dims[1] = r.end - r.first;
  }
  if (form.window != 0) inner.ints = window_of_rows(w);
  inner.scratch = rest;
  w->top[r.i] = r.end;
  return find_op(op.code)->run(inner);
}

// Sets the rows that each op begins with where the last one begins with row `begin`.
inline void start_at(Work* w, int32_t begin) {
  for (int32_t i = w->chain.n - 1; i >= 0; --i) {
    const int32_t height = w->chain.stages[i].height;
    const int64_t first = i + 1 == w->chain.n ? begin : w->first_wanted(i, height);
    // At least one row is there, for windows that lie behind all of them.
    w->base[i] = w->top[i] = first < 0 ? 0 : first < height ? static_cast<int32_t>(first) : height - 1;
  }
}

// The last `e` at which no op has anything to do yet.
inline int64_t before_all(const Work& w) {
  int64_t e = w.top[w.chain.n - 1];
  for (int32_t i = 0; i < w.chain.n; ++i) {
    const Stage& s = w.chain.stages[i];
    const int64_t too_many = s.grow * e + s.ahead - w.top[i];
    if (too_many > 0) e -= (too_many + s.grow - 1) / s.grow;
  }
  return e;
}

// Rows [begin, end) of the last op's output.
inline ert_status run_part(const OpContext& c, Work* w, uint8_t* rest, int32_t image, int32_t begin, int32_t end) {
  start_at(w, begin);
  for (int64_t e = before_all(*w); e < end;) {
    e = e + w->chain.rows < end ? e + w->chain.rows : end;
    for (int32_t i = 0; i < w->chain.n; ++i) {
      const Stage& s = w->chain.stages[i];
      const int64_t wanted = s.grow * e + s.ahead, to = wanted < s.height ? wanted : s.height;
      if (to <= w->top[i]) continue;
      w->now = {i, w->top[i], static_cast<int32_t>(to), image};
      const ert_status status = run_rows(c, w, rest);
      if (status != ERT_OK) return status;
    }
  }
  return ERT_OK;
}

}  // namespace ert::ops::band_run
