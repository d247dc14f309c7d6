// The ops inside a RowBands, as they stand in its ints (params::row_bands). For who reads blobs: the op itself and the verifier.
#pragma once

#include <stdint.h>

#include "rt/ops/op_params.h"

namespace ert::ops {

namespace bands = params::row_bands;

struct InnerOp {
  uint16_t code;
  uint8_t n_inputs, n_outputs;
  uint16_t n_ints, n_floats;
  const int32_t* inputs;  // input of the RowBands, bands::kAbsent, or a value: bands::value_of
  const int32_t* ints;
};

// The op that stands there whole, as InnerOps finds it.
inline InnerOp inner_op_at(const int32_t* at) {
  InnerOp op;
  op.code = static_cast<uint16_t>(at[bands::kCode]);
  op.n_inputs = static_cast<uint8_t>(at[bands::kInputs]);
  op.n_outputs = static_cast<uint8_t>(at[bands::kOutputs]);
  op.n_ints = static_cast<uint16_t>(at[bands::kIntCount]);
  op.n_floats = static_cast<uint16_t>(at[bands::kFloatCount]);
  op.inputs = at + bands::kFirstInput;
  op.ints = op.inputs + op.n_inputs;
  return op;
}

// Goes from op to op. Nothing behind `end` is read.
class InnerOps {
 public:
  InnerOps(const int32_t* ints, uint32_t n_ints) : at_(ints), left_(0) {
    if (n_ints < bands::kFirstValue) return;
    const int32_t ops = ints[bands::kOps], values = ints[bands::kValues];
    if (ops < 0 || ops > bands::kMostOps || values < 0 || values > bands::kMostValues) return;
    const uint32_t skipped = bands::kFirstValue + static_cast<uint32_t>(values) * bands::kValueInts;
    if (skipped > n_ints) return;
    ops_ = ops;
    values_ = values;
    at_ += skipped;
    left_ = n_ints - skipped;
  }
  // -1: what stands there is no RowBands.
  int32_t ops() const { return ops_; }
  int32_t values() const { return values_; }
  const int32_t* at() const { return at_; }
  bool at_end() const { return left_ == 0; }

  bool next(InnerOp* op) {
    if (left_ < bands::kFirstInput) return false;
    for (int i = 0; i < bands::kFirstInput; ++i) {
      const int32_t most = i == bands::kInputs || i == bands::kOutputs ? bands::kMostOperands : UINT16_MAX;
      if (at_[i] < 0 || at_[i] > most) return false;
    }
    *op = inner_op_at(at_);
    const uint32_t taken = bands::kFirstInput + uint32_t{op->n_inputs} + op->n_ints;
    if (taken > left_) return false;
    at_ += taken;
    left_ -= taken;
    return true;
  }

 private:
  const int32_t* at_;
  uint32_t left_;
  int32_t ops_ = -1, values_ = -1;
};

}  // namespace ert::ops
