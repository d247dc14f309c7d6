// The AVX-VNNI kernel in its EVEX form: names.h.
#include "kernels_int8/avxvnni/wide_f32_qa13_qw12_6x16_avxvnni.cc"
