// int8 attention of one head for SSE4.1: scores by the byte loop of the W8A8 GEMM, keys packed as 16 columns a panel; P in int16 times values by
// the loop of the W8A16 GEMM, with keys along k.
#include "kernels_int8/sse41/gemm_tile.h"
#include "kernels_int8/sse41/quantize_row.h"
#include "kernels_int8/sse41/signed_bytes.h"

// The lanes come before what is written in them.
#include "kernels_int8/contract/exact_sums.h"
#include "kernels_int8/simd/elementary16.h"

#include "kernels_int8/simd/attention_int8_16.h"

namespace ert::kernels {
namespace {

constexpr size_t kBlockRows = 8;  // queries at a time
constexpr int kScoreRows = 2, kValueRows = 4;

struct AttentionWork {
  size_t keys16, head4, row_bytes, columns16;  // rounded up; bytes of a quantized query
  float *key_scale, *value_scale;              // [keys16], zero beyond the keys
  int8_t *keys, *values;                       // panels of 16 keys; panels of 16 columns with keys16 as their k
  int8_t* queries;                             // [kBlockRows][row_bytes]
  float* scores;                               // [kBlockRows][keys16]: scores, then p
  int16_t* p;                                  // [kBlockRows][keys16]
  float row_scale[kBlockRows];                 // of the query, times the scale on QK^T
  int32_t lack[kBlockRows];                    // of the query's sums
  float factor[kBlockRows];                    // from the sum of P * v to the output; 0 where the query sees nothing
};

// Within attention_scratch_bytes.
void lay_out(const AttentionArgs& a, AttentionWork* w) {
  w->keys16 = round_up(static_cast<size_t>(a.seq_k), 16);
  w->head4 = round_up(static_cast<size_t>(a.head_dim), 4);
  w->row_bytes = 2 * round_up(static_cast<size_t>(a.head_dim), 16);
  w->columns16 = round_up(static_cast<size_t>(a.v_dim), 16);
  w->key_scale = static_cast<float*>(a.scratch);
  w->value_scale = w->key_scale + w->keys16;
  w->scores = w->value_scale + w->keys16;
  w->p = static_cast<int16_t*>(static_cast<void*>(w->scores + kBlockRows * w->keys16));
  w->queries = static_cast<int8_t*>(static_cast<void*>(w->p + kBlockRows * w->keys16));
  w->keys = w->queries + kBlockRows * w->row_bytes;
  w->values = w->keys + w->keys16 * w->head4;
}

ERT_LANES __m128i quantize16(size_t n, const float* src, size_t i, float inv) {
  return bytes_of(rounded(load_part(n, src, i) * broadcast(inv)));
}

// Rows lie so far apart that the hardware does not know the next: row `row` of `rows` waits less for what this fetches, kRowsAhead before.
constexpr size_t kRowsAhead = 4;
void fetch_row(const float* src, ptrdiff_t stride, size_t row, size_t rows, size_t n) {
  if (row + kRowsAhead >= rows) return;
  const float* ahead = src + static_cast<ptrdiff_t>(row + kRowsAhead) * stride;
  for (size_t i = 0; i < n; i += 16) _mm_prefetch(reinterpret_cast<const char*>(ahead + i), _MM_HINT_T0);
}

void pack_keys(const AttentionArgs& a, const AttentionWork& w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  for (size_t j = 0; j < static_cast<size_t>(a.seq_k); ++j) {
    const float* src = a.k + static_cast<ptrdiff_t>(j) * a.k_stride;
    fetch_row(a.k, a.k_stride, j, static_cast<size_t>(a.seq_k), n);
    float inv;
    w.key_scale[j] = scale_of(n, src, &inv);
    int8_t* column = w.keys + j / 16 * 16 * w.head4 + 4 * (j % 16);
    for (size_t i = 0; i < n; i += 16) {
      int8_t q[16];
      _mm_storeu_si128(reinterpret_cast<__m128i*>(q), quantize16(n, src, i, inv));
      for (size_t g = 0; g < 16 && i + g < n; g += 4) memcpy(column + 16 * (i + g), q + g, 4);
    }
  }
  for (size_t j = static_cast<size_t>(a.seq_k); j < w.keys16; ++j) w.key_scale[j] = 0.0f;
}

// Four keys and sixteen columns: one line of a panel, a column's four bytes side by side.
ERT_LANES void store_line(int8_t* line, __m128i k0, __m128i k1, __m128i k2, __m128i k3) {
  const __m128i low01 = _mm_unpacklo_epi8(k0, k1), high01 = _mm_unpackhi_epi8(k0, k1);
  const __m128i low23 = _mm_unpacklo_epi8(k2, k3), high23 = _mm_unpackhi_epi8(k2, k3);
  __m128i* dst = reinterpret_cast<__m128i*>(line);
  _mm_storeu_si128(dst, _mm_unpacklo_epi16(low01, low23));
  _mm_storeu_si128(dst + 1, _mm_unpackhi_epi16(low01, low23));
  _mm_storeu_si128(dst + 2, _mm_unpacklo_epi16(high01, high23));
  _mm_storeu_si128(dst + 3, _mm_unpackhi_epi16(high01, high23));
}

void pack_values(const AttentionArgs& a, const AttentionWork& w) {
  const size_t n = static_cast<size_t>(a.v_dim), keys = static_cast<size_t>(a.seq_k);
  for (size_t j = 0; j < keys; j += 4) {
    const float* src[4];
    float inv[4];
    for (size_t r = 0; r < 4; ++r) {  // keys beyond the end repeat the last one: their P is zero
      const size_t key = j + r < keys ? j + r : keys - 1;
      src[r] = a.v + static_cast<ptrdiff_t>(key) * a.v_stride;
      fetch_row(a.v, a.v_stride, j + r, keys, n);
      w.value_scale[j + r] = scale_of_values(scale_of(n, src[r], &inv[r]), &w.key_scale[j + r]);
    }
    for (size_t i = 0; i < n; i += 16) {
      store_line(w.values + i * w.keys16 + 16 * j, quantize16(n, src[0], i, inv[0]), quantize16(n, src[1], i, inv[1]),
                 quantize16(n, src[2], i, inv[2]), quantize16(n, src[3], i, inv[3]));
    }
  }
  for (size_t j = keys; j < w.keys16; ++j) w.value_scale[j] = 0.0f;
}

void quantize_queries(const AttentionArgs& a, size_t first, size_t rows, AttentionWork* w) {
  const size_t n = static_cast<size_t>(a.head_dim);
  for (size_t r = 0; r < rows; ++r) {
    const float* src = a.q + static_cast<ptrdiff_t>(first + r) * a.q_stride;
    fetch_row(a.q, a.q_stride, first + r, static_cast<size_t>(a.seq_q), n);
    float inv;
    w->row_scale[r] = scale_of(n, src, &inv) * a.scale;
    int8_t* row = w->queries + r * w->row_bytes;
    for (size_t i = 0; i < n; i += 16) store_with_signs(row + kRowBytesPerValue * i, quantize16(n, src, i, inv));
    w->lack[r] = lack_of_lines(reinterpret_cast<const uint8_t*>(row), w->head4 / 4);
  }
  // The rest of the last tile: its sums are not looked at, but MemorySanitizer takes every register that asm reads for a use.
  for (size_t r = rows; r < round_up(rows, kScoreRows); ++r) {
    memset(w->queries + r * w->row_bytes, 0, w->row_bytes);
    w->lack[r] = 0;
  }
}

// Queries [row, row + kScoreRows) against sixteen keys. Rows beyond the last query are zero; their sums are not looked at.
void score_tile(size_t rows, size_t row, size_t key, const AttentionWork& w) {
  const __m128i ones = _mm_set1_epi16(1);
  __m128i acc[kScoreRows][4];
#pragma GCC unroll 16
  for (size_t r = 0; r < kScoreRows; ++r) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) acc[r][j] = all_lanes(w.lack[row + r]);
  }
  const uint8_t* lhs = reinterpret_cast<const uint8_t*>(w.queries) + row * w.row_bytes;
  const int8_t* rhs = w.keys + key * w.head4;
  const size_t lines = w.head4 / 4;
  for (size_t pairs = lines / 2; pairs > 0; --pairs, lhs += 2 * kRowLineBytes, rhs += 2 * kLineBytes) {
    add_lines<kScoreRows, false>(acc, lhs, w.row_bytes, rhs, ones);
  }
  if (lines % 2 != 0) add_last_line(acc, lhs, w.row_bytes, rhs, ones);
  const Lanes key_scale = load(w.key_scale + key);
#pragma GCC unroll 16
  for (size_t r = 0; r < kScoreRows; ++r) {
    if (row + r >= rows) return;
    const Lanes sums = {_mm_cvtepi32_ps(acc[r][0]), _mm_cvtepi32_ps(acc[r][1]), _mm_cvtepi32_ps(acc[r][2]),
                        _mm_cvtepi32_ps(acc[r][3])};
    store(w.scores + (row + r) * w.keys16 + key, sums * (broadcast(w.row_scale[row + r]) * key_scale));
  }
}

