/* The painted stack: see board.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "platform/cortex_m/board.h"

extern uint32_t __stack_limit[], __stack_top[];

static const uint32_t kPaint = 0xDEADBEEF;

static uint32_t* stack_pointer(void) {
  uint32_t* sp;
  __asm volatile("mov %0, sp" : "=r"(sp));
  return sp;
}

/* Volatile: a compiler that knows memset would call it with the stack that is being painted. */
__attribute__((noinline)) void ert_board_paint_stack(void) {
  volatile uint32_t* at;
  uint32_t* const end = stack_pointer();
  for (at = __stack_limit; at < end; ++at) *at = kPaint;
}

size_t ert_board_stack_used(void) {
  const volatile uint32_t* at = __stack_limit;
  while (at < __stack_top && *at == kPaint) ++at;
  return (size_t)((const volatile uint32_t*)__stack_top - at) * sizeof(uint32_t);
}

size_t ert_board_stack_now(void) { return (size_t)(__stack_top - stack_pointer()) * sizeof(uint32_t); }
