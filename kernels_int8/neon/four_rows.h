// int8 attention of four queries, keys or values at a time: what is found out about a row (its scale, the sum of its weights) is one lane of a vector, so that a division serves four
// rows, and sums become fp32 by a subtraction. For queries that all see the same keys. Include neon/attention_rows.h first. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "for AArch64"
#endif

#include <type_traits>

#include "kernels_int8/neon/magic_sums.h"

namespace ert::kernels {
namespace {

template <int n>
using Lane = std::integral_constant<int, n>;

constexpr size_t kMostMagicProducts = 256;  // of 127 * 127 each
static_assert(kMostMagicProducts * 127 * 127 <= kMostMagicSum, "magic_sums.h");

// Lane r of the results: of row r.
ERT_LANES float32x4_t largest_of_rows(const float32x4_t (&row)[4]) {
  return vpmaxq_f32(vpmaxq_f32(row[0], row[1]), vpmaxq_f32(row[2], row[3]));
}
// The canonical tree of total(Lanes).
ERT_LANES float32x4_t total_of_rows(const float32x4_t (&row)[4][4]) {
  float64x2_t s[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) s[r] = vreinterpretq_f64_f32(vaddq_f32(vaddq_f32(row[r][0], row[r][2]), vaddq_f32(row[r][1], row[r][3])));
  const auto two_apart = [](float64x2_t a, float64x2_t b) __attribute__((always_inline)) {
    return vaddq_f32(vreinterpretq_f32_f64(vtrn1q_f64(a, b)), vreinterpretq_f32_f64(vtrn2q_f64(a, b)));
  };
  return vpaddq_f32(two_apart(s[0], s[1]), two_apart(s[2], s[3]));
}

// scale_of of attention_int8_16.h for the four rows of n values, a multiple of sixteen, at src; *inv is what quantizes them.
ERT_LANES float32x4_t scales_of_rows(size_t n, const float* const (&src)[4], float32x4_t* inv) {
  float32x4_t max[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) max[r] = vdupq_n_f32(0.0f);
  for (size_t i = 0; i < n; i += 16) {
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      const Lanes x = absolute(load(src[r] + i));
      max[r] = vmaxq_f32(vmaxq_f32(vmaxq_f32(x.q0, x.q1), vmaxq_f32(x.q2, x.q3)), max[r]);
    }
  }
  const float32x4_t absmax = largest_of_rows(max), most = vdupq_n_f32(kMaxQ8), nan = vdupq_n_f32(__builtin_nanf(""));
  const uint32x4_t zero = vcltq_f32(absmax, vdupq_n_f32(kZeroRange)), finite = vcleq_f32(absmax, vdupq_n_f32(kLargestFloat));
  *inv = and_bits(finite, clear_bits(zero, vdivq_f32(most, absmax)));
  return vbslq_f32(finite, clear_bits(zero, vdivq_f32(absmax, most)), nan);
}

// Nearest integers of sixteen values times lane kLane of inv, which fit a byte.
template <int kLane>
ERT_LANES int8x16_t bytes_of_row(const float* src, float32x4_t inv) {
  const Lanes x = load(src);
  return low_bytes(rounded(Lanes{times_lane<kLane>(x.q0, inv), times_lane<kLane>(x.q1, inv), times_lane<kLane>(x.q2, inv),
                                 times_lane<kLane>(x.q3, inv)}));
}

// Four rows from `row` on; those behind the last one are the last one again.
ERT_LANES void rows_at(const float* p, ptrdiff_t stride, size_t row, size_t rows, const float* (&src)[4]) {
#pragma GCC unroll 4
  for (size_t r = 0; r < 4; ++r) src[r] = p + static_cast<ptrdiff_t>(row + r < rows ? row + r : rows - 1) * stride;
}

// exp(score - maximum) * value scale in place of sixteen scores; adds to the row's sums and its largest weight.
ERT_LANES void weigh_keys(float* scores, const float* value_scale, float32x4_t row_max, float32x4_t (&sum)[4], float32x4_t* most) {
  const Lanes e = exp_of_weight(load(scores) - Lanes{row_max, row_max, row_max, row_max});
  sum[0] = vaddq_f32(sum[0], e.q0);
  sum[1] = vaddq_f32(sum[1], e.q1);
  sum[2] = vaddq_f32(sum[2], e.q2);
  sum[3] = vaddq_f32(sum[3], e.q3);
  const Lanes p = e * load(value_scale);
  *most = larger_number(p.q3, larger_number(p.q2, larger_number(p.q1, larger_number(p.q0, *most))));
  store_pair(scores, p.q0, p.q1);
  store_pair(scores + 8, p.q2, p.q3);
}

// Two digits of seven bits of sixteen p / pmax in 14 bits: hi * 128 + lo.
struct WeightDigits {
  int8x16_t hi, lo;
  ERT_LANES WeightDigits(const float* p, float32x4_t inv) {
    const Integers q = rounded(load(p) * Lanes{inv, inv, inv, inv});
    hi = vshrn_high_n_s16(vshrn_n_s16(q.low, 7), q.high, 7);
    lo = vandq_s8(low_bytes(q), vdupq_n_s8(127));
  }
};

// P of four rows: scores -> weights -> digits, store(r, key, digits). Returns the factors from the sums of P * v to the output. Rows that see nothing get zeros.
template <class Store>
ERT_LANES float32x4_t weights_of_rows(size_t keys16, const float* value_scale, float32x4_t max, float* scores, const Store& store_p) {
  const float32x4_t none = vdupq_n_f32(0.0f), shift = clear_bits(vceqq_f32(max, vdupq_n_f32(-__builtin_inff())), max);
  float32x4_t sum[4][4], most[4];
  const auto row = [&](auto lane) __attribute__((always_inline)) {
    constexpr int r = decltype(lane)::value;
    float* const s = scores + static_cast<size_t>(r) * keys16;
    const float32x4_t row_max = vdupq_laneq_f32(shift, r);
    sum[r][0] = sum[r][1] = sum[r][2] = sum[r][3] = most[r] = none;
    for (size_t key = 0; key < keys16; key += 16) weigh_keys(s + key, value_scale + key, row_max, sum[r], &most[r]);
  };
  row(Lane<0>{}), row(Lane<1>{}), row(Lane<2>{}), row(Lane<3>{});
  const float32x4_t pmax = largest_of_rows(most), all = total_of_rows(sum), range = vdupq_n_f32(kMaxQ16);
  const uint32x4_t seen = vcgeq_f32(pmax, vdupq_n_f32(kZeroRange));
  const float32x4_t inv = and_bits(seen, vdivq_f32(range, pmax));
  const auto digits = [&](auto lane) __attribute__((always_inline)) {
    constexpr int r = decltype(lane)::value;
    const float32x4_t row_inv = vdupq_laneq_f32(inv, r);
    for (size_t key = 0; key < keys16; key += 16) store_p(r, key, WeightDigits(scores + static_cast<size_t>(r) * keys16 + key, row_inv));
  };
  digits(Lane<0>{}), digits(Lane<1>{}), digits(Lane<2>{}), digits(Lane<3>{});
  return vbslq_f32(seen, vdivq_f32(vdivq_f32(pmax, range), all), vsubq_f32(all, all));
}

// A head whose queries all see the same keys, and where things are in its scratch.
struct SharedKeys {
  AttentionArgs a;
  size_t queries, keys, keys16, head, columns;
  float *key_scale, *value_scale, *bias, *scores;  // scores: [rows][keys16]
  uint32_t* visible;                               // of each key ones or zeros
  int8_t *k, *v, *q, *p;                           // q: [rows][head], p: [rows][2 * keys16]
  bool all_visible, all_unbiased;                  // a bias of zeros changes no weight, not even of a score of -0

