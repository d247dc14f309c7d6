/* The files by which Linux describes each core. SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_CORE_FILES_H
#define ERT_PLATFORM_CORE_FILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERT_MOST_CORES 4096u

/* Whether the folder (Linux: /sys/devices/system/cpu) has a core of this number. */
int ert_core_exists(const char* folder, unsigned core);

/* The number at the start of the file `name` of a core ("/cpu_capacity"), hexadecimal behind 0x, times what a K or M behind it says. 0 if there is none. */
uint64_t ert_core_number(const char* folder, unsigned core, const char* name);

/* The first character of the file, 0 if there is none. */
char ert_core_letter(const char* folder, unsigned core, const char* name);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_CORE_FILES_H */
