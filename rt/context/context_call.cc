// Every call on a context begins and ends here, those that run it too.
#include <stddef.h>
#include <string.h>

#include "rt/context/context.h"

namespace ert {
namespace {

#if defined(__GCC_ATOMIC_INT_LOCK_FREE) && __GCC_ATOMIC_INT_LOCK_FREE == 2
uint32_t enter(uint32_t* busy) { return __atomic_exchange_n(busy, 1u, __ATOMIC_ACQUIRE); }
void leave(uint32_t* busy) { __atomic_store_n(busy, 0u, __ATOMIC_RELEASE); }
#else
// Cores without atomic exchange have one core: only re-entry from a hook is possible.
uint32_t enter(uint32_t* busy) {
  volatile uint32_t* flag = busy;
  const uint32_t before = *flag;
  *flag = 1;
  return before;
}
void leave(uint32_t* busy) { *static_cast<volatile uint32_t*>(busy) = 0; }
#endif

}  // namespace

uint64_t seal_of(const ContextState& s) {
  // A sum of words times odd numbers, another one for each: a change of one word always changes it, and no product waits for another.
  constexpr size_t kWord = sizeof(uint64_t), kBytes = offsetof(ContextState, seal);
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&s);
  uint64_t sum = 0, odd = 0x9E3779B97F4A7C15u, word = 0;
  for (size_t at = 0; at + kWord <= kBytes; at += kWord, odd += 0x3C6EF372FE94F82Au) {
    memcpy(&word, bytes + at, kWord);
    sum += word * odd;
  }
  word = 0;  // 32-bit x86 aligns uint64_t to 4 bytes: half a word may be left
  memcpy(&word, bytes + kBytes / kWord * kWord, kBytes % kWord);
  return sum + word * odd;
}

ContextCall::ContextCall(ert_context* c) {
  ContextState* s = reinterpret_cast<ContextState*>(c);
  if (s == nullptr) {
    status_ = ERT_ERR_ARG;
  } else if (s->magic != kContextMagic || enter(&s->busy) != 0) {
    status_ = ERT_ERR_STATE;
  } else if (seal_of(*s) != s->seal) {
    leave(&s->busy);
    status_ = ERT_ERR_INTEGRITY;
  } else {
    state_ = s;
    s->why = no_error();
  }
}

ContextCall::~ContextCall() {
  if (state_ == nullptr) return;
  state_->seal = seal_of(*state_);
  leave(&state_->busy);
}

ert_status keep_values(ert_context* c) {
  ContextCall call(c);
  if (call.status() == ERT_OK) call.state().keep_values = 1;
  return call.status();
}

}  // namespace ert
