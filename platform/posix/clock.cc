// The monotonic clock of POSIX systems.
#include <time.h>

#include "platform/platform.h"

uint64_t ert_clock_ns(void) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}
