// Row operations of Helium: LayerNorm, softmax and sums, written once in simd/ over 16 lanes.
#include "kernels_int8/mve/lanes16_mve.h"

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/simd/rowops16.h"

#define ERT_ROW_NAME(stem) stem##_1x16_mve
#include "kernels_int8/simd/define_rows16.inc"
