// An observer of the canonical interpreter.
#include "convert/quantize/layer_samples.h"

#include <algorithm>
#include <cmath>

#include "convert/interp/interpreter.h"
#include "convert/interp/patch_rows.h"
#include "convert/interp/strided.h"
#include "convert/quantize/exact_layers.h"
#include "convert/quantize/map_layers.h"
#include "convert/measure/row_sizes.h"

namespace edgeconv {

namespace {

// Of a layer, over all inputs. With half as many, compensated rounding of a real MiniLM gained about half as much.
constexpr int64_t kRows = 1024;

// What a layer reads, as rows: of a tensor, or of patches that are made here.
class LayerRows {
 public:
  explicit LayerRows(Tensor x) : dims_(x.dims()), x_(std::move(x)) {}
  LayerRows(const Node& patches, const Tensor& map) : patches_(std::in_place, patches, map), dims_(patches_->dims()) {}

  const std::vector<int64_t>& dims() const { return dims_; }
  size_t width() const { return static_cast<size_t>(dims_.back()); }

  // f(row) for these rows, which ascend and are most of all rows.
  void for_each(const std::vector<size_t>& rows, const std::function<void(std::span<const float>)>& f) const {
    Tensor held = x_;
    size_t first = 0;
    for (size_t r : rows) {
      if (patches_ && (first + held_rows(held) <= r)) {
        first = r;
        held = patches_->rows(static_cast<int64_t>(r), std::min(patches_->block(), patches_->count() - static_cast<int64_t>(r)));
      }
      f(held.as<float>().subspan((r - first) * width(), width()));
    }
  }
  // f(row r)
  void with(size_t r, const std::function<void(std::span<const float>)>& f) const {
    if (patches_) return f(patches_->rows(static_cast<int64_t>(r), 1).as<float>());
    f(x_.as<float>().subspan(r * width(), width()));
  }

 private:
  size_t held_rows(const Tensor& held) const { return held.dims().empty() ? 0 : static_cast<size_t>(held.dims()[0]); }

