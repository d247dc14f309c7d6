// Memory that was freed and that the C library keeps.
#pragma once

#include <cstddef>

namespace edgeconv {

// Gives it to the system when it is much, after `freed` bytes of tensors were freed; to ask costs time, so that it does nothing after few. glibc keeps what is freed for
// others of the same size, and sizes change from one layer of a network to the next: a conversion held up to 1.8 times what its tensors do. With other libraries nothing happens.
void give_back_idle_memory(size_t freed);

}  // namespace edgeconv
