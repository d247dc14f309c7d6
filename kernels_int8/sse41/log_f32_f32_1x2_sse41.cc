// The logarithm, 2 doubles at a time.
#include <stddef.h>

namespace ert::kernels {
namespace {
constexpr size_t kDoubles = 2;
}
}  // namespace ert::kernels

#include "kernels_int8/simd/log64.h"

namespace ert::kernels {

void log_f32_f32_1x2_sse41(size_t n, const float* src, float* dst) { log64_of_all(n, src, dst); }

}  // namespace ert::kernels
