// Names and sizes of element types, and their numbers in the runtime.
#include "convert/ir/dtype.h"

#include <utility>

#include "rt/include/ert.h"

namespace edgeconv {

size_t dtype_size(DType t) {
  switch (t) {
    case DType::kUint8:
    case DType::kInt8:
    case DType::kBool: return 1;
    case DType::kUint16:
    case DType::kInt16:
    case DType::kFloat16:
    case DType::kBfloat16: return 2;
    case DType::kFloat:
    case DType::kInt32:
    case DType::kUint32: return 4;
    case DType::kInt64:
    case DType::kDouble:
    case DType::kUint64:
    case DType::kComplex64: return 8;
    case DType::kComplex128: return 16;
    default: return 0;
  }
}

std::string_view dtype_name(DType t) {
  switch (t) {
    case DType::kUndefined: return "undefined";
    case DType::kFloat: return "float32";
    case DType::kUint8: return "uint8";
    case DType::kInt8: return "int8";
    case DType::kUint16: return "uint16";
    case DType::kInt16: return "int16";
    case DType::kInt32: return "int32";
    case DType::kInt64: return "int64";
    case DType::kString: return "string";
    case DType::kBool: return "bool";
    case DType::kFloat16: return "float16";
    case DType::kDouble: return "float64";
    case DType::kUint32: return "uint32";
    case DType::kUint64: return "uint64";
    case DType::kComplex64: return "complex64";
    case DType::kComplex128: return "complex128";
    case DType::kBfloat16: return "bfloat16";
  }
  return "unknown";
}

namespace {
constexpr std::pair<DType, uint8_t> kErtTypes[] = {{DType::kFloat, ERT_F32}, {DType::kInt32, ERT_I32}, {DType::kInt64, ERT_I64},
                                                   {DType::kUint8, ERT_U8},  {DType::kInt8, ERT_I8},   {DType::kBool, ERT_BOOL},
                                                   {DType::kInt16, ERT_I16}};
}

uint8_t ert_dtype_of(DType t) {
  for (const auto& [dtype, ert] : kErtTypes)
    if (dtype == t) return ert;
  return 0;
}

DType dtype_of_ert(uint32_t t) {
  for (const auto& [dtype, ert] : kErtTypes)
    if (ert == t) return dtype;
  return DType::kUndefined;
}

}  // namespace edgeconv
