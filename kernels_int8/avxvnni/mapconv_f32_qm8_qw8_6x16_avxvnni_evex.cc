// The AVX-VNNI kernel in its EVEX form: names.h.
#include "kernels_int8/avxvnni/mapconv_f32_qm8_qw8_6x16_avxvnni.cc"
