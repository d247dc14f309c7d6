// `edgeconv sign`: a blob with the signature of a key.
#include "convert/blob/key_file.h"
#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/standard_output.h"
#include "convert/files/outputs.h"
#include "convert/ir/diagnostics.h"
#include "convert/run/blob_runner.h"
#include "rt/blob/header.h"

namespace edgeconv::cli {

namespace {

struct SignArguments {
  std::string blob, key, output;
  bool force = false;
};

int sign(const SignArguments& o) {
  const std::string output = o.output.empty() ? o.blob : o.output;
  Outputs outputs(o.force);
  outputs.reads(o.key, "the key");
  if (!o.output.empty()) outputs.reads(o.blob, "the blob itself; without -o it is signed in its place");
  const PrivateKey key = read_private_key(o.key);
  Tensor signed_blob;
  {
    const BlobFile file(o.blob);
    if (file.stored_bytes() == 0) throw FatalError(ExitCode::kMalformed, "'" + o.blob + "' is empty");
    try {
      const BlobRunner opens(file.data(), file.bytes());  // never sign what no device would open
      signed_blob = sign_blob(file.stored_data(), file.stored_bytes(), key);
    } catch (const FatalError& e) {
      throw FatalError(e.code(), "'" + o.blob + "': " + e.what());
    }
  }
  // What opened as a blob may be replaced whatever it is named.
  outputs.writes("-o", output, {{".ert"}, ert::kMagic});
  outputs.write(output, signed_blob.data(), signed_blob.bytes());
  tell("signed: " + (output == "-" ? "standard output" : printable(output)) + ", by the key whose public half is\n" +
       public_key_text(public_key_of(key)));
  return 0;
}

}  // namespace

Action add_sign(Arguments& a) {
  auto o = std::make_shared<SignArguments>();
  a.option("blob", o->blob, "blob file; a signature that it has is replaced", {.required = true});
  a.option("--key", o->key, "private key: Ed25519, PKCS#8 in PEM (edgeconv keygen)", {.required = true, .type = "KEY.pem"});
  a.option("-o,--output", o->output, "file to write (default: the blob itself)");
  a.flag("--force", o->force, "replace an existing file that is no blob");
  a.example("edgeconv sign model.ert --key KEY.pem", "the blob has the signature of this key then");
  return [o] { return sign(*o); };
}

}  // namespace edgeconv::cli
