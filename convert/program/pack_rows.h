// Padding costs nothing where it provably reaches no other position: finds the ops that compute every position of a padded
// batch for itself, and rewrites them to work on packed rows (rt/README.md, Padding).
#pragma once

#include "convert/program/target.h"

namespace edgeconv {

// Changes p and sets p.packing if the proof succeeds for one of its inputs; otherwise leaves p as it is. The proof:
// - inside, an op makes row [b, s] of its output from rows [b, s] of its operands alone, or is an attention whose padded keys a
//   mask excludes, which is shown by intervals (padding_facts.h);
// - outside, whoever reads such rows either keeps each at its position, up to an output [batch, sequence, ..], or reads no padded
//   one: a pool whose weights are 0 there, a selection that takes the other side, the first position.
// Returns whether it did.
bool pack_rows(TargetProgram& p);

}  // namespace edgeconv
