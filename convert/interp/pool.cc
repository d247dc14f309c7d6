// MaxPool (with indices) and AveragePool.
#include <cmath>

#include "convert/interp/eval.h"
#include "convert/interp/windows.h"

namespace edgeconv {
namespace {

// Taps of a window that count: inside the image, or inside the declared padding (not beyond it, where ceil mode reaches).
int64_t padded_taps(const Windows& w, const Dims& at) {
  int64_t n = 1;
  for (size_t i = 0; i < w.size.size(); ++i) {
    int64_t along = 0;
    for (int64_t k = 0; k < w.kernel[i]; ++k)
      along += at[i] * w.stride[i] - w.lead[i] + k * w.dilation[i] < w.size[i] + w.trail[i];
    n *= along;
  }
  return n;
}

}  // namespace

Results eval_pool(const NodeInputs& c) {
  const ConvAttrs& a = c.node.as<ConvAttrs>();
  const bool max = c.node.kind == OpKind::kMaxPool;
  const DType type = c.in(0).dtype();
  const Tensor x = c.in(0).cast(DType::kFloat);  // 8-bit values are exact in fp32
  if (x.rank() < 3) c.fail("needs spatial axes");
  const Windows w = plan_windows(c, a, Dims(x.dims().begin() + 2, x.dims().end()), a.kernel);
  Dims dims{x.dims()[0], x.dims()[1]};
  dims.insert(dims.end(), w.count.begin(), w.count.end());
  const int64_t images = dims[0] * dims[1], area = product(w.size), positions = product(w.count);
  Tensor out(DType::kFloat, dims);
  const bool tells = max && c.node.outputs.size() > 1 && c.node.outputs[1] != kNone;
  std::vector<int64_t> indices(tells ? static_cast<size_t>(images * positions) : 0);  // twice the map's memory
  float* d = out.mut<float>().data();
  for (int64_t m = 0; m < images; ++m) {
    const float* image = x.as<float>().data() + m * area;
    int64_t position = 0;
    w.each_window([&](const Dims& at) {
      float best = -INFINITY, sum = 0;
      int64_t where = 0, inside = 0;
      w.each_tap(at, [&](int64_t, int64_t p) {
        if (p < 0) return;
        ++inside;
        sum += image[p];
        if (image[p] > best || std::isnan(image[p])) {
          best = image[p];
          where = p;
        }
      });
      const int64_t divisor = a.sum ? 1 : a.count_include_pad ? padded_taps(w, at) : inside;
      d[m * positions + position] = max ? best : sum / static_cast<float>(divisor);
      if (tells) indices[static_cast<size_t>(m * positions + position)] = m * area + where;
      ++position;
    });
  }
  Results r{out.cast(type)};
  if (tells) r.push_back(Tensor::ints(indices).reshaped(dims));
  return r;
}

}  // namespace edgeconv
