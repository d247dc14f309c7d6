// Which rows of a run are computed: every sequence up to its last position that the mask does not call padding. Holes and
// leading padding stay inside that length, where the program's own mask works as it does without packing.
#include "rt/running/run.h"

namespace ert {
namespace {

// One past the last element that is not `padding`. Sets *plain to false if an element is neither 0 nor 1.
template <class T>
int32_t length_of(const T* mask, int32_t n, T padding, bool* plain) {
  T bits = 0;
  for (int32_t i = 0; i < n; ++i) bits = static_cast<T>(bits | mask[i]);
  if ((bits & ~T{1}) != 0) *plain = false;
  while (n > 0 && mask[n - 1] == padding) --n;
  return n;
}

// The same for truth values: any byte but 0 is true.
int32_t length_of_truth(const uint8_t* mask, int32_t n, bool padding) {
  while (n > 0 && (mask[n - 1] != 0) == padding) --n;
  return n;
}

}  // namespace

int32_t find_rows(ContextState* s, const Program& p) {
  const fb::Packing& packing = p.packing[0];
  const Binding& b = s->inputs[packing.mask()];
  const bool truth = p.values[p.inputs[packing.mask()]].dtype() == ERT_BOOL;
  const int32_t batch = b.shape[0], sequence = b.shape[1];
  bool plain = true;
  // The table was planned for the largest batch, and batch * sequence fits an int32 (evaluate_exprs), so no start below wraps.
  s->row_starts[0] = 0;
  for (int32_t i = 0; i < batch; ++i) {
    const int64_t first = int64_t{i} * sequence;
    int32_t length = 0;
    if (b.dtype == ERT_I64) {
      length = length_of(static_cast<const int64_t*>(b.data) + first, sequence, int64_t{packing.padding()}, &plain);
    } else if (b.dtype == ERT_I32) {
      length = length_of(static_cast<const int32_t*>(b.data) + first, sequence, static_cast<int32_t>(packing.padding()), &plain);
    } else if (truth) {
      length = length_of_truth(static_cast<const uint8_t*>(b.data) + first, sequence, packing.padding() != 0);
    } else {
      length = length_of(static_cast<const uint8_t*>(b.data) + first, sequence, static_cast<uint8_t>(packing.padding()), &plain);
    }
    s->row_starts[i + 1] = s->row_starts[i] + length;
  }
  // What another number means to the model was not proved, so nothing is left out.
  for (int32_t i = 0; !plain && i <= batch; ++i) s->row_starts[i] = i * sequence;
  // Tensors without elements do not exist: where all is padding, one row of zeros is computed and dropped.
  return s->row_starts[batch] == 0 ? 1 : s->row_starts[batch];
}

}  // namespace ert
