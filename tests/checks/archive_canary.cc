// Breaks every rule of archive_check.py once: proves that the check can fail.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int writable = 1;

int& guarded(int n) {
  struct Counter {
    explicit Counter(int v) : value(v) {}
    ~Counter() { free(nullptr); }
    int value;
  };
  static Counter counter(n);
  return counter.value;
}

void* dirty(int n) {
  assert(n != 3);
  if (n == 2) throw n;
  printf("%d\n", n + guarded(n) + writable);
  return malloc(static_cast<size_t>(n));
}
