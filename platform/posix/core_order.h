/* Whether the cores of a Linux system on ARM issue instructions in order. SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_CORE_ORDER_H
#define ERT_PLATFORM_CORE_ORDER_H

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if every core whose identification stands in the folder (Linux: /sys/devices/system/cpu, file
 * cpuN/regs/identification/midr_el1) is one that is known to issue in order; 0 otherwise, and if there is none. Reads as many
 * files as there are in-order cores before the first other one. Any thread. */
int ert_cores_in_order(const char* folder);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_CORE_ORDER_H */
