// Signed blobs in the runtime: what the application's check is given, and that its answer decides. The check here is a plain hash; real
// Ed25519: monocypher_test.cc on devices, tests/convert/blob/signature_test.cc on the host.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

// Stands for a key: accepts the signature that begins with the hash of key and message, and has zeros behind. No CRC: the
// header holds one of the content, so that of the whole would not change where checksums are made to fit.
struct Key {
  uint32_t number = 0;
  int calls = 0;
  size_t bytes = 0;
};

// FNV-1a.
uint32_t signed_number(uint32_t key, const void* message, size_t bytes, size_t zeros) {
  const uint8_t* p = static_cast<const uint8_t*>(message);
  uint32_t hash = 2166136261u ^ key;
  for (size_t i = 0; i < bytes + zeros; ++i) hash = (hash ^ (i < bytes ? p[i] : 0)) * 16777619u;
  return hash;
}

int check(void* context, const uint8_t* signature, const void* message, size_t bytes, size_t zeros) {
  Key* key = static_cast<Key*>(context);
  ++key->calls;
  key->bytes = bytes + zeros;
  uint8_t expected[kSignatureBytes] = {};
  const uint32_t number = signed_number(key->number, message, bytes, zeros);
  std::memcpy(expected, &number, sizeof number);
  return std::memcmp(signature, expected, sizeof expected);
}

AlignedBytes signed_by(uint32_t key, const AlignedBytes& blob) {
  uint8_t signature[kSignatureBytes] = {};
  const AlignedBytes draft = with_signature(blob, signature);
  AlignedBytes zeroed = draft;
  std::memset(zeroed.data() + zeroed.size() - kSignatureBlockBytes, 0, kSignatureBlockBytes);
  const uint32_t number = signed_number(key, zeroed.data(), zeroed.size(), 0);
  std::memcpy(signature, &number, sizeof number);
  return with_signature(blob, signature);
}

ert_status open_signed(const AlignedBytes& b, uint32_t key, ert_model* m) {
  Key k{key};
  return ert_model_open_signed(m, b.data(), b.size(), check, &k);
}
ert_status open_signed(const AlignedBytes& b, uint32_t key) {
  ert_model m;
  return open_signed(b, key, &m);
}
bool opened(const ert_model& m) {
  ert_info info{};
  info.struct_size = sizeof info;
  return ert_model_info(&m, &info) == ERT_OK;
}

TEST(Signature, DecidesWhetherABlobIsOpened) {
  const AlignedBytes plain = small_program().build(), b = signed_by(5, plain);
  ert_model m;
  EXPECT_EQ(open_signed(b, 5, &m), ERT_OK);
  EXPECT_TRUE(opened(m));
  EXPECT_EQ(open_signed(b, 6, &m), ERT_ERR_SIGNATURE) << "another key";
  EXPECT_FALSE(opened(m));
  EXPECT_EQ(open_signed(plain, 5, &m), ERT_ERR_SIGNATURE) << "no signature";
  EXPECT_FALSE(opened(m));
  EXPECT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK) << "whoever asks for none takes both";
  EXPECT_TRUE(opened(m));
}

// A check that believes anything is not even asked: there are no bytes of a signature to give it.
TEST(Signature, AnUnsignedBlobHasNoneToCheck) {
  const auto believe = [](void* calls, const uint8_t*, const void*, size_t, size_t) { return ++*static_cast<int*>(calls), 0; };
  const AlignedBytes b = small_program().build();
  int calls = 0;
  EXPECT_EQ(ert_check_signature(b.data(), b.size(), believe, &calls), ERT_ERR_SIGNATURE);
  EXPECT_EQ(calls, 0);
}

TEST(Signature, CoversTheWholeFileWithItsOwnBytesAsZero) {
  const AlignedBytes b = signed_by(5, small_program().build());
  Key key{5};
  ASSERT_EQ(ert_check_signature(b.data(), b.size(), check, &key), ERT_OK);
  EXPECT_EQ(key.calls, 1);
  EXPECT_EQ(key.bytes, b.size());
}

