// Cache sizes by the files of Linux: see core_caches.h.
#include "platform/posix/core_caches.h"

#include "platform/posix/core_files.h"

namespace {

// Only its caches are read: there are a dozen files a core.
unsigned fastest_core(const char* folder) {
  unsigned fastest = 0;
  uint64_t most = 0;
  for (unsigned core = 0; core < ERT_MOST_CORES && ert_core_exists(folder, core) != 0; ++core) {
    const uint64_t capacity = ert_core_number(folder, core, "/cpu_capacity");
    if (core == 0 && capacity == 0) break;  // a system that does not tell cores apart
    if (capacity <= most) continue;
    most = capacity;
    fastest = core;
  }
  return fastest;
}

}  // namespace

ert_cpu_caches ert_caches_of_fastest_core(const char* folder) {
  constexpr struct {
    const char *level, *type, *size;
  } kFiles[] = {{"/cache/index0/level", "/cache/index0/type", "/cache/index0/size"},
                {"/cache/index1/level", "/cache/index1/type", "/cache/index1/size"},
                {"/cache/index2/level", "/cache/index2/type", "/cache/index2/size"},
                {"/cache/index3/level", "/cache/index3/type", "/cache/index3/size"}};
  ert_cpu_caches caches = {0, 0};
  const unsigned core = fastest_core(folder);
  for (const auto& file : kFiles) {
    const uint64_t level = ert_core_number(folder, core, file.level);
    if (level == 0) break;
    const char type = ert_core_letter(folder, core, file.type);  // Data, Instruction, Unified
    if (level > 2 || (type != 'D' && type != 'U')) continue;
    const uint64_t bytes = ert_core_number(folder, core, file.size);
    if (bytes <= UINT32_MAX) (level == 1 ? caches.l1d : caches.l2) = static_cast<uint32_t>(bytes);
  }
  return caches;
}
