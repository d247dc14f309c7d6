// Embedding: rows of a table, in fp32 or int8 with one scale per row. Ids follow ONNX Gather: negative ones count from the end.
#include <string.h>

#include "rt/ops/data_index.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {

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
  if (table.dtype == ERT_I8) {
    if (!is_f32(scale) || !is_vector(scale, table.dims[0])) return false;
  } else if (!is_f32(table) || scale.present()) {
    return false;
  }
  return same_leading_shape(ids, out) && out.dims[ids.rank] == table.dims[1];
}

// Rows are scattered over a table that is larger than the caches.
void prefetch_row(const Operand& table, int64_t row) {
  const size_t bytes = static_cast<size_t>(table.dims[1]) * (is_f32(table) ? sizeof(float) : 1);
  const char* p = table.as<char>() + static_cast<size_t>(row) * bytes;
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i);
}

// A row of a quantized table.
void widen(const int8_t* src, float scale, int64_t width, float* dst) {
  for (int64_t j = 0; j < width; ++j) dst[j] = times(static_cast<float>(src[j]), scale);
}

ert_status run(const OpContext& c) {
  const Operand &ids = input(c, kIds), &table = input(c, kTable), &scale = input(c, kScale), &out = output(c, 0);
  const int64_t n = ids.elements(), width = table.dims[1];
  int64_t unused = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!resolve_index(ids.as<int32_t>()[i], table.dims[0], &unused)) return ERT_ERR_INPUT;
  }
  const auto row_of = [&](int64_t i) {
    int64_t at = 0;
    resolve_index(ids.as<int32_t>()[i], table.dims[0], &at);
    return at;
  };
  for_blocks(c, n, width, 1, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = row_of(i);
      if (i + kRowsAhead < end) prefetch_row(table, row_of(i + kRowsAhead));
      float* dst = out.mut<float>() + i * width;
      if (is_f32(table)) {
        memcpy(dst, table.as<float>() + row * width, static_cast<size_t>(width) * sizeof(float));
        continue;
      }
      widen(table.as<int8_t>() + row * width, scale.as<float>()[row], width, dst);
    }
  });
  return ERT_OK;
}

}  // namespace

const OpDef kOpEmbedding = {"Embedding", prepare, run, nullptr, 0, 1u << kTable};

}  // namespace ert
