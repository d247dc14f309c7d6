// See signature.h.
#include "convert/blob/signature.h"

#include <sodium.h>

#include <cstring>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/run/status.h"
#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "rt/verify/structure.h"

namespace edgeconv {

namespace {

static_assert(crypto_sign_BYTES == ert::kSignatureBytes && crypto_sign_SEEDBYTES == sizeof(PrivateKey) &&
              crypto_sign_PUBLICKEYBYTES == sizeof(PublicKey));

void start_sodium() {
  if (sodium_init() < 0) throw FatalError(ExitCode::kInternal, "libsodium has no source of random numbers");
}

// Both halves of a key as libsodium wants them; the secret one is wiped.
struct KeyPair {
  unsigned char secret[crypto_sign_SECRETKEYBYTES];
  PublicKey open;
  explicit KeyPair(const PrivateKey& seed) {
    start_sodium();
    crypto_sign_seed_keypair(open.data(), secret, seed.data());
  }
  ~KeyPair() { sodium_memzero(secret, sizeof secret); }
};

// The four bytes that bring a CRC-32C from `crc` to `wanted`: the register that leads to `wanted`, found by running the shift register
// back over 32 bits, differs from that of `crc` by them.
uint32_t bytes_between(uint32_t crc, uint32_t wanted) {
  uint32_t s = ~wanted;
  for (int bit = 0; bit < 32; ++bit) s = (s & 0x80000000u) != 0 ? (s ^ 0x82F63B78u) << 1 | 1u : s << 1;
  return s ^ ~crc;
}

}  // namespace

PrivateKey new_private_key() {
  start_sodium();
  PrivateKey key;
  randombytes_buf(key.data(), key.size());
  return key;
}

PublicKey public_key_of(const PrivateKey& key) { return KeyPair(key).open; }

Signature sign_message(const void* message, size_t bytes, const PrivateKey& key) {
  Signature signature;
  const KeyPair pair(key);
  crypto_sign_detached(signature.data(), nullptr, static_cast<const unsigned char*>(message), bytes, pair.secret);
  return signature;
}

// libsodium wants the message in one piece.
int verify_by_sodium(void* context, const uint8_t* signature, const void* message, size_t bytes, size_t zeros) {
  start_sodium();
  std::vector<unsigned char> whole(bytes + zeros);
  if (bytes != 0) std::memcpy(whole.data(), message, bytes);
  return crypto_sign_verify_detached(signature, whole.data(), whole.size(), static_cast<const PublicKey*>(context)->data());
}

Tensor sign_blob(const void* blob, size_t bytes, const PrivateKey& key) {
  ert::Structure structure;
  if (const ert_status s = ert::verify_structure(static_cast<const uint8_t*>(blob), bytes, &structure); s != ERT_OK)
    throw_status(s, "cannot be signed");
  ert::Header h = structure.header;
  const uint64_t unsigned_bytes = h.segments_end();
  const uint64_t block = ert::segment_start(unsigned_bytes);
  h.flags |= ert::kFlagSigned;
  h.total_bytes = block + ert::kSignatureBlockBytes;
  Tensor out(DType::kUint8, {static_cast<int64_t>(h.total_bytes)});
  uint8_t* to = out.mutable_data();
  std::memset(to, 0, out.bytes());
  std::memcpy(to, blob, unsigned_bytes);
  h.content_crc = ert::crc32c(0, to + ert::kHeaderBytes, out.bytes() - ert::kHeaderBytes);
  ert::encode_header(h, to);
  const Signature signature = sign_message(to, out.bytes(), key);
  std::memcpy(to + block, signature.data(), sizeof signature);
  const uint32_t so_far = ert::crc32c(0, to + ert::kHeaderBytes, block + sizeof signature - ert::kHeaderBytes);
  const uint32_t last = bytes_between(so_far, h.content_crc);
  for (size_t i = 0; i < 4; ++i) to[block + sizeof signature + i] = static_cast<uint8_t>(last >> (8 * i));
  return out;
}

void check_blob_signature(const void* blob, size_t bytes, const PublicKey& key, const std::string& what) {
  PublicKey copy = key;
  const ert_status s = ert_check_signature(blob, bytes, verify_by_sodium, &copy);
  // What begins as a blob and is damaged further on has not the signature that is asked for.
  if (s == ERT_ERR_FORMAT || s == ERT_ERR_LIMIT) throw FatalError(ExitCode::kChecksum, what + ": " + ert_status_str(s));
  if (s != ERT_OK) throw_status(s, what);
}

}  // namespace edgeconv
