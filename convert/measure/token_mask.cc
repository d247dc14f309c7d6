// Reads the mask that the blob names, as rt/running/rows.cc does.
#include "convert/measure/token_mask.h"

#include <algorithm>

#include "convert/run/blob_runner.h"

namespace edgeconv {

bool TokenMask::counts(const std::vector<int64_t>& dims, size_t i) const {
  if (dims.size() < 2 || dims[0] != batch || dims[1] != sequence) return true;
  size_t row = 1;
  for (size_t axis = 2; axis < dims.size(); ++axis) row *= static_cast<size_t>(dims[axis]);
  return token[i / row] != 0;
}

std::vector<size_t> packed_places(const std::optional<TokenMask>& mask, size_t all, size_t held) {
  std::vector<size_t> place(all);
  for (size_t r = 0; r < all; ++r) place[r] = r;
  if (held == all) return place;
  if (!mask || mask->token.size() != all) return {};
  const auto sequence = static_cast<size_t>(mask->sequence);
  size_t next = 0;
  for (size_t b = 0; b * sequence < all; ++b) {
    size_t length = sequence;
    while (length > 0 && !mask->token[b * sequence + length - 1]) --length;
    for (size_t s = 0; s < sequence; ++s) place[b * sequence + s] = next + s;
    next += length;
  }
  return std::max<size_t>(next, 1) == held ? place : std::vector<size_t>();
}

TokenMask token_mask(const PaddingMask& by, const std::vector<Tensor>& inputs) {
  const Tensor& mask = inputs.at(by.input);
  const std::vector<int64_t> marks = mask.to_int64();
  const bool plain = std::all_of(marks.begin(), marks.end(), [](int64_t m) { return m == 0 || m == 1; });
  TokenMask t{mask.dims().at(0), mask.dims().at(1), {}};
  for (int64_t m : marks) t.token.push_back(!plain || m != by.padding);
  return t;
}

std::optional<PaddingMask> padding_mask(const BlobRunner& runner) {
  ert_info info{};
  info.struct_size = sizeof info;
  if (ert_model_info(&runner.model(), &info) != ERT_OK || info.skips_padding == 0) return {};
  return PaddingMask{info.mask_input, static_cast<int32_t>(info.mask_padding)};
}

std::optional<TokenMask> token_mask(const BlobRunner& runner, const std::vector<Tensor>& inputs) {
  const std::optional<PaddingMask> mask = padding_mask(runner);
  return mask ? std::optional(token_mask(*mask, inputs)) : std::nullopt;
}

}  // namespace edgeconv
