// Signing on the host: the vectors of RFC 8032, key files as other tools write them, and blobs that the runtime's check takes.
#include "convert/blob/signature.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "convert/blob/key_file.h"
#include "convert/ir/diagnostics.h"
#include "tests/support/blob_builder.h"
#include "tests/support/rfc8032.h"

namespace edgeconv::testing {

namespace {

using ert::testing::AlignedBytes;
using ert::testing::ed25519_vectors;
using ert::testing::from_hex;

template <size_t n>
std::array<uint8_t, n> array_of(const std::string& hex) {
  std::array<uint8_t, n> a{};
  const std::vector<uint8_t> bytes = from_hex(hex);
  EXPECT_EQ(bytes.size(), n);
  std::copy(bytes.begin(), bytes.end(), a.begin());
  return a;
}

class KeyFileTest : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::string path = (std::filesystem::path(::testing::TempDir()) / ("key." + std::to_string(getpid()))).string();
    std::ofstream(path) << text;
    return path;
  }
  ExitCode private_code(const std::string& text) {
    try {
      read_private_key(file(text));
    } catch (const FatalError& e) {
      return e.code();
    }
    return ExitCode::kOk;
  }
};

TEST(Ed25519, GivesTheSignaturesOfTheRfc) {
  for (const auto& v : ed25519_vectors()) {
    const PrivateKey key = array_of<32>(v.private_key);
    const std::vector<uint8_t> message = from_hex(v.message);
    EXPECT_EQ(public_key_of(key), array_of<32>(v.public_key));
    EXPECT_EQ(sign_message(message.data(), message.size(), key), array_of<64>(v.signature)) << v.message;
  }
}

TEST(Ed25519, ChecksTheSignaturesOfTheRfc) {
  for (const auto& v : ed25519_vectors()) {
    PublicKey key = array_of<32>(v.public_key);
    Signature s = array_of<64>(v.signature);
    const std::vector<uint8_t> message = from_hex(v.message);
    EXPECT_EQ(verify_by_sodium(&key, s.data(), message.data(), message.size(), 0), 0);
    EXPECT_NE(verify_by_sodium(&key, s.data(), message.data(), message.size(), 1), 0) << "a zero behind it";
    s[40] ^= 1;
    EXPECT_NE(verify_by_sodium(&key, s.data(), message.data(), message.size(), 0), 0);
  }
}

// openssl genpkey -algorithm ed25519; openssl pkey -pubout (3.0): the key of TEST 1.
TEST_F(KeyFileTest, ArePemAsOpensslWritesIt) {
  const PrivateKey key = array_of<32>(ed25519_vectors()[0].private_key);
  EXPECT_EQ(private_key_text(key),
            "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
            "KEY-----\n");
  EXPECT_EQ(
      public_key_text(public_key_of(key)),
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n");
  EXPECT_EQ(read_private_key(file(private_key_text(key))), key);
  EXPECT_EQ(read_public_key(file(public_key_text(public_key_of(key)))), public_key_of(key));
  EXPECT_EQ(read_public_key(file(private_key_text(key))), public_key_of(key)) << "a private key has both halves";
  EXPECT_EQ(read_private_key(file("text before\r\n" + private_key_text(key) + "text behind")), key);
}

TEST_F(KeyFileTest, WhatIsNoKeyIsMalformed) {
  const std::string good = private_key_text(array_of<32>(ed25519_vectors()[0].private_key));
  EXPECT_EQ(private_code(good), ExitCode::kOk);
  EXPECT_EQ(private_code(""), ExitCode::kMalformed);
  EXPECT_EQ(private_code(good.substr(0, good.size() / 2)), ExitCode::kMalformed);
  EXPECT_EQ(private_code(public_key_text({})), ExitCode::kMalformed) << "a public key cannot sign";
  std::string other = good;
  other[other.find("K2Vw") + 3] = 'u';  // X25519
  EXPECT_EQ(private_code(other), ExitCode::kMalformed);
  other = good;
  other[40] = '*';
  EXPECT_EQ(private_code(other), ExitCode::kMalformed);
  EXPECT_EQ(private_code(std::string(100'000, ' ') + good), ExitCode::kMalformed);
}

TEST(SignBlob, TheRuntimeTakesItAndSoDoesWhoeverAsksForNoSignature) {
  const AlignedBytes plain = ert::testing::small_program().build();
  const PrivateKey key = new_private_key();
  PublicKey open = public_key_of(key), other = public_key_of(new_private_key());
  const Tensor b = sign_blob(plain.data(), plain.size(), key);
  ert_model m;
  EXPECT_EQ(ert_model_open_signed(&m, b.data(), b.bytes(), verify_by_sodium, &open), ERT_OK);
  EXPECT_EQ(ert_model_open_signed(&m, b.data(), b.bytes(), verify_by_sodium, &other), ERT_ERR_SIGNATURE);
  EXPECT_EQ(ert_model_open(&m, b.data(), b.bytes()), ERT_OK) << "the checksum is right in spite of the signature";
  EXPECT_THROW(check_blob_signature(plain.data(), plain.size(), open, "b"), FatalError);
}

TEST(SignBlob, AgainReplacesTheSignature) {
  const AlignedBytes plain = ert::testing::small_program().build();
  const PrivateKey first = new_private_key(), second = new_private_key();
  const Tensor once = sign_blob(plain.data(), plain.size(), second), twice = sign_blob(plain.data(), plain.size(), first);
  EXPECT_TRUE(sign_blob(twice.data(), twice.bytes(), second).same_bytes(once));
}

// Two ways to the four bytes that keep the checksum: the shift register run back, and elimination in the builder of tests.
TEST(SignBlob, HasTheBytesOfTheTestsOwnBuilder) {
  const AlignedBytes plain = ert::testing::small_program().build();
  const Tensor b = sign_blob(plain.data(), plain.size(), new_private_key());
  const auto* bytes = static_cast<const uint8_t*>(b.data());
  const AlignedBytes built = ert::testing::with_signature(plain, bytes + b.bytes() - ert::kSignatureBlockBytes);
  ASSERT_EQ(built.size(), b.bytes());
  EXPECT_EQ(std::memcmp(built.data(), bytes, b.bytes()), 0);
}

TEST(SignBlob, DamageIsNotSigned) {
  AlignedBytes b = ert::testing::small_program().build();
  b.data()[b.size() - 1] ^= 1;
  try {
    sign_blob(b.data(), b.size(), new_private_key());
    FAIL() << "signed";
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kChecksum);
  }
}

}  // namespace

}  // namespace edgeconv::testing
