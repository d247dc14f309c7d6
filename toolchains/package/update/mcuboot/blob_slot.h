/* blob_slot.h - a blob as an image of its own in a slot of MCUboot: where it is, and whether it gives the converter's bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BLOB_SLOT_H
#define BLOB_SLOT_H

#include <stddef.h>
#include <stdint.h>

#include "ert.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the blob in a slot that is mapped into memory, from the header that imgtool wrote. The signature is MCUboot's to check, at every
 * boot; this reads lengths only and never beyond slot_bytes.
 * Returns OK, MAGIC (no image), TRUNCATED (it does not fit the slot), ALIGN (imgtool's --header-size is no multiple of 64). */
ert_status blob_in_slot(const void* slot, size_t slot_bytes, const uint8_t** blob, size_t* blob_bytes);

/* Opens the blob of a slot, makes a context for its largest dims in `arena` (ERT_ARENA_ALIGN) and replays its golden vectors. Call it before
 * boot_set_pending_multi on the secondary slot, where that is mapped, and before boot_set_confirmed_multi on the primary slot. model and
 * context are the caller's storage, ready to use after OK; work is 8-aligned, as ert_model_open_in wants it.
 * Returns what the steps return; SELFTEST: the blob is intact and computes other bits than it should. */
ert_status blob_try(const void* slot, size_t slot_bytes, const ert_config* config, const ert_region* arena, void* work,
                    size_t work_bytes, ert_model* model, ert_context* context);

#ifdef __cplusplus
}
#endif
#endif /* BLOB_SLOT_H */
