/* The clock of a Cortex-M: SysTick on the core's clock, 24 bits, extended by its interrupt. A product that gives SysTick to its RTOS
 * keeps this file out and implements ert_clock_ns on what it has (platform/README.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "platform/cortex_m/board.h"
#include "platform/cortex_m/registers.h"
#include "platform/platform.h"

#ifndef ERT_CORE_HZ
#error "ERT_CORE_HZ: the core's clock in Hz, from the board's CMake settings"
#endif

enum { PERIOD = 1 << 24 };

static volatile uint32_t wraps;

void ert_systick(void) { ++wraps; }

void ert_clock_start(void) {
  DEMCR |= DEMCR_TRCENA; /* cycle counter: for profilers and ert_board_counts_cycles */
  DWT_CTRL |= DWT_CTRL_CYCCNTENA;
  SYST_RVR = PERIOD - 1;
  SYST_CVR = 0;
  SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CLKSOURCE;
  while (SYST_CVR == 0) {
  } /* it loads with the next clock */
}

/* Reads until no wrap came between; a wrap whose interrupt is still pending (interrupts off) counts too. */
uint64_t ert_board_cycles(void) {
  uint32_t before, down, pending;
  do {
    before = wraps;
    down = SYST_CVR;
    pending = ICSR & ICSR_PENDSTSET;
  } while (before != wraps);
  if (pending != 0) {
    down = SYST_CVR;
    ++before;
  }
  return (uint64_t)before * PERIOD + (PERIOD - 1 - down);
}

int ert_board_counts_cycles(void) { return (DWT_CYCCNT | DWT_CYCCNT) != 0; }

uint64_t ert_clock_ns(void) {
  const uint64_t cycles = ert_board_cycles();
  return cycles / ERT_CORE_HZ * UINT64_C(1000000000) + cycles % ERT_CORE_HZ * UINT64_C(1000000000) / ERT_CORE_HZ;
}
