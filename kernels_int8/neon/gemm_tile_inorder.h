// The inner loop of gemm_tile.h for AArch64 cores that issue in order (A53). There a pairwise add takes two cycles, so four products instead of two
// are added in 16 bits where they fit (line_blocks.h). A 128-bit load takes two cycles and a vector load never shares a cycle with a product, but a
// core load does, and a 64-bit vector load shares one with a move to a vector register. So a quad of weights (4 columns x 4 k) comes as a vector load
// of its low half and a core load of its high half, which hid behind a product, and four bytes of a row by a vector load, or by a core load and a
// move. Every load stands behind the last use of its register. Internal linkage.
#pragma once

#ifndef __aarch64__
#error "for AArch64"
#endif

#include "kernels_int8/neon/arch.h"
#include "kernels_int8/neon/line_blocks.h"
#include "kernels_int8/neon/ordered_loads.h"

namespace ert::kernels {
namespace {

// The products of two quads of a line with four bytes of a row, with something behind each.
#define ERT_LINE(op, quads, four, behind0, behind1, behind2, behind3)                                           \
  op " %[s0].8h, %[" quads "0].8b, %[" four "].8b\n\t" behind0 op "2 %[s1].8h, %[" quads "0].16b, %[" four      \
     "].16b\n\t" behind1 op " %[s2].8h, %[" quads "1].8b, %[" four "].8b\n\t" behind2 op "2 %[s3].8h, %[" quads \
     "1].16b, %[" four "].16b\n\t" behind3
#define ERT_SUMS(constraint) [s0] constraint(sum[0]), [s1] constraint(sum[1]), [s2] constraint(sum[2]), [s3] constraint(sum[3])
#define ERT_NEXT_ROW_OUT [at] "=&r"(at), [at8] "=&r"(at8), [f1] "=&r"(core_fours[0]), [f3] "=&r"(core_fours[1])
#define ERT_FIRST_LINES                                                                                                  \
  [t0] "w"(weights[0][0]), [t1] "w"(weights[0][1]), [u0] "w"(weights[1][0]), [u1] "w"(weights[1][1]), [a] "w"(fours[0]), \
      [b] "w"(fours[1])
#define ERT_LAST_LINES                                                                                                   \
  [v0] "w"(weights[2][0]), [v1] "w"(weights[2][1]), [w0] "w"(weights[3][0]), [w1] "w"(weights[3][1]), [c] "w"(fours[2]), \
      [d] "w"(fours[3])
#define ERT_MEMORY(type, p) "m"(*reinterpret_cast<const type(*)[]>(p))

// All volatile: the order of the source is the order of issue. Many products a statement, because GCC 12 moves sums from one register to another
// between them: all 32 are in use.
template <int kRows>
struct InOrderNeonLoop {
  static constexpr int kHalves = 4;  // two quads of columns
  typedef uint32_t __attribute__((may_alias, aligned(1))) Word32;

  int32x4_t acc[kRows][kHalves];  // two columns in two parts each
  int8x16_t weights[4][2];        // four lines of two quads
  int8x16_t fours[4];             // of the row at work: four bytes for each line, in all words
  const int8_t *row[kRows], *panel;
  const uint16_t* order;         // of the blocks behind the next one
  uint64_t next;                 // index of the next block; in rows but the last one that of the block at work
  const int8_t *at, *at8, *rhs;  // bytes 0 and 8 of the next row, the weights of the next block
  uint64_t core_halves[8];       // on their way into vector registers
  uint32_t core_fours[2];

  static inline __attribute__((always_inline)) int8x16_t load_four(const int8_t* p) {
    int8x16_t four;
    __asm__ volatile("ld1r {%0.4s}, %1" : "=w"(four) : "Q"(*reinterpret_cast<const Word32*>(p)));
    return four;
  }
  static inline __attribute__((always_inline)) int8x16_t move_four(uint32_t four) {
    int8x16_t moved;
    __asm__ volatile("dup %0.4s, %w1" : "=w"(moved) : "r"(four));
    return moved;
  }
  static constexpr size_t place(int quad) { return static_cast<size_t>(64 * (quad / 2) + 16 * (quad % 2)); }
  inline __attribute__((always_inline)) void complete(int quad) {
    __asm__ volatile("ins %0.d[1], %1" : "+w"(weights[quad / 2][quad % 2]) : "r"(core_halves[quad]));
  }

