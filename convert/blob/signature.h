// Signed blobs on the host: Ed25519 (RFC 8032) by libsodium. What the signature covers: rt/schema/README.md.
#pragma once

#include <array>
#include <cstdint>

#include "convert/ir/tensor.h"

namespace edgeconv {

using PrivateKey = std::array<uint8_t, 32>;  // the seed, as RFC 8032 calls it
using PublicKey = std::array<uint8_t, 32>;

using Signature = std::array<uint8_t, 64>;

PrivateKey new_private_key();
PublicKey public_key_of(const PrivateKey& key);
Signature sign_message(const void* message, size_t bytes, const PrivateKey& key);
// An ert_verify_signature; context is the PublicKey.
int verify_by_sodium(void* context, const uint8_t* signature, const void* message, size_t bytes, size_t zeros);

// The blob with a signature, in place of one that it has. The same blob and key give the same bytes.
// Throws FatalError with what the structure of `blob` (aligned as a blob, compressed or not) is refused for.
Tensor sign_blob(const void* blob, size_t bytes, const PrivateKey& key);

// Throws FatalError(kChecksum) where the blob has no signature, or not the one of this key; as throw_status for a header that is wrong.
// what: names the blob in the message.
void check_blob_signature(const void* blob, size_t bytes, const PublicKey& key, const std::string& what);

}  // namespace edgeconv
