// Payload forms of TensorProto.
#include "convert/onnx/tensor_reader.h"

#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>

#include "convert/ir/diagnostics.h"
#include "convert/onnx/model.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {
namespace {

// TensorProto.DataType of numbers that share a byte.
constexpr int32_t kUint4 = 21, kInt4 = 22, kUint2 = 25, kInt2 = 26;

constexpr size_t kMaxRank = 32;
constexpr int64_t kMaxInlineElements = INT32_MAX;

std::vector<int64_t> checked_dims(const pb::TensorProto& t, DType dtype) {
  std::vector<int64_t> dims(t.dims().begin(), t.dims().end());
  if (dims.size() > kMaxRank) throw NodeError("it has " + std::to_string(dims.size()) + " axes");
  int64_t bytes = static_cast<int64_t>(dtype_size(dtype));
  for (int64_t d : dims) {
    if (d < 0) throw NodeError("it has a negative dimension");
    if (__builtin_mul_overflow(bytes, d > 0 ? d : 1, &bytes)) throw NodeError("its dimensions multiply beyond 2^63 bytes");
  }
  return dims;
}

int64_t parse_number(const std::string& s, const char* key) {
  int64_t v = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || end != s.data() + s.size() || v < 0)
    throw NodeError(std::string("the ") + key + " of its external data, '" + printable(s) + "', is not a number from 0 up");
  return v;
}

struct ExternalRange {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
};

ExternalRange external_range(const pb::TensorProto& t, ExternalData& external) {
  ExternalRange r;
  std::set<std::string> seen;
  for (const auto& e : t.external_data()) {
    // onnx.proto names these; the onnx package ignores others with a warning, and ONNX Runtime writes some of its own.
    const std::string& key = e.key();
    if (key != "location" && key != "offset" && key != "length" && key != "checksum" && key != "basepath") {
      external.ignore(key);
      continue;
    }
    // Readers differ in which of two entries counts, so that two of them could see two different models.
    if (!seen.insert(key).second) throw NodeError("its external data has the entry '" + printable(key) + "' twice");
    if (key == "location")
      r.location = e.value();
    else if (key == "offset")
      r.offset = parse_number(e.value(), "offset");
    else if (key == "length")
      r.length = parse_number(e.value(), "length");
  }
  return r;
}

Tensor read_external(const pb::TensorProto& t, DType dtype, std::vector<int64_t> dims, ExternalData& external) {
  const ExternalRange r = external_range(t, external);
  const auto file = external.open(r.location);
  Tensor shape_only(dtype, dims, nullptr, nullptr);
  const size_t need = shape_only.bytes(), offset = static_cast<size_t>(r.offset);
  if (r.length && static_cast<size_t>(*r.length) != need)
    throw NodeError("its external data has " + std::to_string(*r.length) + " bytes, its shape needs " + std::to_string(need));
  if (offset > file->bytes || need > file->bytes - offset)
    throw NodeError("its external data (" + std::to_string(need) + " bytes at " + std::to_string(offset) +
                    ") lies beyond the end of '" + printable(r.location) + "', which has " + std::to_string(file->bytes) +
                    " bytes; the file is cut off or of another model");
  external.count_read(need);
  return Tensor(dtype, std::move(dims), file->data + offset, file);
}

// Stores a repeated field element by element in the tensor's own type.
template <class To, class Field>
void store_all(Tensor& t, const Field& field) {
  auto out = t.mut<To>();
  for (int i = 0; i < field.size(); ++i) out[static_cast<size_t>(i)] = static_cast<To>(field.Get(i));
}

// How many values the field of the type holds.
int typed_values(const pb::TensorProto& p, DType t) {
  switch (t) {
    case DType::kFloat: return p.float_data_size();
    case DType::kDouble: return p.double_data_size();
    case DType::kInt64: return p.int64_data_size();
    case DType::kUint64:
    case DType::kUint32: return p.uint64_data_size();
    default: return p.int32_data_size();
  }
}

void read_typed(const pb::TensorProto& p, Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat: return store_all<float>(t, p.float_data());
    case DType::kDouble: return store_all<double>(t, p.double_data());
    case DType::kInt64: return store_all<int64_t>(t, p.int64_data());
    case DType::kUint64: return store_all<uint64_t>(t, p.uint64_data());
    case DType::kUint32: return store_all<uint32_t>(t, p.uint64_data());
    case DType::kInt32: return store_all<int32_t>(t, p.int32_data());
    case DType::kInt16: return store_all<int16_t>(t, p.int32_data());
    case DType::kInt8: return store_all<int8_t>(t, p.int32_data());
    case DType::kUint8:
    case DType::kBool: return store_all<uint8_t>(t, p.int32_data());
    default: return store_all<uint16_t>(t, p.int32_data());  // uint16, float16 and bfloat16 as bits
  }
}

bool has_typed_data(const pb::TensorProto& t) {
  return t.float_data_size() > 0 || t.int32_data_size() > 0 || t.int64_data_size() > 0 || t.double_data_size() > 0 ||
         t.uint64_data_size() > 0;
}

void require_bytes(uint64_t bytes, const Tensor& shape_only) {
  if (bytes != shape_only.bytes())
    throw NodeError("its raw_data has " + std::to_string(bytes) + " bytes, its shape needs " +
                    std::to_string(shape_only.bytes()));
}

Tensor read_payload(const pb::TensorProto& p, const Tensor& shape_only, const ModelBytes& model) {
  require_bytes(p.payload_bytes(), shape_only);
  if (p.payload_offset() > model.bytes || p.payload_bytes() > model.bytes - p.payload_offset())
    throw NodeError("its raw_data lies outside of the file");
  const Tensor view(shape_only.dtype(), shape_only.dims(), model.data + p.payload_offset(), model.owner);
  if (model.owner) return view;
  Tensor copy(view.dtype(), view.dims());
  std::memcpy(copy.mutable_data(), view.data(), view.bytes());
  return copy;
}

