// What a user pins of a file: dims that have one size (--fix), inputs that hold the same in every run (--const), and the values that it is to give (--outputs).
// A graph that was imported with pinning has no such dims and inputs any more, and nothing behind those values, so that everything behind the import folds
// what follows from them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "convert/ir/dim_expr.h"
#include "convert/ir/tensor.h"

namespace edgeconv {

// What an input is to hold: one value for all elements, as it was written, or the contents of a file.
struct PinnedContents {
  std::string text;  // "16000", "true"
  std::optional<Tensor> file;
};

struct Pinning {
  std::map<std::string, int64_t> dims;           // --fix NAME=N
  std::map<std::string, PinnedContents> inputs;  // --const INPUT=VALUE|FILE.npy
  std::vector<std::string> outputs;              // --outputs NAME,..; empty: those of the file
  bool empty() const { return dims.empty() && inputs.empty() && outputs.empty(); }
};

// An input of the file that is a constant now.
struct PinnedInput {
  size_t position;  // among the inputs of the file
  std::string name;
  Tensor contents;
};

// The tensor that an input of this type and shape becomes. Throws FatalError(kUsage) for a value that the type does not have, and for a shape that is
// not known.
Tensor pinned_tensor(const std::string& name, const PinnedContents& contents, DType dtype, const Shape& shape);

// All elements as one number, as --const takes it again ("16000", "true", "0.1"); nothing where they differ or are not finite.
std::optional<std::string> uniform_text(const Tensor& t);

// "16000", or what a file gave: "[2, 1, 64] float32".
std::string pinned_text(const PinnedInput& input);

// "sequence = 512, sr = 16000"; empty if nothing was pinned.
std::string pinned_list(const std::map<std::string, int64_t>& dims, const std::vector<PinnedInput>& inputs);

// Says that recorded contents of these inputs, which were pinned or cut away, are not used.
std::string unused_inputs_note(const std::set<std::string>& names);

// SHA-256 of type, dims and contents in hexadecimal: what is recorded of contents that are not one number.
std::string contents_sha256(const Tensor& t);

}  // namespace edgeconv
