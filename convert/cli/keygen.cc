// `edgeconv keygen`: a pair of keys for signed blobs.
#include <sys/stat.h>

#include <filesystem>

#include "convert/blob/key_file.h"
#include "convert/cli/command.h"
#include "convert/cli/standard_output.h"
#include "convert/files/outputs.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

struct KeygenArguments {
  std::string output;
  bool force = false;
};

// KEY.pem: KEY.pub.pem. Any other name: the name and .pub.pem.
std::string public_name(const std::string& path) {
  const std::filesystem::path p(path);
  return (p.extension() == ".pem" ? std::filesystem::path(p).replace_extension().string() : path) + ".pub.pem";
}

// Nobody but the owner may ever have had a chance to read it: the file is made so, not changed afterwards.
class PrivateFiles {
 public:
  PrivateFiles() : before_(umask(077)) {}
  ~PrivateFiles() { umask(before_); }
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  mode_t before_;
};

int keygen(const KeygenArguments& o) {
  const std::string open_name = public_name(o.output);
  // A key that exists may be the only one that devices in the field believe.
  const OutputFormat never_replaced{};
  Outputs outputs(o.force);
  outputs.writes("-o", o.output, never_replaced);
  if (const OutputPlace::Kind kind = output_place(o.output).kind;
      kind != OutputPlace::Kind::kNew && kind != OutputPlace::Kind::kFile)
    throw FatalError(ExitCode::kUsage, "-o " + o.output + ": a private key goes into a file that only its owner can read");
  outputs.writes("the public key of -o", open_name, never_replaced);
  const PrivateKey key = new_private_key();
  const std::string secret = private_key_text(key), open = public_key_text(public_key_of(key));
  {
    const PrivateFiles files;
    outputs.write(o.output, secret.data(), secret.size());
  }
  outputs.write(open_name, open.data(), open.size());
  tell("private key: " + printable(o.output) + " (keep it, and keep it secret), public key: " + printable(open_name) + "\n");
  return 0;
}

}  // namespace

Action add_keygen(Arguments& a) {
  auto o = std::make_shared<KeygenArguments>();
  a.option("-o,--output", o->output, "private key to write, KEY.pem; the public one goes to KEY.pub.pem",
           {.required = true, .type = "KEY.pem"});
  a.flag("--force", o->force, "replace existing files");
  a.example("edgeconv keygen -o KEY.pem", "KEY.pem to sign with, KEY.pub.pem for devices");
  return [o] { return keygen(*o); };
}

}  // namespace edgeconv::cli
