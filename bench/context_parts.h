// What a context to be timed stands on: memory, threads, the clock, and failures with their exit codes.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "bench/exit_code.h"
#include "bench/measure.h"
#include "platform/platform.h"
#include "platform/posix/thread_pool.h"

namespace ert::bench {

inline double us_since(uint64_t start) { return static_cast<double>(ert_clock_ns() - start) / 1000.0; }

inline void require(ert_status s, const std::string& what) {
  if (s != ERT_OK) throw Failure{ert_exit_code(s), what + ": " + ert_status_str(s)};
}

struct FreeBytes {
  void operator()(void* p) const { std::free(p); }
};
using Memory = std::unique_ptr<void, FreeBytes>;

inline Memory allocate(size_t bytes) {
  Memory m(std::aligned_alloc(64, (std::max<size_t>(bytes, 1) + 63) / 64 * 64));
  if (!m) throw Failure{5, "out of memory: " + std::to_string(bytes) + " bytes"};
  return m;
}

// The pool and the storage that it lives in.
class Threads {
 public:
  explicit Threads(uint32_t n) {
    if (n <= 1) return;
    const size_t bytes = ert_thread_pool_bytes(n);
    if (bytes == 0) throw Failure{2, "--threads " + std::to_string(n) + " is out of range"};
    storage_ = allocate(bytes);
    if (ert_thread_pool_init(&pool_, storage_.get(), bytes, n) != 0) throw Failure{5, "cannot start threads"};
  }
  ~Threads() { ert_thread_pool_shutdown(pool_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ert_thread_pool* pool() const { return pool_; }

 private:
  Memory storage_;
  ert_thread_pool* pool_ = nullptr;
};

}  // namespace ert::bench
