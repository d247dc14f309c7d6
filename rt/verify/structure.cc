// Structural verification: see structure.h.
#include "rt/verify/structure.h"

#include <string.h>

#include "rt/blob/crc32c.h"
#include "rt/base/limits.h"
#include "rt/verify/tables.h"

namespace ert {
namespace {

constexpr char kFileIdentifier[] = "ERTP";

// The metadata alone: safe on any bytes.
ert_status verify_metadata(const uint8_t* blob, const Header& h, const fb::Program** out) {
  if (h.metadata_bytes < 16) return ERT_ERR_FORMAT;
  const uint64_t by_size = h.total_bytes / 16;
  const uint32_t tables = by_size < limits::kMaxFlatbufferTables ? static_cast<uint32_t>(by_size) : limits::kMaxFlatbufferTables;
  if (memcmp(blob + kMetadataOffset + sizeof(uint32_t), kFileIdentifier, 4) != 0) return ERT_ERR_FORMAT;
  const fb::Program* root;
  if (!verify_tables(blob + kMetadataOffset, h.metadata_bytes, tables, &root)) return ERT_ERR_FORMAT;
  if ((root->flags() & ~kKnownProgramFlags) != 0) return ERT_ERR_VERSION;
  *out = root;
  return ERT_OK;
}

// Segments follow each other with nothing but alignment padding between them.
ert_status verify_segment_table(const Header& h, const Span<fb::Segment>& segments) {
  if (segments.size > limits::kMaxSegments) return ERT_ERR_LIMIT;
  const uint64_t last = h.segments_end();
  uint64_t end = h.segments_offset;
  for (uint32_t i = 0; i < segments.size; ++i) {
    const fb::Segment& s = segments[i];
    if (s.offset() != segment_start(end) || s.offset() > last || s.bytes() > last - s.offset()) return ERT_ERR_FORMAT;
    if (kind_of(s) >= SegmentKind::kCount || compression_of(s) >= Compression::kCount || s.reserved() != 0) return ERT_ERR_FORMAT;
    if (compression_of(s) == Compression::kNone ? s.raw_bytes() != s.bytes() : (h.flags & kFlagCompressed) == 0)
      return ERT_ERR_FORMAT;
    if (s.raw_bytes() > limits::kMaxBlobBytes) return ERT_ERR_LIMIT;
    end = s.offset() + s.bytes();
  }
  if (last < end || last > segment_start(end)) return ERT_ERR_FORMAT;
  return ERT_OK;
}

// Adds the bytes up to `end` to the running CRC of the content.
void extend(const uint8_t* blob, uint64_t* position, uint64_t end, uint32_t* crc) {
  *crc = crc32c(*crc, blob + *position, static_cast<size_t>(end - *position));
  *position = end;
}

// One pass over the segments gives the CRC of each and of the whole content. False in *segments_match if one differs.
uint32_t content_crc(const uint8_t* blob, const Header& h, const Span<fb::Segment>& segments, uint64_t position, uint32_t crc,
                     bool* segments_match) {
  *segments_match = true;
  for (uint32_t i = 0; i < segments.size; ++i) {
    const fb::Segment& s = segments[i];
    extend(blob, &position, s.offset(), &crc);
    const uint32_t own = crc32c(0, blob + s.offset(), static_cast<size_t>(s.bytes()));
    *segments_match &= own == s.crc();
    crc = crc32c_combine(crc, own, s.bytes());
    position = s.offset() + s.bytes();
  }
  extend(blob, &position, h.total_bytes, &crc);
  return crc;
}

bool gaps_are_zero(const uint8_t* blob, const Header& h, const Span<fb::Segment>& segments) {
  uint64_t end = kMetadataOffset + h.metadata_bytes;
  for (uint32_t i = 0; i < segments.size; ++i) {
    if (!all_zero(blob + end, blob + segments[i].offset())) return false;
    end = segments[i].offset() + segments[i].bytes();
  }
  return all_zero(blob + end, blob + h.segments_end());
}

}  // namespace

ert_status verify_structure(const uint8_t* blob, size_t bytes, Structure* out) {
  Header h;
  const ert_status header = decode_header(blob, bytes, &h);
  if (header != ERT_OK) return header;
  // The metadata is judged before the checksum is complete (the verifier is safe on any bytes), but a wrong checksum has the
  // last word: damage is reported as damage.
  uint64_t position = kMetadataOffset;
  uint32_t crc = 0;
  extend(blob, &position, h.segments_offset, &crc);
  const fb::Program* root = nullptr;
  ert_status status = verify_metadata(blob, h, &root);
  Span<fb::Segment> segments;
  if (status == ERT_OK) {
    segments = program_view(blob, root).segments;
    status = verify_segment_table(h, segments);
  }
  if (status != ERT_OK) {
    extend(blob, &position, h.total_bytes, &crc);
    return crc == h.content_crc ? status : ERT_ERR_CHECKSUM;
  }
  bool segments_match = false;
  if (content_crc(blob, h, segments, position, crc, &segments_match) != h.content_crc || !segments_match) return ERT_ERR_CHECKSUM;
  if (!gaps_are_zero(blob, h, segments)) return ERT_ERR_FORMAT;
  out->header = h;
  out->root = root;
  return ERT_OK;
}

}  // namespace ert
