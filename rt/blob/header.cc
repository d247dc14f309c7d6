// Reads and writes the 64-byte blob header: see header.h.
#include "rt/blob/header.h"

#include <string.h>

#include "rt/blob/crc32c.h"
#include "rt/base/limits.h"

namespace ert {
namespace {

// Little-endian, u16: kMajor, kMinor; u64: kTotal, kMetaOffset, kSegments, kReserved (zero); u32: the others. The magic is at 0.
enum Offset : size_t {
  kMajor = 4,
  kMinor = 6,
  kHeaderSize = 8,
  kFlags = 12,
  kTotal = 16,
  kMetaOffset = 24,
  kMetaBytes = 32,
  kSecurity = 36,
  kSegments = 40,
  kContentCrc = 48,
  kHeaderCrc = 52,
  kReserved = 56,
};

// Only on little-endian CPUs: others are refused before.
template <class T>
T load(const uint8_t* p) {
  T v;
  memcpy(&v, p, sizeof(T));
  return v;
}

// Byte by byte, so that header bytes are the same on every CPU.
template <class T>
void store(uint8_t* p, T v) {
  for (size_t i = 0; i < sizeof(T); ++i) p[i] = static_cast<uint8_t>(v >> (8 * i));
}

bool little_endian_cpu() {
  const uint16_t probe = 1;
  uint8_t first;
  memcpy(&first, &probe, 1);
  return first == 1;
}

}  // namespace

void encode_header(const Header& h, uint8_t* out) {
  memset(out, 0, kHeaderBytes);
  memcpy(out, kMagic, kMagicBytes);
  store<uint16_t>(out + kMajor, h.format_major);
  store<uint16_t>(out + kMinor, h.format_minor);
  store<uint32_t>(out + kHeaderSize, kHeaderBytes);
  store<uint32_t>(out + kFlags, h.flags);
  store<uint64_t>(out + kTotal, h.total_bytes);
  store<uint64_t>(out + kMetaOffset, kMetadataOffset);
  store<uint32_t>(out + kMetaBytes, h.metadata_bytes);
  store<uint32_t>(out + kSecurity, h.security_counter);
  store<uint64_t>(out + kSegments, h.segments_offset);
  store<uint32_t>(out + kContentCrc, h.content_crc);
  store<uint32_t>(out + kHeaderCrc, crc32c(0, out, kHeaderCrc));
}

ert_status decode_header(const uint8_t* blob, size_t bytes, Header* out) {
  if (bytes < kHeaderBytes) return ERT_ERR_TRUNCATED;
  if (memcmp(blob, kMagic, kMagicBytes) != 0) return ERT_ERR_MAGIC;
  if (!little_endian_cpu()) return ERT_ERR_ENDIAN;  // metadata and weights are used in place
  if (load<uint32_t>(blob + kHeaderCrc) != crc32c(0, blob, kHeaderCrc)) return ERT_ERR_CHECKSUM;
  Header h;
  h.format_major = load<uint16_t>(blob + kMajor);
  h.format_minor = load<uint16_t>(blob + kMinor);
  h.flags = load<uint32_t>(blob + kFlags);
  h.total_bytes = load<uint64_t>(blob + kTotal);
  h.metadata_bytes = load<uint32_t>(blob + kMetaBytes);
  h.security_counter = load<uint32_t>(blob + kSecurity);
  h.segments_offset = load<uint64_t>(blob + kSegments);
  h.content_crc = load<uint32_t>(blob + kContentCrc);
  if (h.format_major != kFormatMajor || (h.flags & ~kKnownFlags) != 0) return ERT_ERR_VERSION;
  if (load<uint32_t>(blob + kHeaderSize) != kHeaderBytes || load<uint64_t>(blob + kMetaOffset) != kMetadataOffset ||
      load<uint64_t>(blob + kReserved) != 0) {
    return ERT_ERR_FORMAT;
  }
  if (h.total_bytes > limits::kMaxBlobBytes || h.metadata_bytes > limits::kMaxMetadataBytes) return ERT_ERR_LIMIT;
  // In 32 bits: metadata is far smaller.
  uint32_t least = static_cast<uint32_t>(segment_start(static_cast<uint32_t>(kMetadataOffset) + h.metadata_bytes));
  if (h.segments_offset != least) return ERT_ERR_FORMAT;
  // Not by segments_end(), which wraps where there is no room for a signature.
  if ((h.flags & kFlagSigned) != 0) least += kSignatureBlockBytes;
  if (h.total_bytes < least) return ERT_ERR_FORMAT;
  if (bytes < h.total_bytes) return ERT_ERR_TRUNCATED;
  if (bytes > h.total_bytes) return ERT_ERR_FORMAT;
  *out = h;
  return ERT_OK;
}

bool all_zero(const uint8_t* begin, const uint8_t* end) {
  uint8_t any = 0;
  for (const uint8_t* p = begin; p < end; ++p) any = static_cast<uint8_t>(any | *p);
  return any == 0;
}

}  // namespace ert
