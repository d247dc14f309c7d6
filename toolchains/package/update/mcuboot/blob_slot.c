/* See blob_slot.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "blob_slot.h"

enum { HEADER_BYTES = 32 };

/* Of MCUboot's struct image_header: magic at 0, size of the header at 8 (16 bits), size of the image behind it at 12. */
static const uint32_t kImageMagic = 0x96f3b83du;

static uint32_t little(const uint8_t* p, unsigned bytes) {
  uint32_t value = 0;
  while (bytes-- > 0) value = value << 8 | p[bytes];
  return value;
}

ert_status blob_in_slot(const void* slot, size_t slot_bytes, const uint8_t** blob, size_t* blob_bytes) {
  const uint8_t* header = (const uint8_t*)slot;
  uint32_t offset, bytes;
  if (slot == NULL || blob == NULL || blob_bytes == NULL) return ERT_ERR_ARG;
  if (slot_bytes < HEADER_BYTES) return ERT_ERR_TRUNCATED;
  if (little(header, 4) != kImageMagic) return ERT_ERR_MAGIC;
  offset = little(header + 8, 2);
  bytes = little(header + 12, 4);
  if (offset < HEADER_BYTES || offset > slot_bytes || bytes > slot_bytes - offset) return ERT_ERR_TRUNCATED;
  if (((uintptr_t)header + offset) % ERT_BLOB_ALIGN != 0) return ERT_ERR_ALIGN;
  *blob = header + offset;
  *blob_bytes = bytes;
  return ERT_OK;
}

ert_status blob_try(const void* slot, size_t slot_bytes, const ert_config* config, const ert_region* arena, void* work,
                    size_t work_bytes, ert_model* model, ert_context* context) {
  const uint8_t* blob;
  size_t bytes;
  ert_status status = blob_in_slot(slot, slot_bytes, &blob, &bytes);
  if (status == ERT_OK) status = ert_model_open_in(model, blob, bytes, work, work_bytes);
  if (status == ERT_OK) status = ert_context_init(context, model, config, NULL, arena, 1);
  return status == ERT_OK ? ert_selftest(context) : status;
}
