// See own_stack.h. Raising the limit would not do: `ulimit -s` sets the hard one too. SPDX-License-Identifier: Apache-2.0
#include "platform/posix/own_stack.h"

#include <stdlib.h>  // says which C library this is

#if defined(__GLIBC__)

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

namespace {

constexpr size_t kStackBytes = 8 << 20;  // the usual limit, with which programs are tested

struct StackedCall {
  int (*run)(int, char**);
  int argc;
  char** argv;
  int code;
};

void* answer_on_this_stack(void* call) {
  StackedCall& c = *static_cast<StackedCall*>(call);
  c.code = c.run(c.argc, c.argv);
  return nullptr;
}

}  // namespace

int ert_run_on_enough_stack(int (*run)(int argc, char** argv), int argc, char** argv, int* code) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes) {
    *code = run(argc, argv);
    return 1;
  }
  mallopt(M_ARENA_MAX, 1);  // a second heap would reserve 64 MB of an address space that may be limited too
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);  // else threads of libraries get what the process is limited to
  StackedCall call{run, argc, argv, 0};
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, answer_on_this_stack, &call);
  pthread_attr_destroy(&attributes);
  if (error != 0) return 0;
  pthread_join(thread, nullptr);
  *code = call.code;
  return 1;
}

#else

int ert_run_on_enough_stack(int (*run)(int argc, char** argv), int argc, char** argv, int* code) {
  *code = run(argc, argv);
  return 1;
}

#endif
