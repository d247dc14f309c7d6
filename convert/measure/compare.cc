// Sums in double over all elements of all data sets.
#include "convert/measure/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "convert/ir/diagnostics.h"
#include "convert/measure/class_scores.h"

namespace edgeconv {

namespace {

// Where the largest of at least one element is first; with a NaN in front of all others there.
size_t first_largest(std::span<const float> v) {
  constexpr size_t kLanes = 16;
  float most[kLanes];
  std::fill_n(most, kLanes, v[0]);
  size_t i = 0;
  for (; i + kLanes <= v.size(); i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) most[lane] = v[i + lane] > most[lane] ? v[i + lane] : most[lane];
  for (; i < v.size(); ++i) most[0] = v[i] > most[0] ? v[i] : most[0];
  float largest = v[0];
  for (const float m : most) largest = m > largest ? m : largest;
  return std::isnan(largest) ? 0 : static_cast<size_t>(std::find(v.begin(), v.end(), largest) - v.begin());
}

}  // namespace

Comparison::Comparison(std::vector<std::string> names, const std::vector<DecidedBy>& decisions)
    : names_(std::move(names)), sums_(names_.size()) {
  for (size_t o = 0; o < decisions.size(); ++o) sums_.at(o).decided_by = decisions[o];
}

void Comparison::add(const std::vector<Tensor>& reference, const std::vector<Tensor>& result,
                     const std::optional<TokenMask>& mask, const ChaoticSamples& chaotic) {
  if (reference.size() < names_.size() || result.size() < names_.size())
    throw FatalError(ExitCode::kAccuracy,
                     "the model has " + std::to_string(reference.size()) + " outputs, the blob " + std::to_string(result.size()));
  for (size_t o = 0; o < names_.size(); ++o) {
    if (reference[o].dtype() == DType::kUndefined) {
      sums_[o].unknown = true;
      continue;
    }
    if (reference[o].dims() != result[o].dims()) {
      const Tensor* both[] = {&reference[o], &result[o]};
      std::string shapes[2];
      for (int i = 0; i < 2; ++i)
        for (int64_t d : both[i]->dims()) shapes[i] += (shapes[i].empty() ? "" : "x") + std::to_string(d);
      throw FatalError(ExitCode::kAccuracy, "output '" + names_[o] + "' has shape " + shapes[1] + ", the reference " + shapes[0]);
    }
    Sums& s = sums_[o];
    if (s.decided_by.scores && add_scores(s, o, reference, result, mask, chaotic)) continue;
    add_tensor(s, reference[o], result[o], mask, chaotic.empty() ? std::vector<char>() : chaotic[o]);
  }
}

void Comparison::add_tensor(Sums& s, const Tensor& reference, const Tensor& result, const std::optional<TokenMask>& mask,
                            const std::vector<char>& left_out) {
  const Tensor reference_floats = reference.cast(DType::kFloat).aligned(), result_floats = result.cast(DType::kFloat).aligned();
  const auto ref = reference_floats.as<float>(), got = result_floats.as<float>();
  const size_t row = reference.rank() ? static_cast<size_t>(reference.dims().back()) : 1;
  s.row = row;
  // The first axis is the batch, or all there is of one sample.
  const size_t sample = reference.rank() > 1 ? ref.size() / std::max<size_t>(1, static_cast<size_t>(reference.dims()[0])) : 1;
  const auto is_left_out = [&](size_t i) { return !left_out.empty() && left_out[i / sample]; };
  const auto counts = [&](size_t i) { return !is_left_out(i) && (!mask || mask->counts(reference.dims(), i)); };
  for (size_t i = 0; i < ref.size();) {
    if (is_left_out(i)) {
      ++s.chaotic;
      i += sample;
      continue;
    }
    if (i % sample == 0) s.begin_sample();
    const size_t column = i % row, count = std::min(row - column, sample - i % sample);
    s.add_elements(ref.data() + i, got.data() + i, count, column,
                   mask ? [&, i](size_t k) { return counts(i + k); } : std::function<bool(size_t)>());
    i += count;
  }
  const bool all_count = !mask && left_out.empty();
  // Masks, lengths and ids may be the same whatever a model is given: they are exact or wrong.
  if (is_float(reference.dtype())) s.compare_samples(ref, reference.dims(), all_count ? std::function<bool(size_t)>() : counts);
  if (s.of_scores) return;
  for (size_t i = 0; row && i + row <= ref.size(); i += row) {
    const auto largest = [&](std::span<const float> v) {
      if (all_count) return i + first_largest(v.subspan(i, row));
      size_t best = i + row;
      for (size_t k = i; k < i + row; ++k)
        if (counts(k) && (best == i + row || v[k] > v[best])) best = k;
      return best;
    };
    const size_t expected = largest(ref);
    if (expected == i + row) continue;  // all of it is padding
    ++s.rows;
    s.agree += expected == largest(got);
  }
}

// The scores, and which of the choices `o` are the same. False where they are not at hand: the numbers of classes are measured as any others.
bool Comparison::add_scores(Sums& s, size_t o, const std::vector<Tensor>& reference, const std::vector<Tensor>& result,
                            const std::optional<TokenMask>& mask, const ChaoticSamples& chaotic) {
  const MeasuredScores& by = *s.decided_by.scores;
  if (by.place >= std::min(reference.size(), result.size()) || reference[by.place].dtype() == DType::kUndefined) return false;
  const Tensor held = scores_in_shape(result[by.place], reference[by.place].dims(), mask);
  if (held.dtype() == DType::kUndefined) return false;
  s.of_scores = true;
  const bool less_mean = s.decided_by.by == Decision::kValue;
  const std::vector<char> left_out = chaotic.empty() || by.axis == 0 ? std::vector<char>() : chaotic[by.place];
  add_tensor(s, rows_of_scores(reference[by.place], by.axis, less_mean), rows_of_scores(held, by.axis, less_mean), mask, left_out);
  const std::vector<int64_t>& dims = reference[o].dims();
  const std::vector<float> wanted = reference[o].to_float(), got = result[o].to_float();
  const bool by_sample = !dims.empty() && left_out.size() == static_cast<size_t>(dims[0]);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if ((mask && !mask->counts(dims, i)) || (by_sample && left_out[i / (wanted.size() / left_out.size())])) continue;
    ++s.rows;
    s.agree += wanted[i] == got[i];
  }
  return true;
}

std::vector<OutputError> Comparison::errors() const {
  std::vector<OutputError> out;
  for (size_t o = 0; o < names_.size(); ++o)
    if (!sums_[o].unknown) out.push_back(sums_[o].error(names_[o]));
  return out;
}

double Comparison::worst_cosine(bool short_rows) const {
  double worst = 1;
  for (const Sums& s : sums_)
    if (!s.unknown) worst = std::min(worst, s.judged_cosine(short_rows));
  return worst;
}

}  // namespace edgeconv
