/* An ert_verify_signature on Monocypher 4 (monocypher.c and optional/monocypher-ed25519.c): Ed25519 without a copy of the blob, for
 * ert_model_open_signed. context: the public key, 32 bytes. */
#ifndef ERT_EXAMPLE_MONOCYPHER_VERIFY_H
#define ERT_EXAMPLE_MONOCYPHER_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int verify_by_monocypher(void* context, const uint8_t* signature, const void* message, size_t bytes, size_t zeros);

#ifdef __cplusplus
}
#endif
#endif
