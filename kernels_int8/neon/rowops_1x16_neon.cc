// Row operations of this level: LayerNorm, softmax, sums, activations and recurrent cells, written once in simd/ over 16 lanes.
#include "kernels_int8/neon/lanes16_neon.h"

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/simd/map16.h"
#include "kernels_int8/simd/pairs16.h"
#include "kernels_int8/simd/recurrent16.h"
#include "kernels_int8/simd/rowops16.h"

#define ERT_ROW_NAME(stem) stem##_1x16_neon
#include "kernels_int8/simd/define_elementwise16.inc"
#ifdef __aarch64__
#include "kernels_int8/simd/define_pairs16.inc"
#endif
#include "kernels_int8/simd/define_rows16.inc"
