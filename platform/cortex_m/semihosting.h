/* semihosting.h - files, console and exit through a debugger or an emulator. Only for tests, benchmarks and examples: without a
 * debugger the breakpoint instruction ends in a HardFault.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ERT_PLATFORM_CORTEX_M_SEMIHOSTING_H
#define ERT_PLATFORM_CORTEX_M_SEMIHOSTING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text to the host's standard output and error. */
void ert_print(const char* text);
void ert_print_bytes(const char* text, size_t bytes);
void ert_print_unsigned(uint64_t value);
void ert_print_hex(uint64_t value, unsigned digits); /* zero-padded, lower case */
void ert_print_error(const char* text);
void ert_print_error_hex(const char* before, uint32_t value);

/* Reads the host's file whole. Returns its size; SIZE_MAX when it cannot be read, more than `room` when it does not fit (then
 * nothing was read). */
size_t ert_read_host_file(const char* path, void* to, size_t room);

#ifdef __cplusplus
}
#endif
#endif /* ERT_PLATFORM_CORTEX_M_SEMIHOSTING_H */
