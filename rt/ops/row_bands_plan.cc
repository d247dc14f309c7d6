// See row_bands_plan.h. All arithmetic on rows is in 64 bits, on numbers that are refused above kMostRows.
#include "rt/ops/row_bands_plan.h"

namespace ert::ops {
namespace {

namespace win = params::window;

constexpr int64_t kMostGrow = 1 << 10, kMostHeight = 1 << 29;

bool within(int64_t v, int64_t most) { return v >= -most && v <= most; }

// Value v, of the shape that its exprs have now. Who reads it checks the rest.
bool value_operand(const OpContext& c, int32_t v, Operand* out) {
  const int32_t* ints = c.ints + bands::kFirstValue + v * bands::kValueInts;
  *out = {};
  if (ints[bands::kDtype] != ERT_F32 && ints[bands::kDtype] != ERT_U8 && ints[bands::kDtype] != ERT_I32) return false;
  if (ints[bands::kRank] != 3 && ints[bands::kRank] != 4) return false;
  out->dtype = static_cast<uint8_t>(ints[bands::kDtype]);
  out->rank = static_cast<uint8_t>(ints[bands::kRank]);
  for (int i = 0; i < out->rank; ++i) {
    const int32_t e = ints[bands::kFirstExpr + i];
    if (!is_expr(c, e) || expr(c, e) < 1 || expr(c, e) > INT32_MAX) return false;
    out->dims[i] = static_cast<int32_t>(expr(c, e));
  }
  return true;
}

// A map, or the scales of one, of so many rows.
bool has_rows(const Operand& o, int32_t batch, int32_t height) {
  return (o.rank == 3 || o.rank == 4) && o.dims[0] == batch && o.dims[1] == height;
}

// An operand of Binary from outside that goes with maps of so many rows, or is broadcast over their rows, the images or both.
bool spreads_over_rows(const Operand& o, const Operand& out, int32_t batch, int32_t height) {
  return o.rank == out.rank && (o.dims[0] == batch || o.dims[0] == 1) && (o.dims[1] == height || o.dims[1] == 1);
}

// Of a constant that is broadcast to the output, whose axes it has from the last one on: one image and one row of it are all.
bool same_for_all_rows(const Operand& o, const Operand& out) {
  const int batch = o.rank - out.rank, rows = batch + 1;  // its axes, below 0 where it has none
  return (batch < 0 || o.dims[batch] == 1) && (rows < 0 || o.dims[rows] == 1);
}

// Inputs are values of ops before, constants, or maps that go with the outputs row by row or by the window.
bool inputs_ok(const Chain& chain, int32_t i, const OpContext& inner) {
  const Stage& s = chain.stages[i];
  const InnerOp op = chain.op(i);
  const RowForm& form = row_form(op);
  // Rows of an image with its channels first lie in as many places.
  if (op.code == static_cast<uint16_t>(params::OpCode::kQuantizeMap) && inner.n_ints != 0 &&
      inner.ints[params::quantize_map::kChannelsFirst] != 0)
    return false;
  int32_t windowed = -1;  // which op wrote them; kMostOps: none of these
  for (uint32_t k = 0; k < inner.n_inputs; ++k) {
    const Operand& x = inner.inputs[k];
    const bool window = (form.window >> k & 1) != 0;
    const bool by_rows = (form.rows >> k & 1) != 0, binary = op.code == static_cast<uint16_t>(params::OpCode::kBinary);
    if (!x.present()) continue;
    if (!window && x.constant) {
      if (by_rows && (!binary || !same_for_all_rows(x, inner.outputs[0]))) return false;
      continue;
    }
    if (!window) {
      const bool outside = op.inputs[k] >= 0;
      if (!by_rows) return false;
      if (binary && outside ? !spreads_over_rows(x, inner.outputs[0], chain.batch, s.height)
                            : !has_rows(x, chain.batch, s.height) || (binary && x.rank != inner.outputs[0].rank))
        return false;
      continue;
    }
    if (x.dims[1] > kMostHeight || (x.rank == 4 && x.dims[2] > kMostHeight)) return false;
    const int32_t ref = op.inputs[k], writer = ref < bands::kAbsent ? chain.writer(bands::value_of(ref)) : bands::kMostOps;
    if (x.rank < 3 || x.dims[0] != chain.batch || (windowed >= 0 && windowed != writer)) return false;
    if (k == 0 && x.rank != 4) return false;
    // Whole images only: rows of one with its channels first lie in as many places.
    if (op.code == static_cast<uint16_t>(params::OpCode::kDirectConv) && inner.ints[params::direct_conv::kChannelsFirst] != 0 &&
        writer != bands::kMostOps)
      return false;
    windowed = writer;
  }
  return true;
}

// What op i needs of the ops before it, whose rows are counted by its own.
bool plan_inputs(Chain* chain, int32_t i) {
  const Stage& s = chain->stages[i];
  const InnerOp op = chain->op(i);
  const RowForm& form = row_form(op);
  const int32_t* ints = op.ints + form.window_int;
  int64_t grow = s.grow, ahead = s.ahead, behind = s.ahead, reach = 0, stride = 1, begin = 0;
  if (form.window != 0) {
    stride = ints[win::kStride];
    begin = ints[win::kBegin];
    if (ints[win::kKernel] < 1 || stride < 1 || ints[win::kDilation] < 1) return false;
    reach = reach_of(op);
    if (stride > kMostGrow || !within(begin, kMostRows) || reach > kMostRows) return false;
  }
  for (uint32_t k = 0; k < op.n_inputs; ++k) {
    const int32_t ref = op.inputs[k];
    if (ref >= bands::kAbsent) continue;
    const bool window = (form.window >> k & 1) != 0;
    if (window) {
      grow = s.grow * stride;
      ahead = (s.ahead - 1) * stride - begin + reach;
      behind = s.ahead * stride - begin;
    } else {
      grow = s.grow, ahead = behind = s.ahead;
    }
    if (grow > kMostGrow || !within(ahead, kMostRows) || !within(behind, kMostRows)) return false;
    Stage& w = chain->stages[chain->writer(bands::value_of(ref))];
    if (w.readers == 0) {
      w.grow = static_cast<int16_t>(grow);
      w.ahead = static_cast<int16_t>(ahead);
      w.behind = static_cast<int16_t>(behind);
    }
    if (w.grow != grow) return false;
    w.readers = static_cast<uint16_t>(w.readers | 1u << i);
    if (ahead > w.ahead) w.ahead = static_cast<int16_t>(ahead);
    if (behind < w.behind) w.behind = static_cast<int16_t>(behind);
  }
  return true;
}

}  // namespace

bool read_chain(const OpContext& c, Chain* chain) {
  InnerOps ops(c.ints, c.n_ints);
  if (ops.ops() < 1 || c.ints[bands::kRows] < 1 || c.ints[bands::kRows] > kMostRows) return false;
  chain->ints = c.ints;
  chain->n = ops.ops();
  chain->rows = c.ints[bands::kRows];
  int32_t values = 0;
  uint32_t floats = 0;
  uint64_t used = 0;  // bits of the inputs
  for (int32_t i = 0; i < chain->n; ++i) {
    Stage* s = &chain->stages[i];
    *s = {};
    s->at = static_cast<uint16_t>(ops.at() - c.ints);
    InnerOp op;
    if (!ops.next(&op)) return false;
    const RowForm& form = row_form(op);
    if (!form.known() || find_op(op.code) == nullptr) return false;
    if (op.n_outputs < 1 || op.n_inputs + op.n_outputs > bands::kMostOperands) return false;
    if (form.window != 0 && op.n_ints < form.window_int + win::kAxisInts * uint32_t{form.window_axes}) return false;
    for (uint32_t k = 0; k < op.n_inputs; ++k) {
      const int32_t ref = op.inputs[k];
      if (ref >= 0 ? static_cast<uint32_t>(ref) >= c.n_inputs : ref < bands::value_of(values - 1)) return false;
      if (ref >= 0) used |= uint64_t{1} << ref;
    }
    s->first_value = static_cast<int8_t>(values);
    s->first_float = static_cast<uint16_t>(floats);
    floats += op.n_floats;
    if (floats > c.n_floats) return false;
    if (i + 1 < chain->n) values += op.n_outputs;
    if (values > bands::kMostValues) return false;
  }
  static_assert(kMaxOperands <= 64, "a bit for each input");
  if (c.n_inputs < 64 && used != (uint64_t{1} << c.n_inputs) - 1) return false;
  return ops.at_end() && values == ops.values() && floats == c.n_floats && chain->op(chain->n - 1).n_outputs == c.n_outputs;
}

bool whole_operands(const OpContext& c, const Chain& chain, int32_t i, Operand* operands, OpContext* inner) {
  const Stage& s = chain.stages[i];
  const InnerOp op = chain.op(i);
  *inner = c;
  inner->n_inputs = op.n_inputs;
  inner->n_outputs = op.n_outputs;
  inner->inputs = operands;
  inner->outputs = operands + op.n_inputs;
  inner->n_ints = op.n_ints;
  inner->n_floats = op.n_floats;
  inner->ints = op.ints;
  inner->floats = c.floats + s.first_float;
  inner->parallel = {};
  inner->inner = nullptr;
  inner->pair = {};
  for (uint32_t k = 0; k < op.n_inputs; ++k, ++operands) {
    const int32_t ref = op.inputs[k];
    *operands = {};
    if (ref >= 0) *operands = c.inputs[ref];
    if (ref < bands::kAbsent && !value_operand(c, bands::value_of(ref), operands)) return false;
  }
  for (uint32_t k = 0; k < op.n_outputs; ++k, ++operands) {
    if (i + 1 == chain.n)
      *operands = c.outputs[k];
    else if (!value_operand(c, s.first_value + static_cast<int32_t>(k), operands))
      return false;
  }
  return true;
}

bool plan_rows(const OpContext& c, Chain* chain, Operand* operands) {
  OpContext inner;
  for (int32_t i = chain->n - 1; i >= 0; --i) {
    Stage* s = &chain->stages[i];
    if (i + 1 == chain->n) s->grow = 1, s->readers = static_cast<uint16_t>(1u << i);
    if (s->readers == 0 || !whole_operands(c, *chain, i, operands, &inner)) return false;
    if (i + 1 == chain->n) chain->batch = inner.outputs[0].dims[0];
    s->height = inner.outputs[0].dims[1];
    if (s->height > kMostHeight) return false;
    for (uint32_t k = 0; k < inner.n_outputs; ++k) {
      if (!has_rows(inner.outputs[k], chain->batch, s->height)) return false;
    }
    if (!inputs_ok(*chain, i, inner) || !plan_inputs(chain, i)) return false;
  }
  return true;
}

size_t bytes_of_row(const Operand& value) {
  return static_cast<size_t>(elements_between(value, 2, value.rank)) * element_bytes(value);
}

}  // namespace ert::ops
