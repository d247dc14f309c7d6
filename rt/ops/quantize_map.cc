// QuantizeMap: values become an 8-bit map, each row with a range of its own. Of an image with its channels first a row is gathered at a time.
#include <string.h>

#include "rt/ops/map_operands.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace quantize_map_op {

using namespace ops;
namespace qm = params::quantize_map;

bool channels_first(const OpContext& c) { return c.n_ints > 0 && c.ints[qm::kChannelsFirst] == 1; }

bool shapes_agree(const Operand& x, const Operand& q, bool planes) {
  if (!planes) return same_shape(x, q);
  return x.rank == 4 && x.dims[0] == q.dims[0] && x.dims[1] == q.dims[3] && x.dims[2] == q.dims[1] && x.dims[3] == q.dims[2];
}

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, qm::kInputCount}, {2, 2}, {0, qm::kIntCount}, {0, 0})) return false;
  if (c.n_ints > 0 && (c.ints[qm::kChannelsFirst] & ~1) != 0) return false;
  const Operand &x = input(c, qm::kX), &q = output(c, 0);
  if (!is_f32(x) || !is_map(q, output(c, 1)) || !shapes_agree(x, q, channels_first(c))) return false;
  if (!factors_ok(input(c, qm::kFactors), q.dims[3])) return false;
  if (!channels_first(c)) return true;
  const Bytes row = Bytes(static_cast<uint64_t>(q.dims[2])) * Bytes(static_cast<uint64_t>(q.dims[3]));
  return set_scratch(scratch, (row * Bytes(sizeof(float))).aligned());
}

// Three planes of columns at once, which compilers make vectors of.
void gather_colours(const float* __restrict a, const float* __restrict b, const float* __restrict c, const float (&factors)[3],
                    int32_t columns, float* __restrict row) {
  const float fa = factors[0], fb = factors[1], fc = factors[2];
  for (int32_t n = 0; n < columns; ++n) {
    row[3 * n] = times(a[n], fa);
    row[3 * n + 1] = times(b[n], fb);
    row[3 * n + 2] = times(c[n], fc);
  }
}

// Row r of the images' rows: the columns of each plane, times its factor, one channel beside the other.
void gather(const Map& map, const float* x, const float* factors, int64_t r, float* row) {
  const int32_t rows = map.q.dims[1], columns = map.q.dims[2], channels = map.q.dims[3];
  const int32_t image = static_cast<int32_t>(r) / rows, y = static_cast<int32_t>(r) - image * rows;
  const float* plane = x + (int64_t{image} * channels * rows + y) * columns;
  const int64_t next = int64_t{rows} * columns;
  if (kFastForms && channels == 3) {
    const float ones[3] = {1.0f, 1.0f, 1.0f};  // x * 1 is x
    float of_planes[3];
    memcpy(of_planes, factors != nullptr ? factors : ones, sizeof(of_planes));
    return gather_colours(plane, plane + next, plane + 2 * next, of_planes, columns, row);
  }
  for (int32_t i = 0; i < channels; ++i, plane += next) {
    const float* from = plane;
    float* to = row + i;
    if (factors == nullptr) {
      for (int32_t n = columns; n > 0; --n, to += channels) *to = *from++;
    } else {
      for (int32_t n = columns; n > 0; --n, to += channels) *to = times(*from++, factors[i]);
    }
  }
}

ert_status run(const OpContext& c) {
  const Map map = {output(c, 0), output(c, 1)};
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  const float *x = input(c, qm::kX).as<float>(), *factors = floats_or_null(input(c, qm::kFactors));
  const bool planes = channels_first(c);
  for_blocks(c, map.rows(), map.row_bytes(), 1, [&](int64_t begin, int64_t end, uint32_t thread) {
    for (int64_t r = begin; r < end; ++r) {
      if (!planes) {
        map.quantize_row(k, r, x + r * map.row_bytes(), factors);
        continue;
      }
      float* row = scratch_floats(c, thread);
      gather(map, x, factors, r, row);
      map.quantize_row(k, r, row, nullptr);
    }
  });
  return ERT_OK;
}

}  // namespace quantize_map_op
}  // namespace

const OpDef kOpQuantizeMap = {"QuantizeMap", quantize_map_op::prepare, quantize_map_op::run, nullptr, 0, 0, 2};

}  // namespace ert
