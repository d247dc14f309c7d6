// Depthwise convolution of three columns, whole rows: 9 vectors of weights, a sum and the bias stay in the 32 registers.
#include "kernels_int8/avx512vnni/lanes16_avx512.h"

#include "kernels_int8/avx512vnni/clamp.h"
#include "kernels_int8/simd/depthwise3.h"

namespace ert::kernels {
namespace {

struct ClampByKind {
  static ERT_LANES Lanes clamped(Clamp clamp, Lanes x) { return {clamped_by_kind(clamp, x.v)}; }
};

}  // namespace

void depthwise3_f32_f32_f32_1x16_avx512vnni(const Depthwise3Args& a) { depthwise3_row<ClampByKind>(a); }

}  // namespace ert::kernels
