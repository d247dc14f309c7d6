/* Which kernel levels the CPU and the operating system support. SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_CPU_FEATURES_H
#define ERT_PLATFORM_CPU_FEATURES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits 1 << ert_isa. Bit 0 (the scalar reference) is always set. A level counts only if the operating system saves its
 * registers too. Says nothing about what is compiled in: see built_isa_mask in kernels_int8/kernel_table.h.
 * Any thread; costs a few hundred cycles (cpuid traps in a virtual machine), so callers keep the answer. */
uint32_t ert_cpu_isa_mask(void);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_CPU_FEATURES_H */
