// NumPy's .npz: a zip archive of .npy files, stored or deflated (savez, savez_compressed). Pickles are refused, never read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "convert/ir/tensor.h"

namespace edgeconv {

// True for the first bytes of a zip archive.
bool looks_like_zip(const uint8_t* data, size_t bytes);

// Arrays by their names, without ".npy". Throws FatalError: kMalformed, kUnsupported, kLimit; `where` names the file in messages.
std::map<std::string, Tensor> parse_npz(const uint8_t* data, size_t bytes, const std::string& where);

std::map<std::string, Tensor> read_npz(const std::string& path);

}  // namespace edgeconv
