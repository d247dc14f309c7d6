// Int8 weights and the sums of their columns. Levels compute the same integers in different ways (NUMERICS.md): some subtract a multiple
// of the sum, some multiply what is behind the last k, and none has room for products of -128. So the sums are right, padding is zero
// and no weight is -128, or a blob would give other bits on another CPU.
#include "rt/base/limits.h"
#include "rt/base/small_code.h"
#include "rt/ops/op_params.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/row_bands.h"
#include "rt/verify/semantics.h"

namespace ert {
namespace {

namespace linear = params::linear;
namespace map_conv = params::map_conv;
namespace recurrence = params::recurrence;
using ops::Word32;

constexpr uint32_t kWords = 16;       // 64 bytes: a line of N16K4 or N8K8, two of N2K16
constexpr uint32_t kMostLines = 256;  // that 16 bits can add up
constexpr uint32_t kMostKnown = 64;   // pairs that are remembered
constexpr uint64_t kMostPasses = 64;  // over all constants
constexpr uint32_t kHalves = 0x00FF00FFu, kTopBits = 0x80808080u;

// Sums over words that are 64 bytes apart, of bytes + 128, in four fields a word, and whether one of these bytes was 0.
struct WordSums {
  uint32_t even[kWords] = {}, odd[kWords] = {};
  uint32_t zero[kWords] = {};  // the top bit of a byte

  void add(uint32_t i, uint32_t word) {
    const uint32_t raised = word ^ kTopBits;
    even[i] += raised & kHalves;
    odd[i] += raised >> 8 & kHalves;
    zero[i] |= (raised - 0x01010101u) & ~raised;
  }
  uint32_t total(uint32_t i) const { return (even[i] & 0xFFFF) + (even[i] >> 16) + (odd[i] & 0xFFFF) + (odd[i] >> 16); }
};

// Adds `words` words, at most kMostLines * kWords, to the sums of the columns that they belong to. A line has line_words of them, a column
// column_words side by side.
bool add_words(const Word32* data, size_t words, uint32_t line_words, uint32_t column_words, int32_t* sums) {
  WordSums s;
  size_t at = 0;
#if !ERT_SMALL_CODE  // a loop for vector units
  for (; words - at >= kWords; at += kWords) {
    for (uint32_t i = 0; i < kWords; ++i) s.add(i, data[at + i]);
  }
#endif
  for (; at < words; ++at) s.add(at % kWords, data[at]);
  uint32_t zero = 0;
  for (uint32_t i = 0; i < kWords; ++i) {
    sums[i % line_words / column_words] += static_cast<int32_t>(s.total(i));
    zero |= s.zero[i];
  }
  return (zero & kTopBits) == 0;
}

struct Weights {
  const uint8_t* data;
  const int32_t* sums;
  size_t n, k;
  kernels::Layout layout;
};

// The columns of the panel from `first` on.
bool panel_ok(const Weights& w, size_t first) {
  const size_t columns = kernels::panel_columns(w.layout), depth = kernels::line_depth(w.layout);
  const size_t padded_k = kernels::round_up(w.k, depth), line_words = columns * depth / sizeof(Word32);
  const uint8_t* panel = w.data + first * padded_k;
  int32_t sums[kWords];
  for (int32_t& sum : sums) sum = -128 * static_cast<int32_t>(padded_k);
  const size_t words = columns * padded_k / sizeof(Word32), most = size_t{kMostLines} * kWords;
  for (size_t at = 0; at < words; at += most) {
    if (!add_words(static_cast<const Word32*>(static_cast<const void*>(panel)) + at, words - at < most ? words - at : most,
                   static_cast<uint32_t>(line_words), static_cast<uint32_t>(depth / sizeof(Word32)), sums))
      return false;
  }
  const uint8_t* last_line = panel + columns * (padded_k - depth);
  for (size_t c = 0; c < columns && first + c < w.n; ++c) {
    if (sums[c] != w.sums[first + c]) return false;
    if (w.k != padded_k && !all_zero(last_line + c * depth + w.k % depth, last_line + (c + 1) * depth)) return false;
  }
  return true;
}

// Checks each pair of weights and sums once, as far as it can remember them, and gives up before the work is more than linear.
class ColumnSums {
 public:
  ColumnSums(const Program& p, int64_t* memory)
      : p_(p), known_(memory), room_(p.exprs.size < kMostKnown ? p.exprs.size : kMostKnown) {
    for (uint32_t i = 0; i < p.segments.size; ++i) left_ += p.segments[i].bytes();
    left_ *= kMostPasses;
  }

