// Values of int8 attention for levels without dot products: V as int16, P as int16 times four columns an instruction. Two digits of P would take as
// many products of bytes, and pairwise adds on top. Sums of up to kKeyBlock keys are the level's:
//   Sums::run<kRows>(acc, p, row_words, values, keys)   acc[r][q] = columns 4q .. 4q + 3 of row r, over keys, rounded up to a multiple of eight
// Internal linkage.
#pragma once

#ifndef __aarch64__
#error "for AArch64"
#endif

#include "kernels_int8/neon/attention_rows.h"
#include "kernels_int8/neon/ordered_loads.h"

namespace ert::kernels {
namespace {

// Sixteen columns a panel, one key after the other; P: [kBlockRows][keys16].
template <class Sums>
struct WordValues {
  static constexpr size_t kBytes = 2;

  static inline int16_t* words(int8_t* p) { return static_cast<int16_t*>(static_cast<void*>(p)); }

  static inline void pack(const AttentionArgs& a, const AttentionWork& w) {
    const size_t n = static_cast<size_t>(a.v_dim), keys = static_cast<size_t>(a.seq_k);
    int16_t* const values = words(w.values);
    for (size_t j = 0; j < keys; ++j) {
      const float* src = a.v + static_cast<ptrdiff_t>(j) * a.v_stride;
      float inv;
      w.value_scale[j] = scale_of_values(scale_of(n, src, &inv), &w.key_scale[j]);
      for (size_t i = 0; i < n; i += 16) store_words(values + i * w.keys16 + 16 * j, quantized(n, src, i, inv));
    }
    for (size_t j = keys; j < w.keys16; ++j) {
      w.value_scale[j] = 0.0f;
      for (size_t i = 0; i < w.columns16; i += 16) memset(values + i * w.keys16 + 16 * j, 0, 16 * sizeof(int16_t));
    }
  }

  static ERT_LANES void store_words(int16_t* dst, Integers q) {
    vst1q_s16(dst, q.low);
    vst1q_s16(dst + 8, q.high);
  }
  static ERT_LANES void store_weights(const AttentionWork& w, size_t row, size_t key, Integers p) {
    store_words(words(w.p) + row * w.keys16 + key, p);
  }

  // out += the sums of a block of keys from `first` on.
  template <int kRows>
  static __attribute__((noinline)) void add(const AttentionWork& w, size_t first, size_t keys, size_t row, size_t column,
                                            float (&out)[kRows][16]) {
    int32x4_t acc[kRows][4];
    Sums::template run<kRows>(acc, words(w.p) + row * w.keys16 + first, w.keys16,
                              words(w.values) + column * w.keys16 + 16 * first, keys);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) vst1q_f32(out[r] + 4 * q, vaddq_f32(vld1q_f32(out[r] + 4 * q), vcvtq_f32_s32(acc[r][q])));
    }
  }
};

struct WordSums {
  template <int kLane, int kRows>
  static inline __attribute__((always_inline)) void key(int32x4_t (&acc)[kRows][4], const int16x8_t (&p)[kRows],
                                                        const int16_t* values) {
    const int16x8_t left = vld1q_s16(values + 16 * kLane), right = vld1q_s16(values + 16 * kLane + 8);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      acc[r][0] = vmlal_laneq_s16(acc[r][0], vget_low_s16(left), p[r], kLane);
      acc[r][1] = vmlal_high_laneq_s16(acc[r][1], left, p[r], kLane);
      acc[r][2] = vmlal_laneq_s16(acc[r][2], vget_low_s16(right), p[r], kLane);
      acc[r][3] = vmlal_high_laneq_s16(acc[r][3], right, p[r], kLane);
    }
  }
  template <int kRows>
  static inline __attribute__((always_inline)) void run(int32x4_t (&acc)[kRows][4], const int16_t* p, size_t row_words,
                                                        const int16_t* values, size_t keys) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) acc[r][0] = acc[r][1] = acc[r][2] = acc[r][3] = vdupq_n_s32(0);
    for (size_t j = 0; j < keys; j += 8, p += 8, values += 128) {
      int16x8_t weights[kRows];
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) weights[r] = vld1q_s16(p + static_cast<size_t>(r) * row_words);
      key<0>(acc, weights, values);
      key<1>(acc, weights, values);
      key<2>(acc, weights, values);
      key<3>(acc, weights, values);
      key<4>(acc, weights, values);
      key<5>(acc, weights, values);
      key<6>(acc, weights, values);
      key<7>(acc, weights, values);
    }
  }
};

