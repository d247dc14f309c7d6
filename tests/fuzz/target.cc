// What all targets share: see target.h.
#include "tests/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

namespace ert::fuzz {

void finding(const char* what, long long value) {
  fprintf(stderr, "FINDING: %s (%lld)\n", what, value);
  fflush(stderr);
  abort();
}

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace ert::fuzz
