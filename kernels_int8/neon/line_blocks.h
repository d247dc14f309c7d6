// Blocks of four lines (16 k) of half a panel of N16K4, and the order in which the tiles take them: first those whose four products a 16-bit lane may
// be summed up before they go to 32 bits. |lhs| <= 128, so they fit where the four weights have magnitudes that sum up to at most 255: 128 * 255 < 2^15.
// Most blocks of weights that a training left are such. Internal linkage.
#pragma once

#include <arm_neon.h>

#include "kernels_int8/loops/gemm_driver.h"

namespace ert::kernels {

struct LineBlocks {
  size_t count;           // whole blocks; what is behind them goes line by line
  size_t together;        // the first so many of `order` may be summed so
  const uint16_t* order;  // [count + 1] indices; the last one stands there twice
};

namespace {

constexpr size_t kBlockDepth = 16;
constexpr size_t kBlockBytes = 256;                      // from one block of a panel to the next
constexpr size_t kMostBlocks = 65000 / kBlockDepth + 1;  // of the longest row

// From so many rows on, looking which blocks fit costs less than it saves.
constexpr size_t kRowsForBlocks = 12;

// Bytes of which none is above 127 where the block's sums are at most 255.
inline __attribute__((always_inline)) uint8x16_t half_sums(const int8_t* lines) {
  const int8x16_t zero = vdupq_n_s8(0);
  uint8x16_t half[2];
#pragma GCC unroll 2
  for (int q = 0; q < 2; ++q, lines += 16) {
    // Magnitudes are at most 127: two of them fit a byte.
    const int8x16_t a = vabaq_s8(vabsq_s8(vld1q_s8(lines)), vld1q_s8(lines + 64), zero);
    const int8x16_t b = vabaq_s8(vabsq_s8(vld1q_s8(lines + 128)), vld1q_s8(lines + 192), zero);
    half[q] = vhaddq_u8(vreinterpretq_u8_s8(a), vreinterpretq_u8_s8(b));
  }
  return vorrq_u8(half[0], half[1]);
}

// Bit i: block i of eight columns at rhs fits; of at most 64 blocks.
inline uint64_t blocks_that_fit(const int8_t* rhs, size_t count) {
  uint64_t fit = 0;
  constexpr uint64_t kTops = 0x8080808080808080;
  for (size_t i = 0; i < count; ++i, rhs += kBlockBytes) {
    const uint8x16_t half = half_sums(rhs);
    const uint64_t tops = vget_lane_u64(vreinterpret_u64_u8(vorr_u8(vget_low_u8(half), vget_high_u8(half))), 0);
    fit |= static_cast<uint64_t>((tops & kTops) == 0) << i;
  }
  return fit;
}

// The order that blocks_that_fit_first gives.
inline LineBlocks blocks_in_order_of(uint64_t fit, size_t count, uint16_t* order) {
  uint16_t *front = order, *back = order + count;
  for (size_t i = 0; i < count; ++i, fit >>= 1) {
    const bool fits = (fit & 1) != 0;
    *front = back[-1] = static_cast<uint16_t>(i);  // one of the two places stays open
    front += fits;
    back -= !fits;
  }
  order[count] = order[count == 0 ? 0 : count - 1];
  return {count, static_cast<size_t>(front - order), order};
}

// The order of the blocks of eight columns at rhs; `order` has room for all and one more.
inline LineBlocks blocks_that_fit_first(const int8_t* rhs, size_t k4, uint16_t* order) {
  const size_t count = k4 / kBlockDepth;
  uint16_t *front = order, *back = order + count;
  const auto put = [&](size_t i, bool fits) __attribute__((always_inline)) {
    *front = back[-1] = static_cast<uint16_t>(i);  // one of the two places stays open
    front += fits;
    back -= !fits;
  };
  constexpr uint64_t kTops = 0x8080808080808080;
  // Two at a time, because a core that issues in order waits for what goes from vectors to core registers.
  for (size_t i = 0; i < count; i += 2, rhs += 2 * kBlockBytes) {
    const int8_t* const second = i + 1 < count ? rhs + kBlockBytes : rhs;
    const uint64x2_t tops = vreinterpretq_u64_u8(vpmaxq_u8(half_sums(rhs), half_sums(second)));
    put(i, (vgetq_lane_u64(tops, 0) & kTops) == 0);
    if (i + 1 < count) put(i + 1, (vgetq_lane_u64(tops, 1) & kTops) == 0);
  }
  order[count] = order[count == 0 ? 0 : count - 1];
  return {count, static_cast<size_t>(front - order), order};
}

// All one after the other, each summed in two halves.
inline LineBlocks blocks_in_order(size_t k4, uint16_t* order) {
  const size_t count = k4 / kBlockDepth < kMostBlocks ? k4 / kBlockDepth : kMostBlocks;
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<uint16_t>(i);
  order[count] = order[count == 0 ? 0 : count - 1];
  return {count, 0, order};
}

}  // namespace
}  // namespace ert::kernels
