// Changes to the program of a blob: see blob_mutator.h.
#pragma once

#include "tests/fuzz/target.h"
#include "tests/support/blob_builder.h"

namespace ert::fuzz {

// A number that is likely to be an edge: small, a power of two or one beside it, near `old`.
uint32_t odd_number(RandomNumbers* r, uint32_t old);
float odd_float(RandomNumbers* r);

// One change of one field, list, op or value.
void mutate_program(testing::BlobSpec* s, RandomNumbers* r);

// Another window for a convolution of the program, and operands that fit it. False: there is none.
bool change_window(testing::BlobSpec* s, RandomNumbers* r);

// The same for an op over 8-bit maps, and for all that read what it writes.
bool change_maps(testing::BlobSpec* s, RandomNumbers* r);

// First and last ops, slots and their order as the ops need them; each arena value gets a slot of its own. Short segments of constants are made
// longer.
void plan_anew(testing::BlobSpec* s);
// Of a program that was planned anew: outputs take the slots of inputs that their ops may overwrite.
void share_slots(testing::BlobSpec* s);

}  // namespace ert::fuzz