// Scores of one query to P in int16. Returns the factor of the sums.
float weights_of_row(const AttentionWork& w, float max, float* scores, int16_t* p) {
  return weights_of_keys(
      w.keys16, w.value_scale, max, scores, [&](size_t j, Lanes y) __attribute__((always_inline)) {
        const Integers q = rounded(y);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p + j), q.low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p + j + 8), q.high);
      });
}

// Four output columns of the queries [row, row + kValueRows): exact within a block of keys, the blocks added in order.
void value_tile(const AttentionArgs& a, const AttentionWork& w, size_t first, size_t rows, size_t row, size_t column) {
  const size_t keys = static_cast<size_t>(a.seq_k);
  __m128 out[kValueRows];
#pragma GCC unroll 16
  for (int r = 0; r < kValueRows; ++r) out[r] = _mm_setzero_ps();
  for (size_t block = 0; block < keys; block += kKeyBlock) {
    const size_t k4 = round_up(keys - block < kKeyBlock ? keys - block : kKeyBlock, 4);
    __m128i sums[kValueRows];
    accumulate(sums, w.p + row * w.keys16 + block, w.keys16,
               w.values + column / 16 * 16 * w.keys16 + 4 * (column % 16) + 16 * block, k4);
#pragma GCC unroll 16
    for (int r = 0; r < kValueRows; ++r) out[r] = _mm_add_ps(out[r], _mm_cvtepi32_ps(sums[r]));
  }
  const size_t columns = static_cast<size_t>(a.v_dim) - column;
#pragma GCC unroll 16
  for (size_t r = 0; r < kValueRows; ++r) {
    if (row + r >= rows) return;
    float* dst = a.dst + static_cast<ptrdiff_t>(first + row + r) * a.dst_stride + column;
    const float factor = w.factor[row + r];
    const __m128 y = factor == 0.0f ? _mm_setzero_ps() : _mm_mul_ps(out[r], _mm_set1_ps(factor));
    float four[4];
    _mm_storeu_ps(four, y);
    memcpy(dst, four, (columns < 4 ? columns : 4) * sizeof(float));
  }
}

}  // namespace

void attention_f32_qs8_qs8_2x16_sse41(const AttentionArgs& a) {
  AttentionWork w;
  lay_out(a, &w);
  pack_keys(a, w);
  pack_values(a, w);
  const size_t queries = static_cast<size_t>(a.seq_q);
  size_t blocks = (queries + kBlockRows - 1) / kBlockRows;
  for (size_t first = 0; first < queries; --blocks) {
    const size_t rows = (queries - first + blocks - 1) / blocks;
    quantize_queries(a, first, rows, &w);
    for (size_t key = 0; key < w.keys16; key += 16) {
      for (size_t row = 0; row < rows; row += kScoreRows) score_tile(rows, row, key, w);
    }
    for (size_t r = 0; r < rows; ++r) {
      float* scores = w.scores + r * w.keys16;
      w.factor[r] = weights_of_row(w, mask_row(a, first + r, w.keys16, scores), scores, w.p + r * w.keys16);
    }
    for (size_t row = 0; row < rows; row += kValueRows) {
      for (size_t column = 0; column < static_cast<size_t>(a.v_dim); column += 4) value_tile(a, w, first, rows, row, column);
    }
    first += rows;
  }
}

}  // namespace ert::kernels
