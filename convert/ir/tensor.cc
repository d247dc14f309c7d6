// Storage and conversions of host tensors.
#include "convert/ir/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "convert/ir/diagnostics.h"
#include "convert/ir/half.h"

namespace edgeconv {
namespace {

constexpr std::align_val_t kAlign{64};

std::shared_ptr<uint8_t> allocate(size_t bytes) {
  auto* p = static_cast<uint8_t*>(::operator new(bytes > 0 ? bytes : 1, kAlign));
  return {p, [](uint8_t* q) { ::operator delete(q, kAlign); }};
}

// Checks that the byte count fits; sizes come from model files.
void check_dims(DType dtype, const std::vector<int64_t>& dims) {
  int64_t bytes = static_cast<int64_t>(dtype_size(dtype));
  bool empty = false, bad = false;
  for (int64_t d : dims) {
    if (d < 0) bad = true;
    if (d == 0) empty = true;
  }
  for (int64_t d : dims)
    if (d > 0 && __builtin_mul_overflow(bytes, d, &bytes)) bad = !empty || bad;
  if (bad) throw FatalError(ExitCode::kLimit, "a tensor of the model has impossible dimensions (negative, or beyond 2^63 bytes)");
}

template <class T>
T load(const uint8_t* p, int64_t i) {
  T v;
  std::memcpy(&v, p + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return v;
}

template <class T>
void store(uint8_t* p, int64_t i, T v) {
  std::memcpy(p + static_cast<size_t>(i) * sizeof(T), &v, sizeof(T));
}

// Calls f with a reader of element i in the type's natural C++ form: float, double, int64_t or uint64_t.
template <class F>
void with_reader(DType t, const uint8_t* p, F&& f) {
  switch (t) {
    case DType::kFloat: return f([p](int64_t i) { return load<float>(p, i); });
    case DType::kDouble: return f([p](int64_t i) { return load<double>(p, i); });
    case DType::kFloat16: return f([p](int64_t i) { return half_to_float(load<uint16_t>(p, i)); });
    case DType::kBfloat16: return f([p](int64_t i) { return bfloat16_to_float(load<uint16_t>(p, i)); });
    case DType::kUint8: return f([p](int64_t i) { return int64_t{load<uint8_t>(p, i)}; });
    case DType::kInt8: return f([p](int64_t i) { return int64_t{load<int8_t>(p, i)}; });
    case DType::kUint16: return f([p](int64_t i) { return int64_t{load<uint16_t>(p, i)}; });
    case DType::kInt16: return f([p](int64_t i) { return int64_t{load<int16_t>(p, i)}; });
    case DType::kInt32: return f([p](int64_t i) { return int64_t{load<int32_t>(p, i)}; });
    case DType::kUint32: return f([p](int64_t i) { return int64_t{load<uint32_t>(p, i)}; });
    case DType::kInt64: return f([p](int64_t i) { return load<int64_t>(p, i); });
    case DType::kUint64: return f([p](int64_t i) { return load<uint64_t>(p, i); });
    case DType::kBool: return f([p](int64_t i) { return int64_t{load<uint8_t>(p, i) != 0}; });
    default:
      throw FatalError(ExitCode::kUnsupported, "tensors of type " + std::string(dtype_name(t)) + " cannot be used in arithmetic");
  }
}

// Saturating; not-a-number gives 0.
template <class To, class From>
To to_int(From v) {
  if constexpr (std::is_floating_point_v<From>) {
    if (std::isnan(v)) return 0;
    // 2^digits is exact in every float type, max() of a 64-bit type is not.
    const From limit = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (v >= limit) return std::numeric_limits<To>::max();
    if (v <= (std::is_signed_v<To> ? -limit : From{0})) return std::numeric_limits<To>::min();
    return static_cast<To>(v);
  } else {
    if (std::cmp_greater(v, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    if (std::cmp_less(v, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(v);
  }
}

// Integers lose their high bits in 8- and 16-bit types; wider types saturate, which keeps INT64_MAX as "to the end".
template <class To, class Read>
void fill_ints(uint8_t* out, int64_t n, Read read) {
  if constexpr (sizeof(To) < 4 && std::is_integral_v<decltype(read(0))>) {
    for (int64_t i = 0; i < n; ++i) store<To>(out, i, static_cast<To>(read(i)));
  } else {
    for (int64_t i = 0; i < n; ++i) store<To>(out, i, to_int<To>(read(i)));
  }
}

// A finite float64 stays finite: masks of float64 models hold its lowest number, and 0 * infinity would be NaN.
template <class From>
float to_float32(From v) {
  if constexpr (std::is_same_v<From, double>) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    if (std::isfinite(v)) return static_cast<float>(std::clamp(v, -kLargest, kLargest));
  }
  return static_cast<float>(v);
}

template <class Read>
void fill(DType to, uint8_t* out, int64_t n, Read read) {
  switch (to) {
    case DType::kFloat:
      for (int64_t i = 0; i < n; ++i) store(out, i, to_float32(read(i)));
      return;
    case DType::kDouble:
      for (int64_t i = 0; i < n; ++i) store(out, i, static_cast<double>(read(i)));
      return;
    case DType::kFloat16:
      for (int64_t i = 0; i < n; ++i) store(out, i, float_to_half(static_cast<float>(read(i))));
      return;
    case DType::kBfloat16:
      for (int64_t i = 0; i < n; ++i) store(out, i, float_to_bfloat16(static_cast<float>(read(i))));
      return;
    case DType::kBool:
      for (int64_t i = 0; i < n; ++i) store(out, i, static_cast<uint8_t>(read(i) != 0));
      return;
    case DType::kUint8: return fill_ints<uint8_t>(out, n, read);
    case DType::kInt8: return fill_ints<int8_t>(out, n, read);
    case DType::kUint16: return fill_ints<uint16_t>(out, n, read);
    case DType::kInt16: return fill_ints<int16_t>(out, n, read);
    case DType::kUint32: return fill_ints<uint32_t>(out, n, read);
    case DType::kInt32: return fill_ints<int32_t>(out, n, read);
    case DType::kUint64: return fill_ints<uint64_t>(out, n, read);
    case DType::kInt64: return fill_ints<int64_t>(out, n, read);
    default: throw FatalError(ExitCode::kUnsupported, "a tensor cannot be converted to type " + std::string(dtype_name(to)));
  }
}

}  // namespace

Tensor::Tensor(DType dtype, std::vector<int64_t> dims) : dtype_(dtype), dims_(std::move(dims)) {
  check_dims(dtype_, dims_);
  const auto storage = allocate(bytes());
  std::memset(storage.get(), 0, bytes());
  data_ = storage.get();
  owner_ = storage;
  writable_ = true;
}

Tensor::Tensor(DType dtype, std::vector<int64_t> dims, const void* data, std::shared_ptr<const void> owner)
    : dtype_(dtype), dims_(std::move(dims)), owner_(std::move(owner)), data_(static_cast<const uint8_t*>(data)) {
  check_dims(dtype_, dims_);
}

Tensor Tensor::scalar(float v) { return of<float>(DType::kFloat, {}, {v}); }
Tensor Tensor::scalar(int64_t v) { return of<int64_t>(DType::kInt64, {}, {v}); }
Tensor Tensor::ints(const std::vector<int64_t>& v) { return of<int64_t>(DType::kInt64, {static_cast<int64_t>(v.size())}, v); }

int64_t Tensor::elements() const {
  int64_t n = 1;
  for (int64_t d : dims_) {
    if (d == 0) return 0;
    n *= d;
  }
  return n;
}

uint8_t* Tensor::mutable_data() {
  if (!writable_ || owner_.use_count() > 1) {
    const auto storage = allocate(bytes());
    if (bytes() > 0) std::memcpy(storage.get(), data_, bytes());
    data_ = storage.get();
    owner_ = storage;
    writable_ = true;
  }
  return const_cast<uint8_t*>(data_);
}

Tensor Tensor::aligned() const {
  if (reinterpret_cast<uintptr_t>(data_) % static_cast<size_t>(kAlign) == 0) return *this;
  Tensor t = *this;
  t.writable_ = false;
  t.mutable_data();
  return t;
}

Tensor Tensor::reshaped(std::vector<int64_t> dims) const {
  Tensor t = *this;
  check_dims(dtype_, dims);
  t.dims_ = std::move(dims);
  if (t.elements() != elements()) throw FatalError(ExitCode::kMalformed, "a tensor is reshaped to another number of elements");
  return t;
}

std::optional<int64_t> Tensor::lost_in(DType to) const {
  const std::vector<int64_t> all = to_int64(), kept = cast(to).to_int64();
  const auto lost = std::mismatch(all.begin(), all.end(), kept.begin());
  return lost.first == all.end() ? std::nullopt : std::optional(*lost.first);
}

Tensor Tensor::cast(DType to) const {
  if (to == dtype_) return *this;
  Tensor t(to, dims_);
  uint8_t* out = t.mutable_data();
  with_reader(dtype_, data_, [&](auto read) { fill(to, out, elements(), read); });
  return t;
}

std::vector<int64_t> Tensor::to_int64() const {
  if (!is_integer(dtype_) && dtype_ != DType::kBool)
    throw FatalError(ExitCode::kMalformed, "integers expected, but the tensor has type " + std::string(dtype_name(dtype_)));
  std::vector<int64_t> r(static_cast<size_t>(elements()));
  with_reader(dtype_, data_, [&](auto read) {
    for (size_t i = 0; i < r.size(); ++i) r[i] = to_int<int64_t>(read(static_cast<int64_t>(i)));
  });
  return r;
}

std::vector<float> Tensor::to_float() const {
  std::vector<float> r(static_cast<size_t>(elements()));
  with_reader(dtype_, data_, [&](auto read) {
    for (size_t i = 0; i < r.size(); ++i) r[i] = to_float32(read(static_cast<int64_t>(i)));
  });
  return r;
}

bool Tensor::same_bytes(const Tensor& other) const {
  return dtype_ == other.dtype_ && dims_ == other.dims_ &&
         (data_ == other.data_ || bytes() == 0 || std::memcmp(data_, other.data_, bytes()) == 0);
}

}  // namespace edgeconv
