// Windows that are drawn, and operands that are made to fit them: what the mutators of whole convolutions share (window_mutator.cc, map_mutator.cc).
#pragma once

#include <initializer_list>

#include "tests/fuzz/target.h"
#include "tests/support/blob_builder.h"

namespace ert::fuzz {

// One axis of a window: the input's size, the output's, and the ints of params::window.
struct DrawnAxis {
  int64_t size = 1, out = 1;
  int32_t ints[params::window::kAxisInts] = {1, 1, 1, 0, 0};

  bool has_outputs();  // from size and ints; `out` is how many, at most 40
};

// Small for the most part, else as large as the format allows. False: 30 tries gave no window with outputs, or one with too many. `size` 0: any.
bool draw_axis(RandomNumbers* r, DrawnAxis* axis, int64_t size = 0);

testing::BlobSpec::Value* operand(testing::BlobSpec* s, const std::vector<int32_t>& list, size_t i);  // null: absent, or no value
uint32_t constant_of(testing::BlobSpec* s, int64_t size);  // an expression
void set_shape(testing::BlobSpec* s, testing::BlobSpec::Value* v, std::initializer_list<int64_t> sizes);

// A constant's contents: a segment of their own, neither 0 nor alike. Nothing happens to other values, and beyond 16384 bytes.
void fill_constant(testing::BlobSpec* s, RandomNumbers* r, testing::BlobSpec::Value* v, size_t bytes, bool floats);
// Shape [n] and contents of an operand of floats or, as bits, of integers.
void set_vector(testing::BlobSpec* s, RandomNumbers* r, const testing::BlobSpec::Op& op, size_t input, int64_t n);

}  // namespace ert::fuzz
