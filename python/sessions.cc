#include "python/sessions.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace edgeconv_python {

// What a thread leaves when it ends. Its number is given once: ids of the system are given again.
struct Sessions::Thread {
  uint64_t number;
  std::vector<std::weak_ptr<Sessions>> called;

  ~Thread() {
    for (const std::weak_ptr<Sessions>& one : called)
      if (const std::shared_ptr<Sessions> sessions = one.lock()) sessions->end(number);
  }
};

Sessions::Thread& Sessions::this_thread() {
  static std::atomic<uint64_t> threads{0};
  thread_local Thread thread{++threads, {}};
  return thread;
}

Sessions::~Sessions() {
  for (auto& [owner, session] : sessions_)
    if (owner.first != getpid()) (void)session.release();  // its threads are the parent's: to wait for them would take for ever
}

Session& Sessions::mine() {
  Thread& thread = this_thread();
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Session>& session = sessions_[{getpid(), thread.number}];
  if (!session) {
    session = std::make_unique<Session>(blob_, settings_);
    auto& called = thread.called;
    called.erase(std::remove_if(called.begin(), called.end(), [](const auto& one) { return one.expired(); }), called.end());
    called.push_back(weak_from_this());
  }
  return *session;
}

void Sessions::end(uint64_t thread) {
  std::unique_ptr<Session> ended;  // outside of the lock: it waits for the threads of its pool
  const std::lock_guard lock(mutex_);
  if (const auto found = sessions_.find({getpid(), thread}); found != sessions_.end()) {
    ended = std::move(found->second);
    sessions_.erase(found);
  }
}

}  // namespace edgeconv_python
