// Memory for operands of kernels on a board without an operating system, with bytes behind each piece that nothing may change.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels_int8/contract/packed_layout.h"
#include "platform/cortex_m/board.h"
#include "platform/cortex_m/semihosting.h"

namespace ert::kernels::testing {

// The board's large RAM, handed out from the start for each case.
class Memory {
 public:
  Memory() { reset(); }
  void reset() { at_ = reinterpret_cast<uintptr_t>(__bulk_start); }
  // Each piece ends just before bytes of a known value, which nothing may change.
  template <class T>
  T* take(size_t n) {
    at_ = round_up(at_, 64);
    T* p = reinterpret_cast<T*>(at_);
    at_ += n * sizeof(T);
    memset(reinterpret_cast<void*>(at_), kGuard, kGuardBytes);
    if (pieces_ < kPieces) guard_[pieces_++] = at_;
    at_ += kGuardBytes;
    if (at_ > reinterpret_cast<uintptr_t>(__bulk_end)) stop("kernel_check: the board has too little RAM\n");
    return p;
  }
  bool guards_hold() {
    bool hold = true;
    for (size_t i = 0; i < pieces_; ++i) {
      const uint8_t* p = reinterpret_cast<const uint8_t*>(guard_[i]);
      for (size_t b = 0; b < kGuardBytes; ++b) hold = hold && p[b] == kGuard;
    }
    pieces_ = 0;
    return hold;
  }
  [[noreturn]] static void stop(const char* text) {
    ert_print_error(text);
    ert_board_exit(1);
  }

 private:
  static constexpr size_t kGuardBytes = 64, kPieces = 32;
  static constexpr uint8_t kGuard = 0xa5;
  uintptr_t at_ = 0, guard_[kPieces] = {};
  size_t pieces_ = 0;
};

}  // namespace ert::kernels::testing
