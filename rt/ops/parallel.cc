// Tasks of an op on the threads of the caller's hook.
#include "rt/base/float_mode.h"
#include "rt/ops/op.h"

namespace ert {
namespace {

// A task on another thread: the float mode belongs to the thread, so it is set there too.
struct ModeTask {
  ert_task task;
  void* arg;
};

void run_in_mode(void* arg, uint32_t index, uint32_t thread) {
  const ModeTask& t = *static_cast<const ModeTask*>(arg);
  FloatMode mode;
  t.task(t.arg, index, thread);
}

}  // namespace

void Parallel::on_hook(uint32_t tasks, ert_task task, void* arg) const {
  ModeTask wrapped{task, arg};
  hook(context, tasks, run_in_mode, &wrapped);
}

}  // namespace ert
