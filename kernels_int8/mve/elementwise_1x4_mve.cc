// Activations and recurrent cells of Helium. They have no sums, so nothing makes them take 16 lanes, whose intermediate results do not
// fit its eight registers.
#include "kernels_int8/mve/lanes4_mve.h"

#include "kernels_int8/contract/kernel_table.h"
#include "kernels_int8/simd/map16.h"
#include "kernels_int8/simd/recurrent16.h"

#define ERT_ROW_NAME(stem) stem##_1x4_mve
#include "kernels_int8/simd/define_elementwise16.inc"
