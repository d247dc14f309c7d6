// Which positions of a padded batch count when a blob that skips padding is compared with a reference that computes it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv {

class BlobRunner;

struct TokenMask {
  int64_t batch = 0, sequence = 0;
  std::vector<char> token;  // batch * sequence; 0 = padding
  // Whether element `i` of an output counts: outputs of other shapes than [batch, sequence, ..] count whole.
  bool counts(const std::vector<int64_t>& dims, size_t i) const;
};

// The input [batch, sequence] that marks padding, and what it holds there.
struct PaddingMask {
  size_t input = 0;
  int32_t padding = 0;
};

// Where the blob has row r: itself, or its place among the packed rows, which are those of each sequence up to its last token.
// Empty when the blob holds another number of rows.
std::vector<size_t> packed_places(const std::optional<TokenMask>& mask, size_t all, size_t held);

// As the blob has it; nothing when it computes padded positions.
std::optional<PaddingMask> padding_mask(const BlobRunner& runner);

// Nothing counts as padding where the mask holds anything but 0 and 1.
TokenMask token_mask(const PaddingMask& mask, const std::vector<Tensor>& inputs);

// For these inputs of the blob; nothing when the blob computes padded positions.
std::optional<TokenMask> token_mask(const BlobRunner& runner, const std::vector<Tensor>& inputs);

}  // namespace edgeconv
