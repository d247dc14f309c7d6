// 8-bit maps as operands: q u8 [N, H, W, C], and scales i32 [N, H, 2] with the bits of each row's scale and its zero point (op_params.h).
#pragma once

#include <stdint.h>

#include "kernels_int8/dispatch/conv_dispatch.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert::ops {

inline bool is_map(const Operand& q, const Operand& scales) {
  return q.dtype == ERT_U8 && q.rank == 4 && is_i32(scales) && scales.rank == 3 && scales.dims[0] == q.dims[0] &&
         scales.dims[1] == q.dims[1] && scales.dims[2] == 2;
}

// Factors of channels: f32 [n], or absent.
inline bool factors_ok(const Operand& factors, int64_t n) {
  return !factors.present() || (is_f32(factors) && is_vector(factors, n));
}
inline const float* floats_or_null(const Operand& o) { return o.present() ? o.as<float>() : nullptr; }

// For further_steps: a * b, or what no budget has where that is less, so that sums over all ops do not wrap (rt/loading/work.cc).
inline uint64_t steps_of(uint64_t a, int64_t b) {
  constexpr uint64_t kMost = uint64_t{1} << 47;
  uint64_t product;
  return __builtin_mul_overflow(a, static_cast<uint64_t>(b), &product) || product > kMost ? kMost : product;
}

// Rows are those of all images, one behind the other.
struct Map {
  const Operand& q;
  const Operand& scales;

  int64_t rows() const { return int64_t{q.dims[0]} * q.dims[1]; }
  int64_t columns() const { return q.dims[2]; }
  int64_t channels() const { return q.dims[3]; }
  int64_t row_bytes() const { return columns() * channels(); }
  const uint8_t* row(int64_t r) const { return q.as<uint8_t>() + r * row_bytes(); }
  uint8_t* mut_row(int64_t r) const { return q.mut<uint8_t>() + r * row_bytes(); }

  // A blob may bind scales that no map op has written: whatever the bits, the zero point is one.
  kernels::RowScale scale(int64_t r) const {
    const Word32* words = scales.as<Word32>() + 2 * r;
    return {float_of(words[0]), static_cast<int32_t>(words[1] & 0xff)};
  }
  void set_scale(int64_t r, const kernels::RowScale& s) const {
    Word32* words = scales.mut<Word32>() + 2 * r;
    words[0] = bits_of(s.scale);
    words[1] = static_cast<uint32_t>(s.zero_point);
  }

  // Writes row r of values float [columns, channels], which are what `clamp` leaves.
  void quantize_row(const kernels::ConvKernels& k, int64_t r, const float* values, const float* factors,
                    kernels::Clamp clamp = kernels::Clamp::kNone) const {
    kernels::RowScale s;
    k.map_quantize({static_cast<size_t>(columns()), static_cast<size_t>(channels()), values, factors, mut_row(r), &s,
                    clamp != kernels::Clamp::kNone && factors == nullptr});
    set_scale(r, s);
  }
  // Reads row r into values, or adds it to them.
  void restore_row(const kernels::ConvKernels& k, int64_t r, const float* factors, float* values, bool add = false,
                   kernels::Clamp clamp = kernels::Clamp::kNone) const {
    k.map_restore(
        {static_cast<size_t>(columns()), static_cast<size_t>(channels()), row(r), scale(r), factors, values, add, clamp});
  }
};

}  // namespace ert::ops
