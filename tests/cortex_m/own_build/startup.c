/* Vector table and reset of a product: the FPU on, then newlib's startup. */
#include <stdint.h>

void _start(void);

__attribute__((naked)) static void reset(void) {
  __asm volatile("ldr r0, =0xE000ED88\n ldr r1, [r0]\n orr r1, r1, #0x00F00000\n str r1, [r0]\n dsb\n isb\n b _start\n");
}

__attribute__((section(".vectors"), used)) const uintptr_t vectors[16] = {0x20400000, (uintptr_t)reset};