  std::optional<PatchRows> patches_;
  std::vector<int64_t> dims_;
  Tensor x_;
};

// Indices of the rows of x that hold tokens.
std::vector<size_t> token_rows(const LayerRows& x, const std::optional<TokenMask>& mask) {
  const auto elements = static_cast<size_t>(product(x.dims()));
  std::vector<size_t> rows;
  for (size_t r = 0; r * x.width() < elements; ++r)
    if (!mask || x.dims().size() < 3 || mask->counts(x.dims(), r * x.width())) rows.push_back(r);
  return rows;
}

void widen(std::vector<float>& amax, const LayerRows& x, const std::vector<size_t>& rows) {
  amax.resize(x.width(), 0.0f);
  x.for_each(rows, [&](std::span<const float> row) {
    for (size_t j = 0; j < row.size(); ++j) amax[j] = std::max(amax[j], std::fabs(row[j]));
  });
}

// Appends `most` of the rows, spread as by spread_row: one block of `width` columns of each.
void append(SampledRows& to, const LayerRows& x, const std::vector<size_t>& rows, size_t most, size_t width, size_t block) {
  to.width = static_cast<int64_t>(width);
  const size_t take = std::min(most, rows.size());
  to.data.reserve(to.data.size() + take * width);  // by the step: doubling would show in the peak
  for (size_t i = 0; i < take; ++i)
    x.with(rows[spread_row(i, rows.size(), take)], [&](std::span<const float> row) {
      const auto from = row.begin() + static_cast<ptrdiff_t>(block * width);
      to.data.insert(to.data.end(), from, from + static_cast<ptrdiff_t>(width));
    });
}

// Of a depthwise convolution the inputs of `most` outputs, position after position of the kernel; the padding is zeros.
void append_patches(SampledRows& to, const Tensor& x, const WindowAttrs& w, size_t most) {
  const auto& in = x.dims();
  const int64_t channels = in[3];
  int64_t out[2];
  for (size_t i = 0; i < 2; ++i)
    out[i] = (in[i + 1] + w.begin[i] + w.end[i] - w.dilations[i] * (w.kernel[i] - 1) - 1) / w.strides[i] + 1;
  to.width = w.kernel[0] * w.kernel[1] * channels;
  const auto count = static_cast<size_t>(in[0] * out[0] * out[1]), take = std::min(most, count);
  const float* data = x.as<float>().data();
  for (size_t i = 0; i < take; ++i) {
    const auto at = static_cast<int64_t>(spread_row(i, count, take));
    const int64_t image = at / (out[0] * out[1]), top = at / out[1] % out[0] * w.strides[0] - w.begin[0], left = at % out[1] * w.strides[1] - w.begin[1];
    for (int64_t r = 0; r < w.kernel[0]; ++r)
      for (int64_t c = 0; c < w.kernel[1]; ++c) {
        const int64_t row = top + r * w.dilations[0], column = left + c * w.dilations[1];
        const bool inside = row >= 0 && row < in[1] && column >= 0 && column < in[2];
        const float* pixel = data + ((image * in[1] + row) * in[2] + column) * channels;
        if (inside)
          to.data.insert(to.data.end(), pixel, pixel + channels);
        else
          to.data.resize(to.data.size() + static_cast<size_t>(channels), 0.0f);
      }
  }
}

float largest(const float* row, int64_t width) {
  float most = 0;
  for (int64_t k = 0; k < width; ++k) most = std::max(most, std::fabs(row[k]));
  return most;
}

// Largest magnitude of every row that has one.
std::vector<float> magnitudes(const SampledRows& rows) {
  std::vector<float> all;
  for (int64_t r = 0; r < rows.count(); ++r)
    if (const float m = largest(rows.data.data() + r * rows.width, rows.width); m > 0 && std::isfinite(m)) all.push_back(m);
  return all;
}

// Activations are rounded in steps of their own row, so small rows matter as much as large ones. Where sizes differ beyond all
// measure (states of a recurrent layer that grow with every step), the large ones alone would decide.
void level(LayerSample& sample) {
  bool changed = false;
  for (SampledRows& rows : sample.rows) {
    if (!differ_in_size(magnitudes(rows))) continue;
    changed = true;
    for (int64_t r = 0; r < rows.count(); ++r) {
      float* row = rows.data.data() + r * rows.width;
      const float m = largest(row, rows.width);
      if (m > 0 && std::isfinite(m))
        for (int64_t k = 0; k < rows.width; ++k) row[k] /= m;
    }
  }
  if (!changed || sample.amax.empty()) return;
  std::fill(sample.amax.begin(), sample.amax.end(), 0.0f);
  const SampledRows& rows = sample.rows[0];
  for (size_t i = 0; i < rows.data.size(); ++i) {
    float& most = sample.amax[i % static_cast<size_t>(rows.width)];
    most = std::max(most, std::fabs(rows.data[i]));
  }
}

}  // namespace

size_t spread_row(size_t i, size_t count, size_t take) {
  // Fractions of the golden ratio's multiples, 24 bits of them: a low-discrepancy sequence (Kronecker).
  const uint64_t jitter = (uint64_t{i} * 0x9E3779B97F4A7C15u) >> 40;
  const size_t begin = i * count / take, end = (i + 1) * count / take;
  return begin + static_cast<size_t>((jitter * (end - begin)) >> 24);
}

void thin_out(SampledRows& rows, int64_t most) {
  const int64_t count = rows.count();
  if (count <= most) return;
  std::vector<float> kept;
  kept.reserve(static_cast<size_t>(most * rows.width));
  for (int64_t i = 0; i < most; ++i) {
    const size_t row = spread_row(static_cast<size_t>(i), static_cast<size_t>(count), static_cast<size_t>(most));
    const auto from = rows.data.begin() + static_cast<ptrdiff_t>(row) * rows.width;
    kept.insert(kept.end(), from, from + rows.width);
  }
  rows.data = std::move(kept);
}

LayerSamples sample_layers(const Graph& g, const std::vector<std::vector<Tensor>>& calibration,
                           const std::optional<PaddingMask>& padding, const std::function<void(NodeId, LayerSample&)>& complete) {
  LayerSamples samples;
  std::optional<TokenMask> mask;
  const std::set<NodeId> exact = exact_layers(g);
  const MapLayers maps = map_layers(g);
  const size_t sets = std::max<size_t>(1, calibration.size()), share = (kRows + sets - 1) / sets;
  const auto users = g.users();
  InterpreterOptions options;
  options.backend = Backend::kCanonical;
  options.observe = [&](const Node& n, const std::vector<Tensor>& values) {
    const bool recurrent = n.kind == OpKind::kRecurrence;
    const auto id = static_cast<NodeId>(&n - g.nodes.data());
    const auto map = maps.find(id);
    const bool depthwise = map != maps.end() && map->second.depthwise;
    if ((n.kind != OpKind::kLinear && !recurrent && !depthwise) || exact.count(id)) return;
    LayerSample& sample = samples[id];
    if (depthwise) {
      const Tensor x = values[static_cast<size_t>(n.in(0))].cast(DType::kFloat).aligned();
      sample.rows.resize(1);
      append_patches(sample.rows[0], x, map->second.window, share);
      if (calibration.size() == 1 && complete) complete(id, sample);
      return;
    }
    const Node* patches = patches_read_in_blocks(g, n.in(0), users);
    // fp16 models compute in fp16 here.
    const Tensor read = values[static_cast<size_t>(recurrent ? n.outputs[0] : patches ? patches->in(0) : n.in(0))].cast(DType::kFloat).aligned();
    const LayerRows x = patches ? LayerRows(*patches, read) : LayerRows(read);
    const std::vector<size_t> rows = token_rows(x, mask);
    if (!recurrent) widen(sample.amax, x, rows);
    const auto& weights = g.value(n.in(1)).constant->dims();
    const size_t blocks = recurrent ? static_cast<size_t>(weights[0]) : 1;
    sample.rows.resize(blocks);
    for (size_t block = 0; block < blocks; ++block) append(sample.rows[block], x, rows, share, x.width() / blocks, block);
    if (calibration.size() != 1) return;
    level(sample);
    if (complete) complete(id, sample);
  };
  for (const std::vector<Tensor>& inputs : calibration) {
    if (padding) mask = token_mask(*padding, inputs);
    interpret(g, inputs, options);
  }
  if (calibration.size() == 1) return samples;
  for (auto& [id, sample] : samples) {
    if (!sample.amax.empty() || g.node(id).kind == OpKind::kRecurrence) level(sample);
    if (complete) complete(id, sample);
  }
  return samples;
}

}  // namespace edgeconv
