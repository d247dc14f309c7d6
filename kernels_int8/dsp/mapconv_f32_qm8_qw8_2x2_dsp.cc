// Convolution over 8-bit maps of M4, M7 and M33: two outputs x two filters, or a last output x four, of N16K4 or N2K16. As many rows of the kernel as a buffer
// holds are summed at a time; between such parts dst has the fp32 sums.
#include <string.h>

#include "kernels_int8/contract/map_kernels.h"
#include "kernels_int8/dsp/map_row_sums.h"
#include "kernels_int8/dsp/map_values.h"

namespace ert::kernels {
namespace {

constexpr int kSums = 4;                              // of a tile
constexpr size_t kPairsAtOnce = 128, kKeptSums = 16;  // pairs of values of all outputs; sums of rows that are longer

// Some rows of the kernel, or a piece of one.
struct Part {
  uint32_t patches[kPairsAtOnce];
  size_t rows;
  const uint32_t *whole, *end;  // of the patches of the first row: lines of 16 k, all
  const RowScale* scales;
  const int8_t* weights;  // of the first row and filter
  const int32_t* colsum;
  bool first, last;         // whether dst has no sums yet, and gets results
  bool begins, ends;        // pieces: of the row; other sums are kept
  int32_t kept[kKeptSums];  // of the filters that a call adds
};

// What all parts have in common.
struct Whole {
  const MapConvArgs* a;
  size_t columns, matrix, pair;  // columns and bytes from a row's weights to the next one's; bytes to the next two filters
  F32 before;
  ClampBits clamp;
};

// Blobs for these cores have N2K16: the other layout is read without a form for parts that are all rows.
template <Layout layout>
constexpr bool kWholeForm = layout == Layout::kN2K16;

template <int kFilters>
struct Epilogue {
  const float *scale, *bias;  // of the first filter
  float* dst;
  ptrdiff_t dst_stride;
  int32_t* kept;
};

// Filters [n, end) of columns that exist. kAll: the part is all rows.
template <Layout layout, int kOutputs, bool kAll>
__attribute__((noinline)) void add_part(const Whole& w, Part& part, size_t n, size_t end, const Epilogue<kSums / kOutputs>& to) {
  constexpr int kFilters = kSums / kOutputs;
  int32_t* kept = to.kept;
  const ptrdiff_t row_words = part.end - part.patches, stride = to.dst_stride;
  const float *scales = to.scale, *biases = to.bias;
  const int32_t* first_colsum = part.colsum + n;
  float* dst = to.dst;
  for (; n < end; n += kFilters, dst += kFilters, scales += kFilters, biases += kFilters, first_colsum += kFilters) {
    F32 t[kOutputs][kFilters];
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s)
      t[s / kFilters][s % kFilters] = kAll || part.first ? w.before : F32(dst[s / kFilters * stride + s % kFilters]);
    const int8_t* weights = part.weights + packed_offset(layout, n, 0, w.a->depth);
    const int32_t* colsum = first_colsum;
    const uint32_t *x = part.patches, *whole = part.whole, *row_end = part.end;
#pragma GCC unroll 1
    for (const RowScale *row = part.scales, *rows_end = row + part.rows; row != rows_end;
         ++row, weights += w.matrix, colsum += w.columns) {
      int32_t sums[kOutputs][kFilters];
#pragma GCC unroll 4
      for (int s = 0; s < kSums; ++s)
        sums[s / kFilters][s % kFilters] = kAll || part.begins ? -row->zero_point * colsum[s % kFilters] : kept[s];
      add_patches<layout>(sums, x, whole, row_end, weights, w.pair);
      if (!kAll && !part.ends) {
        memcpy(kept, sums, sizeof(sums));
        break;
      }
      whole += row_words;
      row_end += row_words;
      const F32 scale = row->scale;
#pragma GCC unroll 4
      for (int s = 0; s < kSums; ++s) {
        F32& sum = t[s / kFilters][s % kFilters];
        sum = sum + F32(static_cast<float>(sums[s / kFilters][s % kFilters])) * scale;
      }
    }
    kept += kSums;
    if (kAll || part.last) {
#pragma GCC unroll 4
      for (int s = 0; s < kSums; ++s) {
        F32& y = t[s / kFilters][s % kFilters];
        y = w.clamp.above_zero(y * F32(scales[s % kFilters]) + F32(biases[s % kFilters]));
      }
    }
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s) dst[s / kFilters * stride + s % kFilters] = to_float(t[s / kFilters][s % kFilters]);
  }
}

