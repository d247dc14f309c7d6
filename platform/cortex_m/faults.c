/* Every fault ends the program: its name, where it happened and a nonzero exit, over semihosting. On a product this is the place for
 * the watchdog or the crash log.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>

#include "platform/cortex_m/board.h"
#include "platform/cortex_m/registers.h"
#include "platform/cortex_m/semihosting.h"

/* Bits of CFSR whose meaning is worth a word. */
static const struct {
  uint32_t bit;
  const char* text;
} kCauses[] = {
    {1u << 24, "unaligned access"},
    {1u << 25, "division by zero"},
    {1u << 20, "stack overrun"},
    {1u << 1, "memory access denied"},
    {1u << 4, "stack overrun"},
    {1u << 0, "execution denied"},
    {1u << 9, "bus error"},
    {1u << 10, "bus error"},
    {1u << 8, "bus error on a fetch"},
    {1u << 12, "bus error on the stack"},
    {1u << 19, "coprocessor or FPU off"},
    {1u << 16, "undefined instruction"},
    {1u << 17, "invalid state"},
};
enum { STACKING_FAILED = 1u << 4 | 1u << 12 | 1u << 20 };

extern uint32_t __stack_limit[];

static const char* cause_of(uint32_t cfsr) {
  unsigned i;
  /* A data access just below the stack is the guard region at work. */
  if ((cfsr & (1u << 1 | 1u << 7)) == (1u << 1 | 1u << 7) && (uintptr_t)__stack_limit - MMFAR <= 1024) return "stack overrun";
  for (i = 0; i < sizeof kCauses / sizeof kCauses[0]; ++i)
    if ((cfsr & kCauses[i].bit) != 0) return kCauses[i].text;
  return "unexpected exception";
}

/* On a stack of its own: that of the program may be what broke. */
__attribute__((used, noreturn)) static void report(const uint32_t* frame, uint32_t exception) {
  const uint32_t cfsr = CFSR;
  ert_print_error("fault: ");
  ert_print_error(cause_of(cfsr));
  ert_print_error_hex(" exception ", exception);
  ert_print_error_hex(" CFSR ", cfsr);
  if ((cfsr & STACKING_FAILED) == 0) {
    ert_print_error_hex(" pc ", frame[6]);
    ert_print_error_hex(" lr ", frame[5]);
  }
  if ((cfsr & 1u << 7) != 0) ert_print_error_hex(" address ", MMFAR);
  if ((cfsr & 1u << 15) != 0) ert_print_error_hex(" address ", BFAR);
  ert_print_error("\n");
  ert_board_exit(ERT_BOARD_EXIT_FAULT);
}

/* The guard and the limit are lifted first, or the report itself would fault. */
__attribute__((naked)) void ert_fault(void) {
  __asm volatile(
      "tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n mrs r1, ipsr\n"
#if __ARM_ARCH >= 8
      "movs r2, #0\n msr msplim, r2\n"
#else
      "movs r2, #0\n ldr r3, =0xE000ED94\n str r2, [r3]\n dsb\n isb\n"
#endif
      "ldr r2, =__fault_stack_top\n msr msp, r2\n b %c0\n"
      :
      : "i"(report));
}
