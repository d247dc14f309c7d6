// Quantize and int8 GEMM of every level against the reference, bit for bit, on CPUs with other caches than this one.
#include "tests/kernels_int8/linear_int8.h"

namespace ert::kernels::testing {
namespace {

class LinearCachesTest : public LinearInt8Test {};

// What is fetched ahead, and how many panels are done side by side, goes by the CPU's caches: with none, and with caches that hold everything, the bits are the same.
TEST_P(LinearCachesTest, EverySizeOfCaches) {
  SeededRandom random;
  for (const CacheSizes caches : {CacheSizes{0, 0}, CacheSizes{UINT32_MAX, UINT32_MAX}, CacheSizes{0, UINT32_MAX}, CacheSizes{UINT32_MAX, 0}}) {
    for (Precision precision : {Precision::kW8A8, Precision::kW8A16}) {
      for (size_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 24, 33}) {
        for (size_t n : {1, 17, 64, 113, 144}) {
          for (size_t k : {4, 37, 516}) {
            const Fill fill = n == 64 ? Fill::kNearTheLeast : Fill::kNormal;
            compare({m, n, k, fill, WeightFill::kRandom, false, n % 2 != 0, precision, Layout::kN16K4, Clamp::kNone, caches}, random);
          }
        }
      }
    }
  }
}

ERT_INSTANTIATE_LEVELS(LinearCachesTest);

}  // namespace
}  // namespace ert::kernels::testing
