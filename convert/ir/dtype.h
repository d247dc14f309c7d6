// Element types of tensors in the converter. Values equal ONNX TensorProto.DataType, so that no table is needed at the edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace edgeconv {

enum class DType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
};

size_t dtype_size(DType t);            // bytes of an element; 0 for strings and unknown types
std::string_view dtype_name(DType t);  // "float32", "int64", ...
// The ert_dtype (rt/include/ert.h) that is the same type, and back; 0 and kUndefined where there is none.
uint8_t ert_dtype_of(DType t);
DType dtype_of_ert(uint32_t t);
inline bool is_float(DType t) {
  return t == DType::kFloat || t == DType::kFloat16 || t == DType::kDouble || t == DType::kBfloat16;
}
inline bool is_integer(DType t) {
  return !is_float(t) && t != DType::kUndefined && t != DType::kString && t != DType::kBool && t < DType::kComplex64;
}

}  // namespace edgeconv