// All rows of a kernel whose rows have at most four times kFours values, as the first layers of a network have. Filters [0, end) that fill tiles. There is a bias.
template <int kFours, int kOutputs>
__attribute__((noinline)) void add_short_rows(const Whole& w, const Part& part, size_t end, float* dst) {
  constexpr int kFilters = kSums / kOutputs;
  const MapConvArgs& a = *w.a;
  const ptrdiff_t stride = a.dst_stride;
  const float *scales = a.w.scale, *biases = a.w.bias;
  for (size_t n = 0; n < end; n += kFilters, dst += kFilters, scales += kFilters, biases += kFilters) {
    F32 t[kOutputs][kFilters];
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s) t[s / kFilters][s % kFilters] = w.before;
    const uint32_t* x = part.patches;
    const int32_t* colsum = part.colsum + n;
    const int8_t* rhs[kFilters / 2];
    rhs[0] = part.weights + packed_offset(Layout::kN16K4, n, 0, a.depth);
    if constexpr (kFilters == 4) rhs[1] = rhs[0] + w.pair;
#pragma GCC unroll 1
    for (const RowScale *row = part.scales, *rows_end = row + part.rows; row != rows_end; ++row, colsum += w.columns) {
      int32_t sums[kOutputs][kFilters];
#pragma GCC unroll 4
      for (int s = 0; s < kSums; ++s) sums[s / kFilters][s % kFilters] = -row->zero_point * colsum[s % kFilters];
      add_fours<Layout::kN16K4, kFours, kOutputs, kFilters>(sums, x, rhs);
      rhs[0] += w.matrix;
      if constexpr (kFilters == 4) rhs[1] += w.matrix;
      const F32 scale = row->scale;
#pragma GCC unroll 4
      for (int s = 0; s < kSums; ++s) {
        F32& sum = t[s / kFilters][s % kFilters];
        sum = sum + F32(static_cast<float>(sums[s / kFilters][s % kFilters])) * scale;
      }
    }
#pragma GCC unroll 4
    for (int s = 0; s < kSums; ++s) {
      const F32 y = t[s / kFilters][s % kFilters] * F32(scales[s % kFilters]) + F32(biases[s % kFilters]);
      dst[s / kFilters * stride + s % kFilters] = w.clamp.above_zero(y);
    }
  }
}

// The same for filters up to the last, of which a tile may hold fewer.
template <Layout layout, int kOutputs, bool kAll>
void add_filters(const Whole& w, Part& part, size_t first, size_t end, float* dst) {
  constexpr size_t kFilters = kSums / kOutputs;
  const MapConvArgs& a = *w.a;
  size_t n = first;
  if (a.w.bias != nullptr) {
    n += (end - n) / kFilters * kFilters;
    if (n != first)
      add_part<layout, kOutputs, kAll>(w, part, first, n,
                                       {a.w.scale + first, a.w.bias + first, dst + first, a.dst_stride, part.kept});
  }
  for (; n < end; n += kFilters) {
    const size_t left = end - n < kFilters ? end - n : kFilters, bytes = left * sizeof(float);
    float scale[kFilters] = {}, bias[kFilters], tile[kOutputs][kFilters] = {};
    memcpy(scale, a.w.scale + n, bytes);
    for (size_t c = 0; c < kFilters; ++c) bias[c] = a.w.bias != nullptr && c < left ? a.w.bias[n + c] : kNoBias;
    for (int r = 0; r < kOutputs; ++r) memcpy(tile[r], dst + r * a.dst_stride + n, bytes);
    add_part<layout, kOutputs, kAll>(w, part, n, n + 1, {scale, bias, tile[0], kFilters, part.kept + (n - first) * kOutputs});
    for (int r = 0; r < kOutputs; ++r) memcpy(dst + r * a.dst_stride + n, tile[r], bytes);
  }
}

// Writes bytes [from, from + depth) of the patches of one row.
template <int kOutputs>
uint32_t* write_row(const MapConvArgs& a, size_t row, size_t output, size_t from, size_t depth, uint32_t* to) {
  const uint8_t* patch = a.src[row] + output * a.src_step + from;
  uint32_t* end = write_pairs<kOutputs>(to, patch, depth);
  if constexpr (kOutputs == 2) write_pairs<kOutputs>(to + 2, patch + a.src_step, depth);
  return end;
}

