// MapMean: the mean of all pixels of an 8-bit map, channel by channel: exact sums of rows, then one sum over rows in fp32.
#include "rt/ops/map_operands.h"
#include "rt/ops/op_defs.h"
#include "rt/ops/parallel_blocks.h"

namespace ert {
namespace {
namespace map_mean_op {

using namespace ops;
namespace mm = params::map_mean;

constexpr int64_t kMostColumns = 1 << 22;  // whose sums of bytes fit int32

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {2, mm::kInputCount}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &q = input(c, mm::kQ), &out = output(c, 0);
  if (!is_map(q, input(c, mm::kScales)) || !is_f32(out) || !factors_ok(input(c, mm::kFactors), q.dims[3])) return false;
  if (q.dims[2] > kMostColumns || (out.rank != 2 && out.rank != 4)) return false;
  if (out.dims[0] != q.dims[0] || out.dims[out.rank - 1] != q.dims[3]) return false;
  if (out.rank == 4 && (out.dims[1] != 1 || out.dims[2] != 1)) return false;
  return set_scratch(scratch, (Bytes(static_cast<uint64_t>(q.dims[3])) * Bytes(sizeof(int32_t))).aligned());
}

uint64_t further_steps(const OpContext& c) { return static_cast<uint64_t>(input(c, mm::kQ).elements()); }

ert_status run(const OpContext& c) {
  const Map map = {input(c, mm::kQ), input(c, mm::kScales)};
  const int64_t images = map.q.dims[0], rows = map.q.dims[1], columns = map.columns(), channels = map.channels();
  const float count = static_cast<float>(rows * columns), *factors = floats_or_null(input(c, mm::kFactors));
  const kernels::ConvKernels& k = kernels::conv_kernels(c.kernels->isa);
  float* out = output(c, 0).mut<float>();
  for_blocks(c, images, rows * map.row_bytes(), 1, [&](int64_t begin, int64_t end, uint32_t thread) {
    int32_t* sums = static_cast<int32_t*>(static_cast<void*>(scratch_floats(c, thread)));
    for (int64_t image = begin; image < end; ++image) {
      float* t = out + image * channels;
      for (int64_t i = 0; i < channels; ++i) t[i] = 0.0f;
      for (int64_t r = image * rows; r < (image + 1) * rows; ++r) {
        const kernels::RowScale s = map.scale(r);
        const uint8_t* src = map.row(r);
        if (k.map_sum != nullptr) {
          k.map_sum({static_cast<size_t>(columns), static_cast<size_t>(channels), src, s, t});
          continue;
        }
        for (int64_t i = 0; i < channels; ++i) sums[i] = static_cast<int32_t>(columns) * -s.zero_point;
        for (int64_t p = 0; p < columns; ++p, src += channels) {
          for (int64_t i = 0; i < channels; ++i) sums[i] += src[i];
        }
        for (int64_t i = 0; i < channels; ++i) t[i] = plus(t[i], times(static_cast<float>(sums[i]), s.scale));
      }
      for (int64_t i = 0; i < channels; ++i) {
        t[i] = over(t[i], count);
        if (factors != nullptr) t[i] = times(t[i], factors[i]);
      }
    }
  });
  return ERT_OK;
}

}  // namespace map_mean_op
}  // namespace

const OpDef kOpMapMean = {"MapMean", map_mean_op::prepare, map_mean_op::run, nullptr, 0, 0, 1, map_mean_op::further_steps};

}  // namespace ert
