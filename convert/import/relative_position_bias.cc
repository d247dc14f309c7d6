// com.microsoft RelativePositionBias (T5) and GatedRelativePositionBias (WavLM), which ONNX Runtime's optimizer fuses. Both are read
// as its kernels compute them: its schema says less.
#include <algorithm>
#include <cmath>

#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

constexpr int64_t kMostBuckets = 1 << 16, kMostDistance = 1 << 16;

// Distances have buckets of their own up to half of them, the others grow by a constant factor up to max_distance.
struct Buckets {
  int64_t count, max_distance;  // of one direction

  int64_t of(int64_t distance) const {
    const int64_t exact = count / 2;
    if (distance < exact) return distance;
    const double ratio = static_cast<double>(distance) / static_cast<double>(exact),
                 most = static_cast<double>(max_distance) / static_cast<double>(exact);
    // Whole results are those of powers, and stay whole on every host.
    const double step = std::floor(std::log(ratio) / std::log(most) * static_cast<double>(count - exact) + 1e-6);
    return std::min(exact + static_cast<int64_t>(step), count - 1);
  }
  // From here on all distances share the last bucket.
  int64_t last() const {
    int64_t d = 0;
    while (of(d) < count - 1) ++d;
    return d;
  }
};

// The rows of the table for the positions of keys, relative to queries, from -last to last.
std::vector<int64_t> bucket_rows(const Buckets& b, int64_t last, bool both_directions) {
  std::vector<int64_t> rows;
  for (int64_t r = -last; r <= last; ++r) {
    if (both_directions)
      rows.push_back(r > 0 ? b.count + b.of(r) : b.of(-r));
    else
      rows.push_back(b.of(std::max<int64_t>(0, -r)));
  }
  return rows;
}

ValueId positions(ImportContext& c, const OnnxNode& n, size_t input, int64_t axis) {
  const ValueId size = c.inner(n, OpKind::kReshape, {required_input(c, n, input), ints(c, n, {})}, ReshapeAttrs{});
  return unsqueeze(c, n, c.inner(n, OpKind::kRange, {int_scalar(c, n, 0), size, int_scalar(c, n, 1)}), {axis});
}

}  // namespace

// Inputs: table, numbers of queries and of keys. Output: [1, heads, queries, keys]. The table is declared as
// [buckets, heads], and holds all buckets of a head together.
void import_relative_position_bias(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 3);
  const ValueId table = required_input(c, n, 0);
  const Value& t = c.graph().value(table);
  if (!t.shape || !is_static(*t.shape))
    refuse("the shape of its table is not known when the file is read", "store the table as an initializer");
  if (t.rank() != 2) throw NodeError("its table does not have rank 2");
  const int64_t all = *(*t.shape)[0].constant(), heads = *(*t.shape)[1].constant();
  const bool both_directions = n.integer("is_bidirectional", 0) == 1;
  const Buckets b{both_directions ? all / 2 : all, n.integer("max_distance")};
  if (b.count < 2 || heads < 1) throw NodeError("its table has too few buckets or no heads");
  if (b.max_distance <= b.count / 2) throw NodeError("attribute 'max_distance' is not above half of the buckets of a direction");
  if (all > kMostBuckets || b.max_distance > kMostDistance)
    refuse("more than " + std::to_string(kMostDistance) + " distances", "export with a smaller max_distance");
  const int64_t last = b.last();
  const ValueId per_head = reshape(c, n, table, {heads, all});
  const ValueId by_distance =
      c.inner(n, OpKind::kGather, {per_head, ints(c, n, bucket_rows(b, last, both_directions))}, AxisAttrs{1});
  const ValueId relative = sub(c, n, positions(c, n, 2, 0), positions(c, n, 1, 1));
  const ValueId clipped =
      binary(c, n, BinaryKind::kMin, binary(c, n, BinaryKind::kMax, relative, int_scalar(c, n, -last)), int_scalar(c, n, last));
  const ValueId index = add(c, n, clipped, int_scalar(c, n, last));
  c.bind(n, 0, unsqueeze(c, n, c.inner(n, OpKind::kGather, {by_distance, index}, AxisAttrs{1}), {0}));
}

// Inputs: queries [B, S, heads * D], their bias, positions' bias [1, heads, S, S], weight [D, 2 * W], its bias, eco_a [1, heads, 1, 1].
void import_gated_relative_position_bias(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 6, 7);
  if (c.input(n, 6) != kNone)
    refuse("rows without padding (packed batching)", "convert the model as it was before ONNX Runtime optimised it");
  const int64_t heads = n.integer("num_heads");
  if (heads < 1) throw NodeError("attribute 'num_heads' is not positive");
  const ValueId queries = add(c, n, required_input(c, n, 0), required_input(c, n, 1));
  const ValueId per_head = transpose(c, n, reshape(c, n, queries, {0, 0, heads, -1}), {0, 2, 1, 3});
  const ValueId linear = add(c, n, matmul(c, n, per_head, required_input(c, n, 3)), required_input(c, n, 4));
  const ValueId sums =
      c.inner(n, OpKind::kReduce, {reshape(c, n, linear, {0, 0, 0, 2, -1})}, ReduceAttrs{ReduceKind::kSum, {-1}, false, false});
  const ValueId gates = unary(c, n, ActivationKind::kSigmoid, sums);
  const ValueId one = scalar_like(c, n, queries, 1), two = scalar_like(c, n, queries, 2);
  const ValueId reset = sub(c, n, mul(c, n, slice(c, n, gates, -1, 1, 2), required_input(c, n, 5)), one);
  const ValueId gate = add(c, n, mul(c, n, slice(c, n, gates, -1, 0, 1), reset), two);
  c.bind(n, 0, mul(c, n, gate, required_input(c, n, 2)));
}

}  // namespace edgeconv
