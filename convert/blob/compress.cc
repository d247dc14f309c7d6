// Compression works on the finished blob, so that what a device expands is what an uncompressed conversion writes.
#include "convert/blob/compress.h"

#include <flatbuffers/flatbuffers.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "rt/schema/program_generated.h"

namespace edgeconv {

namespace {

// Quantized weights are close to random: higher levels cost ten times the time for less than 1 % of the size.
constexpr int kLevel = 9;

uint64_t aligned(uint64_t offset) { return (offset + ert::kSegmentAlign - 1) / ert::kSegmentAlign * ert::kSegmentAlign; }

std::string frame_of(const uint8_t* data, size_t bytes) {
  std::string frame(ZSTD_compressBound(bytes), '\0');
  const size_t used = ZSTD_compress(frame.data(), frame.size(), data, bytes, kLevel);
  if (ZSTD_isError(used)) throw FatalError(ExitCode::kInternal, std::string("zstd: ") + ZSTD_getErrorName(used));
  frame.resize(used);
  return frame;
}

struct Stored {
  std::vector<ert::fb::Segment> rows;
  std::vector<std::string> bytes;
  uint64_t end = 0;
  bool any = false;
};

Stored compress_segments(const uint8_t* blob, const ert::fb::Program& root, uint64_t first) {
  Stored s;
  s.end = first;
  for (uint32_t i = 0; root.segments() && i < root.segments()->size(); ++i) {
    const ert::fb::Segment& from = *root.segments()->Get(i);
    const uint8_t* raw = blob + from.offset();
    const size_t raw_bytes = static_cast<size_t>(from.bytes());
    std::string frame = frame_of(raw, raw_bytes);
    const bool smaller = frame.size() < raw_bytes;
    if (!smaller) frame.assign(reinterpret_cast<const char*>(raw), raw_bytes);
    s.any |= smaller;
    s.end = aligned(s.end);
    s.rows.emplace_back(s.end, frame.size(), raw_bytes, ert::crc32c(0, frame.data(), frame.size()), from.kind(), smaller ? 1 : 0,
                        0);
    s.end += frame.size();
    s.bytes.push_back(std::move(frame));
  }
  return s;
}

}  // namespace

Tensor compress_blob(const Tensor& blob) {
  ert::Header h;
  if (ert::decode_header(blob.data(), blob.bytes(), &h) != ERT_OK || h.flags & ert::kFlagCompressed)
    throw FatalError(ExitCode::kInternal, "only a whole uncompressed blob can be compressed");
  const auto& root = *flatbuffers::GetRoot<ert::fb::Program>(blob.data() + ert::kMetadataOffset);
  const Stored s = compress_segments(blob.data(), root, h.segments_offset);
  if (!s.any) return blob;

  Tensor packed(DType::kUint8, {static_cast<int64_t>(s.end)});
  uint8_t* to = packed.mutable_data();
  std::copy_n(blob.data(), h.segments_offset, to);
  // The metadata keeps its layout; only the rows of the segment table change.
  const auto table = reinterpret_cast<const uint8_t*>(root.segments()->Data()) - blob.data();
  std::memcpy(to + table, s.rows.data(), s.rows.size() * sizeof(ert::fb::Segment));
  for (size_t i = 0; i < s.rows.size(); ++i) std::copy(s.bytes[i].begin(), s.bytes[i].end(), to + s.rows[i].offset());
  h.flags |= ert::kFlagCompressed;
  h.total_bytes = s.end;
  h.content_crc = ert::crc32c(0, to + ert::kHeaderBytes, static_cast<size_t>(s.end - ert::kHeaderBytes));
  ert::encode_header(h, to);
  return packed;
}

}  // namespace edgeconv
