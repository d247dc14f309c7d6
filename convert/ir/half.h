// float16 and bfloat16 as bits, converted in integer arithmetic: the same result on every host, ties to even.
#pragma once

#include <cstdint>

namespace edgeconv {

float half_to_float(uint16_t h);
uint16_t float_to_half(float f);  // beyond 65504 + half a unit: infinity
float bfloat16_to_float(uint16_t h);
uint16_t float_to_bfloat16(float f);

}  // namespace edgeconv
