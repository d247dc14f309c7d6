/* Reset: vector table, FPU, traps, memory, stack guard, then main. Nothing of newlib's startup is used. Written once for ARMv7-M and
 * ARMv8-M; what differs is read from the core or from the compiler's macros.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <stdint.h>

#include "platform/cortex_m/board.h"
#include "platform/cortex_m/registers.h"

extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[], __stack_limit[], __stack_top[];
extern const uintptr_t ert_vectors[];
int main(int argc, char** argv);

/* Below the stack lies a region that nobody may touch; its size is a power of two and its start a multiple of it (boards/sections.ld). */
enum { GUARD_LOG2_BYTES = 10 };

static void enable_traps(void) {
  CCR |= CCR_UNALIGN_TRP | CCR_DIV_0_TRP | CCR_STKALIGN;
  SHCSR |= SHCSR_MEMFAULTENA | SHCSR_BUSFAULTENA | SHCSR_USGFAULTENA;
  __asm volatile("dsb\n isb" ::: "memory"); /* without both, the next unaligned load may still pass */
}

/* ARMv8-M compares the stack pointer with a limit; ARMv7-M gets a region without access rights. */
static void guard_stack(void) {
#if __ARM_ARCH >= 8
  __asm volatile("msr msplim, %0" : : "r"(__stack_limit));
#else
  if (MPU_TYPE == 0) return;
  MPU_RNR = 0;
  MPU_RBAR = (uintptr_t)__stack_limit - (1u << GUARD_LOG2_BYTES);
  MPU_RASR = MPU_RASR_XN | (GUARD_LOG2_BYTES - 1) << 1 | 1; /* access permission 0: none */
  MPU_CTRL = MPU_CTRL_PRIVDEFENA | MPU_CTRL_ENABLE;
  __asm volatile("dsb\n isb" ::: "memory");
#endif
}

/* Called by the reset handler with the stack still empty. */
__attribute__((used, noreturn)) static void start(void) {
  static char* arguments[ERT_BOARD_MAX_ARGUMENTS + 1];
  uint32_t *to, *from = __data_load;
  for (to = __data_start; to < __data_end;) *to++ = *from++;
  for (to = __bss_start; to < __bss_end;) *to++ = 0;
  VTOR = (uintptr_t)ert_vectors;
  enable_traps();
  guard_stack();
  ert_board_paint_stack();
  ert_clock_start();
  ert_board_exit(main(ert_board_arguments(arguments), arguments));
}

/* The FPU (and the vector unit of the M55) is off after reset: it is switched on before any code that the compiler made. */
__attribute__((naked, noreturn)) void ert_reset(void) {
  __asm volatile(
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
      "ldr r0, =0xE000ED88\n ldr r1, [r0]\n orr r1, r1, #0x00F00000\n str r1, [r0]\n dsb\n isb\n"
#endif
      "ldr r0, =__stack_top\n mov sp, r0\n bl %c0\n"
      :
      : "i"(start));
}

void ert_fault(void);   /* faults.c */
void ert_systick(void); /* clock.c */

__attribute__((section(".vectors"), used, aligned(128)))
const uintptr_t ert_vectors[16] = {(uintptr_t)__stack_top,
                                   (uintptr_t)ert_reset,
                                   (uintptr_t)ert_fault,
                                   (uintptr_t)ert_fault, /* NMI, HardFault */
                                   (uintptr_t)ert_fault,
                                   (uintptr_t)ert_fault,
                                   (uintptr_t)ert_fault,
                                   (uintptr_t)ert_fault, /* MemManage, Bus, Usage, Secure */
                                   0,
                                   0,
                                   0,
                                   (uintptr_t)ert_fault, /* SVCall */
                                   (uintptr_t)ert_fault,
                                   0,
                                   (uintptr_t)ert_fault,
                                   (uintptr_t)ert_systick};
