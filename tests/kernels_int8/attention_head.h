// The tensors of one call of an attention kernel, with what hides keys from queries.
#pragma once

#include <climits>
#include <string>
#include <vector>

#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

enum class Hide { kNothing, kKeyPadding, kPairs, kCausal, kAllKeys, kSomeRows };

struct AttentionCase {
  int32_t seq_q, seq_k, head_dim, v_dim;
  Fill fill = Fill::kNormal;
  Hide hide = Hide::kNothing;
  bool bias = false, bias_of_row = false;
  float scale = 0.25f;
};

// The tensors of one call, each ending at a guard page; rows are `gap` floats further apart than they are long.
class Head {
 public:
  Head(const AttentionCase& c, ptrdiff_t gap, SeededRandom& random)
      : c_(c),
        q_stride_(c.head_dim + gap),
        v_stride_(c.v_dim + gap),
        q_(length(c.seq_q, q_stride_, c.head_dim)),
        k_(length(c.seq_k, q_stride_, c.head_dim)),
        v_(length(c.seq_k, v_stride_, c.v_dim)),
        bias_(static_cast<size_t>(c.bias_of_row ? 1 : c.seq_q) * static_cast<size_t>(c.seq_k)),
        mask_(static_cast<size_t>(c.hide == Hide::kKeyPadding ? 1 : c.seq_q) * static_cast<size_t>(c.seq_k)),
        scratch_(round_up(attention_scratch_bytes(c.seq_q, c.seq_k, c.head_dim, c.v_dim), 64)) {
    fill_row(q_, c.fill, random);
    fill_row(k_, c.fill, random);
    fill_row(v_, c.fill, random);
    fill_row(bias_, Fill::kNormal, random);
    for (size_t i = 0; i < mask_.size(); ++i) mask_[i] = static_cast<uint8_t>(visible(i, random));
  }

  std::vector<float> run(void (*kernel)(const AttentionArgs&)) {
    AttentionArgs a = {};
    a.seq_q = c_.seq_q, a.seq_k = c_.seq_k, a.head_dim = c_.head_dim, a.v_dim = c_.v_dim;
    a.q = q_.data(), a.q_stride = q_stride_, a.k = k_.data(), a.k_stride = q_stride_, a.v = v_.data(), a.v_stride = v_stride_;
    a.scale = c_.scale;
    a.bias = c_.bias ? bias_.data() : nullptr;
    a.bias_stride = c_.bias_of_row ? 0 : c_.seq_k;
    a.mask = c_.hide == Hide::kNothing || c_.hide == Hide::kCausal ? nullptr : mask_.data();
    a.mask_stride = c_.hide == Hide::kKeyPadding ? 0 : c_.seq_k;
    a.causal_offset = c_.hide == Hide::kCausal ? c_.seq_k - c_.seq_q : INT32_MAX;
    GuardedBuffer<float> dst(static_cast<size_t>(c_.seq_q) * static_cast<size_t>(c_.v_dim));
    a.dst = dst.data(), a.dst_stride = c_.v_dim;
    a.scratch = scratch_.data();
    kernel(a);
    return std::vector<float>(dst.data(), dst.data() + dst.size());
  }
  GuardedBuffer<float>& q() { return q_; }
  GuardedBuffer<float>& k() { return k_; }
  GuardedBuffer<float>& v() { return v_; }
  GuardedBuffer<float>& bias() { return bias_; }
  GuardedBuffer<uint8_t>& mask() { return mask_; }
  ptrdiff_t q_stride() const { return q_stride_; }
  ptrdiff_t v_stride() const { return v_stride_; }
  // Whether query i may see key j.
  bool sees(int32_t i, int32_t j) const {
    if (c_.hide == Hide::kNothing) return true;
    if (c_.hide == Hide::kCausal) return j <= i + c_.seq_k - c_.seq_q;
    return mask_[static_cast<size_t>(c_.hide == Hide::kKeyPadding ? j : i * c_.seq_k + j)] != 0;
  }

 private:
  static size_t length(int32_t rows, ptrdiff_t stride, int32_t width) { return static_cast<size_t>((rows - 1) * stride + width); }
  bool visible(size_t i, SeededRandom& random) const {
    if (c_.hide == Hide::kAllKeys) return false;
    if (c_.hide == Hide::kSomeRows && i / static_cast<size_t>(c_.seq_k) % 2 == 0) return false;
    return random.integer(0, 3) != 0;
  }
  AttentionCase c_;
  ptrdiff_t q_stride_, v_stride_;
  GuardedBuffer<float> q_, k_, v_, bias_;
  GuardedBuffer<uint8_t> mask_;
  GuardedBuffer<uint8_t> scratch_;
};

using Kernel = void (*)(const AttentionArgs&);
inline Kernel kernel_of(const KernelTable& t, bool int8) { return int8 ? t.attention_i8 : t.attention_f32; }

inline std::string describe(const AttentionCase& c) {
  return "q " + std::to_string(c.seq_q) + " k " + std::to_string(c.seq_k) + " dims " + std::to_string(c.head_dim) + "," +
         std::to_string(c.v_dim) + " " + fill_name(c.fill) + " hide " + std::to_string(static_cast<int>(c.hide)) + " bias " +
         std::to_string(c.bias);
}

}  // namespace
}  // namespace ert::kernels::testing
