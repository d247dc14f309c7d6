// See idle_memory.h.
#include "convert/interp/idle_memory.h"

#include <cstdlib>  // says which C library this is

#ifdef __GLIBC__
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#if __GLIBC_PREREQ(2, 33)
#define EDGECONV_MALLOC_TELLS
#endif
#endif

namespace edgeconv {

#ifdef EDGECONV_MALLOC_TELLS
namespace {

constexpr size_t kWorthAsking = size_t{1} << 20;
constexpr size_t kMuch = size_t{24} << 20;

// Pages of the process that no file stands behind; 0 where nobody says.
size_t own_bytes() {
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0, resident = 0, shared = 0;
  if (!(statm >> pages >> resident >> shared)) return 0;
  return (resident - shared) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void give_back_idle_memory(size_t freed) {
  if (freed < kWorthAsking) return;
  const struct mallinfo2 heap = mallinfo2();  // its free bytes count those that were given back before
  if (heap.fordblks > kMuch && own_bytes() > heap.uordblks + heap.hblkhd + kMuch) malloc_trim(0);
}
#else
void give_back_idle_memory(size_t) {}
#endif

}  // namespace edgeconv
