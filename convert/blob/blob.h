// Writes a planned target program as an .ert blob (rt/schema/README.md): header, flatbuffer metadata, 64-byte aligned segments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/program/target.h"
#include "convert/ir/tensor.h"
#include "rt/blob/recipe.h"

namespace edgeconv {

struct GoldenVector {
  std::vector<int32_t> dims;   // in the order of TargetProgram::dims
  std::vector<Tensor> inputs;  // boundary dtypes, in graph order
  std::vector<Tensor> outputs;
  // Where the tensors are too large to be stored: a recipe for each input that is made on the device, and of outputs their first
  // bytes and a checksum.
  bool short_form = false;
  std::vector<std::optional<ert::Recipe>> made = {};  // of the inputs, in short form
  bool operator==(const GoldenVector& other) const;   // bit for bit
};

struct BlobMeta {
  std::string producer;       // converter name and version
  std::string source_sha256;  // of the ONNX file and its external data
  std::string certificate;    // JSON
  uint32_t security_counter = 0;
  std::vector<GoldenVector> golden;
  std::string tokenizer{};  // contents of the tokenizer segment; empty: none
};

// What a golden vector takes in the file.
size_t golden_bytes(const GoldenVector& v);

// The bytes of the file, 64-byte aligned (a uint8 tensor). Equal constants are stored once. The same program and meta give
// the same bytes on every host.
Tensor write_blob(const TargetProgram& p, const BlobMeta& meta);

}  // namespace edgeconv
