// The rotation that all operators with rotary positions share.
#pragma once

#include "convert/import/building_blocks.h"

namespace edgeconv {

// x with the pairs of its first `rotated` columns (0: all) turned by the angles of cos and sin. The tables broadcast over the heads:
// [B, S, 1, D / 2] for x [B, S, heads, D], [B, 1, S, D / 2] for x [B, heads, S, D].
ValueId rotate(ImportContext& c, const OnnxNode& n, ValueId x, ValueId cos, ValueId sin, int64_t rotated, bool interleaved);

}  // namespace edgeconv
