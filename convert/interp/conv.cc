// Convolution of any number of spatial axes: patches of the input as columns, then one matrix product per group.
#include <algorithm>
#include <memory>

#include "convert/interp/eval.h"
#include "convert/interp/patch_rows.h"
#include "convert/interp/strided.h"
#include "convert/interp/windows.h"

namespace edgeconv {

namespace {

// The next index within limits, in row-major order.
void advance(Dims& at, const Dims& limits) {
  for (size_t i = at.size(); i-- > 0;) {
    if (++at[i] < limits[i]) return;
    at[i] = 0;
  }
}

// Lines of output positions along the last axis.
struct Lines {
  int64_t first, count;
};

// rows[channel * taps + tap][output position of these lines] of one image's channels: the right side of a product as it wants it.
template <class T>
void fill_patches(const Windows& w, const T* image, int64_t channels, Lines lines, T* rows) {
  const size_t last = w.size.size() - 1;
  const int64_t width = w.count[last], taps = product(w.kernel), area = product(w.size);
  Dims first(last, 0);
  for (int64_t i = static_cast<int64_t>(last) - 1, rest = lines.first; i >= 0; rest /= w.count[static_cast<size_t>(i--)])
    first[static_cast<size_t>(i)] = rest % w.count[static_cast<size_t>(i)];
  T* d = rows;
  for (int64_t ch = 0; ch < channels; ++ch, image += area) {
    Dims tap(w.size.size(), 0);
    for (int64_t t = 0; t < taps; ++t, advance(tap, w.kernel)) {
      const Reach reach = reach_of(w, tap[last]);
      const int64_t stride = w.stride[last], lead = tap[last] * w.dilation[last] - w.lead[last];
      Dims at = first;
      for (int64_t line = 0; line < lines.count; ++line, d += width, advance(at, w.count)) {
        int64_t row = 0;
        bool inside = true;
        for (size_t i = 0; i < last; ++i) {
          const int64_t p = at[i] * w.stride[i] - w.lead[i] + tap[i] * w.dilation[i];
          inside = inside && p >= 0 && p < w.size[i];
          row = row * w.size[i] + p;
        }
        if (!inside) {
          std::fill_n(d, width, T{0});
          continue;
        }
        const T* from = image + row * w.size[last] + lead;
        std::fill_n(d, reach.first, T{0});
        if (stride == 1)
          std::copy(from + reach.first, from + reach.end, d + reach.first);
        else
          for (int64_t x = reach.first; x < reach.end; ++x) d[x] = from[x * stride];
        std::fill(d + reach.end, d + width, T{0});
      }
    }
  }
}

// Each tap of which is the image itself.
bool is_pointwise(const Windows& w) {
  const auto all = [](const Dims& d, int64_t v) { return std::all_of(d.begin(), d.end(), [&](int64_t x) { return x == v; }); };
  return all(w.kernel, 1) && all(w.stride, 1) && all(w.lead, 0) && all(w.trail, 0);
}

struct ConvPlan {
  Windows windows;
  int64_t batch, in_channels, out_channels, groups, per_in, per_out, positions, k, area;
  int64_t width, lines;  // of the output: positions along its last axis, and how many such lines
  Dims out;
};

ConvPlan plan_conv(const NodeInputs& c) {
  const ConvAttrs& a = c.node.as<ConvAttrs>();
  const Dims &x = c.in(0).dims(), &w = c.in(1).dims();
  if (x.size() < 3 || w.size() != x.size()) c.fail("x and weights need equal rank of at least 3");
  ConvPlan p{plan_windows(c, a, Dims(x.begin() + 2, x.end()), Dims(w.begin() + 2, w.end())),
             x[0],
             x[1],
             w[0],
             a.group,
             w[1],
             0,
             0,
             0,
             0,
             0,
             0,
             {x[0], w[0]}};
  if (p.groups <= 0 || p.per_in * p.groups != p.in_channels || p.out_channels % p.groups != 0)
    c.fail("channels do not fit the groups");
  p.per_out = p.out_channels / p.groups;
  p.positions = product(p.windows.count);
  p.width = p.windows.count.back();
  p.lines = p.width ? p.positions / p.width : 0;
  p.k = p.per_in * product(p.windows.kernel);
  p.area = product(p.windows.size);
  p.out.insert(p.out.end(), p.windows.count.begin(), p.windows.count.end());
  return p;
}

// Integers less their zero point: one, or one per leading entry (output channels of weights).
std::vector<int64_t> centred(const NodeInputs& c, size_t input) {
  std::vector<int64_t> v = c.in(input).to_int64();
  if (!c.has(input + 2)) return v;
  const std::vector<int64_t> zero = c.in(input + 2).to_int64();
  const size_t channels = c.in(input).dims().empty() ? 0 : static_cast<size_t>(c.in(input).dims()[0]);
  if (zero.size() != 1 && (input == 0 || zero.size() != channels)) c.fail("the zero point has the wrong size");
  for (size_t i = 0; i < v.size(); ++i) v[i] -= zero[zero.size() == 1 ? 0 : i / (v.size() / channels)];
  return v;
}

}  // namespace

Results eval_conv(const NodeInputs& c) {
  const Tensor x = c.in(0).cast(DType::kFloat), w = c.in(1).cast(DType::kFloat);
  const ConvPlan p = plan_conv(c);
  Tensor out(DType::kFloat, p.out);
  float* d = out.mut<float>().data();
  const bool pointwise = is_pointwise(p.windows);
  const int64_t block = std::max(kFewestRows, kBlockElements / std::max<int64_t>(1, p.k));  // of positions
  const int64_t some = pointwise ? p.lines : std::min(p.lines, block / std::max<int64_t>(1, p.width) + 1);
  const auto patches = std::make_unique_for_overwrite<float[]>(pointwise ? 0 : static_cast<size_t>(some * p.width * p.k));
  const Tensor bias = c.has(2) ? c.in(2).cast(DType::kFloat) : Tensor();
  if (c.has(2) && bias.elements() != p.out_channels) c.fail("the bias needs one value per channel");
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t g = 0; g < p.groups; ++g) {
      const float* image = x.as<float>().data() + (b * p.in_channels + g * p.per_in) * p.area;
      float* to = d + (b * p.out_channels + g * p.per_out) * p.positions;
      for (int64_t line = 0; line < p.lines; line += some) {
        const Lines these{line, std::min(some, p.lines - line)};
        const int64_t n = these.count * p.width;
        if (!pointwise) fill_patches(p.windows, image, p.per_in, these, patches.get());
        matmul_f32(c.backend, p.per_out, n, p.k, {w.as<float>().data() + g * p.per_out * p.k, p.k},
                   {pointwise ? image : patches.get(), n}, to + line * p.width, p.positions);
        for (int64_t o = 0; c.has(2) && o < p.per_out; ++o) {  // while they are at hand
          const float add = bias.as<float>()[static_cast<size_t>(g * p.per_out + o)];
          float* row = to + o * p.positions + line * p.width;
          for (int64_t i = 0; i < n; ++i) row[i] += add;
        }
      }
    }
  }
  return {out};
}

Results eval_conv_integer(const NodeInputs& c) {
  const ConvPlan p = plan_conv(c);
  const std::vector<int64_t> x = centred(c, 0), w = centred(c, 1);
  std::vector<int64_t> out(static_cast<size_t>(product(p.out)), 0), patches(static_cast<size_t>(p.positions * p.k));
  int64_t* to = out.data();
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t g = 0; g < p.groups; ++g) {
      fill_patches(p.windows, x.data() + (b * p.in_channels + g * p.per_in) * p.area, p.per_in, {0, p.lines}, patches.data());
      for (int64_t o = 0; o < p.per_out; ++o, to += p.positions)
        for (int64_t k = 0; k < p.k; ++k) {
          const int64_t weight = w[static_cast<size_t>((g * p.per_out + o) * p.k + k)];
          for (int64_t i = 0; i < p.positions; ++i) to[i] += weight * patches[static_cast<size_t>(k * p.positions + i)];
        }
    }
  }
  return {from_int64(DType::kInt32, p.out, out)};
}

}  // namespace edgeconv