  // Operands of an op that prepare has accepted: packed weights [n, k], which are constant, and i32 [n].
  ert_status check(const fb::Op& op, uint32_t weights, uint32_t sums) {
    const uint32_t v = static_cast<uint32_t>(operand_of(p_, op, weights));
    const uint32_t c = root_value(p_, static_cast<uint32_t>(operand_of(p_, op, sums)));
    if (storage_of(p_.values[c]) != Storage::kConstant) return ERT_ERR_MODEL;
    const int64_t pair = int64_t{v} << 32 | c;
    for (uint32_t i = 0; i < n_known_; ++i) {
      if (known_[i] == pair) return ERT_OK;
    }
    const fb::Value& value = p_.values[v];
    const auto axis = [&](uint32_t i) { return static_cast<size_t>(p_.exprs[value.shape()->Get(i)].value()); };
    const Weights w = {constant_data(p_, value),
                       static_cast<const int32_t*>(static_cast<const void*>(constant_data(p_, p_.values[c]))), axis(0), axis(1),
                       params::kernel_layout(value.dtype())};
    const uint64_t bytes = kernels::packed_bytes(w.layout, w.n, w.k);
    if (bytes > left_) return ERT_ERR_LIMIT;
    left_ -= bytes;
    for (size_t first = 0; first < w.n; first += kernels::panel_columns(w.layout)) {
      if (!panel_ok(w, first)) return ERT_ERR_MODEL;
    }
    if (n_known_ < room_) known_[n_known_++] = pair;
    return ERT_OK;
  }

 private:
  const Program& p_;
  int64_t* known_;
  uint32_t room_, n_known_ = 0;
  uint64_t left_ = 0;  // bytes of weights
};

// Which inputs of an op other than a Recurrence are weights and their sums.
struct ProductInputs {
  uint32_t weights, sums;
  bool present;

  static ProductInputs of(uint16_t code, const int32_t* ints) {
    switch (static_cast<params::OpCode>(code)) {
      case params::OpCode::kLinear:
      case params::OpCode::kConv: return {linear::kWeights, linear::kColsum, linear::has_int8_weights(ints[linear::kPrecision])};
      case params::OpCode::kMapConv:
      case params::OpCode::kMapDepthwiseConv: return {map_conv::kWeights, map_conv::kColsum, true};
      default: return {0, 0, false};
    }
  }
};

ert_status check_inner_ops(const Program& p, const fb::Op& op, ColumnSums* sums) {
  ops::InnerOps inner(p.ints.data + op.first_int(), op.n_ints());
  ops::InnerOp i;
  while (inner.next(&i)) {
    const ProductInputs product = ProductInputs::of(i.code, i.ints);
    if (!product.present) continue;
    const int32_t weights = i.inputs[product.weights], column_sums = i.inputs[product.sums];
    if (weights < 0 || column_sums < 0) return ERT_ERR_MODEL;
    const ert_status status = sums->check(op, static_cast<uint32_t>(weights), static_cast<uint32_t>(column_sums));
    if (status != ERT_OK) return status;
  }
  return ERT_OK;
}

}  // namespace

ert_status verify_column_sums(const Program& p, EvalScratch* scratch) {
  ColumnSums sums(p, scratch->exprs);
  ert_status status = ERT_OK;
  for (uint32_t i = 0; i < p.ops.size && status == ERT_OK; ++i) {
    const fb::Op& op = p.ops[i];
    const int32_t* ints = p.ints.data + op.first_int();
    const ProductInputs product = ProductInputs::of(op.code(), ints);
    if (product.present) status = sums.check(op, product.weights, product.sums);
    if (op.code() == static_cast<uint16_t>(params::OpCode::kRowBands)) status = check_inner_ops(p, op, &sums);
    if (op.code() != static_cast<uint16_t>(params::OpCode::kRecurrence) || !linear::has_int8_weights(ints[recurrence::kPrecision])) continue;
    const uint32_t directions = ints[recurrence::kDirection] == recurrence::kBidirectional ? 2 : 1;
    for (uint32_t d = 0; d < directions && status == ERT_OK; ++d) {
      const uint32_t first = recurrence::kFirstWeights + d * recurrence::kWeightInputCount;
      status = sums.check(op, first + recurrence::kWeights, first + recurrence::kColsum);
    }
  }
  return status;
}

}  // namespace ert
