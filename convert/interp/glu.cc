// Gated linear unit: an activation of some columns times other columns.
#include "convert/interp/eval.h"
#include "convert/interp/strided.h"

namespace edgeconv {

Results eval_glu(const NodeInputs& c) {
  const GluAttrs& a = c.node.as<GluAttrs>();
  const Tensor activated = c.in(0).cast(DType::kFloat), factor = c.in(1).cast(DType::kFloat);
  if (activated.rank() < 1 || factor.rank() != activated.rank()) c.fail("both operands need the same rank");
  const int64_t wide_a = activated.dims().back(), wide_b = factor.dims().back();
  Dims dims = activated.dims();
  dims.back() = wide_b;
  if (factor.dims() != dims || a.width < 1 || a.activated_first + a.width > wide_a || a.factor_first + a.width > wide_b)
    c.fail("the columns do not fit the operands");
  dims.back() = a.width;
  Tensor out(DType::kFloat, dims);
  float* d = out.mut<float>().data();
  const int64_t rows = product(dims, 0, dims.size() - 1);
  for (int64_t row = 0; row < rows; ++row, d += a.width) {
    apply_unary(c.backend, a.activation, 0, static_cast<size_t>(a.width),
                activated.as<float>().data() + row * wide_a + a.activated_first, d);
    const float* b = factor.as<float>().data() + row * wide_b + a.factor_first;
    for (int64_t i = 0; i < a.width; ++i) d[i] *= b[i];
  }
  return {out};
}

}  // namespace edgeconv
