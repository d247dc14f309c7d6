// See signal_inputs.h.
#include "convert/inputs/signal_inputs.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "convert/inputs/music.h"
#include "convert/inputs/pictures.h"
#include "convert/inputs/random.h"
#include "convert/inputs/signals.h"

namespace edgeconv {

namespace {

// How people scale what they feed: most normalize, others feed decibels or nepers, of which a quiet recording has few and all alike. A
// row each, in turn.
struct Units {
  float scale, offset, most = INFINITY, least = -INFINITY;
};
constexpr Units kSpectra[] = {{1, 0}, {2, 7}, {0.5f, -0.3f}, {0.5f, 6}};
// Logarithms as they are, of samples up to 1, so that they end at a power: natural ones, and those to the base of ten.
constexpr Units kLogarithms[] = {{3.3f, -7.7f, 2.5f}, {1.43f, -3.3f, 1.1f}};
// Of a recording without an axis for others, part by part: log(1 + x), which has nothing below 0 and much of it, and normalized ones.
constexpr Units kRecorded[] = {{0.9f, -0.7f, INFINITY, 0}, {1, 0}, {0.5f, -0.1f, INFINITY, 0}, {0.9f, -1.3f, INFINITY, 0}};
constexpr Units kPictures[] = {{4.4f, -2}, {4.4f, -2}, {1, 0}, {2, -1}};
constexpr float kInt16 = 32768, kBytes = 255, kMeanByte = 117;
constexpr float kStateSpread = 0.5f;
// What another network gave has any size, and channels with a mean of their own: which, nobody knows, so each few rows have others.
constexpr float kWindowLevels[] = {1, 8, 3, 16}, kMeanSpread = 1.5f;

int64_t rows_of(const std::vector<int64_t>& dims) { return dims.size() < 2 ? 1 : dims[0]; }

// One in four rows is in integers where samples may be either.
float waveform_scale(InputScale scale, uint64_t row) {
  return scale == InputScale::kInt16 || (scale == InputScale::kAny && row % 4 == 1) ? kInt16 : 1;
}

// A chain of steps is all that is seen of a model with states: speech first, then music.
std::vector<float> stream_of(int64_t samples, int64_t number, bool chain, Random& random) {
  if (!chain) return sound(samples, number, random);
  std::vector<float> stream = sound(samples - samples / 3, number - number % 3, random);
  const std::vector<float> end = music(samples / 3, number, random);
  stream.insert(stream.end(), end.begin(), end.end());
  return stream;
}

void fill_waveforms(const InputNature& nature, const SignalLayout& layout, std::vector<Tensor>& tensors) {
  const int64_t rows = rows_of(tensors[0].dims());
  if (tensors[0].elements() == 0) return;
  const int64_t samples = tensors[0].elements() / rows;
  const int64_t streams = layout.rows_continue ? 1 : rows, steps = static_cast<int64_t>(tensors.size());
  for (int64_t s = 0; s < streams; ++s) {
    Random random(layout.seed * 7919 + static_cast<uint64_t>(s));
    const uint64_t number = layout.seed + static_cast<uint64_t>(s);
    const std::vector<float> stream =
        stream_of(samples * steps * rows / streams, static_cast<int64_t>(number), steps > 1, random);
    const float scale = waveform_scale(nature.scale, number);
    for (int64_t step = 0; step < steps; ++step) {
      const auto out = tensors[static_cast<size_t>(step)].mut<float>();
      const int64_t count = samples * rows / streams;
      for (int64_t i = 0; i < count; ++i)
        out[static_cast<size_t>(s * samples + i)] = scale * stream[static_cast<size_t>(step * count + i)];
    }
  }
}

// Frames by bins, or rows by columns, into any two axes of a tensor.
void place(std::span<const float> from, int64_t inner, size_t outer_stride, size_t inner_stride, Units units, float* to) {
  for (size_t i = 0; i < from.size(); ++i)
    to[i / static_cast<size_t>(inner) * outer_stride + i % static_cast<size_t>(inner) * inner_stride] =
        std::max(std::min(units.scale * from[i] + units.offset, units.most), units.least);
}

size_t stride_of(const std::vector<int64_t>& dims, int axis) {
  size_t n = 1;
  for (size_t a = static_cast<size_t>(axis) + 1; a < dims.size(); ++a) n *= static_cast<size_t>(dims[a]);
  return n;
}

// [frames, bins], in as many parts as there are units.
void fill_recording(uint64_t seed, Tensor& t) {
  const int64_t frames = t.dims()[0], bins = t.dims()[1], parts = std::min<int64_t>(frames, std::size(kRecorded));
  for (int64_t k = 0; k < parts; ++k) {
    Random random(seed * 6151 + static_cast<uint64_t>(k));
    const int64_t begin = k * frames / parts, end = (k + 1) * frames / parts;
    place(log_spectrum(end - begin, bins, random), bins, static_cast<size_t>(bins), 1, kRecorded[(seed + static_cast<uint64_t>(k)) % std::size(kRecorded)],
          t.mut<float>().data() + begin * bins);
  }
}

void fill_field(const InputNature& nature, uint64_t seed, Tensor& t) {
  const std::vector<int64_t>& dims = t.dims();
  if (t.elements() == 0) return;
  if (nature.scale == InputScale::kRecorded) return fill_recording(seed, t);
  const int64_t rows = nature.axis == 0 ? 1 : rows_of(dims);
  const auto at = [&](int axis) { return dims[static_cast<size_t>(axis)]; };
  const auto out = t.mut<float>();
  for (int64_t r = 0; r < rows; ++r) {
    Random random(seed * 6151 + static_cast<uint64_t>(r));
    const auto number = static_cast<size_t>(seed + static_cast<uint64_t>(r));
    float* row = out.data() + r * (t.elements() / rows);
    const bool field = nature.kind == InputKind::kField;
    if (nature.kind == InputKind::kSpectrum || (field && number % 2 == 0)) {
      const int64_t bins = at(nature.channels);
      const Units units = nature.scale == InputScale::kLogarithms ? kLogarithms[number % std::size(kLogarithms)]
                                                                  : kSpectra[(field ? number / 2 : number) % std::size(kSpectra)];
      place(log_spectrum(at(nature.axis), bins, random), bins, stride_of(dims, nature.axis), stride_of(dims, nature.channels), units, row);
      continue;
    }
    Units units = kPictures[(field ? number / 2 : number) % std::size(kPictures)];
    if (nature.scale == InputScale::kBytes || nature.scale == InputScale::kByteRange) units = {kBytes, 0};
    if (nature.scale == InputScale::kByteRange && number % 2) units.offset = -kMeanByte;
    // A field's two axes in their order; colours are the axis that is left.
    const int high = field ? std::min(nature.axis, nature.channels) : nature.axis;
    const int wide = field ? std::max(nature.axis, nature.channels) : high + 1;
    const int colours = field ? -1 : nature.channels;
    const int64_t count = colours < 0 ? 1 : at(colours);
    const std::vector<float> planes = picture(at(high), at(wide), count, number, random);
    const auto plane = static_cast<size_t>(at(high) * at(wide));
    for (int64_t c = 0; c < count; ++c)
      place({planes.data() + static_cast<size_t>(c) * plane, plane}, at(wide), stride_of(dims, high), stride_of(dims, wide),
            units, row + (colours < 0 ? 0 : c * static_cast<int64_t>(stride_of(dims, colours))));
  }
}

// Windows of features: each frame is like the one before.
void fill_windows(uint64_t seed, Tensor& t) {
  const auto rows = static_cast<size_t>(t.dims()[0]), frames = static_cast<size_t>(t.dims()[1]),
             width = static_cast<size_t>(t.dims()[2]);
  const auto out = t.mut<float>();
  std::vector<float> mean(width), last(width);
  for (size_t r = 0; r < rows; ++r) {
    Random random(seed * 5039 + r);
    const size_t number = seed + r;
    const float level = kWindowLevels[number % std::size(kWindowLevels)];
    const bool about_means = number % std::size(kWindowLevels) != 0;
    Random means(2003 + number / std::size(kWindowLevels));
    for (float& m : mean) m = kMeanSpread * means.normal();
    for (float& x : last) x = random.normal();
    for (size_t f = 0; f < frames; ++f)
      for (size_t k = 0; k < width; ++k) {
        last[k] = 0.8f * last[k] + 0.6f * random.normal();
        out[(r * frames + f) * width + k] = level * (last[k] + (about_means ? mean[k] : 0));
      }
  }
}

}  // namespace

std::vector<Tensor> signal_tensors(const InputNature& nature, const std::vector<int64_t>& dims, const SignalLayout& layout) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < layout.steps; ++i) tensors.emplace_back(DType::kFloat, dims);
  if (nature.kind == InputKind::kWaveform) {
    fill_waveforms(nature, layout, tensors);
    return tensors;
  }
  for (size_t i = 0; i < layout.steps; ++i) {
    const uint64_t seed = layout.seed + i;
    if (nature.kind == InputKind::kWindow) {
      if (tensors[i].elements()) fill_windows(seed, tensors[i]);
      continue;
    }
    if (nature.kind != InputKind::kState) {
      fill_field(nature, seed, tensors[i]);
      continue;
    }
    Random random(seed * 4093);
    for (float& x : tensors[i].mut<float>()) x = kStateSpread * random.normal();
  }
  return tensors;
}

}  // namespace edgeconv
