// Copies of strided views, whatever the element type: the base of all nodes that move elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "convert/ir/tensor.h"

namespace edgeconv {

using Dims = std::vector<int64_t>;

Dims row_major_strides(const Dims& dims);
int64_t product(const Dims& dims, size_t first = 0, size_t last = SIZE_MAX);
// Dense tensor of shape `dims` whose element at index i is source element offset + sum(i[a] * strides[a]).
Tensor strided_copy(const Tensor& source, const Dims& dims, const Dims& strides, int64_t offset = 0);
// Strides that read `from` as if it had the shape `to` (numpy broadcast; checked by the caller).
Dims broadcast_strides(const Dims& from, const Dims& to);
std::optional<Dims> broadcast_dims(const Dims& a, const Dims& b);
// Copies a dense `part` into `whole` at the view given by strides and offset.
void strided_write(Tensor& whole, const Tensor& part, const Dims& strides, int64_t offset);

// Calls f(a_offset, b_offset) for every element of `dims` in row-major order.
template <class F>
void for_each_pair(const Dims& dims, const Dims& a_strides, const Dims& b_strides, F&& f) {
  for (int64_t d : dims) {
    if (d == 0) return;
  }
  const size_t r = dims.size();
  if (r == 0) return f(int64_t{0}, int64_t{0});
  Dims at(r, 0);
  int64_t a = 0, b = 0;
  const int64_t inner = dims[r - 1], sa = a_strides[r - 1], sb = b_strides[r - 1];
  while (true) {
    for (int64_t i = 0; i < inner; ++i) f(a + i * sa, b + i * sb);
    size_t k = r - 1;
    while (true) {
      if (k == 0) return;
      --k;
      a += a_strides[k];
      b += b_strides[k];
      if (++at[k] < dims[k]) break;
      a -= a_strides[k] * dims[k];
      b -= b_strides[k] * dims[k];
      at[k] = 0;
    }
  }
}

// The same in runs: calls f(a_offset, b_offset, count, a_stride, b_stride) for elements of one stride each, as many together as there are.
template <class F>
void for_each_run(Dims dims, Dims a_strides, Dims b_strides, F&& f) {
  for (size_t i = dims.size(); i-- > 0;)
    if (dims[i] == 1)
      for (Dims* d : {&dims, &a_strides, &b_strides}) d->erase(d->begin() + static_cast<std::ptrdiff_t>(i));
  const auto follows = [&](const Dims& strides) { return strides[dims.size() - 2] == strides.back() * dims.back(); };
  while (dims.size() > 1 && follows(a_strides) && follows(b_strides)) {
    const int64_t inner = dims.back(), a = a_strides.back(), b = b_strides.back();
    dims.pop_back(), a_strides.pop_back(), b_strides.pop_back();
    dims.back() *= inner, a_strides.back() = a, b_strides.back() = b;
  }
  if (dims.empty()) return f(int64_t{0}, int64_t{0}, int64_t{1}, int64_t{1}, int64_t{1});
  const int64_t count = dims.back(), a = a_strides.back(), b = b_strides.back();
  if (count == 0) return;
  dims.pop_back(), a_strides.pop_back(), b_strides.pop_back();
  for_each_pair(dims, a_strides, b_strides, [&](int64_t i, int64_t k) { f(i, k, count, a, b); });
}

}  // namespace edgeconv
