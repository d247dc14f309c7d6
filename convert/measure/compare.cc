// Sums in double over all elements of all data sets.
#include "convert/measure/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "convert/ir/diagnostics.h"
#include "convert/measure/row_sizes.h"

namespace edgeconv {

namespace {

constexpr size_t kVector = 4;  // shorter rows are numbers of their own, such as probabilities, which may be as small as they like

// A row may lose this many times as much as all rows together: at a gate of 0.999 it keeps a cosine of 0.98. The worst rows of
// a real MiniLM and of ten small models of other kinds keep 0.995 and more, those of a model with channels a hundred times as large
// had 0.94 and less where single rows went wrong.
constexpr double kRowLoss = 20;
constexpr double kShortRow = 0.1;  // of the root mean square length; shorter ones are mostly rounding

}  // namespace

Comparison::Comparison(std::vector<std::string> names) : names_(std::move(names)), sums_(names_.size()) {}

void Comparison::add(const std::vector<Tensor>& reference, const std::vector<Tensor>& result,
                     const std::optional<TokenMask>& mask) {
  if (reference.size() != names_.size() || result.size() != names_.size())
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
    const std::vector<float> ref = reference[o].to_float(), got = result[o].to_float();
    Sums& s = sums_[o];
    const auto counts = [&](size_t i) { return !mask || mask->counts(reference[o].dims(), i); };
    const size_t row = reference[o].rank() ? static_cast<size_t>(reference[o].dims().back()) : 1;
    s.row = row;
    for (size_t i = 0; i < ref.size(); ++i) {
      if (i % row == 0) s.by_row.emplace_back();
      if (!counts(i)) continue;
      ++s.elements;
      const double r = ref[i], g = got[i], d = g - r;
      for (Products* p : {static_cast<Products*>(&s), &s.by_row.back()}) {
        p->dot += r * g;
        p->ref2 += r * r;
        p->got2 += g * g;
        p->diff2 += d * d;
      }
      s.max_abs = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(s.max_abs, std::fabs(d));
      s.max_ref = std::max(s.max_ref, std::fabs(r));
    }
    for (size_t i = 0; row && i + row <= ref.size(); i += row) {
      const auto largest = [&](const std::vector<float>& v) {
        size_t best = i + row;
        for (size_t k = i; k < i + row; ++k)
          if (counts(k) && (best == i + row || v[k] > v[best])) best = k;
        return best;
      };
      if (largest(ref) == i + row) continue;  // all of it is padding
      ++s.rows;
      s.agree += largest(ref) == largest(got);
    }
  }
}

Comparison::Products Comparison::judged(const Sums& s) {
  std::vector<double> lengths;
  if (s.row < kVector) return s;
  for (const Products& p : s.by_row)
    if (p.ref2 > 0 && std::isfinite(p.ref2)) lengths.push_back(std::sqrt(p.ref2));
  if (!differ_in_size(lengths)) return s;
  Products level;
  for (const Products& p : s.by_row) {
    if (!(p.ref2 > 0)) continue;
    level.dot += p.dot / p.ref2;
    level.ref2 += 1;
    level.got2 += p.got2 / p.ref2;
    level.diff2 += p.diff2 / p.ref2;
  }
  return level;
}

std::vector<OutputError> Comparison::errors() const {
  std::vector<OutputError> out;
  for (size_t o = 0; o < names_.size(); ++o) {
    const Sums& s = sums_[o];
    if (s.unknown) continue;
    OutputError e;
    e.name = names_[o];
    const Products p = judged(s);
    const double norm = std::sqrt(p.ref2) * std::sqrt(p.got2);
    e.cosine = norm > 0 ? p.dot / norm : (p.ref2 == p.got2 ? 1 : 0);
    if (std::isnan(e.cosine)) e.cosine = 0;
    e.max_abs = s.max_abs;
    e.max_ref = s.max_ref;
    e.sqnr_db = p.diff2 > 0 ? 10 * std::log10(p.ref2 / p.diff2) : std::numeric_limits<double>::infinity();
    e.argmax_agreement = s.rows ? static_cast<double>(s.agree) / static_cast<double>(s.rows) : 1;
    e.elements = s.elements;
    out.push_back(e);
  }
  return out;
}

double Comparison::worst_row(const Sums& s, size_t shortest) {
  if (s.row < shortest) return 1;
  double mean = 0, worst = 1;
  for (const Products& p : s.by_row) mean += p.ref2 / static_cast<double>(s.by_row.size());
  for (const Products& p : s.by_row) {
    if (!(p.ref2 > 0) || p.ref2 < kShortRow * kShortRow * mean) continue;
    const double norm = std::sqrt(p.ref2) * std::sqrt(p.got2);
    worst = std::min(worst, norm > 0 ? p.dot / norm : 0.0);
  }
  return worst;
}

double Comparison::worst_cosine(bool short_rows) const {
  double worst = 1;
  for (const OutputError& e : errors()) worst = std::min(worst, e.cosine);
  for (const Sums& s : sums_)
    if (!s.unknown) worst = std::min(worst, 1 - (1 - worst_row(s, short_rows ? 2 : kVector)) / kRowLoss);
  return worst;
}

}  // namespace edgeconv
