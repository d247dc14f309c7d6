/* board.h - what a program on a Cortex-M board gets from this folder: arguments, exit, a stack whose use is measured, the core's
 * cycle count. The linker script of the board (boards/) gives the memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ERT_PLATFORM_CORTEX_M_BOARD_H
#define ERT_PLATFORM_CORTEX_M_BOARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ERT_BOARD_MAX_ARGUMENTS = 15, ERT_BOARD_EXIT_FAULT = 90 };

/* The command line of the debugger or emulator, split at spaces, as argc and argv; argv ends with NULL. */
int ert_board_arguments(char** arguments);
void ert_board_exit(int code) __attribute__((noreturn));

/* Fills the unused part of the stack with a pattern, from the caller down. */
void ert_board_paint_stack(void);
/* Bytes between the top of the stack and the deepest byte that was written since it was painted. */
size_t ert_board_stack_used(void);
/* Bytes in use by the caller: what ert_board_stack_used would say of a stack that was painted now. */
size_t ert_board_stack_now(void);

/* Core clock cycles since the start (SysTick on the core's clock, extended to 64 bits by its interrupt). Under an emulator that counts
 * instructions as time they are instructions times core clock. */
uint64_t ert_board_cycles(void);
/* 1 where the DWT cycle counter runs, so that ert_board_cycles are cycles of a real core; 0 on cores without it and in emulators, which
 * leave it at 0. Call after ert_clock_start. */
int ert_board_counts_cycles(void);
/* Starts SysTick and, where the core has it, the DWT cycle counter. Call before ert_clock_ns. */
void ert_clock_start(void);

/* Memory that programs may use as they like: all of the board's large RAM. */
extern unsigned char __bulk_start[], __bulk_end[];

#ifdef __cplusplus
}
#endif
#endif /* ERT_PLATFORM_CORTEX_M_BOARD_H */
