// Everything in double.
#include "convert/measure/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "convert/measure/decision.h"
#include "convert/measure/row_sizes.h"

namespace edgeconv {

namespace {

constexpr size_t kVector = 4;  // shorter rows are numbers of their own, such as probabilities, which may be as small as they like

// A row may lose this many times as much as all rows together: at a gate of 0.999 it keeps a cosine of 0.98. The worst rows of
// a real MiniLM and of ten small models of other kinds keep 0.995 and more, those of a model with channels a hundred times as large
// had 0.94 and less where single rows went wrong.
constexpr double kRowLoss = 20;
// Nepers of power, root mean square: a gate of 0.999 asks for 4.5 % or 0.2 dB. With twice that a wake word behind an otherwise exact chain
// had .48 instead of .60.
constexpr double kHeardSpread = 1;
constexpr double kHardly = 1e-3, kRounding = 0x1p-19;  // of the largest magnitude
// Larger ones are masks, -1e9 say, beside which what a network answers is as little as rounding.
constexpr double kMostOfLogits = 100;
constexpr double kShortRow = 0.1;  // of the root mean square length; shorter ones are mostly rounding
// Root mean square of the logits of a model that knows what it sees: probabilities of 0.01 and 0.99. On made-up samples many models are
// less certain, their logits smaller, and the errors of these with them: an OCR's direction of 4.7 on text was 1.0 there.
constexpr double kCertainLogit = 4.6;
constexpr size_t kWorstShare = 10;
constexpr double kExact = 150;  // decibels; more is rounding's luck

// Decibels of samples spread by about so much; counts as so many samples beside those that there are.
constexpr double kUsualSpread = 3, kUsualSpreadWeight = 2;

// The tenth that comes first, at least one of them.
size_t tenth(size_t count) { return (count + kWorstShare - 1) / kWorstShare; }

// The decibels that nine in ten further samples have, for all that these tell: the lower bound of a prediction interval, mean - t s sqrt(1 + 1/n).
// Of three samples the worst tenth is no more than the worst of three.
double expected_of_most(const std::vector<double>& decibels) {
  // One-sided 10 % points of Student's t.
  constexpr double kStudent[] = {3.078, 1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383, 1.372};
  const auto n = static_cast<double>(decibels.size());
  double mean = 0, squares = kUsualSpreadWeight * kUsualSpread * kUsualSpread;
  for (double d : decibels) mean += d / n;
  for (double d : decibels) squares += (d - mean) * (d - mean);
  const double freedom = n - 1 + kUsualSpreadWeight;
  const auto row = static_cast<size_t>(freedom) - 1;
  const double t = row < std::size(kStudent) ? kStudent[row] : 1.2816 + 0.85 / freedom;
  return mean - t * std::sqrt(squares / freedom * (1 + 1 / n));
}

}  // namespace

double sqnr_db(double signal, double noise) {
  return noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
}

double worst_cosine(const std::vector<OutputError>& outputs) {
  double worst = 1;
  for (const OutputError& e : outputs) worst = std::min(worst, e.cosine);
  return worst;
}

double Products::cosine() const {
  const double norm = std::sqrt(ref2) * std::sqrt(got2);
  const double c = norm > 0 ? dot / norm : (ref2 == got2 ? 1 : 0);
  return std::isnan(c) ? 0 : c;
}

// The products themselves, or of rows that were divided by their length where these differ beyond measure.
Products OutputSums::level() const {
  std::vector<double> lengths;
  if (row < kVector) return *this;
  for (const Products& p : by_row)
    if (p.ref2 > 0 && std::isfinite(p.ref2)) lengths.push_back(std::sqrt(p.ref2));
  if (!differ_in_size(lengths)) return *this;
  Products sum;
  for (const Products& p : by_row) {
    if (!(p.ref2 > 0)) continue;
    sum.dot += p.dot / p.ref2;
    sum.ref2 += 1;
    sum.got2 += p.got2 / p.ref2;
    sum.diff2 += p.diff2 / p.ref2;
  }
  return sum;
}

// By how many decibels the worst tenth of the samples has less than all of them.
double OutputSums::worst_tenth_drop() const {
  double all = 0, error = 0;
  for (const Sample& s : samples_) all += s.ref2, error += s.diff2;
  std::vector<Sample> counted;
  for (const Sample& s : samples_)
    if (s.ref2 > kShortRow * kShortRow * all / static_cast<double>(samples_.size())) counted.push_back(s);
  if (counted.empty() || !(error > 0)) return 0;
  std::vector<double> decibels;
  for (const Sample& s : counted) decibels.push_back(std::min(edgeconv::sqnr_db(s.ref2, s.diff2), kExact));
  std::stable_sort(counted.begin(), counted.end(),
                   [](const Sample& a, const Sample& b) { return a.diff2 * b.ref2 > b.diff2 * a.ref2; });
  counted.resize(tenth(counted.size()));
  double worst = 0, worst_error = 0;
  for (const Sample& s : counted) worst += s.ref2, worst_error += s.diff2;
  if (!(worst_error > 0)) return 0;
  return std::max(0.0,
                  edgeconv::sqnr_db(all, error) - std::min(edgeconv::sqnr_db(worst, worst_error), expected_of_most(decibels)));
}

// Mean square, as it is where logits are as large as a certain model's; negative where no sample is undecided.
double OutputSums::worst_tenth_logit_error() const {
  std::vector<Sample> undecided;
  double squares = 0, count = 0;
  for (const Sample& s : samples_) {
    if (!s.logits.count) continue;
    undecided.push_back(s);
    squares += s.logit_ref2;
    count += static_cast<double>(s.logits.count);
  }
  if (undecided.empty()) return -1;
  const auto mean = [](const Sample& s) { return s.logits.diff2 / static_cast<double>(s.logits.count); };
  std::stable_sort(undecided.begin(), undecided.end(), [&](const Sample& a, const Sample& b) { return mean(a) > mean(b); });
  std::vector<double> decibels;
  for (const Sample& s : undecided) decibels.push_back(std::min(edgeconv::sqnr_db(1, mean(s)), kExact));
  undecided.resize(tenth(undecided.size()));
  Logits worst;
  for (const Sample& s : undecided) worst.diff2 += s.logits.diff2, worst.count += s.logits.count;
  const double grown = squares > 0 ? std::max(1.0, kCertainLogit * kCertainLogit * count / squares) : 1;
  const double error = worst.diff2 / static_cast<double>(worst.count);
  return error > 0 ? grown * std::max(error, std::pow(10, -expected_of_most(decibels) / 10)) : 0;
}

// Mean square; negative where no row is undecided.
double OutputSums::logit_error() const {
  std::vector<Logits> undecided;
  for (const Logits& l : logits_)
    if (l.count) undecided.push_back(l);
  if (undecided.empty()) return -1;
  if (decided_by.by_worse_half) {
    const auto mean = [](const Logits& l) { return l.diff2 / static_cast<double>(l.count); };
    std::stable_sort(undecided.begin(), undecided.end(), [&](const Logits& a, const Logits& b) { return mean(a) > mean(b); });
    undecided.resize((undecided.size() + 1) / 2);
  }
  Logits sum;
  for (const Logits& l : undecided) sum.diff2 += l.diff2, sum.count += l.count;
  return sum.diff2 / static_cast<double>(sum.count);
}

double OutputSums::decided_cosine() const {
  const auto n = static_cast<double>(elements);
  switch (decided_by.by) {
    case Decision::kValue: return 1;
    case Decision::kLogit: return cosine_of(std::max(logit_error(), 0.0) / 2);
    case Decision::kLogarithm: {
      // As for values, but without their mean, which only says in which unit the power is; and where pauses and floors make the spread
      // large, what is heard must be as good as if there were none.
      double spread = n > 0 ? ref2 - moving_.sum_ref * moving_.sum_ref / n : 0;
      const double heard = kHeardSpread * decided_by.unit;
      if (heard > 0) spread = std::min(spread, heard * heard * n);
      return spread > kHardly * kHardly * ref2 ? cosine_of(diff2 / spread / 2) : 1;
    }
  }
  return 1;
}

void OutputSums::compare_samples(std::span<const float> reference, const std::vector<int64_t>& dims,
                                 const std::function<bool(size_t)>& counts) {
  between_samples_.add(reference, dims, decided_by.batched, kHardly * max_ref, counts);
}

Evidence OutputSums::evidence() const {
  if (tells_no_number()) return Evidence::kNoNumber;
  if (elements == 0 && chaotic > 0) return Evidence::kChaotic;
  if (elements == 0 || max_ref == 0) return Evidence::kZero;
  if (moving_.least == moving_.most) return elements == 1 ? Evidence::kMoves : Evidence::kConstant;
  // A row is a number or few: what a sample gives. Of one row nothing is known.
  if (decided_by.by == Decision::kLogit && decided_by.by_worst_tenth && logit_error() < 0) return Evidence::kSure;
  // Rows that differ show nothing where they are the same in every sample.
  const double departure = std::min(moving_.departure, between_samples_.departure().value_or(moving_.departure));
  if (by_row.size() < 2 || departure > kHardly * max_ref) return Evidence::kMoves;
  return departure > kRounding * std::min(max_ref, kMostOfLogits) ? Evidence::kHardlyMoves : Evidence::kStill;
}

OutputError OutputSums::error(const std::string& name) const {
  const Products p = level();
  OutputError e;
  e.name = name;
  e.cosine = tells_no_number() ? 0 : p.cosine();
  e.max_abs = max_abs;
  e.max_ref = max_ref;
  e.sqnr_db = edgeconv::sqnr_db(p.ref2, p.diff2);
  const bool tenth_only = e.of_worst_tenth = decided_by.by_worst_tenth;
  if (tenth_only) e.sqnr_db -= worst_tenth_drop();
  // Small probabilities are as uncertain as their odds, which a sum of squares of large ones hides.
  if (const double error = tenth_only ? worst_tenth_logit_error() : logit_error(); error >= 0)
    e.sqnr_db = std::min(e.sqnr_db, edgeconv::sqnr_db(1, error));
  if (decided_by.by == Decision::kLogarithm) e.sqnr_db = std::min(e.sqnr_db, edgeconv::sqnr_db(1, 2 * loss_of(decided_cosine())));
  e.argmax_agreement = rows ? static_cast<double>(agree) / static_cast<double>(rows) : 1;
  if (of_scores) e.scores_before = decided_by.scores->operation;
  e.elements = elements;
  e.samples = begun_ + chaotic;
  e.chaotic = chaotic;
  e.decision = decided_by.by;
  e.decided = decided_cosine();
  e.decided = std::isnan(e.decided) ? 0 : std::max(e.decided, -1.0);
  e.evidence = evidence();
  return e;
}

double OutputSums::worst_row(size_t shortest) const {
  if (row < shortest) return 1;
  double mean = 0, worst = 1;
  for (const Products& p : by_row) mean += p.ref2 / static_cast<double>(by_row.size());
  for (const Products& p : by_row)
    if (p.ref2 > 0 && !(p.ref2 < kShortRow * kShortRow * mean)) worst = std::min(worst, p.cosine());
  return worst;
}

double OutputSums::judged_cosine(bool short_rows) const {
  if (tells_no_number()) return 0;
  const double row_loss = loss_of(worst_row(short_rows ? 2 : kVector));
  const double decided = decided_cosine();
  return std::min({level().cosine(), cosine_of(row_loss / kRowLoss), std::isnan(decided) ? 0 : decided});
}

}  // namespace edgeconv
