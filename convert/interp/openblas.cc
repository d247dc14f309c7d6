// See openblas.h. With one thread OpenBLAS takes a single buffer, at its first product, and keeps it. A thread of its own would take
// another one before any caller could look whether it is there.
#include "convert/interp/openblas.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"

#ifndef EDGECONV_OPENBLAS
#define EDGECONV_OPENBLAS "libopenblas.so.0"
#endif

namespace edgeconv {

namespace {

// driver/others/memory.c: BUFFER_SIZE is at most 128 MiB on every 64-bit CPU. With a margin for its tables and for the loader.
constexpr size_t kBufferBytes = size_t{144} << 20;
// The library and what it links, as they are mapped (42 MB in 0.3.21 of amd64).
constexpr size_t kLibraryBytes = size_t{64} << 20;

class Mapping {
 public:
  Mapping(size_t bytes, int protection)
      : bytes_(bytes), at_(mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Mapping() {
    if (there()) munmap(at_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  bool there() const { return at_ != MAP_FAILED; }

 private:
  size_t bytes_;
  void* at_;
};

void check_memory() {
  const Mapping buffer(kBufferBytes, PROT_READ | PROT_WRITE), library(kLibraryBytes, PROT_READ);
  if (!buffer.there() || !library.there())
    throw FatalError(ExitCode::kLimit,
                     "out of memory: the fp32 reference (OpenBLAS) needs " + std::to_string(kBufferBytes >> 20) +
                         " MB of work space; raise the limit of the process's memory (--memory-limit, ulimit -v, ulimit -d)");
}

Sgemm load() {
  check_memory();
#ifdef EDGECONV_OPENBLAS_LINKED
  openblas_set_num_threads(1);
  const Sgemm sgemm = cblas_sgemm;
#else
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* library = dlopen(EDGECONV_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library ? dlsym(library, "cblas_sgemm") : nullptr;
  if (!symbol) {
    const char* why = dlerror();
    throw FatalError(ExitCode::kIo, "cannot load OpenBLAS, the fp32 reference: " + std::string(why ? why : EDGECONV_OPENBLAS));
  }
  const Sgemm sgemm = reinterpret_cast<Sgemm>(symbol);
#endif
  // Large enough for the general way with its buffer, which is taken here, where it is known to be free.
  constexpr int n = 160;
  std::vector<float> a(n * n), c(n * n);
  sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, a.data(), n, a.data(), n, 0.0f, c.data(), n);
  return sgemm;
}

}  // namespace

Sgemm openblas_sgemm() {
  static const Sgemm sgemm = load();
  return sgemm;
}

}  // namespace edgeconv
