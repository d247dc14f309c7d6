// Embedding: rows of a table, in fp32, or in int8 or int16 with one scale per row. Ids follow ONNX Gather: negative ones count from the end.
#include <string.h>

#include "rt/ops/data_index.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace embedding_op {

using namespace ops;

using params::embedding::kIds;
using params::embedding::kScale;
using params::embedding::kTable;
constexpr int64_t kRowsAhead = 4;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, 3}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &ids = input(c, kIds), &table = input(c, kTable), &scale = input(c, kScale), &out = output(c, 0);
  if (!is_i32(ids) || !is_f32(out) || table.rank != 2) return false;
  if (table.dtype == ERT_I8 || table.dtype == ERT_I16) {
    if (!is_f32(scale) || !is_vector(scale, table.dims[0])) return false;
  } else if (!is_f32(table) || scale.present()) {
    return false;
  }
  return same_leading_shape(ids, out) && out.dims[ids.rank] == table.dims[1];
}

// Rows are scattered over a table that is larger than the caches.
void prefetch_row(const char* row, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(row + i);
}

template <class T>
void widen_all(const T* row, float scale, int64_t width, float* dst) {
  for (int64_t j = 0; j < width; ++j) dst[j] = times(static_cast<float>(row[j]), scale);
}

// A row of a quantized table. One loop for both widths in firmware, where two of them would be a hundred bytes more.
void widen(const void* row, bool wide, float scale, int64_t width, float* dst) {
  const int8_t* bytes = static_cast<const int8_t*>(row);
  const int16_t* words = static_cast<const int16_t*>(row);
  if (kFastForms) return wide ? widen_all(words, scale, width, dst) : widen_all(bytes, scale, width, dst);
  for (int64_t j = 0; j < width; ++j) dst[j] = times(static_cast<float>(wide ? words[j] : bytes[j]), scale);
}

ert_status run(const OpContext& c) {
  const Operand &ids = input(c, kIds), &table = input(c, kTable), &scale = input(c, kScale), &out = output(c, 0);
  const int64_t n = ids.elements(), width = table.dims[1];
  int64_t unused = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!resolve_index(ids.as<int32_t>()[i], table.dims[0], &unused)) return ERT_ERR_INPUT;
  }
  const size_t bytes = static_cast<size_t>(width) * (is_f32(table)            ? sizeof(float)
                                                     : table.dtype == ERT_I16 ? sizeof(int16_t)
                                                                              : 1);
  const auto row_of = [&](int64_t i) {
    int64_t at = 0;
    resolve_index(ids.as<int32_t>()[i], table.dims[0], &at);
    return at;
  };
  const auto at = [&](int64_t row) { return table.as<char>() + static_cast<size_t>(row) * bytes; };
  for_blocks(c, n, width, 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = row_of(i);
      if (i + kRowsAhead < end) prefetch_row(at(row_of(i + kRowsAhead)), bytes);
      float* dst = out.mut<float>() + i * width;
      if (is_f32(table)) {
        memcpy(dst, at(row), bytes);
        continue;
      }
      widen(at(row), table.dtype == ERT_I16, scale.as<float>()[row], width, dst);
    }
  });
  return ERT_OK;
}

}  // namespace embedding_op
}  // namespace

const OpDef kOpEmbedding = {"Embedding", embedding_op::prepare, embedding_op::run, nullptr, 0, 1u << embedding_op::kTable};

}  // namespace ert
