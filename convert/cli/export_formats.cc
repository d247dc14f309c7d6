// Blobs as source and as images for flash tools.
#include "convert/cli/export_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv::cli {

namespace {

constexpr uint32_t kBlobAlignment = 64;  // ERT_BLOB_ALIGN
constexpr size_t kUf2Payload = 256;      // of a block of 512 bytes
constexpr const char* kOpenC = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
constexpr const char* kCloseC = "#ifdef __cplusplus\n}\n#endif\n";

uint32_t flash_number(const std::string& option, const std::string& text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char *begin = text.data() + (hex ? 2 : 0), *end = text.data() + text.size();
  uint32_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || stop != end)
    throw FatalError(ExitCode::kUsage,
                     fmt::format("{} '{}' is not a number of 32 bits, decimal or 0x..", option, printable(text)));
  return value;
}

// What C and C++ both take for the blob's array, which has external linkage in both.
std::string declaration(const std::string& name) {
  const std::string macro = capitals(name);
  return fmt::format("extern const uint8_t {0}_blob[{1}_BYTES];\n#define {0}_blob_end ({0}_blob + {1}_BYTES)\n", name, macro);
}

void append_words(std::string* s, std::initializer_list<uint32_t> words) {
  for (const uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) *s += static_cast<char>(word >> shift & 255);
  }
}

// Keywords of C (C23) and C++ (C++20): no identifiers, so no names.
constexpr std::string_view kKeywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast "
    "struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq ";

}  // namespace

void require_c_identifier(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const bool good = !name.empty() && letter(name[0]) &&
                    std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
  constexpr size_t kLongest = 64;
  std::string why;
  if (!good || name.size() > kLongest) {
    why = fmt::format("is not a C identifier of letters, digits and '_' that does not begin with a digit, at most {}", kLongest);
  } else if (kKeywords.find(" " + name + " ") != std::string_view::npos) {
    why = "is a keyword of C or C++, no C identifier";
  } else if (name.front() == '_' || name.back() == '_' || name.find("__") != std::string::npos) {
    // [lex.name]: '_' in front at file scope, and '__' anywhere; NAME_blob has one more.
    why = fmt::format("makes {}_blob, a name that C or C++ reserves: no '_' in front or at the end, no '__'", name);
  }
  if (!why.empty()) {
    throw FatalError(ExitCode::kUsage, fmt::format("--name '{}' {}: 'vad' makes vad_blob and VAD_BYTES", printable(name), why));
  }
}

std::string capitals(const std::string& name) {
  std::string s = name;
  for (char& c : s) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return s;
}

FlashPlace flash_place(const std::string& format, const std::string& address, const std::string& family) {
  FlashPlace place;
  if (!address.empty() && format != "hex" && format != "srec" && format != "uf2")
    throw FatalError(ExitCode::kUsage, fmt::format("--address is for hex, srec and uf2; {} has no addresses", format));
  if (!family.empty() && format != "uf2")
    throw FatalError(ExitCode::kUsage, fmt::format("--uf2-family is for uf2, not for {}", format));
  if (!address.empty()) place.address = flash_number("--address", address);
  if (place.address % kBlobAlignment != 0)
    throw FatalError(ExitCode::kUsage, fmt::format("--address {} is not a multiple of {}, as the blob's first byte must be",
                                                   address, kBlobAlignment));
  if (format == "uf2" && place.address % kUf2Payload != 0)
    throw FatalError(ExitCode::kUsage, fmt::format("--address {} is not a multiple of {}, the page that UF2 bootloaders write",
                                                   address, kUf2Payload));
  if (!family.empty()) place.uf2_family = flash_number("--uf2-family", family);
  return place;
}

void check_place(const FlashPlace& place, size_t bytes) {
  if (place.address + static_cast<uint64_t>(bytes) > uint64_t{1} << 32)
    throw FatalError(ExitCode::kUsage,
                     fmt::format("--address {:#x}: {} bytes do not end within 32-bit addresses", place.address, bytes));
}

std::string c_header(const std::string& name, const std::string& source, const std::string& definitions) {
  return fmt::format(
      "/* {0}: made by edgeconv export. The array is in the C or assembler file of the same export. */\n#ifndef {1}_BLOB_H\n"
      "#define {1}_BLOB_H\n\n#include <stdint.h>\n\n{2}\n{3}{4}{5}\n#endif /* {1}_BLOB_H */\n",
      source, capitals(name), definitions, kOpenC, declaration(name), kCloseC);
}

