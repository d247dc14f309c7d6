// The nth allocation fails, and the nth call that writes a file: whatever n is, a conversion ends with the documented error, and an output
// is whole or as it was. Calls are wrapped by the linker (CMakeLists.txt), allocations by the global operators.
//
// EDGECONV_EVERY_ALLOCATION=1 fails each of them; otherwise the first ones, and a sample of the others. EDGECONV_ALLOCATION=N fails one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>

#include "convert/files/atomic_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/pipeline/convert.h"
#include "tests/cli/model_writer.h"
#include "tests/cli/program.h"

namespace {

std::atomic<long> allocations_left{-1};  // the one that makes it 0 fails; negative: none does
long allocations = 0;
std::atomic<long> calls_left{-1};
long calls = 0;

bool fails(std::atomic<long>& left, long& count) {
  ++count;
  return left > 0 && --left == 0;
}

void* allocate(size_t bytes, size_t alignment) {
  if (fails(allocations_left, allocations)) throw std::bad_alloc();
  void* p = alignment <= alignof(std::max_align_t)
                ? std::malloc(bytes ? bytes : 1)
                : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

// Apart, because GCC takes an inlined free for one of another allocator.
[[gnu::noinline]] void release(void* p) { std::free(p); }

}  // namespace

void* operator new(size_t n) { return allocate(n, 1); }
void* operator new[](size_t n) { return allocate(n, 1); }
void* operator new(size_t n, std::align_val_t a) { return allocate(n, static_cast<size_t>(a)); }
void* operator new[](size_t n, std::align_val_t a) { return allocate(n, static_cast<size_t>(a)); }
// std::stable_sort asks with this one, and gives the memory back to the plain delete: of one allocator also where a sanitizer has its own.
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  if (fails(allocations_left, allocations)) return nullptr;
  return std::malloc(n ? n : 1);
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, size_t) noexcept { release(p); }
void operator delete[](void* p, size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { release(p); }

extern "C" {
ssize_t __real_write(int, const void*, size_t);
int __real_fsync(int);
int __real_rename(const char*, const char*);
int __real_linkat(int, const char*, int, const char*, int);
int __real_fchmod(int, mode_t);
int __real_mkstemp(char*);

ssize_t __wrap_write(int file, const void* data, size_t bytes) {
  if (fails(calls_left, calls)) return errno = ENOSPC, -1;
  // In two parts, as a full disk may do it.
  return __real_write(file, data, bytes > 1 ? bytes / 2 : bytes);
}
int __wrap_fsync(int file) { return fails(calls_left, calls) ? (errno = EIO, -1) : __real_fsync(file); }
int __wrap_rename(const char* a, const char* b) { return fails(calls_left, calls) ? (errno = EACCES, -1) : __real_rename(a, b); }
int __wrap_linkat(int a, const char* b, int c, const char* d, int e) {
  return fails(calls_left, calls) ? (errno = EACCES, -1) : __real_linkat(a, b, c, d, e);
}
int __wrap_fchmod(int file, mode_t mode) { return fails(calls_left, calls) ? (errno = EPERM, -1) : __real_fchmod(file, mode); }
int __wrap_mkstemp(char* name) { return fails(calls_left, calls) ? (errno = EACCES, -1) : __real_mkstemp(name); }
}

namespace edgeconv::testing {

namespace {

std::string bytes_of(const Tensor& t) { return {reinterpret_cast<const char*>(t.data()), t.bytes()}; }

// As main.cc has it: JSON values take memory in their destructors.
[[noreturn]] void on_terminate() {
  allocations_left = -1;
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    _exit(static_cast<int>(ExitCode::kLimit));
  } catch (...) {
  }
  std::abort();
}

// The exit code of a conversion in a child whose nth allocation fails; 99 for another blob.
int exit_of_failing(const std::string& path, long n, const std::string& blob) {
  const pid_t pid = fork();
  if (pid == 0) {
    std::set_terminate(on_terminate);
    allocations_left = n;
    int code = 0;
    try {
      const Tensor made = convert_model(path, {}).blob;
      allocations_left = -1;
      code = bytes_of(made) == blob ? 0 : 99;
    } catch (const std::bad_alloc&) {
      code = static_cast<int>(ExitCode::kLimit);
    } catch (const FatalError& e) {
      code = static_cast<int>(e.code());
    } catch (const std::exception&) {
      code = static_cast<int>(ExitCode::kInternal);
    }
    _exit(code);
  }
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(FailingResources, NoAllocationIsTakenForGranted) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "m.onnx").string();
  write_file(path, small_model());
  const std::string blob = bytes_of(convert_model(path, {}).blob);
  allocations = 0;
  ASSERT_EQ(bytes_of(convert_model(path, {}).blob), blob);
  const long all = allocations;
  ASSERT_GT(all, 1000);
  const bool every = std::getenv("EDGECONV_EVERY_ALLOCATION") != nullptr;
  std::map<int, int> exits;
  if (const char* one = std::getenv("EDGECONV_ALLOCATION")) {
    EXPECT_EQ(exit_of_failing(path, std::atol(one), blob), static_cast<int>(ExitCode::kLimit));
    return;
  }
  for (long n = 1; n <= all; n += every ? 1 : n < 20 ? 3 : 1 + all / 80) {
    const int code = exit_of_failing(path, n, blob);
    EXPECT_TRUE(code == 0 || code == static_cast<int>(ExitCode::kLimit)) << "allocation " << n << " of " << all << ": " << code;
    ++exits[code];
  }
  EXPECT_GT(exits[static_cast<int>(ExitCode::kLimit)], 50);
  for (const auto& [code, count] : exits) std::printf("exit %d: %d conversions, of %ld allocations each\n", code, count, all);
}

TEST(FailingResources, NoCallThatWritesIsTakenForGranted) {
  const std::string before = "what was there", after(10000, 'x');
  int refused = 0, whole = 0;
  for (const Temporary how : {Temporary::kUnnamed, Temporary::kNamed})
    for (const bool exists : {false, true})
      for (long n = 1;; ++n) {
        const TemporaryFolder folder;
        const std::string path = (folder.path() / "o.ert").string();
        if (exists) write_file(path, before);
        calls = 0, calls_left = n;
        bool failed = false;
        try {
          write_file_atomically(path, after.data(), after.size(), how);
        } catch (const FatalError& e) {
          failed = true;
          EXPECT_EQ(e.code(), ExitCode::kIo);
          EXPECT_NE(std::string(e.what()).find(path), std::string::npos) << e.what();
        }
        const bool reached = calls_left == 0;
        calls_left = -1;
        // A call that has a way around it may fail; nothing but the output is there, and it is whole.
        const bool there = exists || !failed;
        EXPECT_EQ(folder.listing(), there ? std::vector<std::string>{"o.ert"} : std::vector<std::string>{}) << "call " << n;
        if (there) {
          EXPECT_EQ(read_file(path), failed ? before : after) << "call " << n;
        }
        ++(failed ? refused : whole);
        if (!reached) {
          EXPECT_FALSE(failed);
          break;
        }
      }
  EXPECT_GE(refused, 20);
  EXPECT_GE(whole, 4);
}

}  // namespace

}  // namespace edgeconv::testing
