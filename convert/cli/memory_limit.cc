// See memory_limit.h. RLIMIT_DATA, because a limit of the address space would count the model, which is mapped and never written to.
#include "convert/cli/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "convert/cli/byte_count.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

void declare_memory_limit(Arguments& a, std::string& text) {
  a.option("--memory-limit", text, "most memory that the command may take, besides the mapped model: exit 5 where it needs more",
           {.type = "BYTES[K|M|G]"});
}

void limit_memory(const std::string& text) {
  if (text.empty()) return;
  const uint64_t bytes = parse_byte_count("--memory-limit", text);
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min(static_cast<rlim_t>(bytes), limit.rlim_max);  // RLIM_INFINITY is the largest number
  if (setrlimit(RLIMIT_DATA, &limit) != 0)
    throw FatalError(ExitCode::kInternal, std::string("--memory-limit: the system refuses: ") + std::strerror(errno));
}

std::string out_of_memory_text() {
  std::string limits;
  struct Kind {
    decltype(RLIMIT_AS) resource;
    const char* name;
  };
  for (const Kind& kind :
       {Kind{RLIMIT_AS, "address space (ulimit -v)"}, Kind{RLIMIT_DATA, "memory (--memory-limit, ulimit -d)"}}) {
    rlimit limit{};
    if (getrlimit(kind.resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    limits +=
        std::string(limits.empty() ? "" : ", ") + kind.name + " is limited to " + std::to_string(limit.rlim_cur >> 10) + " KB";
  }
  return "out of memory" + (limits.empty() ? std::string() : ": " + limits) +
         "; give the command more, or lower the largest dims (--dim)";
}

}  // namespace edgeconv::cli
