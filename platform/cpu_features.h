/* What the CPU and the operating system can do. SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_CPU_FEATURES_H
#define ERT_PLATFORM_CPU_FEATURES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Features, by what the levels of kernels_int8/contract/isa_levels.inc need. A feature counts only if the operating system saves its registers too. */
#define ERT_CPU_AVX2 (1u << 0)
#define ERT_CPU_AVXVNNI (1u << 1)
#define ERT_CPU_AVX512VNNI (1u << 2) /* and F, BW, DQ, VL */
#define ERT_CPU_NEON (1u << 3)
#define ERT_CPU_DOTPROD (1u << 4)
#define ERT_CPU_I8MM (1u << 5)
#define ERT_CPU_DSP (1u << 6) /* Cortex-M: smlad and its like */
#define ERT_CPU_MVE (1u << 7) /* Helium with floats */
#define ERT_CPU_SSE41 (1u << 8) /* and SSSE3 */

/* ARM features that the compiler was told to assume. */
#ifdef __ARM_NEON
#define ERT_ASSUMES_NEON ERT_CPU_NEON
#else
#define ERT_ASSUMES_NEON 0u
#endif
#ifdef __ARM_FEATURE_DOTPROD
#define ERT_ASSUMES_DOTPROD ERT_CPU_DOTPROD
#else
#define ERT_ASSUMES_DOTPROD 0u
#endif
#ifdef __ARM_FEATURE_MATMUL_INT8
#define ERT_ASSUMES_I8MM ERT_CPU_I8MM
#else
#define ERT_ASSUMES_I8MM 0u
#endif
#ifdef __ARM_FEATURE_SIMD32
#define ERT_ASSUMES_DSP ERT_CPU_DSP
#else
#define ERT_ASSUMES_DSP 0u
#endif
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define ERT_ASSUMES_MVE ERT_CPU_MVE
#else
#define ERT_ASSUMES_MVE 0u
#endif
#define ERT_CPU_ASSUMED (ERT_ASSUMES_NEON | ERT_ASSUMES_DOTPROD | ERT_ASSUMES_I8MM | ERT_ASSUMES_DSP | ERT_ASSUMES_MVE)

/* Bits ERT_CPU_* of the CPU that the program runs on. Which kernels they allow: rt/base/isa.h. Any thread; costs a few hundred cycles (cpuid
 * traps in a virtual machine), so callers keep the answer. */
uint32_t ert_cpu_features(void);

/* Whether levels for cores that issue in order are the faster ones here: 1 if all cores of the system are known to do so (Cortex-A53,
 * A55, ...), 0 where one is not or nothing is known. On a system with cores of both kinds the large ones do most of the work. The
 * results are the same bits either way. AArch64 Linux; elsewhere 0. Any thread; on Linux it reads a small file a core. */
int ert_cpu_in_order(void);

/* Whether cores of this system are known to differ in speed by a quarter or more (big.LITTLE, performance and efficiency cores): work for several
 * threads is then cut into smaller parts, so that slow cores do fewer. The results are the same bits either way. Linux, by a small file a core, and x86-64; elsewhere 0. Any
 * thread. */
int ert_cpu_cores_differ(void);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_CPU_FEATURES_H */
