// The 64-byte header at the start of every blob and its checksum rules (rt/schema/README.md). The converter writes headers through
// encode_header, the runtime reads them through decode_header, so the two cannot disagree about a byte.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/include/ert.h"

namespace ert {

constexpr size_t kHeaderBytes = 64;
constexpr size_t kSegmentAlign = 64;
constexpr uint16_t kFormatMajor = 1;
constexpr uint16_t kFormatMinor = 0;
constexpr uint64_t kMetadataOffset = kHeaderBytes;

// Header flags. All of them are critical: a runtime that does not know one refuses the blob (ERT_ERR_VERSION).
constexpr uint32_t kFlagCompressed = 1u << 0;  // at least one segment is compressed
constexpr uint32_t kKnownFlags = kFlagCompressed;

// Byte offsets of the fields, little-endian:
//   0 magic  4 major u16  6 minor u16  8 header bytes u32  12 flags u32  16 total bytes u64  24 metadata offset u64
//   32 metadata bytes u32  36 security counter u32  40 segments offset u64  48 content crc u32  52 header crc u32  56 zero u64
struct Header {
  uint16_t format_major = kFormatMajor;
  uint16_t format_minor = kFormatMinor;
  uint32_t flags = 0;
  uint64_t total_bytes = 0;
  uint32_t metadata_bytes = 0;
  uint32_t security_counter = 0;
  uint64_t segments_offset = 0;  // metadata end rounded up to kSegmentAlign
  uint32_t content_crc = 0;      // CRC-32C of [64, total)
};

// Fills 64 bytes, header checksum included.
void encode_header(const Header& h, uint8_t* out);

// Reads and checks the header alone: magic, checksum, version, fixed fields, order of the areas, total against `bytes`.
// Returns OK, TRUNCATED, MAGIC, ENDIAN, CHECKSUM, VERSION, FORMAT, LIMIT.
ert_status decode_header(const uint8_t* blob, size_t bytes, Header* out);

// True if every byte of [begin, end) is zero.
bool all_zero(const uint8_t* begin, const uint8_t* end);

}  // namespace ert
