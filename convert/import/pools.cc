// MaxPool, AveragePool, LpPool, ONNX Runtime's QLinearAveragePool, and the global pools.
#include "convert/import/conv_attributes.h"
#include "convert/import/quantization_blocks.h"

namespace edgeconv {
namespace {

ConvAttrs pool_attrs(const OnnxNode& n) {
  ConvAttrs a = conv_attrs(n);
  if (a.kernel.empty()) throw NodeError("the required attribute 'kernel_shape' is missing");
  return a;
}

ReduceAttrs over_space(ImportContext& c, ValueId x, ReduceKind kind) {
  const int rank = rank_hint(c.graph(), x);
  if (rank < 3) refuse_without_rank("", "use a reduction with axes");
  ReduceAttrs a{kind, {}, true, false};
  for (int i = 2; i < rank; ++i) a.axes.push_back(i);
  return a;
}

void import_global(ImportContext& c, const OnnxNode& n, ReduceKind kind) {
  const ValueId x = required_input(c, n, 0);
  c.emit(n, OpKind::kReduce, {x}, over_space(c, x, kind));
}

int64_t norm_order(const OnnxNode& n) {
  const int64_t p = n.integer("p", 2);
  if (p < 1) throw NodeError("attribute 'p' is not positive");
  return p;
}

// |x| to the power of p, and the p-th root of sums of that.
ValueId powered(ImportContext& c, const OnnxNode& n, ValueId x, int64_t p) {
  if (p == 2) return unary(c, n, UnaryKind::kSquare, x);
  const ValueId magnitude = unary(c, n, UnaryKind::kAbs, x);
  return p == 1 ? magnitude : binary(c, n, BinaryKind::kPow, magnitude, scalar_like(c, n, x, static_cast<float>(p)));
}

ValueId root(ImportContext& c, const OnnxNode& n, ValueId sum, int64_t p) {
  if (p == 1) return sum;
  if (p == 2) return unary(c, n, UnaryKind::kSqrt, sum);
  return binary(c, n, BinaryKind::kPow, sum, scalar_like(c, n, sum, 1.0f / static_cast<float>(p)));
}

}  // namespace

void import_max_pool(ImportContext& c, const OnnxNode& n) {
  if (c.is_read(n, 1)) refuse("its index output is used", "where a MaxUnpool reads it (SegNet), use Upsample or ConvTranspose instead");
  ConvAttrs a = pool_attrs(n);
  c.bind(n, 0, c.inner(n, OpKind::kMaxPool, {required_input(c, n, 0)}, std::move(a)));
}

void import_average_pool(ImportContext& c, const OnnxNode& n) {
  ConvAttrs a = pool_attrs(n);
  c.emit(n, OpKind::kAveragePool, {required_input(c, n, 0)}, std::move(a));
}

void import_global_average_pool(ImportContext& c, const OnnxNode& n) { import_global(c, n, ReduceKind::kMean); }
void import_global_max_pool(ImportContext& c, const OnnxNode& n) { import_global(c, n, ReduceKind::kMax); }

void import_lp_pool(ImportContext& c, const OnnxNode& n) {
  const int64_t p = norm_order(n);
  ConvAttrs a = pool_attrs(n);
  a.sum = true;
  c.bind(n, 0, root(c, n, c.inner(n, OpKind::kAveragePool, {powered(c, n, required_input(c, n, 0), p)}, std::move(a)), p));
}

void import_global_lp_pool(ImportContext& c, const OnnxNode& n) {
  const int64_t p = norm_order(n);
  const ValueId x = required_input(c, n, 0);
  const ReduceAttrs a = over_space(c, x, ReduceKind::kSum);
  c.bind(n, 0, root(c, n, c.inner(n, OpKind::kReduce, {powered(c, n, x, p)}, a), p));
}

// x, scale, zero point, y scale, zero point
void import_qlinear_average_pool(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 4, 5);
  ConvAttrs a = pool_attrs(n);
  const int64_t rank = static_cast<int64_t>(a.kernel.size()) + 2;
  const bool channels_last = n.integer("channels_last", 0) != 0;
  ValueId x = dequantized_input(c, n, 0);
  std::vector<int64_t> first{0, rank - 1}, last{0};
  for (int64_t i = 1; i + 1 < rank; ++i) first.push_back(i);
  for (int64_t i = 2; i < rank; ++i) last.push_back(i);
  last.push_back(1);
  if (channels_last) x = transpose(c, n, x, first);
  ValueId y = c.inner(n, OpKind::kAveragePool, {x}, std::move(a));
  if (channels_last) y = transpose(c, n, y, last);
  bind_quantized(c, n, y, 3);
}

}  // namespace edgeconv
