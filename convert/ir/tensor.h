// A host tensor with known contents: initializers, folded constants, interpreter values. Copying shares the bytes.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "convert/ir/dtype.h"

namespace edgeconv {

class Tensor {
 public:
  Tensor() = default;
  // Zero-filled, owned, 64-byte aligned.
  Tensor(DType dtype, std::vector<int64_t> dims);
  // A view of bytes that `owner` keeps alive (a mapped file). data need not be aligned: elements are read by memcpy.
  Tensor(DType dtype, std::vector<int64_t> dims, const void* data, std::shared_ptr<const void> owner);

  template <class T>
  static Tensor of(DType dtype, std::vector<int64_t> dims, const std::vector<T>& values);
  static Tensor scalar(float v);
  static Tensor scalar(int64_t v);
  static Tensor ints(const std::vector<int64_t>& v);  // int64, rank 1

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t elements() const;
  size_t bytes() const { return static_cast<size_t>(elements()) * dtype_size(dtype_); }
  const uint8_t* data() const { return data_; }
  uint8_t* mutable_data();  // copies first when the bytes are shared or mapped

  // Owned and aligned tensors of the exact type only (asserted): views of mapped files go through aligned() first.
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_), static_cast<size_t>(elements())};
  }
  template <class T>
  std::span<T> mut() {
    return {reinterpret_cast<T*>(mutable_data()), static_cast<size_t>(elements())};
  }
  Tensor aligned() const;                            // itself, or an aligned copy
  Tensor reshaped(std::vector<int64_t> dims) const;  // same bytes, same element count
  // The first integer that an integer type does not have, if any.
  std::optional<int64_t> lost_in(DType to) const;
  Tensor cast(DType to) const;  // ONNX Cast; floats saturate, integers lose their high bits in 8 and 16 bits

  std::vector<int64_t> to_int64() const;       // any integer or bool type
  std::vector<float> to_float() const;         // any numeric type
  bool same_bytes(const Tensor& other) const;  // dtype, dims and contents equal

 private:
  DType dtype_ = DType::kUndefined;
  std::vector<int64_t> dims_;
  std::shared_ptr<const void> owner_;
  const uint8_t* data_ = nullptr;
  bool writable_ = false;
};

template <class T>
Tensor Tensor::of(DType dtype, std::vector<int64_t> dims, const std::vector<T>& values) {
  Tensor t(dtype, std::move(dims));
  assert(sizeof(T) == dtype_size(dtype) && values.size() == static_cast<size_t>(t.elements()));
  if (!values.empty()) std::memcpy(t.mutable_data(), values.data(), t.bytes());
  return t;
}

}  // namespace edgeconv
