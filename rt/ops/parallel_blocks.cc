// How many blocks a loop is split into.
#include "rt/ops/parallel_blocks.h"

namespace ert::ops {

Blocks blocks_of(const OpContext& c, int64_t total, int64_t unit_elements, int64_t align) {
  const int64_t threads = c.parallel.threads;
  if (unit_elements < 1) unit_elements = 1;
  if (unit_elements > kParallelElements) unit_elements = kParallelElements;  // more says nothing more, and could overflow
  if (threads <= 1 || total <= align || total * unit_elements < kParallelElements) return {total, 1};
  const int64_t least = (kParallelElements / 2 + unit_elements - 1) / unit_elements;
  // Equal shares for all threads: consecutive loops over the same rows stay on one core. Two blocks each where they are long
  // enough, so that a thread that is held up can be helped; more on cores that differ.
  const int64_t several = c.uneven ? 4 : 2;
  const int64_t blocks = total * unit_elements >= threads * 4 * kParallelElements ? threads * several : threads;
  int64_t block = (total + blocks - 1) / blocks;
  if (block < least) block = least;
  block = (block + align - 1) / align * align;
  return {block, static_cast<uint32_t>((total + block - 1) / block)};
}

}  // namespace ert::ops
