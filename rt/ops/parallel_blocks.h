// Splits independent work over the caller's threads. The split depends on the number of threads, so it may only be used
// where no result depends on it: elements, rows, never one sum.
#pragma once

#include <stdint.h>

#include "rt/ops/op.h"

namespace ert::ops {

// Below this many elements a parallel loop costs more than it gains. It is this low because a loop that stays on one thread
// has to fetch what the other threads have written.
constexpr int64_t kParallelElements = 4096;

struct Blocks {
  int64_t size;
  uint32_t count;
};

Blocks blocks_of(const OpContext& c, int64_t total, int64_t unit_elements, int64_t align);

// Calls body(begin, end, thread) on blocks that cover [0, total). `unit_elements` is the work of one unit (row, output...);
// blocks are multiples of `align` units and hold at least kParallelElements / 2 elements.
template <class Body>
void for_blocks(const OpContext& c, int64_t total, int64_t unit_elements, int64_t align, const Body& body) {
  if (total <= 0) return;
  const Blocks blocks = blocks_of(c, total, unit_elements, align);
  struct Job {
    const Body* body;
    int64_t total, block;
  } job = {&body, total, blocks.size};
  // noinline: one copy of body, in code and on the stack. Inlined into the call below it would be there and in a function for threads.
  const ert_task task = [](void* arg, uint32_t index, uint32_t thread) __attribute__((noinline)) {
    const Job& j = *static_cast<const Job*>(arg);
    const int64_t begin = j.block * index;
    const int64_t end = begin + j.block < j.total ? begin + j.block : j.total;
    (*j.body)(begin, end, thread);
  };
  if (blocks.count == 1) return task(&job, 0, 0);
  c.parallel(blocks.count, task, &job);
}

}  // namespace ert::ops
