// The AVX-VNNI kernel in its EVEX form: names.h.
#include "kernels_int8/avxvnni/quantize_qa16_f32_1x32_avxvnni.cc"
