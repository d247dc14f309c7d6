// Real Ed25519 on the device's side: the hook of rt/example/signature against the vectors of RFC 8032, and a blob that is signed so.
// Built where ERT_MONOCYPHER_DIR names Monocypher's sources.
#include <gtest/gtest.h>
#include <monocypher-ed25519.h>

#include <cstring>

#include "rt/example/signature/monocypher_verify.h"
#include "tests/support/context_fixture.h"
#include "tests/support/rfc8032.h"

namespace ert::testing {
namespace {

TEST(Monocypher, TakesTheVectorsOfTheRfc) {
  for (const Ed25519Vector& v : ed25519_vectors()) {
    const std::vector<uint8_t> message = from_hex(v.message);
    std::vector<uint8_t> key = from_hex(v.public_key), signature = from_hex(v.signature);
    EXPECT_EQ(verify_by_monocypher(key.data(), signature.data(), message.data(), message.size(), 0), 0) << v.message;
    for (size_t bit = 0; bit < 512; bit += 37) {
      signature[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
      EXPECT_NE(verify_by_monocypher(key.data(), signature.data(), message.data(), message.size(), 0), 0) << v.message;
      signature[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    }
    EXPECT_NE(verify_by_monocypher(key.data(), signature.data(), message.data(), message.size(), 1), 0) << "a longer message";
  }
}

TEST(Monocypher, OpensABlobThatIsSignedSo) {
  std::vector<uint8_t> seed = from_hex(ed25519_vectors()[0].private_key);
  uint8_t secret[64], open[32], signature[kSignatureBytes] = {};
  crypto_ed25519_key_pair(secret, open, seed.data());
  const AlignedBytes plain = small_program().build();
  AlignedBytes message = with_signature(plain, signature);
  std::memset(message.data() + message.size() - kSignatureBlockBytes, 0, kSignatureBlockBytes);
  crypto_ed25519_sign(signature, secret, message.data(), message.size());
  AlignedBytes b = with_signature(plain, signature);
  alignas(8) uint8_t work[12 * 1024];
  ert_model m;
  EXPECT_EQ(ert_model_open_signed_in(&m, b.data(), b.size(), work, sizeof work, verify_by_monocypher, open), ERT_OK);
  b.data()[b.size() - kSignatureBlockBytes] ^= 1;
  EXPECT_EQ(ert_model_open_signed_in(&m, b.data(), b.size(), work, sizeof work, verify_by_monocypher, open), ERT_ERR_SIGNATURE);
}

}  // namespace
}  // namespace ert::testing
