// A blob and the contexts of the threads that call it. Each thread has one, which ends with the thread: the next thread begins with zero states even where
// the system gives it the same id, and a program that starts a thread for each request does not grow.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "python/session.h"

namespace edgeconv_python {

class Sessions : public std::enable_shared_from_this<Sessions> {
 public:
  Sessions(const std::string& path, const Settings& settings) : blob_(path), settings_(settings) {}
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  const Blob& blob() const { return blob_; }
  // Of the calling thread. Throws Refusal.
  Session& mine();

 private:
  // A process made by fork has its parent's contexts, but not their threads: it makes its own, and leaves those of the parent alone.
  using Owner = std::pair<pid_t, uint64_t>;
  struct Thread;
  static Thread& this_thread();
  void end(uint64_t thread);

  Blob blob_;
  Settings settings_;
  std::mutex mutex_;
  std::map<Owner, std::unique_ptr<Session>> sessions_;
};

}  // namespace edgeconv_python
