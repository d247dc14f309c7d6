/* Which kernel levels the CPU and the operating system support. SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_CPU_FEATURES_H
#define ERT_PLATFORM_CPU_FEATURES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits 1 << ert_isa. Bit 0 (the scalar reference) is always set. A level counts only if the operating system saves its
 * registers too. Says nothing about what is compiled in: see built_isa_mask in kernels_int8/dispatch/dispatch.h.
 * Any thread; costs a few hundred cycles (cpuid traps in a virtual machine), so callers keep the answer. */
uint32_t ert_cpu_isa_mask(void);

/* Whether levels for cores that issue in order are the faster ones here: 1 if all cores of the system are known to do so (Cortex-A53,
 * A55, ...), 0 where one is not or nothing is known. On a system with cores of both kinds the large ones do most of the work. The
 * results are the same bits either way. AArch64 Linux; elsewhere 0. Any thread; on Linux it reads a small file a core. */
int ert_cpu_in_order(void);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_CPU_FEATURES_H */
