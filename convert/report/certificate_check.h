// A blob's certificate against figures that were measured again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "convert/result/certificate.h"
#include "convert/measure/compare.h"
#include "convert/report/layer_table.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

// The JSON that the blob carries; null when it carries none. It is text from a file: nothing about its structure is certain.
nlohmann::ordered_json certificate_of(const BlobRunner& runner);

// What the certificate says that its figures were measured on; empty names and sums where it does not say.
MeasuredOn measured_on(const nlohmann::ordered_json& certificate);

// The same figures, of this blob and this model, on what the caller believes to be the same inputs.
struct MeasuredAgain {
  std::string source_sha256, inputs_sha256;
  std::vector<OutputError> outputs;  // against the canonical interpreter
  std::vector<LayerError> layers;
};

struct CertificateCheck {
  enum class State { kConfirmed, kContradicted, kNotComparable };
  State state = State::kNotComparable;
  std::string why;                          // it is not comparable
  size_t outputs = 0, layers = 0;           // whose figures are as certified
  std::vector<std::string> contradictions;  // a line each
};

// Figures hold on every host, so they must be equal, but for the last decimal of what was rounded.
CertificateCheck check_certificate(const nlohmann::ordered_json& certificate, const MeasuredAgain& again);

}  // namespace edgeconv
