// pow of one value: no vector ISA has a kernel of it. Constant folding and generic ops use it.
#pragma once

namespace ert::kernels {

// Exact for y in {0, 0.5, 1, 2, 3, -1, -0.5}; otherwise exp(y * log|x|) with the sign rules of C's pow.
float scalar_pow(float x, float y);

}  // namespace ert::kernels
