/* file_map.h - maps a whole regular file read-only: how hosts open a blob without copying it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ERT_PLATFORM_POSIX_FILE_MAP_H
#define ERT_PLATFORM_POSIX_FILE_MAP_H

#include "platform/platform.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the library is built with hidden symbols */
#endif

/* data is page-aligned (so also 64-aligned), or NULL for an empty file. */
typedef struct ert_file_map {
  const void* data;
  size_t bytes;
} ert_file_map;

/* Returns 0, or an errno value: EISDIR for a directory, EINVAL for any other file that is not regular, EFBIG when it does not
 * fit the address space. The contents must not change while mapped; a file truncated by somebody else raises SIGBUS. */
int ert_file_map_open(ert_file_map* map, const char* path);
void ert_file_map_close(ert_file_map* map);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif /* ERT_PLATFORM_POSIX_FILE_MAP_H */
