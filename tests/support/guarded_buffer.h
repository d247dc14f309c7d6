// A buffer between two inaccessible pages: reading or writing one byte past its end (or, with kStart, before its start) traps.
// Contents start as a pattern that is no useful number in any type.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ert::testing {

enum class Guard { kEnd, kStart };

template <class T>
class GuardedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // With kEnd the last element touches the guard page: an n that is a multiple of 64 bytes keeps data() 64-byte aligned.
  explicit GuardedBuffer(size_t n, Guard guard = Guard::kEnd) : size_(n) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t body = (n * sizeof(T) + page - 1) / page * page;
    mapped_ = body + 2 * page;
    void* base = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) __builtin_trap();
    base_ = static_cast<uint8_t*>(base);
    if (body != 0 && mprotect(base_ + page, body, PROT_READ | PROT_WRITE) != 0) __builtin_trap();
    std::memset(base_ + page, 0xa5, body);
    uint8_t* first = guard == Guard::kStart ? base_ + page : base_ + page + body - n * sizeof(T);
    data_ = reinterpret_cast<T*>(static_cast<void*>(first));
  }
  ~GuardedBuffer() { munmap(base_, mapped_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  uint8_t* base_;
  size_t mapped_;
  T* data_;
  size_t size_;
};

}  // namespace ert::testing
