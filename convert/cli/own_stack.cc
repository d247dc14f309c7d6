// See own_stack.h. Raising the limit would not do: `ulimit -s` sets the hard one too.
#include "convert/cli/own_stack.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstddef>

#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

constexpr size_t kStackBytes = 8 << 20;  // the usual limit, with which commands are tested

struct Call {
  int (*run)(int, char**);
  int argc;
  char** argv;
  int code;
};

void* answer(void* call) {
  Call& c = *static_cast<Call*>(call);
  c.code = c.run(c.argc, c.argv);
  return nullptr;
}

}  // namespace

int run_on_enough_stack(int (*run)(int argc, char** argv), int argc, char** argv) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes) return run(argc, argv);
  mallopt(M_ARENA_MAX, 1);  // a second heap would reserve 64 MB of an address space that may be limited too
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);  // else threads of libraries get what the process is limited to
  Call call{run, argc, argv, 0};
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, answer, &call);
  pthread_attr_destroy(&attributes);
  if (error != 0) throw FatalError(ExitCode::kLimit, "the stack (ulimit -s) is limited, and there is no memory for another one");
  pthread_join(thread, nullptr);
  return call.code;
}

}  // namespace edgeconv::cli