std::string c_array(const std::string& name, const uint8_t* data, size_t bytes, const std::string& source,
                    const std::string& definitions) {
  std::string s = fmt::format(
      "/* {0}: made by edgeconv export. Include it once. */\n#include <stddef.h>\n#include <stdint.h>\n\n{1}\n{2}{3}"
      "#if defined(__GNUC__)\n__attribute__((aligned(64)))\n#endif\nconst uint8_t {4}_blob[{5}_BYTES] = {{\n",
      source, definitions, kOpenC, declaration(name), name, capitals(name));
  s.reserve(s.size() + bytes * 5);
  for (size_t i = 0; i < bytes; ++i) {
    s += fmt::format("{}{},", i % 20 ? "" : "  ", data[i]);
    if (i % 20 == 19) s += '\n';
  }
  return s + "\n};\n" + kCloseC;
}

std::string incbin(const std::string& name, const std::string& path) {
  return fmt::format(
      "/* made by edgeconv export: the symbols {0}_blob and {0}_blob_end */\n    .section .rodata.{0}_blob, \"a\"\n    "
      ".balign 64\n    .global {0}_blob\n{0}_blob:\n    .incbin \"{1}\"\n"
      "    .global {0}_blob_end\n{0}_blob_end:\n"
      "#if defined(__ELF__)\n    .section .note.GNU-stack, \"\", %progbits\n#endif\n",  // without it a linker makes the stack executable
      name, c_text(path));
}

std::string intel_hex(const uint8_t* data, size_t bytes, uint32_t address) {
  std::string s;
  const auto record = [&](uint8_t type, uint16_t low, const uint8_t* payload, size_t n) {
    unsigned sum = static_cast<unsigned>(n) + (low >> 8) + (low & 255) + type;
    s += fmt::format(":{:02X}{:04X}{:02X}", n, low, type);
    for (size_t i = 0; i < n; ++i) {
      s += fmt::format("{:02X}", payload[i]);
      sum += payload[i];
    }
    s += fmt::format("{:02X}\n", (0x100 - (sum & 255)) & 255);
  };
  for (size_t at = 0; at < bytes; at += 32) {  // the address is a multiple of 64: no record crosses into another 64 KiB
    const uint32_t to = address + static_cast<uint32_t>(at);
    if (at == 0 || to % 0x10000 == 0) {
      const uint8_t high[2] = {static_cast<uint8_t>(to >> 24), static_cast<uint8_t>(to >> 16)};
      record(4, 0, high, 2);
    }
    record(0, static_cast<uint16_t>(to), data + at, std::min<size_t>(32, bytes - at));
  }
  record(1, 0, nullptr, 0);
  return s;
}

std::string s_records(const uint8_t* data, size_t bytes, uint32_t address) {
  std::string s;
  const auto record = [&](char type, uint32_t to, int address_bytes, const uint8_t* payload, size_t n) {
    const unsigned count = static_cast<unsigned>(n) + static_cast<unsigned>(address_bytes) + 1;
    unsigned sum = count;
    s += fmt::format("S{}{:02X}", type, count);
    for (int shift = 8 * (address_bytes - 1); shift >= 0; shift -= 8) {
      s += fmt::format("{:02X}", to >> shift & 255);
      sum += to >> shift & 255;
    }
    for (size_t i = 0; i < n; ++i) {
      s += fmt::format("{:02X}", payload[i]);
      sum += payload[i];
    }
    s += fmt::format("{:02X}\n", ~sum & 255);
  };
  record('0', 0, 2, reinterpret_cast<const uint8_t*>("edgeconv"), 8);
  for (size_t at = 0; at < bytes; at += 32)
    record('3', address + static_cast<uint32_t>(at), 4, data + at, std::min<size_t>(32, bytes - at));
  record('7', address, 4, nullptr, 0);
  return s;
}

std::string uf2(const uint8_t* data, size_t bytes, const FlashPlace& place) {
  constexpr size_t kRoom = 476;
  constexpr uint32_t kHasFamily = 0x2000;
  const auto blocks = static_cast<uint32_t>((bytes + kUf2Payload - 1) / kUf2Payload);
  std::string s;
  for (uint32_t block = 0; block < blocks; ++block) {
    const size_t at = block * kUf2Payload, n = std::min(kUf2Payload, bytes - at);
    append_words(&s, {0x0A324655, 0x9E5D5157, place.uf2_family ? kHasFamily : 0, place.address + static_cast<uint32_t>(at),
                      static_cast<uint32_t>(kUf2Payload), block, blocks, place.uf2_family.value_or(0)});
    s.append(reinterpret_cast<const char*>(data + at), n);
    s.append(kRoom - n, '\0');
    append_words(&s, {0x0AB16F30});
  }
  return s;
}

}  // namespace edgeconv::cli