// A flip that a checksum finds is damage; one whose checksums were made to fit is a forgery. Neither is opened, whatever was flipped.
TEST(Signature, EveryChangedByteIsRefusedAlsoWithChecksumsThatFit) {
  const AlignedBytes good = signed_by(5, small_program().build());
  for (size_t at = 0; at < good.size(); ++at) {
    AlignedBytes b = good;
    b.data()[at] ^= 0x10;
    EXPECT_NE(open_signed(b, 5), ERT_OK) << at;
    ert_model m;
    EXPECT_NE(ert_model_open(&m, b.data(), b.size()), ERT_OK) << at << ": damage is found without a key";
    if (at >= good.size() - 4) continue;  // not of the message: they only carry the checksum
    reseal(&b);
    if (std::memcmp(b.data(), good.data(), b.size()) == 0) continue;  // it was a checksum
    EXPECT_NE(open_signed(b, 5), ERT_OK) << at << " resealed";
  }
}

TEST(Signature, OfAnotherBlobIsRefused) {
  BlobSpec other = small_program();
  other.security_counter = 1;
  const AlignedBytes from = signed_by(5, other.build()), to = small_program().build();
  const AlignedBytes moved = with_signature(to, from.data() + from.size() - kSignatureBlockBytes);
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, moved.data(), moved.size()), ERT_OK) << "its structure is right";
  EXPECT_EQ(open_signed(moved, 5), ERT_ERR_SIGNATURE);
}

// The block is the file's end: a header that claims one without room for it must not lead the check outside.
TEST(Signature, WithoutRoomForABlockIsMalformed) {
  for (const bool segments : {false, true}) {
    BlobSpec s = small_program();
    AlignedBytes b = s.build();
    Header h;
    ASSERT_EQ(decode_header(b.data(), b.size(), &h), ERT_OK);
    h.flags |= kFlagSigned;
    if (!segments) h.total_bytes = h.segments_offset + kSignatureBlockBytes - 1;
    encode_header(h, b.data());
    Key key{5};
    const ert_status status = ert_check_signature(b.data(), static_cast<size_t>(h.total_bytes), check, &key);
    EXPECT_EQ(status, ERT_ERR_FORMAT);
    EXPECT_EQ(key.calls, 0);
  }
}

TEST(Signature, TruncatedAndLongerFilesNeverReachTheCheck) {
  const AlignedBytes b = signed_by(5, small_program().build());
  for (size_t n = 0; n < b.size(); ++n) {
    AlignedBytes cut(n);
    std::memcpy(cut.data(), b.data(), n);
    Key key{5};
    EXPECT_EQ(ert_check_signature(cut.data(), n, check, &key), ERT_ERR_TRUNCATED) << n;
    EXPECT_EQ(key.calls, 0);
  }
}

TEST(Signature, WrongArguments) {
  const AlignedBytes b = signed_by(5, small_program().build());
  Key key{5};
  ert_model m;
  EXPECT_EQ(ert_model_open_signed(nullptr, b.data(), b.size(), check, &key), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_open_signed(&m, nullptr, b.size(), check, &key), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_open_signed(&m, b.data(), b.size(), nullptr, &key), ERT_ERR_ARG);
  EXPECT_FALSE(opened(m));
}

TEST(Signature, IsCheckedBeforeAnythingElseIsRead) {
  AlignedBytes b = signed_by(5, small_program().build());
  b.data()[kHeaderBytes] ^= 1;  // the metadata, which ert_model_open would read first
  EXPECT_EQ(open_signed(b, 5), ERT_ERR_SIGNATURE);
}

TEST(Signature, OpensInLentMemory) {
  const AlignedBytes b = signed_by(5, small_program().build());
  alignas(8) uint8_t work[12 * 1024];
  Key key{5};
  ert_model m;
  EXPECT_EQ(ert_model_open_signed_in(&m, b.data(), b.size(), work, sizeof work, check, &key), ERT_OK);
  key.number = 6;
  EXPECT_EQ(ert_model_open_signed_in(&m, b.data(), b.size(), work, sizeof work, check, &key), ERT_ERR_SIGNATURE);
}

// A reader of before signatures refuses flags that it does not know: bit 1 then, any other bit now.
TEST(Signature, AnUnknownFlagIsAnotherVersion) {
  AlignedBytes b = small_program().build();
  Header h;
  ASSERT_EQ(decode_header(b.data(), b.size(), &h), ERT_OK);
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if ((kKnownFlags >> bit & 1) != 0) continue;
    Header changed = h;
    changed.flags |= 1u << bit;
    encode_header(changed, b.data());
    ert_model m;
    EXPECT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_ERR_VERSION) << bit;
  }
  EXPECT_EQ(kFlagSigned, 2u) << "never renumbered";
}

}  // namespace
}  // namespace ert::testing
