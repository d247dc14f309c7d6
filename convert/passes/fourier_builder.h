// Fourier transforms as products with tables of cosines and sines.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/passes/signal_builder.h"

namespace edgeconv {

// Whether `transformed` can write one of length n: a long one is divided, and a long prime cannot be.
bool transformable(int64_t n);

class FourierBuilder : public SignalBuilder {
 public:
  FourierBuilder(Graph& g, const Node& n, bool inverse) : SignalBuilder(g, n), sign_(inverse ? 1 : -1) {}

  // Transform of length n along the last axis, of which the first `bins` results are made. window: a factor for every element, or empty.
  Signal transformed(const Signal& x, int64_t n, int64_t bins, const std::vector<float>& window = {});

  // The inverse transform of the n / 2 + 1 bins of a real signal: real.
  Signal real_inverse(const Signal& x, int64_t n);

  // The transform along an axis of a size that is known at run time: [.., rows, inner] -> [.., bins, inner], or [.., rows] -> [.., bins].
  Signal by_computed_table(const Signal& x, bool has_inner, const DimExpr& n, const DimExpr& bins, bool real_result);

 private:
  struct ComputedTables {
    ValueId cosine, sine;
  };
  ComputedTables computed_tables(const DimExpr& rows, bool has_inner, const DimExpr& n, const DimExpr& bins, bool real_result);
  ValueId weight_of_inverse(ValueId row, const Shape& along, const DimExpr& n, bool real_result);
  Signal by_table(const Signal& signal, int64_t n, int64_t bins, const std::vector<float>& window);
  Signal divided(const Signal& x, int64_t n, int64_t bins);

  bool inverse() const { return sign_ > 0; }
  ValueId whole(ert::params::binary::Kind kind, ValueId a, ValueId b, const Shape& shape) {
    return op(kind, a, b, shape, DType::kInt64);
  }
  ValueId to_float(ValueId v, Shape shape) { return add(OpKind::kCast, {v}, CastAttrs{dtype_}, std::move(shape)); }
  ValueId scalar(double v) {
    return g_.add_constant(origin_.node + "/number", Tensor::scalar(static_cast<float>(v)).cast(dtype_));
  }

  const int sign_;  // of the exponent
};

}  // namespace edgeconv
