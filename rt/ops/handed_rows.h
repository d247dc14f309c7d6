// Rows that one Linear hands to the next already quantized, in the memory of an fp32 result that nobody else reads. The fp32 rows
// of a block then live in a buffer that stays in a near cache, and a quarter of the bytes travels.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/kernel_table.h"

namespace ert::ops {

struct HandedRows {
  uint8_t* rows = nullptr;    // null: nothing is handed over
  size_t row_bytes = 0;       // of a quantized row; its RowScale follows
  size_t stride = 0;          // bytes between rows
  uint8_t* blocks = nullptr;  // fp32 rows of one block per thread; null: row i starts as fp32 where it ends quantized
  size_t block_bytes = 0;

  // Two rows are written at once only where none of them is read from there.
  bool in_pairs() const { return blocks != nullptr; }
  uint8_t* row(int64_t i) const { return rows + static_cast<size_t>(i) * stride; }
  float* fp32_rows(int64_t first, uint32_t thread) const {
    return static_cast<float*>(static_cast<void*>(blocks != nullptr ? blocks + thread * block_bytes : row(first)));
  }
};

// Places m rows of k values in the m * k floats at `memory`; the same arguments give the same places. With pairs_only nothing where rows are not
// in pairs: products that want such would lose more than handing over saves.
inline HandedRows place_handed_rows(void* memory, int64_t m, int64_t k, size_t row_bytes, int64_t block_rows, int64_t threads, bool pairs_only) {
  constexpr uint64_t kAlign = 64;
  const uint64_t fp32_row = static_cast<uint64_t>(k) * sizeof(float), all = static_cast<uint64_t>(m) * fp32_row;
  const uint64_t used = row_bytes + sizeof(kernels::RowScale);
  const uint64_t close = (used + kAlign - 1) / kAlign * kAlign;
  const uint64_t block = static_cast<uint64_t>(block_rows) * fp32_row, blocks = static_cast<uint64_t>(threads) * block;
  const bool room = static_cast<uint64_t>(m) * close + blocks <= all;
  HandedRows h;
  if (pairs_only && !room) return h;
  if (reinterpret_cast<uintptr_t>(memory) % kAlign != 0 || fp32_row % kAlign != 0 || used > fp32_row) return h;
  h.rows = static_cast<uint8_t*>(memory);
  h.row_bytes = row_bytes;
  h.stride = static_cast<size_t>(fp32_row);
  if (!room) return h;
  h.stride = static_cast<size_t>(close);
  h.blocks = h.rows + (all - blocks);
  h.block_bytes = static_cast<size_t>(block);
  return h;
}

}  // namespace ert::ops
