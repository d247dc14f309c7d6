// The equations of LSTM, GRU and simple RNN in the body of a loop, as ONNX has them, told by what is computed: any order of operands and gates.
#pragma once

#include <optional>
#include <vector>

#include "convert/infer/step_polynomial.h"
#include "convert/ir/attributes.h"

namespace edgeconv {

// A float value that the loop carries, [batch, columns]. `next` holds where the mask does: the state of a step that is run.
struct CarriedState {
  ValueId old = kNone;
  int64_t columns = 0;
  Polynomial next;
};

struct RecurrentCell {
  RnnAttrs attrs;
  size_t h = 0;
  std::optional<size_t> c;
  std::vector<ValueId> inputs;  // of a step, one behind the other: what w multiplies
  Tensor w, r, b;               // as ONNX has them, [1, gates * hidden, ..]; b has two parts
};

// The cell whose hidden state is states[h]; nothing where its next value is anything else, however similar. mask: a bool of the body, or kNone.
std::optional<RecurrentCell> recurrent_cell(const Graph& body, const std::vector<CarriedState>& states, size_t h, ValueId mask);

}  // namespace edgeconv
