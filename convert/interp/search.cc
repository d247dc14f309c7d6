// Scans and searches along an axis: CumSum, ArgMin and ArgMax, TopK.
#include <algorithm>
#include <cmath>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"

namespace edgeconv {
namespace {

struct Lines {
  int64_t outer, n, inner;
  template <class F>
  void each(F&& f) const {  // f(first element, index of the line)
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) f(o * n * inner + i, o * inner + i);
    }
  }
};

Lines lines_along(const Dims& dims, int64_t axis) {
  const size_t a = static_cast<size_t>(axis);
  return {product(dims, 0, a), dims[a], product(dims, a + 1)};
}

template <class T>
void cumulate(const Lines& l, const T* src, T* dst, bool exclusive, bool reverse) {
  l.each([&](int64_t at, int64_t) {
    T s = 0;
    for (int64_t k = 0; k < l.n; ++k) {
      const int64_t p = at + (reverse ? l.n - 1 - k : k) * l.inner;
      const T x = src[p];
      if (exclusive) dst[p] = s;
      s = static_cast<T>(s + x);
      if (!exclusive) dst[p] = s;
    }
  });
}

// Comparable numbers of any type: integers exactly, floats as doubles.
struct Numbers {
  std::vector<int64_t> ints;
  std::vector<double> floats;
  bool less(int64_t a, int64_t b) const {
    if (!floats.empty()) return floats[static_cast<size_t>(a)] < floats[static_cast<size_t>(b)];
    return ints[static_cast<size_t>(a)] < ints[static_cast<size_t>(b)];
  }
};

Numbers numbers_of(const Tensor& t) {
  Numbers n;
  if (is_float(t.dtype())) {
    const Tensor d = t.cast(DType::kDouble);
    n.floats.assign(d.as<double>().begin(), d.as<double>().end());
  } else {
    n.ints = t.to_int64();
  }
  return n;
}

// NaN ranks above everything, as in the runtime.
bool ranks_above(double a, double b) { return a > b || (std::isnan(a) && !std::isnan(b)); }
bool ranks_above(int64_t a, int64_t b) { return a > b; }

// Of each line the k best, in order, equal ones by position: where they stand in the tensor and in their line.
template <class T>
void select_best(const Lines& l, const std::vector<T>& numbers, bool largest, int64_t k, std::vector<int64_t>& positions,
                 std::vector<int64_t>& indices) {
  struct Entry {
    T number;
    int64_t index;
  };
  const auto before = [largest](const Entry& a, const Entry& b) {
    if (ranks_above(a.number, b.number)) return largest;
    if (ranks_above(b.number, a.number)) return !largest;
    return a.index < b.index;
  };
  std::vector<Entry> line_of(static_cast<size_t>(l.n));
  l.each([&](int64_t at, int64_t line) {
    for (int64_t i = 0; i < l.n; ++i) line_of[static_cast<size_t>(i)] = {numbers[static_cast<size_t>(at + i * l.inner)], i};
    if (k < l.n) std::nth_element(line_of.begin(), line_of.begin() + k, line_of.end(), before);
    std::sort(line_of.begin(), line_of.begin() + k, before);
    for (int64_t i = 0; i < k; ++i) {
      const size_t to = static_cast<size_t>((line / l.inner * k + i) * l.inner + line % l.inner);
      indices[to] = line_of[static_cast<size_t>(i)].index;
      positions[to] = at + line_of[static_cast<size_t>(i)].index * l.inner;
    }
  });
}

}  // namespace

Results eval_cumsum(const NodeInputs& c) {
  const auto* p = std::get_if<CumSumAttrs>(&c.node.attrs);
  const CumSumAttrs a = p ? *p : CumSumAttrs{};
  const Tensor& x = c.in(0);
  const Lines l = lines_along(x.dims(), c.axis(c.integer(1), x.rank()));
  if (x.dtype() == DType::kFloat || x.dtype() == DType::kDouble) {
    Tensor out(x.dtype(), x.dims());
    if (x.dtype() == DType::kFloat) {
      cumulate(l, x.as<float>().data(), out.mut<float>().data(), a.exclusive, a.reverse);
    } else {
      cumulate(l, x.as<double>().data(), out.mut<double>().data(), a.exclusive, a.reverse);
    }
    return {out};
  }
  const std::vector<int64_t> v = x.to_int64();
  std::vector<uint64_t> src(v.begin(), v.end()), dst(v.size());
  cumulate(l, src.data(), dst.data(), a.exclusive, a.reverse);
  return {from_int64(x.dtype(), x.dims(), std::vector<int64_t>(dst.begin(), dst.end()))};
}

Results eval_arg_min_max(const NodeInputs& c) {
  const ArgAttrs& a = c.node.as<ArgAttrs>();
  const Tensor& x = c.in(0);
  const int64_t axis = c.axis(a.axis, x.rank());
  const Lines l = lines_along(x.dims(), axis);
  if (l.n == 0 && x.rank() > 0) c.fail("the axis is empty");
  Dims dims = x.dims();
  if (a.keep_dims) {
    dims[static_cast<size_t>(axis)] = 1;
  } else {
    dims.erase(dims.begin() + axis);
  }
  const Numbers v = numbers_of(x);
  std::vector<int64_t> r(static_cast<size_t>(product(dims)));
  l.each([&](int64_t at, int64_t line) {
    int64_t best = 0;
    for (int64_t k = 1; k < l.n; ++k) {
      const int64_t p = at + k * l.inner, q = at + best * l.inner;
      const bool better = a.max ? v.less(q, p) : v.less(p, q);
      const bool worse = a.max ? v.less(p, q) : v.less(q, p);
      if (better || (a.select_last && !worse)) best = k;
    }
    r[static_cast<size_t>(line)] = best;
  });
  return {Tensor::ints(r).reshaped(dims)};
}

Results eval_topk(const NodeInputs& c) {
  const TopKAttrs& a = c.node.as<TopKAttrs>();
  const Tensor& x = c.in(0);
  const int64_t axis = c.axis(a.axis, x.rank());
  const Lines l = lines_along(x.dims(), axis);
  const int64_t k = c.integer(1);
  if (k < 0 || k > l.n) c.fail("k = " + std::to_string(k) + " is larger than the axis");
  Dims dims = x.dims();
  dims[static_cast<size_t>(axis)] = k;
  std::vector<int64_t> positions(static_cast<size_t>(product(dims))), indices(positions.size());
  const Numbers v = numbers_of(x);
  if (v.floats.empty())
    select_best(l, v.ints, a.largest, k, positions, indices);
  else
    select_best(l, v.floats, a.largest, k, positions, indices);
  Tensor values(x.dtype(), dims);
  uint8_t* d = values.mutable_data();
  const size_t bytes = dtype_size(x.dtype());
  for (size_t i = 0; i < positions.size(); ++i)
    std::copy_n(x.data() + static_cast<size_t>(positions[i]) * bytes, bytes, d + i * bytes);
  return {values, Tensor::ints(indices).reshaped(dims)};
}

}  // namespace edgeconv
