// ert_unpack: expands zstd segments once, into the caller's memory. The result is the blob that the converter writes without
// --compress, byte for byte. Built with ERT_WITH_ZSTD; unpack_absent.cc takes its place otherwise.
#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_initStaticDCtx: a decoder in the caller's workspace
#include <string.h>
#include <zstd.h>

#include "rt/base/bytes.h"
#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "rt/base/limits.h"
#include "rt/blob/program.h"
#include "rt/verify/structure.h"

namespace ert {
namespace {

// End of the last segment once all of them are stored raw.
Bytes expanded_bytes(const Header& h, const Program& p) {
  static_assert(kSegmentAlign == 64, "segments start where Bytes::aligned says");
  Bytes end = h.segments_offset;
  for (uint32_t i = 0; i < p.segments.size; ++i) end = end.aligned() + Bytes(p.segments[i].raw_bytes());
  return end;
}

ert_status open_packed(const void* in, size_t bytes, Structure* s, size_t* out_bytes) {
  if (in == nullptr) return ERT_ERR_ARG;
  if (reinterpret_cast<uintptr_t>(in) % ERT_REQUIRED_BLOB_ALIGN != 0) return ERT_ERR_ALIGN;
  const ert_status status = verify_structure(static_cast<const uint8_t*>(in), bytes, s);
  if (status != ERT_OK) return status;
  const Bytes expanded = expanded_bytes(s->header, program_view(static_cast<const uint8_t*>(in), s->root));
  return expanded.get(out_bytes) && uint64_t{*out_bytes} <= limits::kMaxBlobBytes ? ERT_OK : ERT_ERR_LIMIT;
}

// One frame, exactly raw_bytes long, nothing behind it: the destination is the window, so no history buffer is needed.
bool expand(ZSTD_DCtx* decoder, const fb::Segment& s, const uint8_t* blob, uint8_t* to) {
  const uint8_t* from = blob + s.offset();
  const size_t bytes = static_cast<size_t>(s.bytes()), raw = static_cast<size_t>(s.raw_bytes());
  if (compression_of(s) == Compression::kNone) return memcpy(to, from, raw), true;
  if (ZSTD_getFrameContentSize(from, bytes) != raw || ZSTD_findFrameCompressedSize(from, bytes) != bytes) return false;
  return ZSTD_decompressDCtx(decoder, to, raw, from, bytes) == raw;
}

}  // namespace
}  // namespace ert

using namespace ert;

ert_status ert_unpack_bytes(const void* in, size_t in_bytes, size_t* out_bytes, size_t* work_bytes) {
  if (out_bytes == nullptr || work_bytes == nullptr) return ERT_ERR_ARG;
  Structure s;
  size_t bytes = 0;
  const ert_status status = open_packed(in, in_bytes, &s, &bytes);
  if (status != ERT_OK) return status;
  *out_bytes = bytes;
  *work_bytes = ZSTD_estimateDCtxSize();
  return ERT_OK;
}

ert_status ert_unpack(const void* in, size_t in_bytes, void* out, size_t out_bytes, void* work, size_t work_bytes) {
  Structure s;
  size_t need = 0;
  const ert_status status = open_packed(in, in_bytes, &s, &need);
  if (status != ERT_OK) return status;
  if (out == nullptr || work == nullptr) return ERT_ERR_ARG;
  if (reinterpret_cast<uintptr_t>(out) % ERT_REQUIRED_BLOB_ALIGN != 0 || reinterpret_cast<uintptr_t>(work) % 8 != 0)
    return ERT_ERR_ALIGN;
  if (out_bytes != need) return out_bytes < need ? ERT_ERR_NOMEM : ERT_ERR_ARG;
  ZSTD_DCtx* decoder = ZSTD_initStaticDCtx(work, work_bytes);
  if (decoder == nullptr) return ERT_ERR_NOMEM;

  const uint8_t* blob = static_cast<const uint8_t*>(in);
  uint8_t* to = static_cast<uint8_t*>(out);
  const Program packed = program_view(blob, s.root);
  memcpy(to, blob, static_cast<size_t>(s.header.segments_offset));
  uint64_t end = s.header.segments_offset;
  for (uint32_t i = 0; i < packed.segments.size; ++i) {
    const fb::Segment& from = packed.segments[i];
    const uint64_t offset = segment_start(end);
    memset(to + end, 0, static_cast<size_t>(offset - end));
    if (!expand(decoder, from, blob, to + offset)) return ERT_ERR_FORMAT;
    end = offset + from.raw_bytes();
    const uint32_t crc = crc32c(0, to + offset, static_cast<size_t>(from.raw_bytes()));
    const fb::Segment stored(offset, from.raw_bytes(), from.raw_bytes(), crc, from.kind(), 0, 0);
    // The copy has the same layout, so the row is at the same distance from the start. Without segments there is no table.
    memcpy(to + (reinterpret_cast<const uint8_t*>(&from) - blob), &stored, sizeof stored);
  }
  Header h = s.header;
  h.flags &= ~(kFlagCompressed | kFlagSigned);
  h.total_bytes = end;
  h.content_crc = crc32c(0, to + kHeaderBytes, static_cast<size_t>(end - kHeaderBytes));
  encode_header(h, to);
  return ERT_OK;
}
