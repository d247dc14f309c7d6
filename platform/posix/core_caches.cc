// Cache sizes by the files of Linux: see core_caches.h.
#include "platform/posix/core_caches.h"

#include "platform/posix/core_files.h"
#include "platform/posix/core_speed.h"

ert_cpu_caches ert_caches_of_fastest_core(const char* folder) {
  constexpr struct {
    const char *level, *type, *size;
  } kFiles[] = {{"/cache/index0/level", "/cache/index0/type", "/cache/index0/size"},
                {"/cache/index1/level", "/cache/index1/type", "/cache/index1/size"},
                {"/cache/index2/level", "/cache/index2/type", "/cache/index2/size"},
                {"/cache/index3/level", "/cache/index3/type", "/cache/index3/size"}};
  ert_cpu_caches caches = {0, 0};
  const unsigned core = ert_fastest_core(folder);  // only its caches are read: there are a dozen files a core
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