Tensor read_stored(const pb::TensorProto& p, DType dtype, std::vector<int64_t> dims, ExternalData& external, const ModelBytes& model) {
  const bool raw = p.has_raw_data() || p.has_payload_bytes();
  if (p.data_location() != 0 && p.data_location() != 1)
    throw NodeError("its data location " + std::to_string(p.data_location()) + " is none of ONNX");
  if (p.data_location() == 1) {
    if (raw || has_typed_data(p)) throw NodeError("it has both external and inline data");
    return read_external(p, dtype, std::move(dims), external);
  }
  if (raw && has_typed_data(p)) throw NodeError("it has both raw_data and typed data");
  if (p.has_raw_data() && p.has_payload_bytes()) throw NodeError("it has raw_data twice");
  // Compare sizes before anything is allocated for the claimed shape.
  const Tensor shape_only(dtype, dims, nullptr, nullptr);
  if (p.has_payload_bytes()) return read_payload(p, shape_only, model);
  if (p.has_raw_data()) {
    require_bytes(p.raw_data().size(), shape_only);
    Tensor t(dtype, std::move(dims));
    if (t.bytes() > 0) std::memcpy(t.mutable_data(), p.raw_data().data(), t.bytes());
    return t;
  }
  if (shape_only.elements() > 0 && !has_typed_data(p))
    throw NodeError("it has no data (expected " + std::to_string(shape_only.bytes()) + " bytes)");
  if (shape_only.elements() > kMaxInlineElements) throw NodeError("its shape needs more values than a file can hold");
  if (typed_values(p, dtype) != shape_only.elements())
    throw NodeError("it holds " + std::to_string(typed_values(p, dtype)) + " values, its shape needs " +
                    std::to_string(shape_only.elements()));
  Tensor t(dtype, std::move(dims));
  read_typed(p, t);
  return t;
}

// Several numbers a byte, the first in its low bits (onnx.proto): each gets a byte.
Tensor unpacked(const Tensor& stored, int bits, DType dtype, std::vector<int64_t> dims) {
  Tensor t(dtype, std::move(dims));
  const auto out = t.mut<uint8_t>();
  const size_t per_byte = 8 / static_cast<size_t>(bits);
  const int mask = (1 << bits) - 1, sign = dtype == DType::kInt8 ? 1 << (bits - 1) : 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const int number = stored.data()[i / per_byte] >> (i % per_byte * static_cast<size_t>(bits)) & mask;
    out[i] = static_cast<uint8_t>((number ^ sign) - sign);
  }
  return t;
}

Tensor read_tensor(const pb::TensorProto& p, ExternalData& external, const ModelBytes& model) {
  const int bits = packed_bits(p.data_type());
  if (bits == 0) {
    const DType dtype = supported_dtype(p.data_type(), "it");
    return read_stored(p, dtype, checked_dims(p, dtype), external, model);
  }
  std::vector<int64_t> dims = checked_dims(p, DType::kUint8);
  const int64_t per_byte = 8 / bits, elements = Tensor(DType::kUint8, dims, nullptr, nullptr).elements();
  const Tensor stored = read_stored(p, DType::kUint8, {elements / per_byte + (elements % per_byte != 0)}, external, model);
  return unpacked(stored, bits, unpacked_dtype(p.data_type()), std::move(dims));
}

}  // namespace

int packed_bits(int32_t data_type) {
  if (data_type == kUint4 || data_type == kInt4) return 4;
  return data_type == kUint2 || data_type == kInt2 ? 2 : 0;
}

DType unpacked_dtype(int32_t data_type) { return data_type == kInt4 || data_type == kInt2 ? DType::kInt8 : DType::kUint8; }

// As with operator sets, a few more than are known today: 26 in onnx 1.23.
constexpr int32_t kLastElementType = 31;

DType supported_dtype(int32_t data_type, const std::string& what) {
  const auto dtype = static_cast<DType>(data_type);
  if (data_type > 0 && dtype_size(dtype) > 0 && dtype != DType::kComplex64 && dtype != DType::kComplex128) return dtype;
  static constexpr const char* kNames[] = {"undefined",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "string",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "complex64",
                                           "complex128",
                                           "",
                                           "float8e4m3fn",
                                           "float8e4m3fnuz",
                                           "float8e5m2",
                                           "float8e5m2fnuz",
                                           "uint4",
                                           "int4",
                                           "float4e2m1",
                                           "float8e8m0",
                                           "uint2",
                                           "int2"};
  if (data_type <= 0 || data_type > kLastElementType)
    throw NodeError(what + " has element type " + std::to_string(data_type) + ", which ONNX does not define");
  const bool known = data_type < static_cast<int32_t>(std::size(kNames));
  throw NodeUnsupported(what + " has element type " + (known ? kNames[data_type] : std::to_string(data_type)),
                        "accepted are float32, float16, bfloat16, float64, bool and integers of 8 to 64 bits, of 2 and 4 bits in constants");
}

Tensor TensorReader::read(const pb::TensorProto& t) {
  const auto tell = [&](const char* what) { return "tensor '" + printable(t.name()) + "': " + what; };
  try {
    return read_tensor(t, external_, model_);
  } catch (const NodeError& e) {
    throw NodeError(tell(e.what()));
  } catch (const NodeUnsupported& e) {
    throw NodeUnsupported(tell(e.what()), e.hint);
  }
}

}  // namespace edgeconv
