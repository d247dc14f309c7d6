// The two DER structures of RFC 8410 have no choices for Ed25519: fixed bytes, then the key.
#include "convert/blob/key_file.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "convert/files/mapped_file.h"
#include "convert/ir/diagnostics.h"
#include "platform/posix/file_map.h"

namespace edgeconv {

namespace {

constexpr size_t kMostKeyFileBytes = 64 * 1024;
constexpr char kPrivate[] = "PRIVATE KEY", kPublic[] = "PUBLIC KEY";
// PrivateKeyInfo { version 0, { id-Ed25519 }, OCTET STRING of OCTET STRING }, SubjectPublicKeyInfo { { id-Ed25519 }, BIT STRING }.
constexpr uint8_t kPrivatePrefix[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                      0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
constexpr uint8_t kPublicPrefix[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

template <size_t n>
std::string pem(const char* label, const uint8_t (&prefix)[n], const std::array<uint8_t, 32>& key) {
  std::vector<uint8_t> der(prefix, prefix + n);
  der.insert(der.end(), key.begin(), key.end());
  std::string text(sodium_base64_encoded_len(der.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), der.data(), der.size(), sodium_base64_VARIANT_ORIGINAL);
  text.resize(std::strlen(text.c_str()));
  sodium_memzero(der.data(), der.size());
  return std::string("-----BEGIN ") + label + "-----\n" + text + "\n-----END " + label + "-----\n";
}

std::string contents(const std::string& path) {
  ert_file_map map{};
  if (const int error = ert_file_map_open(&map, path.c_str()); error != 0)
    throw FatalError(ExitCode::kIo, "cannot read '" + printable(path) + "': " + why_not_mapped(error));
  const bool fits = map.bytes <= kMostKeyFileBytes;
  std::string text(static_cast<const char*>(map.data), fits ? map.bytes : 0);
  ert_file_map_close(&map);
  if (!fits) throw FatalError(ExitCode::kMalformed, "'" + path + "' is too large for a key file");
  return text;
}

// What stands between the lines of `label`, decoded; nothing where these lines are not there. Bad text gives an empty result.
std::optional<std::vector<uint8_t>> decoded(const std::string& text, const char* label) {
  const std::string begin = std::string("-----BEGIN ") + label + "-----", end = std::string("-----END ") + label + "-----";
  const size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  const size_t to = text.find(end, from);
  std::vector<uint8_t> der(text.size());
  size_t bytes = 0;
  const size_t first = from + begin.size();
  if (to == std::string::npos || sodium_base642bin(der.data(), der.size(), text.data() + first, to - first, " \t\r\n", &bytes,
                                                   nullptr, sodium_base64_VARIANT_ORIGINAL) != 0)
    bytes = 0;
  der.resize(bytes);
  return der;
}

template <size_t n>
std::array<uint8_t, 32> key_of(const std::vector<uint8_t>& der, const uint8_t (&prefix)[n], const std::string& path) {
  std::array<uint8_t, 32> key;
  if (der.size() != n + key.size() || !std::equal(prefix, prefix + n, der.begin()))
    throw FatalError(ExitCode::kMalformed,
                     "'" + path + "' holds a key, but not an Ed25519 key without a password; edgeconv keygen makes one");
  std::copy(der.begin() + n, der.end(), key.begin());
  return key;
}

}  // namespace

std::string private_key_text(const PrivateKey& key) { return pem(kPrivate, kPrivatePrefix, key); }
std::string public_key_text(const PublicKey& key) { return pem(kPublic, kPublicPrefix, key); }

PrivateKey read_private_key(const std::string& path) {
  const std::string text = contents(path);
  if (const auto der = decoded(text, kPrivate)) return key_of(*der, kPrivatePrefix, path);
  throw FatalError(ExitCode::kMalformed, "'" + path + "' holds no private key (PKCS#8 in PEM)" +
                                             (decoded(text, kPublic) ? "; it holds a public one, which only verifies" : ""));
}

PublicKey read_public_key(const std::string& path) {
  const std::string text = contents(path);
  if (const auto der = decoded(text, kPublic)) return key_of(*der, kPublicPrefix, path);
  if (const auto der = decoded(text, kPrivate)) return public_key_of(key_of(*der, kPrivatePrefix, path));
  throw FatalError(ExitCode::kMalformed, "'" + path + "' holds no public key (SubjectPublicKeyInfo in PEM)");
}

}  // namespace edgeconv
