// What the passes over 8-bit maps share: which ops may write a map, and the map of an f32 value that ops agree to read in 8 bits.
// Lowering quantizes every map in an op of its own (QuantizeMap) and lets convolutions write floats; who reads the map is settled then (fuse_map_residual,
// map_pools), and at last convolutions write it themselves (join_maps).
#pragma once

#include "convert/program/value_uses.h"

namespace edgeconv {

struct ProgramMap {
  int q = -1, scales = -1;
  int factors = -1;  // that multiply what is read back; -1: none
};

// A MapConv or MapDepthwiseConv whose result is still f32.
bool gives_floats_of_map(const TargetOp& op);

// A mean over both spatial axes.
bool is_map_mean(const TargetProgram& p, const TargetOp& op);

// Whether the f32 value can be stored as a map for `reader`: a convolution over maps writes it, or somebody quantizes it anyhow; and nobody else reads
// its floats.
bool can_be_map(const TargetProgram& p, const ValueUses& uses, int value, int reader);

// Its map, as the QuantizeMap has it that is there or is added right behind its writer; made to stand before op `reader`. Moves ops: `reader` is where
// that one stands afterwards.
ProgramMap map_of(TargetProgram& p, int value, int& reader);

}  // namespace edgeconv
