// MelWeightMatrix: triangles over the bins of a power spectrum, equally spaced in mel.
#include <cmath>

#include "convert/interp/eval.h"
#include "convert/interp/portable_math.h"

namespace edgeconv {

namespace {

constexpr double kMelScale = 2595, kCorner = 700, kLn10 = 2.30258509299404568402;

double mel(double hertz) { return kMelScale * portable_log(1 + hertz / kCorner) / kLn10; }
double hertz(double mel) { return kCorner * (portable_exp(mel / kMelScale * kLn10) - 1); }

double number(const NodeInputs& c, size_t i) {
  if (c.in(i).elements() != 1) c.fail("its parameters are single numbers");
  return is_integer(c.in(i).dtype()) ? static_cast<double>(c.in(i).to_int64()[0]) : double{c.in(i).to_float()[0]};
}

}  // namespace

Results eval_mel_weight_matrix(const NodeInputs& c) {
  const int64_t bands = static_cast<int64_t>(number(c, 0)), length = static_cast<int64_t>(number(c, 1)), rows = length / 2 + 1;
  const double rate = number(c, 2), low = number(c, 3), high = number(c, 4);
  if (bands < 1 || length < 1 || !(rate > 0) || !(low >= 0) || !(high >= low)) c.fail("impossible bands, lengths or frequencies");
  const double step = (mel(high) - mel(low)) / static_cast<double>(bands + 2);
  std::vector<int64_t> bins;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double at = std::floor(static_cast<double>(length + 1) * hertz(static_cast<double>(i) * step + mel(low)) / rate);
    if (!(at < static_cast<double>(rows))) c.fail("its upper frequency is above half of the sample rate");
    bins.push_back(std::max<int64_t>(0, static_cast<int64_t>(at)));
  }
  Tensor out(DType::kFloat, {rows, bands});
  auto d = out.mut<float>();
  for (int64_t i = 0; i < bands; ++i) {
    const int64_t lower = bins[static_cast<size_t>(i)], centre = bins[static_cast<size_t>(i) + 1],
                  higher = bins[static_cast<size_t>(i) + 2];
    const auto at = [&](int64_t bin) -> float& { return d[static_cast<size_t>(bin * bands + i)]; };
    for (int64_t j = lower; j < centre; ++j)
      at(j) = static_cast<float>(static_cast<double>(j - lower) / static_cast<double>(centre - lower));
    at(centre) = 1;
    for (int64_t j = centre; j < higher; ++j)
      at(j) = static_cast<float>(static_cast<double>(higher - j) / static_cast<double>(higher - centre));
  }
  return {out.cast(c.node.as<CastAttrs>().to)};
}

}  // namespace edgeconv
