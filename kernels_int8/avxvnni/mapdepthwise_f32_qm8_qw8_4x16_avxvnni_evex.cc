// The AVX-VNNI kernel in its EVEX form: names.h.
#include "kernels_int8/avxvnni/mapdepthwise_f32_qm8_qw8_4x16_avxvnni.cc"
