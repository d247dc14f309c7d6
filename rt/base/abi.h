// Structs that grow: every struct the caller fills starts with its size, so that caller and library may be of different age.
#pragma once

#include <stdint.h>
#include <string.h>

namespace ert {

// Copies a caller's struct: a missing tail reads as zero, an unknown tail must be zero. False = ERT_ERR_ARG.
template <class T>
bool read_struct(const T* in, T* out) {
  if (in == nullptr || in->struct_size < sizeof(uint32_t)) return false;
  const size_t size = in->struct_size;
  *out = T{};
  memcpy(out, in, size < sizeof(T) ? size : sizeof(T));
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(in);
  for (size_t i = sizeof(T); i < size; ++i) {
    if (bytes[i] != 0) return false;
  }
  out->struct_size = sizeof(T);
  return true;
}

// Fills a caller's struct as far as the caller knows it; a tail that the library does not know becomes zero.
template <class T>
bool write_struct(const T& from, T* out) {
  if (out == nullptr || out->struct_size < sizeof(uint32_t)) return false;
  const uint32_t size = out->struct_size;
  memcpy(out, &from, size < sizeof(T) ? size : sizeof(T));
  if (size > sizeof(T)) memset(reinterpret_cast<uint8_t*>(out) + sizeof(T), 0, size - sizeof(T));
  out->struct_size = size;
  return true;
}

}  // namespace ert
