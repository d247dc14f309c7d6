// The floating-point mode of every computation: subnormals are zero, rounding to nearest even (NUMERICS.md). Entered by
// ert_run and by every task on another thread, and the caller's mode restored on exit.
#pragma once

#include <stdint.h>

#if defined(__x86_64__) || defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace ert {

class FloatMode {
 public:
  FloatMode() : saved_(get()), wanted_(mode(saved_)) {
    if (wanted_ != saved_) set(wanted_);
  }
  ~FloatMode() {
    if (wanted_ != saved_) set(saved_);
  }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

#if defined(__x86_64__) || defined(__SSE__) || defined(__aarch64__) || (defined(__arm__) && defined(__ARM_FP))
  static constexpr bool kHardwareFlushes = true;
#else
  static constexpr bool kHardwareFlushes = false;
#endif

 private:
#if defined(__x86_64__) || defined(__SSE__)
  using Word = uint32_t;
  static Word get() { return _mm_getcsr(); }
  static void set(Word w) { _mm_setcsr(w); }
  // Exceptions masked, round to nearest, FTZ (bit 15), DAZ (bit 6); the sticky flags stay as they are.
  static Word mode(Word w) { return (w & 0x3Fu) | 0x1F80u | 0x8000u | 0x0040u; }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static Word get() {
    Word w;
    asm volatile("mrs %0, fpcr" : "=r"(w));
    return w;
  }
  static void set(Word w) { asm volatile("msr fpcr, %0" : : "r"(w)); }
  // FZ (bit 24); rounding (22..23) to nearest, no default NaN (25), no traps (8..15).
  static Word mode(Word w) { return (w & ~Word{0x02C0FF00u}) | Word{1} << 24; }
#elif defined(__arm__) && defined(__ARM_FP)
  using Word = uint32_t;
  static Word get() {
    Word w;
    asm volatile("vmrs %0, fpscr" : "=r"(w));
    return w;
  }
  static void set(Word w) { asm volatile("vmsr fpscr, %0" : : "r"(w)); }
  static Word mode(Word w) { return (w & ~Word{0x02C09F00u}) | Word{1} << 24; }
#else
  // Without an FPU or such a mode the canonical kernels flush subnormals themselves (kernels_int8/ref/float32.h).
  using Word = uint32_t;
  static Word get() { return 0; }
  static void set(Word) {}
  static Word mode(Word w) { return w; }
#endif

  Word saved_;
  Word wanted_;
};

}  // namespace ert
