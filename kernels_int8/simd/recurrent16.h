// One step of an LSTM or GRU cell in 16 lanes: ref/recurrent_f32_f32_1x1_ref.cc operation by operation. Everything between
// the products and the new state stays in registers. Include a lanes16_<isa>.h first.
#pragma once

#include "kernels_int8/simd/elementary16.h"

namespace ert::kernels {
namespace {

// Neighbouring elements of a row: sixteen, the fewer that are left at its end, or four times sixteen side by side (a cell is
// a chain of exponentials and divisions that leaves a core waiting).
struct Sixteen {
  using V = Lanes;
  ERT_LANES V load(const float* p) const { return kernels::load(p); }
  ERT_LANES void store(float* p, V x) const { kernels::store(p, x); }
};
struct Rest {
  using V = Lanes;
  size_t count;
  ERT_LANES V load(const float* p) const { return load_first(p, count); }
  ERT_LANES void store(float* p, V x) const { store_first(p, x, count); }
};
struct FourSixteens {
  using V = Lanes4;
  ERT_LANES V load(const float* p) const { return load4(p); }
  ERT_LANES void store(float* p, V x) const { store4(p, x); }
};

// Gates of one row from column `at` on.
template <class Columns>
struct Gates {
  using V = typename Columns::V;
  Columns columns;
  const float* products;
  size_t product_stride;
  const float* projected;
  size_t projected_stride;
  ERT_LANES V product(size_t g) const { return columns.load(products + g * product_stride); }
  ERT_LANES V projection(size_t g) const { return columns.load(projected + g * projected_stride); }
  ERT_LANES V sum(size_t g) const { return product(g) + projection(g); }
};

// The functions of the gates.
struct Exact {
  template <class V>
  static ERT_LANES V sigmoid(V x) {
    return kernels::sigmoid(x);
  }
  template <class V>
  static ERT_LANES V tanh(V x) {
    return kernels::tanh(x);
  }
};
struct Coarse {
  template <class V>
  static ERT_LANES V sigmoid(V x) {
    return sigmoid_coarse(x);
  }
  template <class V>
  static ERT_LANES V tanh(V x) {
    return tanh_coarse(x);
  }
};

template <class F>
struct LstmRow {
  size_t n;
  const float* gates;
  size_t gate_stride;
  const float* projected;
  float *c, *h;

  template <class Columns>
  ERT_LANES void run(Columns columns, size_t i) const {
    using V = typename Columns::V;
    const Gates<Columns> x = {columns, gates + i, gate_stride, projected + i, n};
    const V candidate = F::tanh(x.sum(3));
    const V added = F::sigmoid(x.sum(0)) * candidate;
    const V kept = F::sigmoid(x.sum(2)) * columns.load(c + i);
    const V state = kept + added;
    columns.store(c + i, state);
    columns.store(h + i, F::sigmoid(x.sum(1)) * F::tanh(state));
  }
};

template <class F>
struct GruRow {
  size_t n;
  const float* gates;
  size_t gate_stride;
  const float* projected;
  float* h;

  template <class Columns>
  ERT_LANES void run(Columns columns, size_t i) const {
    using V = typename Columns::V;
    const Gates<Columns> x = {columns, gates + i, gate_stride, projected + i, n};
    const V scaled = F::sigmoid(x.sum(1)) * x.product(2);
    const V candidate = F::tanh(scaled + x.projection(2));
    const V update = F::sigmoid(x.sum(0));
    const V fresh = (broadcast(1.0f) - update) * candidate;
    const V kept = update * columns.load(h + i);
    columns.store(h + i, fresh + kept);
  }
};

template <class Row>
inline void recurrent_row16(const Row& row) {
  size_t i = 0;
  if (kRegistersForLanes4) {
    for (; i + 64 <= row.n; i += 64) row.run(FourSixteens{}, i);
  }
  if (!kPredicatedAccess) {
    for (; i + 16 <= row.n; i += 16) row.run(Sixteen{}, i);
  }
  for (; i < row.n; i += kWidth) row.run(Rest{row.n - i}, i);
}

}  // namespace
}  // namespace ert::kernels
