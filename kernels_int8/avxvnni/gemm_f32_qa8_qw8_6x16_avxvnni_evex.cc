// The AVX-VNNI kernel in its EVEX form: names.h.
#include "kernels_int8/avxvnni/gemm_f32_qa8_qw8_6x16_avxvnni.cc"