// The same for cores that issue in order: see gemm_tile_inorder.h. All volatile: the order of the source is the order of issue.
template <int kRows>
struct InOrderWordLoop {
  int32x4_t (&acc)[kRows][4];
  int16x4_t weights[kRows];   // of four keys
  int16x4_t values[2][4];     // 16 columns of a key, and of the next one
  const int16_t* row[kRows];  // what is loaded next
  const int16_t* next;        // the key behind those two
  uint64_t core_values[2], core_weights[kRows];

  static inline __attribute__((always_inline)) int16x4_t move(uint64_t words) {
    int16x4_t moved;
    __asm__ volatile("fmov %d0, %1" : "=w"(moved) : "r"(words));
    return moved;
  }
  static inline __attribute__((always_inline)) const int8_t* bytes_at(const int16_t* p) {
    return static_cast<const int8_t*>(static_cast<const void*>(p));
  }
  static inline __attribute__((always_inline)) int16x4_t load(const int16_t* p) { return load_vector<int16x4_t>(bytes_at(p)); }
  template <int kLane>
  static inline __attribute__((always_inline)) void multiply_add(int32x4_t& sum, int16x4_t v, int16x4_t p) {
    __asm__ volatile("smlal %0.4s, %1.4h, %2.h[%3]" : "+w"(sum) : "w"(v), "x"(p), "i"(kLane));
  }

  inline __attribute__((always_inline)) void start() {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      weights[r] = load(row[r]);
      row[r] += 4;
    }
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) values[0][q] = load(next + 4 * q), values[1][q] = load(next + 16 + 4 * q);
    next += 32;
  }

  // Products of key kLane of the four; then the key after the next one in place of this one, and behind the last key the next four weights.
  template <int kLane>
  inline __attribute__((always_inline)) void key() {
    constexpr int kNow = kLane % 2;
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) multiply_add<kLane>(acc[r][q], values[kNow][q], weights[r]);
      if (q == 0) core_values[0] = load_core(bytes_at(next + 4));
      if (q == 1) core_values[1] = load_core(bytes_at(next + 12));
      if (kLane == 3 && q >= 2 && 2 * q - 3 < kRows) core_weights[2 * q - 3] = load_core(bytes_at(row[2 * q - 3]));
    }
    if (kLane == 3) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        weights[r] = r % 2 == 0 ? load(row[r]) : move(core_weights[r]);
        row[r] += 4;
      }
    }
    values[kNow][0] = load(next);
    values[kNow][1] = move(core_values[0]);
    values[kNow][2] = load(next + 8);
    values[kNow][3] = move(core_values[1]);
    next += 16;
  }
};

struct InOrderWordSums {
  // Reads up to two keys of `values` and four weights of each row behind the last ones: what stands there is not used.
  template <int kRows>
  static inline __attribute__((always_inline)) void run(int32x4_t (&acc)[kRows][4], const int16_t* p, size_t row_words,
                                                        const int16_t* values, size_t keys) {
    static_assert(kRows <= 4, "32 registers");
    InOrderWordLoop<kRows> loop{acc, {}, {}, {}, values, {}, {}};
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      acc[r][0] = acc[r][1] = acc[r][2] = acc[r][3] = vdupq_n_s32(0);
      loop.row[r] = p + static_cast<size_t>(r) * row_words;
    }
    loop.start();
    for (size_t j = 0; j < keys; j += 4) {
      loop.template key<0>();
      loop.template key<1>();
      loop.template key<2>();
      loop.template key<3>();
    }
  }
};

}  // namespace
}  // namespace ert::kernels
