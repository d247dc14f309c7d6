// The one type for sizes that a blob or a caller's dims decide: bytes, and counts of things that take memory. What no object of this
// machine can have (above PTRDIFF_MAX: 2^31 - 1 on 32-bit devices) stays impossible through every sum and product, so a sum of many
// parts needs one question at its end, and nothing can wrap into a small number on the way.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ert {

class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr Bytes(uint64_t n) : n_(n <= kMost ? static_cast<size_t>(n) : kImpossible) {}

  constexpr bool possible() const { return n_ <= kMost; }
  // Of a possible size only.
  constexpr size_t value() const { return n_; }
  constexpr bool get(size_t* out) const {
    *out = n_;
    return possible();
  }

  // Impossible plus anything either wraps or is impossible as it stands.
  friend constexpr Bytes operator+(Bytes a, Bytes b) {
    Bytes sum;
    if (__builtin_add_overflow(a.n_, b.n_, &sum.n_)) sum.n_ = kImpossible;
    return sum;
  }
  // Times 0 is impossible too: what was asked for cannot be there.
  friend constexpr Bytes operator*(Bytes a, Bytes b) {
    Bytes product;
    if (__builtin_mul_overflow(a.n_, b.n_, &product.n_) || !a.possible() || !b.possible()) product.n_ = kImpossible;
    return product;
  }
  // Rounded up to a multiple of 64, as every block of a context is.
  constexpr Bytes aligned() const {
    Bytes rounded = *this + Bytes(63);
    rounded.n_ &= ~size_t{63};  // of kImpossible: still above kMost
    return rounded;
  }

 private:
  static constexpr size_t kMost = PTRDIFF_MAX, kImpossible = SIZE_MAX;
  size_t n_ = 0;
};

}  // namespace ert
