/* The runtime as a module of Zephyr: two models side by side, golden vectors bit for bit, exact memory, and a blob that was damaged.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <zephyr/ztest.h>

#include "encoder.h"
#include "ert.h"
#include "mlp.h"

static uint8_t arena[ENCODER_ARENA_BYTES] __aligned(ERT_ARENA_ALIGN);
static uint8_t copy[MLP_BYTES] __aligned(ERT_BLOB_ALIGN);
static uint64_t work[(ENCODER_WORK_BYTES > MLP_WORK_BYTES ? ENCODER_WORK_BYTES : MLP_WORK_BYTES) / 8 + 1];
static ert_model model;
static ert_context context;

BUILD_ASSERT(ENCODER_ARENA_BYTES >= MLP_ARENA_BYTES);

static void replay(const uint8_t* blob, size_t bytes, size_t arena_bytes) {
  ert_memory_need need = {.struct_size = sizeof need};
  ert_region region = {arena, 0};
  zassert_equal(ert_model_open_in(&model, blob, bytes, work, sizeof work), ERT_OK);
  zassert_equal(ert_arena_bytes(&model, NULL, NULL, &need), ERT_OK);
  zassert_true(need.bytes <= arena_bytes, "the exported header counts pointers of 64 bits, never less than this core needs");
  region.bytes = need.bytes - 1;
  zassert_equal(ert_context_init(&context, &model, NULL, NULL, &region, 1), ERT_ERR_NOMEM, "a byte less than exact must not do");
  region.bytes = need.bytes;
  zassert_equal(ert_context_init(&context, &model, NULL, NULL, &region, 1), ERT_OK);
  zassert_equal(ert_selftest(&context), ERT_OK, "other bits than the converter's");
}

ZTEST(ert, test_encoder) { replay(encoder_blob, ENCODER_BYTES, ENCODER_ARENA_BYTES); }

ZTEST(ert, test_mlp) { replay(mlp_blob, MLP_BYTES, MLP_ARENA_BYTES); }

ZTEST(ert, test_damaged_blob) {
  memcpy(copy, mlp_blob, MLP_BYTES);
  copy[MLP_BYTES - 1] ^= 1;
  zassert_equal(ert_model_open_in(&model, copy, MLP_BYTES, work, sizeof work), ERT_ERR_CHECKSUM);
}

ZTEST_SUITE(ert, NULL, NULL, NULL, NULL, NULL);
