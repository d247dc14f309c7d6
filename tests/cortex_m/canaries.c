/* canaries KIND: a fault of each kind that the board's traps and the stack's paint must catch (check.py runs them). KIND `none` ends well:
 * a trap that fires always would prove nothing. */
#include <string.h>

#include "platform/cortex_m/board.h"
#include "platform/cortex_m/semihosting.h"

/* In assembler: a compiler that was told so never loads a word from an odd address. */
static uint32_t load_word(const unsigned char* from) {
  uint32_t word;
  __asm volatile("ldr %0, [%1]" : "=r"(word) : "r"(from) : "memory");
  return word;
}

static uint32_t divide(uint32_t a, uint32_t b) {
  uint32_t quotient;
  __asm volatile("udiv %0, %1, %2" : "=r"(quotient) : "r"(a), "r"(b));
  return quotient;
}

/* A frame of 3 KiB: what stack_bound.py and the painted stack must see. */
__attribute__((noinline)) unsigned ert_canary_deep(unsigned value) {
  volatile unsigned char frame[3072];
  unsigned i;
  for (i = 0; i < sizeof frame; i += 64) frame[i] = (unsigned char)(value + i);
  return frame[value % sizeof frame];
}

/* Frames without end, each written: the call after the recursion keeps it from becoming a loop. */
__attribute__((noinline)) static unsigned overrun(unsigned depth) {
  volatile unsigned char frame[256];
  frame[depth % sizeof frame] = (unsigned char)depth;
  return depth == 0xFFFFFFFFu ? 0 : overrun(depth + 1) + frame[depth % sizeof frame];
}

int main(int argc, char** argv) {
  static const unsigned char bytes[8] __attribute__((aligned(4))) = {1, 2, 3, 4, 5, 6, 7, 8};
  const char* kind = argc > 1 ? argv[1] : "";
  if (strcmp(kind, "none") == 0) return load_word(bytes + 4) == 0x08070605u && divide(6, 3) == 2 ? 0 : 1;
  if (strcmp(kind, "unaligned") == 0) return (int)load_word(bytes + 1);
  if (strcmp(kind, "division") == 0) return (int)divide(1, (uint32_t)argc - 2);
  if (strcmp(kind, "overrun") == 0) return (int)overrun(0);
  if (strcmp(kind, "fetch") == 0) __asm volatile("udf #0");
  if (strcmp(kind, "deep") == 0) {
    ert_board_paint_stack();
    if (ert_canary_deep((unsigned)argc) > 255) return 1;
    ert_print_unsigned(ert_board_stack_used() - ert_board_stack_now());
    ert_print("\n");
    return 0;
  }
  return 2;
}
