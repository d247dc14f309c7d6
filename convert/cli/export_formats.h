// The forms that `edgeconv export` writes: source for compilers and assemblers, images for flash tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace edgeconv::cli {

// Exit 2 unless symbols may begin with the name in C.
void require_c_identifier(const std::string& name);
// As macros have it.
std::string capitals(const std::string& name);

// Where an image goes.
struct FlashPlace {
  uint32_t address = 0;
  std::optional<uint32_t> uf2_family;
};
// From --address and --uf2-family; exit 2 where they are no numbers, not aligned as a blob must be, or not for the format.
FlashPlace flash_place(const std::string& format, const std::string& address, const std::string& family);
// Exit 2 if the image does not end within 32-bit addresses.
void check_place(const FlashPlace& place, size_t bytes);

// `name`: what symbols begin with. `source`: the blob's file name, for a comment. `definitions`: macros of sizes.
std::string c_header(const std::string& name, const std::string& source, const std::string& definitions);
std::string c_array(const std::string& name, const uint8_t* data, size_t bytes, const std::string& source,
                    const std::string& definitions);
// Assembler source that includes the file at `path` itself.
std::string incbin(const std::string& name, const std::string& path);
// Intel HEX with extended linear addresses.
std::string intel_hex(const uint8_t* data, size_t bytes, uint32_t address);
// Motorola S-records with 32-bit addresses (S3).
std::string s_records(const uint8_t* data, size_t bytes, uint32_t address);
// Blocks of 256 bytes as USB bootloaders take them; the last is filled with zeros.
std::string uf2(const uint8_t* data, size_t bytes, const FlashPlace& place);

}  // namespace edgeconv::cli
