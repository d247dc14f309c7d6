/* See semihosting.h. Operations and their numbers: Arm's "Semihosting for AArch32 and AArch64".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "platform/cortex_m/semihosting.h"

#include <string.h>

#include "platform/cortex_m/board.h"

enum { SYS_OPEN = 0x01, SYS_CLOSE = 0x02, SYS_WRITE0 = 0x04, SYS_WRITE = 0x05, SYS_READ = 0x06, SYS_FLEN = 0x0C };
enum { SYS_GET_CMDLINE = 0x15, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };
enum { MODE_READ_BINARY = 1, MODE_WRITE = 4 };

static uintptr_t call(uintptr_t operation, const void* block) {
  register uintptr_t r0 __asm("r0") = operation;
  register const void* r1 __asm("r1") = block;
  __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static uintptr_t open_file(const char* path, uintptr_t mode) {
  const uintptr_t block[3] = {(uintptr_t)path, mode, strlen(path)};
  return call(SYS_OPEN, block);
}

void ert_print_bytes(const char* text, size_t bytes) {
  static uintptr_t console; /* handle + 1; ":tt" is the console */
  if (console == 0) console = open_file(":tt", MODE_WRITE) + 1;
  const uintptr_t block[3] = {console - 1, (uintptr_t)text, bytes};
  if (console != 0) call(SYS_WRITE, block);
}

void ert_print(const char* text) { ert_print_bytes(text, strlen(text)); }

void ert_print_hex(uint64_t value, unsigned digits) {
  char text[16];
  unsigned i;
  for (i = 0; i < digits; ++i) text[i] = "0123456789abcdef"[value >> 4 * (digits - 1 - i) & 15];
  ert_print_bytes(text, digits);
}

void ert_print_unsigned(uint64_t value) {
  char text[20];
  unsigned at = sizeof text;
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  ert_print_bytes(text + at, sizeof text - at);
}

/* The one operation that needs no open file: it works in a fault handler too. */
void ert_print_error(const char* text) { call(SYS_WRITE0, text); }

void ert_print_error_hex(const char* before, uint32_t value) {
  char text[11] = "0x";
  int i;
  for (i = 0; i < 8; ++i) text[2 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
  text[10] = '\0';
  ert_print_error(before);
  ert_print_error(text);
}

size_t ert_read_host_file(const char* path, void* to, size_t room) {
  const uintptr_t file = open_file(path, MODE_READ_BINARY);
  uintptr_t block[3];
  size_t size;
  if (file == (uintptr_t)-1) return SIZE_MAX;
  block[0] = file;
  size = call(SYS_FLEN, block);
  if (size <= room) {
    block[1] = (uintptr_t)to;
    block[2] = size;
    if (call(SYS_READ, block) != 0) size = SIZE_MAX;
    block[0] = file;
  }
  call(SYS_CLOSE, block);
  return size;
}

int ert_board_arguments(char** arguments) {
  static char line[1024];
  const uintptr_t block[2] = {(uintptr_t)line, sizeof line};
  char* at = line;
  int count = 0;
  if (call(SYS_GET_CMDLINE, block) != 0) line[0] = '\0';
  while (count < ERT_BOARD_MAX_ARGUMENTS) {
    while (*at == ' ') *at++ = '\0';
    if (*at == '\0') break;
    arguments[count++] = at;
    while (*at != ' ' && *at != '\0') ++at;
  }
  arguments[count] = NULL;
  return count;
}

void ert_board_exit(int code) {
  const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)code};
  call(SYS_EXIT_EXTENDED, block);
  for (;;) {
  }
}
