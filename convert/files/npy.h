// NumPy's .npy files, versions 1 and 2: little-endian numbers in C order. Pickled objects are refused, never read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv {

// f4 f8 f2 i1 u1 i2 u2 i4 i8 b1. Throws FatalError: kIo, kMalformed, kUnsupported.
Tensor read_npy(const std::string& path);
// The same from memory (a member of an .npz); `where` names it in messages.
Tensor parse_npy(const uint8_t* data, size_t bytes, const std::string& where);

void write_npy(const std::string& path, const Tensor& t);  // version 1
std::vector<uint8_t> format_npy(const Tensor& t);

}  // namespace edgeconv
