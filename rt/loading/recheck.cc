// ert_recheck: is the memory of an opened blob still what was opened? Trusts the model's copy of the header, and nothing in the blob.
#include "rt/blob/crc32c.h"
#include "rt/loading/model.h"

using namespace ert;

ert_status ert_recheck(const ert_model* m, uint32_t segment) {
  const ModelState* s = model_state(m);
  if (s == nullptr) return ERT_ERR_ARG;
  uint64_t offset = kHeaderBytes, bytes = s->header.total_bytes - kHeaderBytes;
  uint32_t crc = s->header.content_crc;
  if (segment != ERT_WHOLE_BLOB) {
    if (segment >= s->segments) return ERT_ERR_ARG;
    // The table lies where it lay, but what it says may have rotted.
    const fb::Segment& row = s->segment_table[segment];
    offset = row.offset(), bytes = row.bytes(), crc = row.crc();
    if (offset > s->header.total_bytes || bytes > s->header.total_bytes - offset) return ERT_ERR_CHECKSUM;
  }
  return crc32c(0, s->blob + offset, static_cast<size_t>(bytes)) == crc ? ERT_OK : ERT_ERR_CHECKSUM;
}
