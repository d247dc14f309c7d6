// ONNX Runtime's MatMulNBits: weights of 2, 4 or 8 bits in blocks along k, each with a scale. They are dequantized here; the
// converter quantizes them again to int8 columns.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

const char* const kQuantizedHint = "convert the model as it was before its weights were quantized";

// The i-th number of `bits` bits, low bits first.
int packed(const uint8_t* data, int64_t i, int64_t bits) {
  const int64_t per_byte = 8 / bits;
  return (data[i / per_byte] >> ((i % per_byte) * bits)) & ((1 << bits) - 1);
}

struct Blocks {
  int64_t k, n, bits, size;
  int64_t count() const { return k / size + (k % size != 0 ? 1 : 0); }
  int64_t bytes() const { return size / 8 * bits; }  // of one block; size is a power of 2 from 16 up
  int64_t row_bytes(int64_t numbers) const { return (numbers * bits + 7) / 8; }
};

const Tensor& constant_input(ImportContext& c, const OnnxNode& n, size_t i, const char* what) {
  const Tensor* t = constant_of(c, required_input(c, n, i));
  if (t == nullptr) refuse(std::string(what) + " computed by the model", kQuantizedHint);
  return *t;
}

// One zero point per block: packed like the weights, or floats; the middle of the range by default.
std::vector<float> zero_points(ImportContext& c, const OnnxNode& n, const Blocks& b) {
  std::vector<float> zero(static_cast<size_t>(b.n * b.count()), static_cast<float>(1 << (b.bits - 1)));
  if (c.input(n, 3) == kNone) return zero;
  const Tensor t = constant_input(c, n, 3, "zero points").aligned();
  if (is_float(t.dtype())) {
    zero = t.to_float();
    if (static_cast<int64_t>(zero.size()) != b.n * b.count()) throw NodeError("its zero points do not fit its blocks");
    return zero;
  }
  const int64_t row = b.row_bytes(b.count());
  if (t.dtype() != DType::kUint8 || t.elements() != b.n * row) throw NodeError("its zero points do not fit its blocks");
  for (int64_t c0 = 0; c0 < b.n; ++c0)
    for (int64_t k = 0; k < b.count(); ++k)
      zero[static_cast<size_t>(c0 * b.count() + k)] = static_cast<float>(packed(t.data() + c0 * row, k, b.bits));
  return zero;
}

}  // namespace

// A [.., K], B [N, blocks, bytes], scales [N * blocks], zero points, g_idx, bias
void import_matmul_nbits(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 6);
  const Blocks b{n.integer("K"), n.integer("N"), n.integer("bits", 4), n.integer("block_size")};
  if (b.bits != 2 && b.bits != 4 && b.bits != 8) refuse("weights of " + std::to_string(b.bits) + " bits", kQuantizedHint);
  if (b.k < 1 || b.n < 1 || b.size < 16 || (b.size & (b.size - 1)) != 0) throw NodeError("K, N or block_size is out of range");
  if (c.input(n, 4) != kNone) refuse("reordered rows (g_idx)", kQuantizedHint);
  const Tensor& weights = constant_input(c, n, 1, "weights");
  const std::vector<float> scale = constant_input(c, n, 2, "scales").to_float();
  const int64_t block_bytes = b.bytes();
  int64_t bytes = 0, elements = 0;
  if (__builtin_mul_overflow(b.n, b.count(), &bytes) || __builtin_mul_overflow(bytes, block_bytes, &bytes) ||
      __builtin_mul_overflow(b.k, b.n, &elements) || weights.dtype() != DType::kUint8 || weights.elements() != bytes ||
      static_cast<int64_t>(scale.size()) != b.n * b.count())
    throw NodeError("its weights or scales do not fit K, N, bits and block_size");
  const std::vector<float> zero = zero_points(c, n, b);  // K and N are sizes of what the file brings from here on
  Tensor w(DType::kFloat, {b.k, b.n});
  const auto out = w.mut<float>();
  for (int64_t column = 0; column < b.n; ++column)
    for (int64_t k = 0; k < b.k; ++k) {
      const int64_t block = column * b.count() + k / b.size;
      const auto code = static_cast<float>(packed(weights.data() + block * block_bytes, k % b.size, b.bits));
      out[static_cast<size_t>(k * b.n + column)] = (code - zero[static_cast<size_t>(block)]) * scale[static_cast<size_t>(block)];
    }
  c.warn(n, "its " + std::to_string(b.bits) +
                "-bit weights are dequantized and stored as int8: the blob is larger than they were, and " +
                "the original float model would convert more accurately");
  c.bind(n, 0, add_optional(c, n, matmul(c, n, required_input(c, n, 0), c.constant(n, std::move(w))), c.input(n, 5)));
}

}  // namespace edgeconv
