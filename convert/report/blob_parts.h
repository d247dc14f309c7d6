// Where the bytes of a blob are: what makes it large.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace edgeconv {

struct BlobPart {
  std::string kind;  // "weights", "tables", "other constants", "golden vectors", "tokenizer", "metadata", "alignment"
  uint64_t bytes = 0;
};

// blob: opened before, so that it is valid, and expanded. Largest first; the sum is the blob's size. Metadata: header, program, names and
// certificate. Scales and biases count to what they belong to.
std::vector<BlobPart> blob_parts(const void* blob, uint64_t bytes);

std::string parts_text(const std::vector<BlobPart>& parts);             // "weights 10.50 MB (77.1 %), tables ..."
nlohmann::ordered_json parts_json(const std::vector<BlobPart>& parts);  // [{"kind", "bytes"}]

}  // namespace edgeconv