  // Before the first block.
  inline __attribute__((always_inline)) void start(const LineBlocks& blocks) {
    order = blocks.order + 1;
    next = blocks.order[0];
    at = row[0] + kBlockDepth * next;
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) weights[i / 2][i % 2] = vld1q_s8(panel + kBlockBytes * next + place(i));
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) fours[i] = load_four(at + 4 * i);
  }

  // Of a row but the last one.
  template <bool kTogether>
  inline __attribute__((always_inline)) void products(int32x4_t (&accs)[kHalves], int16x8_t (&sum)[kHalves],
                                                      const int8_t* next_row) {
#define ERT_WITH_FIRST_LINES                                                        \
  ERT_LINE("smull", "t", "a", "add %[at], %[row], %[next], lsl #4\n\t", "", "", "") \
  ERT_LINE("smlal", "u", "b", "add %[at8], %[at], #8\n\t", "", "ldr %w[f1], [%[at], #4]\n\t", "ldr %w[f3], [%[at], #12]\n\t")
    if constexpr (kTogether) {
      __asm__ volatile(ERT_WITH_FIRST_LINES ERT_LINE("smlal", "v", "c", "", "", "", "")
                           ERT_LINE("smlal", "w", "d", "", "", "", "")
                       : ERT_SUMS("=&w"), ERT_NEXT_ROW_OUT
                       : ERT_FIRST_LINES, ERT_LAST_LINES, [row] "r"(next_row), [next] "r"(next), ERT_MEMORY(int8_t, next_row));
    } else {
      __asm__ volatile(ERT_WITH_FIRST_LINES
                       : ERT_SUMS("=&w"), ERT_NEXT_ROW_OUT
                       : ERT_FIRST_LINES, [row] "r"(next_row), [next] "r"(next), ERT_MEMORY(int8_t, next_row));
      accumulate_all(accs, sum);
      __asm__ volatile(ERT_LINE("smull", "v", "c", "", "", "", "") ERT_LINE("smlal", "w", "d", "", "", "", "")
                       : ERT_SUMS("=&w")
                       : ERT_LAST_LINES);
    }
#undef ERT_WITH_FIRST_LINES
  }

  // Of the last row: what comes next is in the next block.
  template <bool kTogether>
  inline __attribute__((always_inline)) void products_and_weights(int32x4_t (&accs)[kHalves], int16x8_t (&sum)[kHalves]) {
    static_assert(kBlockDepth == 16 && kBlockBytes == 256, "shifts");
    __asm__ volatile(
        ERT_LINE("smull", "t", "a", "ldrh %w[next], [%[order]], #2\n\t", "", "", "add %[at], %[row], %[next], lsl #4\n\t")
            ERT_LINE("smlal", "u", "b", "add %[rhs], %[panel], %[next], lsl #8\n\t", "add %[at8], %[at], #8\n\t",
                     "ldr %w[f1], [%[at], #4]\n\t", "ldr %w[f3], [%[at], #12]\n\t")
        : ERT_SUMS("=&w"), ERT_NEXT_ROW_OUT, [rhs] "=&r"(rhs), [next] "=&r"(next), [order] "+r"(order)
        : ERT_FIRST_LINES, [row] "r"(row[0]), [panel] "r"(panel), ERT_MEMORY(uint16_t, order), ERT_MEMORY(int8_t, row[0]));
    if constexpr (!kTogether) accumulate_all(accs, sum);
#define ERT_WITH_WEIGHTS(op, constraint)                                                                                       \
  __asm__ volatile(ERT_LINE(op, "v", "c", "ldr %[h0], [%[rhs], #8]\n\t", "ldr %[h1], [%[rhs], #24]\n\t",                       \
                            "ldr %[h2], [%[rhs], #72]\n\t", "ldr %[h3], [%[rhs], #88]\n\t")                                    \
                       ERT_LINE("smlal", "w", "d", "ldr %[h4], [%[rhs], #136]\n\t", "ldr %[h5], [%[rhs], #152]\n\t",           \
                                "ldr %[h6], [%[rhs], #200]\n\t", "ldr %[h7], [%[rhs], #216]\n\t")                              \
                   : ERT_SUMS(constraint), [h0] "=&r"(core_halves[0]), [h1] "=&r"(core_halves[1]), [h2] "=&r"(core_halves[2]), \
                     [h3] "=&r"(core_halves[3]), [h4] "=&r"(core_halves[4]), [h5] "=&r"(core_halves[5]),                       \
                     [h6] "=&r"(core_halves[6]), [h7] "=&r"(core_halves[7])                                                    \
                   : ERT_LAST_LINES, [rhs] "r"(rhs), ERT_MEMORY(int8_t, rhs))
    if constexpr (kTogether) {
      ERT_WITH_WEIGHTS("smlal", "+w");
    } else {
      ERT_WITH_WEIGHTS("smull", "=&w");
    }
#undef ERT_WITH_WEIGHTS
  }

