// Numbers as the blob has them, on any host.
#pragma once

#include <cstdint>
#include <string>

namespace edgeconv::text {

inline void put16(std::string& out, uint32_t v) {
  out.push_back(static_cast<char>(v & 0xff));
  out.push_back(static_cast<char>(v >> 8 & 0xff));
}
inline void put32(std::string& out, uint32_t v) {
  put16(out, v & 0xffff);
  put16(out, v >> 16);
}

}  // namespace edgeconv::text