// Outputs from p on.
template <Layout layout, int kOutputs>
void outputs_from(const Whole& w, Part& part, size_t p) {
  constexpr size_t kMost = 2 * kPairsAtOnce / kOutputs;  // values of a patch at once
  const MapConvArgs& a = *w.a;
  float* dst = a.dst + static_cast<ptrdiff_t>(p) * a.dst_stride;
  const auto take_rows = [&](size_t first, size_t rows, size_t from, size_t depth) {
    uint32_t* to = part.patches;
    for (size_t i = 0; i < rows; ++i) {
      to = write_row<kOutputs>(a, first + i, p, from, depth, to);
      if (i == 0) part.end = to;
    }
    part.whole = part.patches + depth / 16 * 8 * kOutputs;
    part.rows = rows;
    part.scales = a.scales + first;
    part.weights = a.w.data + first * w.matrix + packed_offset(layout, 0, from, a.depth);
    part.colsum = a.w.colsum + first * w.columns;
    part.first = first == 0;
    part.last = first + rows == a.rows;
  };
  part.begins = part.ends = true;
  if (a.rows == 0) {
    part.end = part.patches;
    take_rows(0, 0, 0, 0);
    add_filters<layout, kOutputs, false>(w, part, 0, a.filters, dst);
  }
  if (const size_t depth = round_up(a.depth, 4); depth <= kMost) {
    for (size_t i = 0, rows; i < a.rows; i += rows) {
      rows = a.rows - i < kMost / depth ? a.rows - i : kMost / depth;
      take_rows(i, rows, 0, a.depth);
      const bool all = kWholeForm<layout> && rows == a.rows;
      if constexpr (layout == Layout::kN16K4) {
        if (rows == a.rows && depth <= kShortDepth && a.filters % (kSums / kOutputs) == 0 && a.w.bias != nullptr) {
          const auto add = depth <= 4   ? add_short_rows<1, kOutputs>
                           : depth <= 8 ? add_short_rows<2, kOutputs>
                                        : add_short_rows<3, kOutputs>;
          add(w, part, a.filters, dst);
          continue;
        }
      }
      all ? add_filters<layout, kOutputs, kWholeForm<layout>>(w, part, 0, a.filters, dst)
          : add_filters<layout, kOutputs, false>(w, part, 0, a.filters, dst);
    }
  } else {
    constexpr size_t kFilters = kKeptSums / kOutputs;
    for (size_t n = 0; n < a.filters; n += kFilters) {
      for (size_t i = 0; i < a.rows; ++i) {
        for (size_t from = 0; from < a.depth; from += kMost) {
          part.begins = from == 0;
          part.ends = a.depth - from <= kMost;
          take_rows(i, 1, from, part.ends ? a.depth - from : kMost);
          part.last = part.last && part.ends;
          add_filters<layout, kOutputs, false>(w, part, n, a.filters - n < kFilters ? a.filters : n + kFilters, dst);
        }
      }
    }
  }
  if (w.clamp.six) {
    for (int r = 0; r < kOutputs; ++r) below_six(a.filters, dst + r * a.dst_stride, 1);
  }
}

template <Layout layout>
void map_conv(const MapConvArgs& a) {
  const size_t columns = map_columns(a.filters);
  const Whole w = {&a,
                   columns,
                   packed_bytes(layout, columns, a.depth),
                   panel_columns(layout) == 2 ? packed_bytes(layout, 2, a.depth) : 2 * line_depth(layout),
                   before_first_row(a.rows),
                   clamp_bits(a.clamp)};
  static_assert(sizeof(Part) <= kMapConvScratch, "as much as there is");
  Part& part = *static_cast<Part*>(a.scratch);
  size_t p = 0;
  for (; p + 2 <= a.outputs; p += 2) outputs_from<layout, 2>(w, part, p);
  if (p < a.outputs) outputs_from<layout, 1>(w, part, p);
}

}  // namespace

void mapconv_f32_qm8_qw8_2x2_dsp(const MapConvArgs& a) { map_conv<Layout::kN16K4>(a); }
void mapconv_n2k16_f32_qm8_qw8_2x2_dsp(const MapConvArgs& a) { map_conv<Layout::kN2K16>(a); }

}  // namespace ert::kernels
