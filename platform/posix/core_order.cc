// Cores by the identification that Linux shows of each: see core_order.h.
#include "platform/posix/core_order.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

namespace {

constexpr unsigned kMostCores = 4096;
constexpr char kFile[] = "/regs/identification/midr_el1";

// Implementer and part number of MIDR_EL1.
struct Core {
  uint8_t implementer;
  uint16_t part;
};
constexpr Core kInOrder[] = {
    {0x41, 0xd02},  // Cortex-A34
    {0x41, 0xd03},  // Cortex-A53
    {0x41, 0xd04},  // Cortex-A35
    {0x41, 0xd05},  // Cortex-A55
    {0x41, 0xd46},  // Cortex-A510
    {0x41, 0xd80},  // Cortex-A520
    {0x51, 0x801},  // Kryo 2xx Silver, an A53
    {0x51, 0x803},  // Kryo 3xx Silver, an A55
    {0x51, 0x805},  // Kryo 4xx Silver, an A55
};

bool issues_in_order(uint64_t midr) {
  for (const Core& core : kInOrder) {
    if ((midr >> 24 & 0xff) == core.implementer && (midr >> 4 & 0xfff) == core.part) return true;
  }
  return false;
}

// The hexadecimal number that the file begins with; 0 if there is none.
uint64_t number_in(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[32];
  const ssize_t length = read(fd, text, sizeof(text));
  close(fd);
  uint64_t number = 0;
  for (ssize_t i = length > 2 && text[0] == '0' && text[1] == 'x' ? 2 : 0; i < length; ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    number = number << 4 | static_cast<uint64_t>(digit);
  }
  return number;
}

}  // namespace

int ert_cores_in_order(const char* folder) {
  char path[256];
  const size_t length = strlen(folder);
  if (length + sizeof("/cpu4095") + sizeof(kFile) > sizeof(path)) return 0;
  memcpy(path, folder, length);
  bool some = false;
  for (unsigned cpu = 0; cpu < kMostCores; ++cpu) {
    char* end = path + length;
    memcpy(end, "/cpu", 4);
    end += 4;
    for (unsigned power = cpu >= 1000 ? 1000 : cpu >= 100 ? 100 : cpu >= 10 ? 10 : 1; power != 0; power /= 10)
      *end++ = static_cast<char>('0' + cpu / power % 10);
    *end = '\0';
    if (access(path, F_OK) != 0) break;
    memcpy(end, kFile, sizeof(kFile));
    const uint64_t midr = number_in(path);
    if (midr == 0) continue;  // switched off
    if (!issues_in_order(midr)) return 0;
    some = true;
  }
  return some ? 1 : 0;
}
