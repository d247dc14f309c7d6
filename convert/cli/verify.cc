// `edgeconv verify`: what ert_model_open checks on the device, plus the golden vectors, on the host.
#include <optional>

#include "convert/blob/key_file.h"
#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/standard_output.h"
#include "convert/files/json.h"
#include "convert/ir/diagnostics.h"
#include "convert/run/blob_runner.h"
#include "convert/run/status.h"

namespace edgeconv::cli {

namespace {

struct VerifyArguments {
  std::string blob, key;
  bool json = false;
};

int verify(const VerifyArguments& o) {
  const std::string& path = o.blob;
  std::optional<PublicKey> key;
  if (!o.key.empty()) key = read_public_key(o.key);
  const BlobFile file(path);
  if (file.bytes() == 0) throw FatalError(ExitCode::kMalformed, "'" + path + "' is empty");
  if (key) check_blob_signature(file.stored_data(), file.stored_bytes(), *key, "'" + path + "'");
  ert_model model;
  if (const ert_status s = ert_model_open(&model, file.data(), file.bytes()); s != ERT_OK)
    throw_status(s, "'" + path + "' is not a valid blob");
  uint32_t replayed = 0;
  try {
    replayed = BlobRunner(file.data(), file.bytes()).replay_golden();
  } catch (const FatalError& e) {
    throw FatalError(e.code(), "'" + path + "': " + e.what());
  }
  ert_info info{};
  info.struct_size = sizeof info;
  ert_model_info(&model, &info);
  if (o.json) {
    print_data(json_text(Json{{"version", 1},
                              {"ok", true},
                              {"format", std::to_string(info.format_major) + "." + std::to_string(info.format_minor)},
                              {"producer", info.producer},
                              {"bytes", info.blob_bytes},
                              {"stored_bytes", file.stored_bytes()},
                              {"checksum", fmt::format("{:08x}", info.content_crc)},
                              {"ops", info.ops},
                              {"golden_vectors", replayed},
                              {"signed", file.has_signature()},
                              {"signature_checked", key.has_value()}}));
    return 0;
  }
  const std::string stored = file.compressed() ? " (" + std::to_string(file.stored_bytes()) + " compressed)" : "";
  const std::string signature = key ? ", signed by this key" : file.has_signature() ? ", signed (not checked without --key)" : "";
  print("ok: format {}.{}, {} bytes{}, checksum {:08x}, {} ops, made by {}, {} golden vector{} replayed{}\n", info.format_major,
        info.format_minor, info.blob_bytes, stored, info.content_crc, info.ops, printable(info.producer), replayed,
        replayed == 1 ? "" : "s", signature);
  return 0;
}

}  // namespace

Action add_verify(Arguments& a) {
  auto o = std::make_shared<VerifyArguments>();
  a.option("blob", o->blob, "blob file", {.required = true});
  a.option("--key", o->key, "also ask for the signature of this key (public, in PEM): none or another one ends with exit 8",
           {.type = "PUB.pem"});
  a.flag("--json", o->json, "as JSON; what is wrong is said on stderr, with the exit code");
  a.example("edgeconv verify model.ert --key KEY.pub.pem", "whole, of this format, and signed by this key");
  return [o] { return verify(*o); };
}

}  // namespace edgeconv::cli
