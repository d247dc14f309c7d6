// The AVX-VNNI kernel in its EVEX form: names.h.
#include "kernels_int8/avxvnni/gemm_f32_qa16_qw8_3x16_avxvnni.cc"
