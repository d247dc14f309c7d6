// Bare metal without a clock: a constant that is easy to notice, so that a missing port shows in the first report.
#include "platform/platform.h"

uint64_t ert_clock_ns(void) { return ERT_CLOCK_ABSENT; }
