/* See monocypher_verify.h. Monocypher's own crypto_ed25519_check wants the message in one piece; a blob in flash is followed by its
 * signature, not by the zeros that are signed. So this is that function's way, with the hash in parts (RFC 8032, 5.1.7). */
#include "rt/example/signature/monocypher_verify.h"

#include <monocypher-ed25519.h>
#include <monocypher.h>

int verify_by_monocypher(void* context, const uint8_t* signature, const void* message, size_t bytes, size_t zeros) {
  static const uint8_t zero[16];
  const uint8_t* public_key = (const uint8_t*)context;
  uint8_t hash[64], h[32];
  crypto_sha512_ctx sha;
  crypto_sha512_init(&sha);
  crypto_sha512_update(&sha, signature, 32);
  crypto_sha512_update(&sha, public_key, 32);
  crypto_sha512_update(&sha, (const uint8_t*)message, bytes);
  while (zeros > 0) {
    const size_t part = zeros < sizeof zero ? zeros : sizeof zero;
    crypto_sha512_update(&sha, zero, part);
    zeros -= part;
  }
  crypto_sha512_final(&sha, hash);
  crypto_eddsa_reduce(h, hash);
  return crypto_eddsa_check_equation(signature, public_key, h);
}