  inline __attribute__((always_inline)) void load_weights() {
    constexpr int kBehind = 3;  // a half is completed when it has arrived
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      weights[i / 2][i % 2] = load_vector<int8x16_t>(rhs + place(i));
      if (i < 2) fours[2 * i + 1] = move_four(core_fours[i]);
      if (i >= kBehind) complete(i - kBehind);
    }
    fours[0] = load_four(at);
    complete(5);
    fours[2] = load_four(at8);
    complete(6);
    complete(7);
  }

  static inline __attribute__((always_inline)) void accumulate_all(int32x4_t (&accs)[kHalves], const int16x8_t (&sum)[kHalves]) {
#pragma GCC unroll 4
    for (int h = 0; h < kHalves; ++h) accumulate(&accs[h], sum[h]);
  }

  // A block of row kRow, and what the next row or block needs.
  template <int kRow, bool kTogether>
  inline __attribute__((always_inline)) void block_of_row() {
    int16x8_t sum[kHalves];
    if constexpr (kRow == kRows - 1) {
      products_and_weights<kTogether>(acc[kRow], sum);
      load_weights();
    } else {
      products<kTogether>(acc[kRow], sum, row[kRow + 1]);
      fours[0] = load_four(at);
      fours[1] = move_four(core_fours[0]);
      fours[2] = load_four(at8);
      fours[3] = move_four(core_fours[1]);
    }
    accumulate_all(acc[kRow], sum);
  }

  // Where sums begin that follow these: their first block is loaded while the last one of these is multiplied.
  struct Next {
    const int8_t *row, *panel;
    const uint16_t* order;
  };

  // Only what loads the next block reads row[0], the panel and the order.
  template <bool kTogether>
  inline __attribute__((always_inline)) void blocks(size_t count, const Next* then = nullptr) {
    for (; count != 0; --count) {
      if (then != nullptr && count == 1) {
        row[0] = then->row;
        panel = then->panel;
        order = then->order;
      }
      block_of_row<0, kTogether>();
      if constexpr (kRows > 1) block_of_row<1, kTogether>();
      if constexpr (kRows > 2) block_of_row<2, kTogether>();
      if constexpr (kRows > 3) block_of_row<3, kTogether>();
    }
  }
};

#undef ERT_LINE
#undef ERT_SUMS
#undef ERT_NEXT_ROW_OUT
#undef ERT_FIRST_LINES
#undef ERT_LAST_LINES
#undef ERT_MEMORY

struct InOrderNeonSums {
  template <int kRows, int kQuads>
  static inline __attribute__((always_inline)) void run(int32x4_t (&sums)[kRows][kQuads], const int8_t* lhs, size_t row_bytes,
                                                        const int8_t* rhs, size_t, size_t k4, const LineBlocks* blocks) {
    static_assert(kRows <= 4 && kQuads == 2, "32 registers");
    InOrderNeonLoop<kRows> loop;
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      loop.row[r] = lhs + static_cast<size_t>(r) * row_bytes;
#pragma GCC unroll 4
      for (int h = 0; h < 4; ++h) loop.acc[r][h] = vdupq_n_s32(0);
    }
    loop.panel = rhs;
    if (blocks->count != 0) {
      loop.start(*blocks);
      loop.template blocks<true>(blocks->together);
      loop.template blocks<false>(blocks->count - blocks->together);
    }
    for (size_t kk = blocks->count * kBlockDepth; kk < k4; kk += 4) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const int8x16_t last = loop.load_four(loop.row[r] + kk);
#pragma GCC unroll 4
        for (int h = 0; h < 4; ++h) {
          const int8x16_t quad = vld1q_s8(rhs + 16 * kk + 16 * static_cast<size_t>(h / 2));
          accumulate(&loop.acc[r][h], h % 2 == 0 ? multiply_low(quad, last) : multiply_high(quad, last));
        }
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      sums[r][0] = add_pairs(loop.acc[r][0], loop.acc[r][1]);
      sums[r][1] = add_pairs(loop.acc[r][2], loop.acc[r][3]);
    }
  }
};

}  // namespace
}  // namespace ert::kernels
