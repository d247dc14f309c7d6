// Files of a core: see core_files.h. Without stdio, which programs that have the runtime alone do not link.
#include "platform/posix/core_files.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

namespace {

struct CorePath {
  char text[256];
  bool fits = false;

  CorePath(const char* folder, unsigned core, const char* name) {
    const size_t length = strlen(folder), behind = strlen(name) + 1;
    if (core >= ERT_MOST_CORES || length + sizeof("/cpu4095") + behind > sizeof(text)) return;
    memcpy(text, folder, length);
    char* end = text + length;
    memcpy(end, "/cpu", 4);
    end += 4;
    for (unsigned power = core >= 1000 ? 1000 : core >= 100 ? 100 : core >= 10 ? 10 : 1; power != 0; power /= 10)
      *end++ = static_cast<char>('0' + core / power % 10);
    memcpy(end, name, behind);
    fits = true;
  }
};

// Returns how many bytes it read.
size_t read_core_file(const char* folder, unsigned core, const char* name, char* text, size_t room) {
  const CorePath path(folder, core, name);
  const int fd = path.fits ? open(path.text, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return 0;
  const ssize_t length = read(fd, text, room);
  close(fd);
  return length < 0 ? 0 : static_cast<size_t>(length);
}

}  // namespace

int ert_core_exists(const char* folder, unsigned core) {
  const CorePath path(folder, core, "");
  return path.fits && access(path.text, F_OK) == 0 ? 1 : 0;
}

uint64_t ert_core_number(const char* folder, unsigned core, const char* name) {
  char text[32];
  const size_t length = read_core_file(folder, core, name, text, sizeof(text));
  const bool hexadecimal = length > 2 && text[0] == '0' && text[1] == 'x';
  uint64_t number = 0;
  for (size_t i = hexadecimal ? 2 : 0; i < length; ++i) {
    const char c = text[i];
    if (c == 'K') return number << 10;
    if (c == 'M') return number << 20;
    const int digit = c >= '0' && c <= '9' ? c - '0' : hexadecimal && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    number = number * (hexadecimal ? 16 : 10) + static_cast<uint64_t>(digit);
  }
  return number;
}

char ert_core_letter(const char* folder, unsigned core, const char* name) {
  char letter = 0;
  return read_core_file(folder, core, name, &letter, 1) == 1 ? letter : '\0';
}
