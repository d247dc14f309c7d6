/* The few registers of the Cortex-M system control space that this folder uses, by the names of the architecture manuals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ERT_PLATFORM_CORTEX_M_REGISTERS_H
#define ERT_PLATFORM_CORTEX_M_REGISTERS_H

#include <stdint.h>

#define ERT_REGISTER(address) (*(volatile uint32_t*)(uintptr_t)(address))

#define ICSR ERT_REGISTER(0xE000ED04)
#define ICSR_PENDSTSET (1u << 26)
#define VTOR ERT_REGISTER(0xE000ED08)
#define CCR ERT_REGISTER(0xE000ED14)
#define CCR_UNALIGN_TRP (1u << 3)
#define CCR_DIV_0_TRP (1u << 4)
#define CCR_STKALIGN (1u << 9)
#define SHCSR ERT_REGISTER(0xE000ED24)
#define SHCSR_MEMFAULTENA (1u << 16)
#define SHCSR_BUSFAULTENA (1u << 17)
#define SHCSR_USGFAULTENA (1u << 18)
#define CFSR ERT_REGISTER(0xE000ED28)
#define MMFAR ERT_REGISTER(0xE000ED34)
#define BFAR ERT_REGISTER(0xE000ED38)

#define SYST_CSR ERT_REGISTER(0xE000E010)
#define SYST_CSR_ENABLE (1u << 0)
#define SYST_CSR_TICKINT (1u << 1)
#define SYST_CSR_CLKSOURCE (1u << 2) /* the core's clock */
#define SYST_RVR ERT_REGISTER(0xE000E014)
#define SYST_CVR ERT_REGISTER(0xE000E018)

#define DEMCR ERT_REGISTER(0xE000EDFC)
#define DEMCR_TRCENA (1u << 24)
#define DWT_CTRL ERT_REGISTER(0xE0001000)
#define DWT_CTRL_CYCCNTENA (1u << 0)
#define DWT_CYCCNT ERT_REGISTER(0xE0001004)

#define MPU_TYPE ERT_REGISTER(0xE000ED90)
#define MPU_CTRL ERT_REGISTER(0xE000ED94)
#define MPU_CTRL_ENABLE (1u << 0)
#define MPU_CTRL_PRIVDEFENA (1u << 2)
#define MPU_RNR ERT_REGISTER(0xE000ED98)
#define MPU_RBAR ERT_REGISTER(0xE000ED9C)
#define MPU_RASR ERT_REGISTER(0xE000EDA0)
#define MPU_RASR_XN (1u << 28)

#endif /* ERT_PLATFORM_CORTEX_M_REGISTERS_H */
