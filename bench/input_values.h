// Values of one input, the same bytes in every run and on every target. No heap, exceptions or C library beyond memcpy: firmware
// uses it too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rt/include/ert.h"
#include "rt/ops/op.h"
#include "rt/blob/program.h"

namespace ert::bench {

struct InputValues {
  ert_value_info info;
  Operand shape;
  size_t count, bytes;
  int token_mark;  // of the mask of a blob that skips padding: its mark of a token; otherwise -1
};

// Input i of the model, for dims that `exprs` was evaluated for. False if they give no valid shape.
bool describe_input(const ert_model& m, const Program& p, uint32_t i, const int64_t* exprs, InputValues* out);

// Writes the values of input i, by name and allowed range:
//   the mask of a blob that skips padding                      its mark of a token
//   masks (the name holds "mask", the range is 0..1, or bool)  ones
//   token types                                                zeros
//   lengths                                                    the largest dim that is not an axis of the input itself
//   other integers                                             uniform in the allowed range, at most 2^20
//   floats                                                     about standard normal
void fill_input(const InputValues& in, uint32_t i, const int32_t* dims, uint32_t n_dims, void* to);

}  // namespace ert::bench
