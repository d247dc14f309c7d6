// checksum_speed FILE: the checksum that opening a blob computes, beside loops that read the same mapped file, its pages in memory: a word after the other, and eight side
// by side, as wide as the compiler makes them. The least of interleaved passes counts: other guests of a host share its memory. Exit 1 below 80 % of the first.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "platform/platform.h"
#include "rt/blob/crc32c.h"

namespace {

double now_us() { return static_cast<double>(ert_clock_ns()) / 1e3; }

constexpr int kPasses = 41;
constexpr double kLeastShare = .8;

uint64_t sum_of_words(const void* data, size_t bytes) {
  const auto* words = static_cast<const uint64_t*>(data);
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes / sizeof(uint64_t); ++i) {
    sum += words[i];
    asm volatile("" : "+r"(sum));  // one at a time
  }
  return sum;
}

// Bound by the memory alone, or the cache.
uint64_t sum_of_eight_words(const void* data, size_t bytes) {
  const auto* words = static_cast<const uint64_t*>(data);
  uint64_t sums[8] = {};
  for (size_t i = 0; i + 8 <= bytes / sizeof(uint64_t); i += 8)
    for (size_t c = 0; c < 8; ++c) sums[c] += words[i + c];
  return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) {
    std::fprintf(stderr, "usage: checksum_speed FILE\n");
    return 2;
  }
  const auto bytes = static_cast<size_t>(status.st_size);
  const void* data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) return 2;
  volatile uint64_t sink = 0;
  double plain = 1e30, wide = 1e30, checksum = 1e30;
  const auto time = [&](double& least, auto read) {
    const double start = now_us();
    sink = read();
    least = std::min(least, now_us() - start);
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    time(plain, [&] { return sum_of_words(data, bytes); });
    time(wide, [&] { return sum_of_eight_words(data, bytes); });
    time(checksum, [&] { return ert::crc32c(0, data, bytes); });
  }
  static_cast<void>(sink);
  const double gigabytes = static_cast<double>(bytes) / 1e3;
  std::printf("%zu bytes: checksum %.1f GB/s; reads %.1f GB/s (%.0f %% of it), wide reads %.1f GB/s (%.0f %%)\n", bytes, gigabytes / checksum,
              gigabytes / plain, 100 * plain / checksum, gigabytes / wide, 100 * wide / checksum);
  return plain / checksum < kLeastShare;
}
