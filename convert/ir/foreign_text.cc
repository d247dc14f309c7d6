// Escapes of foreign text.
#include "convert/ir/foreign_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace edgeconv {

namespace {

constexpr char32_t kInvalid = 0xffffffff;

// One character from the front, by the table of well-formed sequences of the Unicode standard. Invalid: one byte.
char32_t decode(std::string_view s, size_t* length) {
  const auto byte = [&](size_t i) { return i < s.size() ? static_cast<uint8_t>(s[i]) : 0u; };
  const uint32_t first = byte(0);
  *length = 1;
  if (first < 0x80) return first;
  const size_t bytes = first >= 0xc2 && first < 0xe0   ? 2
                       : first >= 0xe0 && first < 0xf0 ? 3
                       : first >= 0xf0 && first < 0xf5 ? 4
                                                       : 0;
  if (bytes == 0) return kInvalid;
  char32_t c = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return kInvalid;
    c = c << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kLeast[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return kInvalid;
  *length = bytes;
  return c;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || (c >= 0xe0000 && c < 0xe0080);
}

std::string escape(std::string_view s, size_t most, bool lines) {
  std::string r;
  while (!s.empty()) {
    size_t length = 1;
    const char32_t c = decode(s, &length);
    char code[16] = "";
    if (c == kInvalid || (c < 0x80 && is_control(c) && !(lines && c == '\n')))
      std::snprintf(code, sizeof code, "\\x%02X", static_cast<unsigned>(static_cast<uint8_t>(s[0])));
    else if (c >= 0x80 && is_control(c))
      std::snprintf(code, sizeof code, c > 0xffff ? "\\U%08X" : "\\u%04X", static_cast<unsigned>(c));
    const std::string_view piece = code[0] ? std::string_view(code) : s.substr(0, length);
    if (r.size() + piece.size() > most) return r + "...";
    r += piece;
    s.remove_prefix(length);
  }
  return r;
}

}  // namespace

std::string escaped(std::string_view s, size_t most) { return escape(s, most, false); }

std::string terminal_text(std::string_view s) { return escape(s, std::string::npos, true); }

std::string terminal_json(std::string_view json) {
  std::string r;
  while (!json.empty()) {
    size_t length = 1;
    const char32_t c = decode(json, &length);
    char code[16] = "";
    if (c >= 0x7f && c != kInvalid && is_control(c)) {
      const auto u = static_cast<unsigned>(c);
      const unsigned beyond = u - 0x10000;  // two surrogates
      if (u > 0xffff)
        std::snprintf(code, sizeof code, "\\u%04X\\u%04X", 0xd800 + (beyond >> 10), 0xdc00 + (beyond & 0x3ff));
      else
        std::snprintf(code, sizeof code, "\\u%04X", u);
    }
    r += code[0] ? std::string_view(code) : json.substr(0, length);
    json.remove_prefix(length);
  }
  return r;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  const auto is_plain = [&](char c) { return static_cast<unsigned char>(c) >= 0x80 || kPlain.find(c) != kPlain.npos; };
  const std::string shown = escaped(word);
  if (!shown.empty() && std::all_of(shown.begin(), shown.end(), is_plain)) return shown;
  std::string quoted;
  for (const char c : shown) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + quoted + "'";
}

std::string c_text(std::string_view s) {
  std::string r;
  for (const char c : s) {
    const auto u = static_cast<uint8_t>(c);
    if (u >= 0x20 && u < 0x7f && std::string_view("*?\"\\").find(c) == std::string_view::npos) {
      r += c;
      continue;
    }
    char code[8];
    std::snprintf(code, sizeof code, "\\%03o", static_cast<unsigned>(u));
    r += code;
  }
  return r;
}

}  // namespace edgeconv
