// What a blob's certificate says of inputs, dims and outputs that were pinned: --fix, --const and --outputs of the conversion.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "convert/import_graph/cut.h"
#include "convert/import_graph/pinning.h"
#include "convert/prepare/raw_inputs.h"
#include "convert/task/task.h"

namespace edgeconv {

struct CertifiedConstant {
  std::string name;
  size_t position = 0;  // among the inputs of the file
  std::string value;    // of all elements; empty where they differ
  std::string sha256;   // contents_sha256
};

struct CertifiedPinning {
  std::map<std::string, int64_t> dims;
  std::vector<CertifiedConstant> inputs;  // by position
  std::vector<std::string> outputs;       // that were chosen; empty: those of the file
  std::vector<CutInput> cut;              // by position
};

// The certificate is text from a file: what is not as result/certificate.h has it is left out.
CertifiedPinning certified_pinning(const nlohmann::ordered_json& certificate);

// The inputs that were converted with --input-scale.
std::vector<RawInput> certified_raw_inputs(const nlohmann::ordered_json& certificate);

// The task that the outputs were made for; nothing: those of the file.
std::optional<TaskSettings> certified_task(const nlohmann::ordered_json& certificate);

// Names of all inputs of the file, in its order: those of the blob, the pinned and the cut ones.
std::vector<std::string> declared_inputs(const std::vector<std::string>& blob_inputs, const CertifiedPinning& pinning);

// The pinning to read the model with again. given: of the command line, which must say the same; contents that the certificate has only the hash of must be
// given. Throws FatalError(kUsage).
Pinning pinning_again(const CertifiedPinning& certified, Pinning given);
// The model was read with contents that the certificate has the hashes of. Throws FatalError(kUsage).
void check_contents(const CertifiedPinning& certified, const std::vector<PinnedInput>& pinned);

}  // namespace edgeconv
