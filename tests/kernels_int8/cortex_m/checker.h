// What the firmware that compares kernels with the reference counts, and what it takes for the same bits.
#pragma once

#include <initializer_list>

#include "kernels_int8/contract/isa.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "tests/kernels_int8/cortex_m/guarded_ram.h"

namespace ert::kernels::testing {

struct Checker {
  Memory memory;
  const KernelTable& ref = *level_table(Level::kRef);
  const KernelTable& own = kernel_table(~0u);
  size_t cases = 0, faults = 0;

  static bool same(uint32_t a, uint32_t b) {
    const auto nan = [](uint32_t x) { return (x & 0x7fffffffu) > 0x7f800000u; };
    return a == b || (nan(a) && nan(b));
  }
  static bool same_floats(size_t n, const float* a, const float* b) {
    for (size_t i = 0; i < n; ++i) {
      uint32_t x, y;
      memcpy(&x, a + i, sizeof(x));
      memcpy(&y, b + i, sizeof(y));
      if (!same(x, y)) return false;
    }
    return true;
  }
  void count(bool good, const char* what, size_t a, size_t b, size_t c, int d) {
    good = memory.guards_hold() && good;
    memory.reset();
    ++cases;
    if (good || ++faults > 20) return;
    ert_print("differs: ");
    ert_print(what);
    for (size_t number : {a, b, c, static_cast<size_t>(d)}) {
      ert_print(" ");
      ert_print_unsigned(number);
    }
    ert_print("\n");
  }

  // Canary: one bit of a result must count as a difference, and a byte behind a buffer too.
  void must_see() {
    float a[2] = {1.0f, 2.0f}, b[2] = {1.0f, 2.0f};
    uint32_t bits;
    memcpy(&bits, b + 1, sizeof(bits));
    bits ^= 1;
    memcpy(b + 1, &bits, sizeof(bits));
    uint8_t* piece = memory.take<uint8_t>(3);
    piece[3] = 0;
    if (same_floats(2, a, b) || memory.guards_hold()) Memory::stop("the check is blind\n");
    memory.reset();
    if (&own == &ref) Memory::stop("this build has no kernels but the reference\n");
  }
  // The exit status.
  int report(const char* what) const {
    ert_print(what);
    ert_print(" of ");
    ert_print(isa_name(own.isa));
    ert_print(": ");
    ert_print_unsigned(cases);
    ert_print(" cases, ");
    ert_print_unsigned(faults);
    ert_print(" differ from the reference\n");
    return faults == 0 ? 0 : 1;
  }
};

}  // namespace ert::kernels::testing
