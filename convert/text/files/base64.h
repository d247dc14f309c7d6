// Base64 (RFC 4648), which JSON files have bytes in.
#pragma once

#include <cstdint>
#include <string>

namespace edgeconv::text {

// False: it is not base64.
inline bool from_base64(const std::string& text, std::string* bytes) {
  bytes->clear();
  uint32_t bits = 0;
  int count = 0;
  size_t end = text.size();
  while (end != 0 && text.size() - end < 2 && text[end - 1] == '=') --end;
  if (text.size() % 4 != 0) return false;
  for (size_t i = 0; i < end; ++i) {
    const char c = text[i];
    const int v = c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
    if (v < 0) return false;
    bits = bits << 6 | static_cast<uint32_t>(v);
    if ((count += 6) >= 8) {
      count -= 8;
      bytes->push_back(static_cast<char>(bits >> count & 0xff));
    }
  }
  return true;
}

inline std::string to_base64(const std::string& bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = i; k < i + 3; ++k) bits = bits << 8 | (k < bytes.size() ? static_cast<uint8_t>(bytes[k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out.push_back(i + k > bytes.size() ? '=' : kLetters[bits >> (18 - 6 * k) & 63]);
  }
  return out;
}

}  // namespace edgeconv::text