  // rows: queries at a time.
  SharedKeys(const AttentionArgs& args, size_t rows)
      : a(args), queries(static_cast<size_t>(a.seq_q)), keys(static_cast<size_t>(a.seq_k)), keys16(round_up(keys, 16)),
        head(static_cast<size_t>(a.head_dim)), columns(static_cast<size_t>(a.v_dim)), all_visible(keys == keys16), all_unbiased(true) {
    key_scale = static_cast<float*>(a.scratch);
    value_scale = key_scale + keys16;
    bias = value_scale + keys16;
    visible = static_cast<uint32_t*>(static_cast<void*>(bias + keys16));
    scores = bias + 2 * keys16;
    k = static_cast<int8_t*>(static_cast<void*>(scores + rows * keys16));
    v = k + keys16 * head;
    q = v + keys16 * columns;
    p = q + rows * head;
    for (size_t j = 0; j < keys16; ++j) {
      const bool seen = j < keys && (a.mask == nullptr || a.mask[j] != 0);
      visible[j] = seen ? ~uint32_t{0} : 0;
      bias[j] = seen && a.bias != nullptr ? a.bias[j] : 0.0f;
      all_visible = all_visible && seen;
      all_unbiased = all_unbiased && bias[j] == 0.0f;
    }
  }

  static bool takes(const AttentionArgs& a) {
    return a.seq_q > 1 && a.head_dim % 16 == 0 && a.v_dim % 16 == 0 && static_cast<size_t>(a.head_dim) <= kMostMagicProducts &&
           static_cast<size_t>(a.seq_k) <= kMostMagicProducts && a.seq_k > 0 && a.head_dim > 0 && same_for_all_queries(a);
  }

  // Scales of four keys and their values as scale_of_values has them.
  void keep_scales(size_t j, float32x4_t scale, float32x4_t of_values) const {
    const uint32x4_t number = vceqq_f32(of_values, of_values);
    vst1q_f32(key_scale + j, vbslq_f32(number, scale, of_values));
    vst1q_f32(value_scale + j, and_bits(number, of_values));
  }

  bool is_plain() const { return all_visible && all_unbiased; }

  // Four scores, with what hides their keys.
  ERT_LANES float32x4_t hide(float32x4_t s, size_t key) const {
    return vbslq_f32(vld1q_u32(visible + key), vaddq_f32(s, vld1q_f32(bias + key)), vdupq_n_f32(-__builtin_inff()));
  }
};

}  // namespace
}  // namespace ert::kernels
