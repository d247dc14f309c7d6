// Strided copies for element sizes 1, 2, 4 and 8.
#include "convert/interp/strided.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "convert/ir/diagnostics.h"

namespace edgeconv {

Dims row_major_strides(const Dims& dims) {
  Dims s(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) s[i - 1] = s[i] * dims[i];
  return s;
}

int64_t product(const Dims& dims, size_t first, size_t last) {
  int64_t p = 1;
  for (size_t i = first; i < std::min(last, dims.size()); ++i) p *= dims[i];
  return p;
}

namespace {

template <size_t kBytes>
void copy_elements(const Dims& dims, const uint8_t* src, const Dims& src_strides, uint8_t* dst, const Dims& dst_strides) {
  for_each_pair(dims, src_strides, dst_strides, [&](int64_t s, int64_t d) {
    std::memcpy(dst + d * static_cast<int64_t>(kBytes), src + s * static_cast<int64_t>(kBytes), kBytes);
  });
}

void copy_any(size_t bytes, const Dims& dims, const uint8_t* src, const Dims& src_strides, uint8_t* dst,
              const Dims& dst_strides) {
  switch (bytes) {
    case 1: return copy_elements<1>(dims, src, src_strides, dst, dst_strides);
    case 2: return copy_elements<2>(dims, src, src_strides, dst, dst_strides);
    case 4: return copy_elements<4>(dims, src, src_strides, dst, dst_strides);
    case 8: return copy_elements<8>(dims, src, src_strides, dst, dst_strides);
    default:
      throw FatalError(ExitCode::kUnsupported, "tensors with elements of " + std::to_string(bytes) + " bytes cannot be moved");
  }
}

}  // namespace

Tensor strided_copy(const Tensor& source, const Dims& dims, const Dims& strides, int64_t offset) {
  Tensor out(source.dtype(), dims);
  if (out.elements() == 0) return out;
  const size_t bytes = dtype_size(source.dtype());
  copy_any(bytes, dims, source.data() + offset * static_cast<int64_t>(bytes), strides, out.mutable_data(),
           row_major_strides(dims));
  return out;
}

void strided_write(Tensor& whole, const Tensor& part, const Dims& strides, int64_t offset) {
  if (part.elements() == 0) return;
  const size_t bytes = dtype_size(whole.dtype());
  copy_any(bytes, part.dims(), part.data(), row_major_strides(part.dims()),
           whole.mutable_data() + offset * static_cast<int64_t>(bytes), strides);
}

Dims broadcast_strides(const Dims& from, const Dims& to) {
  const Dims own = row_major_strides(from);
  Dims s(to.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t at = to.size() - from.size() + i;
    if (from[i] == to[at]) s[at] = own[i];
    if (from[i] == 1) s[at] = 0;
  }
  return s;
}

std::optional<Dims> broadcast_dims(const Dims& a, const Dims& b) {
  const size_t r = std::max(a.size(), b.size());
  Dims out(r);
  for (size_t i = 0; i < r; ++i) {
    const int64_t da = i + a.size() >= r ? a[i + a.size() - r] : 1, db = i + b.size() >= r ? b[i + b.size() - r] : 1;
    if (da != db && da != 1 && db != 1) return std::nullopt;
    out[i] = da == 1 ? db : da;
  }
  return out;
}

}  // namespace edgeconv
