// Right-looking factorization from the last channel to the first, in tiles whose updates are products of the fp32 kernel.
#include "convert/quantize/curvature.h"

#include <algorithm>
#include <cmath>

#include "kernels_int8/dispatch/dispatch.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

constexpr size_t kTile = 64;

class Factorization {
 public:
  Factorization(const SampledRows& rows, size_t first, std::span<const float> inv_smooth, double ridge)
      : kernels_(ert::kernels::kernel_table(ert_isa_available())), k_(inv_smooth.size()), h_(k_ * k_) {
    const float* y = rows.data.data() + first;
    const size_t k = k_, count = static_cast<size_t>(rows.count()), stride = static_cast<size_t>(rows.width);
    // The upper triangle, tile row by tile row.
    for (size_t i = 0; i < k; i += kTile)
      kernels_.gemm_f32(std::min(kTile, k - i), k - i, count, y + i, 1, static_cast<ptrdiff_t>(stride), y + i,
                        static_cast<ptrdiff_t>(stride), nullptr, at(i, i), static_cast<ptrdiff_t>(k));
    // The products instead of the rows: no copy of these.
    for (size_t i = 0; i < k; ++i)
      for (size_t j = i; j < k; ++j) *at(i, j) *= inv_smooth[i] * inv_smooth[j];
    double trace = 0;
    for (size_t i = 0; i < k; ++i) trace += *at(i, i);
    usable_ = std::isfinite(trace) && trace > 0;
    const float added = static_cast<float>(ridge * trace / static_cast<double>(k));
    for (size_t i = 0; i < k; ++i) *at(i, i) += added;
  }

  std::vector<float> factors() {
    if (!usable_) return {};
    for (size_t end = k_; end > 0;) {
      const size_t begin = (end - 1) / kTile * kTile;
      factorize(begin, end);
      update(begin, end);
      end = begin;
    }
    return std::move(h_);
  }

 private:
  float* at(size_t i, size_t j) { return h_.data() + i * k_ + j; }

  // Columns [begin, end), as far as they depend on each other.
  void factorize(size_t begin, size_t end) {
    diagonal_.assign(end - begin, 0.0f);
    float column[kTile];
    for (size_t j = end; j-- > begin;) {
      const float d = diagonal_[j - begin] = *at(j, j);
      for (size_t c = begin; c < j; ++c) column[c - begin] = *at(c, j) / d;
      for (size_t i = 0; i < j; ++i) {
        const float hij = *at(i, j);
        float* row = at(i, 0);
        for (size_t c = std::max(i, begin); c < j; ++c) row[c] -= hij * column[c - begin];
        row[j] = hij / d;
      }
    }
  }

  // Takes the part of columns [begin, end) out of all before them.
  void update(size_t begin, size_t end) {
    if (begin == 0) return;
    const size_t width = end - begin;
    scaled_.resize(width * begin);
    for (size_t c = 0; c < begin; ++c)
      for (size_t j = 0; j < width; ++j) scaled_[j * begin + c] = *at(c, begin + j) * diagonal_[j];
    for (size_t i = 0; i < begin; i += kTile) {
      const size_t columns = begin - i;
      product_.resize(kTile * columns);
      kernels_.gemm_f32(kTile, columns, width, at(i, begin), static_cast<ptrdiff_t>(k_), 1, scaled_.data() + i,
                        static_cast<ptrdiff_t>(begin), nullptr, product_.data(), static_cast<ptrdiff_t>(columns));
      for (size_t r = 0; r < kTile; ++r)
        for (size_t c = r; c < columns; ++c) *at(i + r, i + c) -= product_[r * columns + c];
    }
  }

  const ert::kernels::KernelTable& kernels_;
  size_t k_;
  bool usable_ = false;
  std::vector<float> h_, diagonal_, scaled_, product_;
};

}  // namespace

std::vector<float> feedback_factors(const SampledRows& rows, int64_t first, std::span<const float> inv_smooth, double ridge) {
  return Factorization(rows, static_cast<size_t>(first), inv_smooth, ridge).factors();
}

}  // namespace edgeconv
