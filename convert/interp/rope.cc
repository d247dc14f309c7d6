// Rotary position embedding on the columns of a [batch, sequence, width] tensor, with the runtime's order of operations.
#include "convert/interp/eval.h"

namespace edgeconv {

Results eval_rope(const NodeInputs& c) {
  const RopeAttrs& a = c.node.as<RopeAttrs>();
  const Tensor x = c.in(0).cast(DType::kFloat), cos = c.in(1).cast(DType::kFloat), sin = c.in(2).cast(DType::kFloat);
  if (x.rank() != 3 || cos.rank() != 3 || sin.dims() != cos.dims()) c.fail("x and the tables need rank 3");
  const int64_t batch = x.dims()[0], sequence = x.dims()[1], from = x.dims()[2], to = a.heads * a.head_dim;
  if (a.rotated < 2 || a.rotated % 2 != 0 || a.rotated > a.head_dim || a.first < 0 || a.first + to > from ||
      cos.dims()[2] != a.rotated || cos.dims()[1] != sequence || (cos.dims()[0] != 1 && cos.dims()[0] != batch))
    c.fail("the tables or heads do not fit x");
  Tensor out(DType::kFloat, std::vector<int64_t>{batch, sequence, to});
  float* d = out.mut<float>().data();
  const float *src = x.as<float>().data(), *cosines = cos.as<float>().data(), *sines = sin.as<float>().data();
  const int64_t distance = a.interleaved ? 1 : a.rotated / 2;
  for (int64_t row = 0; row < batch * sequence; ++row) {
    const int64_t angles = (cos.dims()[0] == 1 ? row % sequence : row) * a.rotated;
    for (int64_t h = 0; h < a.heads; ++h) {
      const float* in = src + row * from + a.first + h * a.head_dim;
      float* y = d + row * to + h * a.head_dim;
      for (int64_t j = 0; j < a.head_dim; ++j) {
        if (j >= a.rotated) {
          y[j] = in[j];
          continue;
        }
        const bool first = a.interleaved ? j % 2 == 0 : j < distance;
        const float turned = (first ? -in[j + distance] : in[j - distance]) * sines[angles + j];
        y[j] = in[j] * cosines[angles + j] + turned;
      }
    }
  }
  return {out};
}

}  // namespace edgeconv
