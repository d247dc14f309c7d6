// Ed25519 keys as files that other tools read: PEM with PKCS#8 (private) and SubjectPublicKeyInfo (public), RFC 8410, as
// `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write them.
#pragma once

#include <string>

#include "convert/blob/signature.h"

namespace edgeconv {

std::string private_key_text(const PrivateKey& key);
std::string public_key_text(const PublicKey& key);

// Throws FatalError: kIo where the file cannot be read, kMalformed where it holds no such key, with what it holds instead.
PrivateKey read_private_key(const std::string& path);
// A private key's file serves too: its public half is meant.
PublicKey read_public_key(const std::string& path);

}  // namespace edgeconv
