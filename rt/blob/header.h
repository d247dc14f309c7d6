// The 64-byte header at the start of every blob and its checksum rules (rt/schema/README.md). The converter writes headers through
// encode_header, the runtime reads them through decode_header, so the two cannot disagree about a byte.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/include/ert.h"

namespace ert {

constexpr char kMagic[] = "ERT1";  // the first bytes of a blob, without the 0 behind them
constexpr size_t kMagicBytes = sizeof kMagic - 1;
constexpr size_t kHeaderBytes = 64;
constexpr size_t kSegmentAlign = 64;
constexpr uint16_t kFormatMajor = 1;
constexpr uint16_t kFormatMinor = 0;
constexpr uint64_t kMetadataOffset = kHeaderBytes;

// Where the segment starts that follows `end`, the end of the metadata or of a segment; zeros are between.
constexpr uint64_t segment_start(uint64_t end) { return (end + kSegmentAlign - 1) / kSegmentAlign * kSegmentAlign; }

// Header flags. All of them are critical: a runtime that does not know one refuses the blob (ERT_ERR_VERSION).
constexpr uint32_t kFlagCompressed = 1u << 0;  // at least one segment is compressed
constexpr uint32_t kFlagSigned = 1u << 1;      // a signature block ends the file
constexpr uint32_t kKnownFlags = kFlagCompressed | kFlagSigned;

// The signature block: an Ed25519 signature of the file with this block as zeros, and four bytes that give the content the checksum
// that it has with this block as zeros. Readers that want no signature need to know its length only.
constexpr size_t kSignatureBytes = 64;
constexpr size_t kSignatureBlockBytes = kSignatureBytes + 4;

// Fields in the order of the file; where each stands is said in header.cc (Offset).
struct Header {
  uint16_t format_major = kFormatMajor;
  uint16_t format_minor = kFormatMinor;
  uint32_t flags = 0;
  uint64_t total_bytes = 0;
  uint32_t metadata_bytes = 0;
  uint32_t security_counter = 0;
  uint64_t segments_offset = 0;  // segment_start(end of metadata)
  uint32_t content_crc = 0;      // CRC-32C of [64, total)

  // Where the segments end: at the signature block or at the end of the file.
  uint64_t segments_end() const { return (flags & kFlagSigned) != 0 ? total_bytes - kSignatureBlockBytes : total_bytes; }
};

// Fills 64 bytes, header checksum included.
void encode_header(const Header& h, uint8_t* out);

// Reads and checks the header alone: magic, checksum, version, fixed fields, order of the areas, total against `bytes`.
// Returns OK, TRUNCATED, MAGIC, ENDIAN, CHECKSUM, VERSION, FORMAT, LIMIT.
ert_status decode_header(const uint8_t* blob, size_t bytes, Header* out);

// True if every byte of [begin, end) is zero.
bool all_zero(const uint8_t* begin, const uint8_t* end);

}  // namespace ert
