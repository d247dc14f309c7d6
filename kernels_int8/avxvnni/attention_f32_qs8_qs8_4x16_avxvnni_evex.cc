// The AVX-VNNI kernel in its EVEX form: names.h.
#include "kernels_int8/avxvnni/attention_f32_qs8_qs8_4x16_avxvnni.cc"
