// Which rows of a value between the ops of a RowBands are there when, and how many of them are in memory. Once the rows before `e` of the last op are to be
// done, an op has done its rows before grow * e + ahead, and what reads it goes on from row grow * (e before) + behind: the numbers follow
// from the windows, from the last op to the first.
#pragma once

#include <stdint.h>

#include "rt/ops/operand_checks.h"
#include "rt/ops/row_bands.h"

namespace ert::ops {

// What the op at hand does with axis 1 of its inputs, by the bits of their masks: output row r is made of row r, or of the rows that the window whose ints
// begin at window_int meets. Other inputs are constants.
struct RowForm {
  uint16_t rows, window;
  uint8_t window_int, window_axes = params::window::kMostAxes;
  bool known() const { return (rows | window) != 0; }
};

namespace row_forms {
namespace mcv = params::map_conv;
constexpr uint16_t kFirst = 1, kMap = 3;
inline constexpr RowForm kUnknown = {0, 0, 0}, kRows = {kFirst, 0, 0}, kBothByRows = {3, 0, 0}, kMapByRows = {kMap, 0, 0},
                         kConv = {0, kFirst, params::conv::kWindow},
                         kDepthwise = {0, kFirst, params::depthwise_conv::kFirstWindowInt},
                         kDirect = {0, kFirst, params::direct_conv::kFirstWindowInt},
                         kMapConv = {1 << mcv::kResidual | 1 << mcv::kResidualScales, kMap, mcv::kFirstWindowInt},
                         kMapMaxPool = {0, kMap, params::map_max_pool::kFirstWindowInt},
                         kPoolOfRows = {0, kFirst, params::pool::kFirstWindowInt, 1};
}  // namespace row_forms

// A Pool along the rows, or along another axis of each of them.
inline const RowForm& row_form_of_pool(const InnerOp& op) {
  const int32_t axis = op.n_ints > params::pool::kAxis ? op.ints[params::pool::kAxis] : 0;
  return axis < 1 ? row_forms::kUnknown : axis == 1 ? row_forms::kPoolOfRows : row_forms::kRows;
}

// By reference: made on the stack it is read before it has been written, many times in a band.
inline const RowForm& row_form(const InnerOp& op) {
  switch (static_cast<params::OpCode>(op.code)) {
    case params::OpCode::kLinear:
    case params::OpCode::kUnary:
    case params::OpCode::kQuantizeMap: return row_forms::kRows;
    case params::OpCode::kBinary: return row_forms::kBothByRows;
    case params::OpCode::kMapToFloat: return row_forms::kMapByRows;
    case params::OpCode::kConv: return row_forms::kConv;
    case params::OpCode::kDepthwiseConv: return row_forms::kDepthwise;
    case params::OpCode::kDirectConv: return row_forms::kDirect;
    case params::OpCode::kMapConv:
    case params::OpCode::kMapDepthwiseConv: return row_forms::kMapConv;
    case params::OpCode::kMapMaxPool: return row_forms::kMapMaxPool;
    case params::OpCode::kPool: return row_form_of_pool(op);
    default: return row_forms::kUnknown;
  }
}

constexpr int64_t kMostRows = 1 << 12;  // that a window reaches, and that lie between what is done and what is read

// Small, because prepare has all of them on the stack.
struct Stage {
  int32_t height;        // rows of its outputs
  uint16_t at;           // where its ints are among those of the RowBands,
  uint16_t first_float;  // and its floats
  uint16_t readers;      // bits of the ops that read its outputs
  int16_t grow, ahead, behind;
  int8_t first_value;  // number of its first output
};

// A windowed op's first row of an input that rows from `row` on of the output meet; may lie in the padding.
inline int64_t first_met(const InnerOp& op, int64_t row) {
  const int32_t* window = op.ints + row_form(op).window_int;
  return row * window[params::window::kStride] - window[params::window::kBegin];
}

// From the first to the last row that a row of the output meets.
inline int64_t reach_of(const InnerOp& op) {
  const int32_t* window = op.ints + row_form(op).window_int;
  return int64_t{window[params::window::kDilation]} * (window[params::window::kKernel] - 1) + 1;
}

struct Chain {
  Stage stages[bands::kMostOps];
  const int32_t* ints;
  int32_t n, rows, batch;

  InnerOp op(int32_t i) const { return inner_op_at(ints + stages[i].at); }
  // Rows of op i's outputs that its readers may come back to, and that are moved to make room.
  int32_t kept(int32_t i) const { return stages[i].ahead > stages[i].behind ? stages[i].ahead - stages[i].behind : 0; }
  // Rows of op i's outputs in memory.
  int32_t room(int32_t i) const {
    const int64_t most = int64_t{stages[i].grow} * rows + kept(i);
    return most < stages[i].height ? static_cast<int32_t>(most) : stages[i].height;
  }

  // The op that writes value v.
  int32_t writer(int32_t v) const {
    int32_t i = 0;
    while (i + 1 < n && stages[i + 1].first_value <= v) ++i;
    return i;
  }
  // Whether one of the inputs in `mask` is written by op i.
  bool reads(const InnerOp& reader, uint32_t mask, int32_t i) const {
    for (uint32_t k = 0; k < reader.n_inputs; ++k) {
      const int32_t ref = reader.inputs[k];
      if ((mask >> k & 1) != 0 && ref < bands::kAbsent && writer(bands::value_of(ref)) == i) return true;
    }
    return false;
  }
};

// Reads the ints and checks all that does not depend on shapes. The ops' own prepare functions check the rest.
bool read_chain(const OpContext& c, Chain* chain);

// The operands of op i at whole size, inputs then outputs, kMostOperands at most.
bool whole_operands(const OpContext& c, const Chain& chain, int32_t i, Operand* operands, OpContext* inner);

// Fills heights, grow, ahead and behind; operands: memory of kMostOperands. False: rows of inputs that do not go with those of the outputs.
bool plan_rows(const OpContext& c, Chain* chain, Operand* operands);

// Bytes of a row of a map, or of the scales of one.
size_t bytes_of_row(const Operand& value);

}  // namespace ert::ops
