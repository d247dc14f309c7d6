// Speeds of cores by the files of Linux: see core_speed.h.
#include "platform/posix/core_speed.h"

#include "platform/posix/core_files.h"

namespace {

struct CoreSpeeds {
  unsigned fastest = 0;
  uint64_t most = 0, least = UINT64_MAX;

  explicit CoreSpeeds(const char* folder) {
    for (unsigned core = 0; core < ERT_MOST_CORES && ert_core_exists(folder, core) != 0; ++core) {
      const uint64_t capacity = ert_core_number(folder, core, "/cpu_capacity");
      if (capacity == 0) {
        if (core == 0) return;  // a system that does not tell cores apart
        continue;
      }
      if (capacity < least) least = capacity;
      if (capacity <= most) continue;
      most = capacity;
      fastest = core;
    }
  }
};

}  // namespace

unsigned ert_fastest_core(const char* folder) { return CoreSpeeds(folder).fastest; }

int ert_core_speeds_differ(const char* folder) {
  const CoreSpeeds speeds(folder);
  return speeds.most != 0 && speeds.least <= speeds.most / 4 * 3 ? 1 : 0;
}
