/* memcpy and its kin for programs without a C library. newlib's use unaligned loads, which trap here. A product with a C library and
 * without the trap keeps this file out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) word;

#if defined(__ARM_FEATURE_MVE)
/* Bytes of a vector need no alignment, and the loop's last round has only those that are left. */
void* memcpy(void* restrict to, const void* restrict from, size_t n) {
  void* d = to;
  __asm__ volatile("wlstp.8 lr, %2, 2f\n1:\tvldrb.8 q0, [%1], #16\n\tvstrb.8 q0, [%0], #16\n\tletp lr, 1b\n2:"
                   : "+r"(d), "+r"(from)
                   : "r"(n)
                   : "lr", "q0", "memory");
  return to;
}

void* memset(void* to, int value, size_t n) {
  void* d = to;
  __asm__ volatile("vdup.8 q0, %1\n\twlstp.8 lr, %2, 2f\n1:\tvstrb.8 q0, [%0], #16\n\tletp lr, 1b\n2:"
                   : "+r"(d)
                   : "r"(value), "r"(n)
                   : "lr", "q0", "memory");
  return to;
}
#else
static int words(const void* a, const void* b) { return (((uintptr_t)a | (uintptr_t)b) & 3) == 0; }

void* memcpy(void* restrict to, const void* restrict from, size_t n) {
  unsigned char* d = (unsigned char*)to;
  const unsigned char* s = (const unsigned char*)from;
  if (words(d, s)) {
    for (; n >= 16; n -= 16, d += 16, s += 16) {
      const word* four = (const word*)(const void*)s;
      const word a = four[0], b = four[1], c = four[2], e = four[3];
      word* out = (word*)(void*)d;
      out[0] = a, out[1] = b, out[2] = c, out[3] = e;
    }
    for (; n >= 4; n -= 4, d += 4, s += 4) *(word*)(void*)d = *(const word*)(const void*)s;
  }
  while (n-- > 0) *d++ = *s++;
  return to;
}

void* memset(void* to, int value, size_t n) {
  unsigned char* d = (unsigned char*)to;
  const uint32_t byte = (unsigned char)value, four = byte * 0x01010101u;
  for (; n > 0 && ((uintptr_t)d & 3) != 0; --n) *d++ = (unsigned char)byte;
  for (; n >= 16; n -= 16, d += 16) {
    word* out = (word*)(void*)d;
    out[0] = four, out[1] = four, out[2] = four, out[3] = four;
  }
  for (; n >= 4; n -= 4, d += 4) *(word*)(void*)d = four;
  while (n-- > 0) *d++ = (unsigned char)byte;
  return to;
}
#endif

void* memmove(void* to, const void* from, size_t n) {
  unsigned char* d = (unsigned char*)to;
  const unsigned char* s = (const unsigned char*)from;
  if ((uintptr_t)d - (uintptr_t)s >= n) return memcpy(to, from, n);
  while (n-- > 0) d[n] = s[n];
  return to;
}

int memcmp(const void* a, const void* b, size_t n) {
  const unsigned char *p = (const unsigned char*)a, *q = (const unsigned char*)b;
  for (; n > 0; --n, ++p, ++q)
    if (*p != *q) return *p < *q ? -1 : 1;
  return 0;
}

void* memchr(const void* in, int value, size_t n) {
  const unsigned char* p = (const unsigned char*)in;
  for (; n > 0; --n, ++p)
    if (*p == (unsigned char)value) return (void*)p;
  return NULL;
}

size_t strlen(const char* text) {
  size_t n = 0;
  while (text[n] != '\0') ++n;
  return n;
}

int strcmp(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return (unsigned char)*a - (unsigned char)*b;
}

/* libgcc's 64-bit division names the unwinder, which without exceptions has nothing to do. */
void __aeabi_unwind_cpp_pr0(void);
void __aeabi_unwind_cpp_pr0(void) {}
