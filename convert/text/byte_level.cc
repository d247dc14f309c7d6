// The letters that byte-level vocabularies have for bytes: printable ones are themselves, the others follow from U+0100 on.
#include "convert/text/components.h"
#include "rt/text/utf8.h"

namespace edgeconv::text {

namespace {

bool is_itself(uint32_t byte) { return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae; }

struct Letters {
  std::array<uint32_t, 256> of_byte;
  std::map<uint32_t, uint8_t> byte_of;
  Letters() {
    uint32_t next = 0x100;
    for (uint32_t b = 0; b < 256; ++b) {
      of_byte[b] = is_itself(b) ? b : next++;
      byte_of[of_byte[b]] = static_cast<uint8_t>(b);
    }
  }
};

const Letters& letters() {
  static const Letters l;
  return l;
}

}  // namespace

bool byte_level_bytes(const std::string& text, std::string* bytes) {
  bytes->clear();
  const auto* p = reinterpret_cast<const uint8_t*>(text.data());
  for (size_t i = 0; i < text.size();) {
    const ert::text::Character c = ert::text::character_at(p + i, p + text.size());
    const auto it = letters().byte_of.find(c.code);
    if (it == letters().byte_of.end()) {
      *bytes = text;
      return false;
    }
    bytes->push_back(static_cast<char>(it->second));
    i += c.bytes;
  }
  return true;
}

std::string byte_level_letter(uint8_t byte) {
  uint8_t out[4];
  return std::string(reinterpret_cast<char*>(out), ert::text::put_character(letters().of_byte[byte], out));
}

}  // namespace edgeconv::text
