// How elements come into the sums of an output. Everything in double.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "convert/measure/accuracy.h"
#include "convert/measure/decision.h"

namespace edgeconv {

void OutputSums::begin_sample() {
  if (begun_++ % together_ != 0) return;
  if (samples_.size() == 2 * kMostSamples) {
    for (size_t i = 0; i < kMostSamples; ++i) samples_[i] = samples_[2 * i].with(samples_[2 * i + 1]);
    samples_.resize(kMostSamples);
    together_ *= 2;
  }
  samples_.emplace_back();
}

inline void OutputSums::move(Moving& m, Sample& sample, std::vector<double>& first_row, double reference, double result,
                             size_t column, bool first) {
  m.least = first ? reference : std::min(m.least, reference);
  m.most = first ? reference : std::max(m.most, reference);
  m.sum_ref += reference;
  sample.ref2 += reference * reference;
  sample.diff2 += (result - reference) * (result - reference);
  if (column >= first_row.size())
    first_row.resize(column + 1, reference);
  else
    m.departure = std::max(m.departure, std::fabs(reference - first_row[column]));
}

void OutputSums::weigh(double reference, double result, size_t column) {
  if (samples_.empty()) begin_sample();
  move(moving_, samples_.back(), first_row_, reference, result, column, elements == 1);
  if (decided_by.by == Decision::kLogit) weigh_logit(reference, result);
}

namespace {

constexpr float kUnlikely = 0.001f;  // what a probability is clipped to (decision.h); a little more than 0.001, so that no float is between
constexpr size_t kUnlikelyBlock = 32;

// Certain in both, as nearly all of thousands of classes are. Not those that are no numbers.
bool all_unlikely(const float* reference, const float* result) {
  bool all = true;
  for (size_t i = 0; i < kUnlikelyBlock; ++i) all &= (reference[i] < kUnlikely) & (result[i] < kUnlikely);
  return all;
}

// Models give NaN for what a mask hides (a mean of nothing): the same in both is agreement, and tells nothing of the numbers beside it.
bool both_no_number(float reference, float result) {
  return (std::isnan(reference) && std::isnan(result)) || (std::isinf(reference) && reference == result);
}

bool all_finite(const float* x, size_t count) {
  constexpr size_t kLanes = 8;
  float none[kLanes] = {};  // of numbers; infinity and NaN times zero are NaN
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) none[lane] += 0.0f * x[i + lane];
  for (; i < count; ++i) none[0] += 0.0f * x[i];
  return std::all_of(none, none + kLanes, [](float f) { return f == 0; });
}

}  // namespace

void OutputSums::add_elements(const float* reference, const float* result, size_t count, size_t column,
                              const std::function<bool(size_t)>& counts) {
  if (column == 0) by_row.emplace_back();
  if (samples_.empty()) begin_sample();
  if (!counts && elements > 0 && column + count <= first_row_.size() && all_finite(reference, count)) {
    add_finite(reference, result, count, column);
  } else {
    for (size_t i = 0; i < count; ++i)
      if (!counts || counts(i)) add_element(reference[i], result[i], column + i);
  }
  if (decided_by.by != Decision::kLogit) return;
  for (size_t i = 0; i < count; ++i) {
    if (i + kUnlikelyBlock <= count && all_unlikely(reference + i, result + i)) {
      i += kUnlikelyBlock - 1;
      continue;
    }
    if (reference[i] < kUnlikely && result[i] < kUnlikely) continue;
    if ((!counts || counts(i)) && !both_no_number(reference[i], result[i])) weigh_logit(reference[i], result[i]);
  }
}

void OutputSums::add_element(float reference, float result, size_t column) {
  if (both_no_number(reference, result)) {
    ++no_numbers;
    return;
  }
  ++elements;
  const double r = reference, g = result, d = g - r;
  add(r, g);
  by_row.back().add(r, g);
  move(moving_, samples_.back(), first_row_, r, g, column, elements == 1);
  max_abs = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(max_abs, std::fabs(d));
  max_ref = std::max(max_ref, std::fabs(r));
}

// As add_element for each, in their order: every sum is added to by one element after the other.
void OutputSums::add_finite(const float* reference, const float* result, size_t count, size_t column) {
  // Two sums in a register: eleven of their own did not stay in registers.
  using Two = double __attribute__((vector_size(16)));
  const Products& line = by_row.back();
  Sample& sample = samples_.back();
  Two all_dots = {dot, ref2}, all_squares = {got2, diff2}, line_dots = {line.dot, line.ref2}, line_squares = {line.got2, line.diff2},
      of_sample = {sample.ref2, sample.diff2};
  double sum_ref = moving_.sum_ref;
  for (size_t i = 0; i < count; ++i) {
    const double r = reference[i], g = result[i], d = g - r;
    const Two dots = Two{g, r} * r, squares = Two{g, d} * Two{g, d};
    all_dots += dots, all_squares += squares;
    line_dots += dots, line_squares += squares;
    of_sample += Two{dots[1], squares[1]};
    sum_ref += r;
  }
  // Ends do not depend on an order, so that lanes of their own find them.
  constexpr size_t kLanes = 8;
  float low[kLanes], high[kLanes];
  double apart[kLanes] = {}, error[kLanes] = {};
  int no_number = 0;
  std::fill_n(low, kLanes, reference[0]);
  std::fill_n(high, kLanes, reference[0]);
  const double* first = first_row_.data() + column;
  const auto look = [&](size_t lane, size_t i) {
    const float r = reference[i];
    const double away = std::fabs(double{r} - first[i]), d = std::fabs(double{result[i]} - double{r});
    low[lane] = r < low[lane] ? r : low[lane];
    high[lane] = r > high[lane] ? r : high[lane];
    apart[lane] = away > apart[lane] ? away : apart[lane];
    error[lane] = d > error[lane] ? d : error[lane];
    no_number |= static_cast<int>(result[i] != result[i]);
  };
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) look(lane, i + lane);
  for (; i < count; ++i) look(0, i);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    moving_.least = std::min(moving_.least, double{low[lane]});
    moving_.most = std::max(moving_.most, double{high[lane]});
    moving_.departure = std::max(moving_.departure, apart[lane]);
    max_abs = std::max(max_abs, error[lane]);
    max_ref = std::max({max_ref, std::fabs(double{low[lane]}), std::fabs(double{high[lane]})});
  }
  if (no_number) max_abs = std::numeric_limits<double>::infinity();
  static_cast<Products&>(*this) = {all_dots[0], all_dots[1], all_squares[0], all_squares[1]};
  by_row.back() = {line_dots[0], line_dots[1], line_squares[0], line_squares[1]};
  sample.ref2 = of_sample[0], sample.diff2 = of_sample[1];
  moving_.sum_ref = sum_ref;
  elements += static_cast<int64_t>(count);
}

void OutputSums::weigh_logit(double reference, double result) {
  Sample& sample = samples_.back();
  const bool certain = reference < 0.001 || reference > 0.999;
  // Of thousands of classes nearly all are here, which logarithms would take most of the time for.
  if (certain && clipped_probability(reference) == clipped_probability(result)) return;
  const double want = clipped_logit(reference), got = clipped_logit(result);
  if (want == got && certain) return;  // both of them
  logits_.resize(std::max<size_t>(by_row.size(), 1));
  logits_.back().diff2 += (want - got) * (want - got);
  ++logits_.back().count;
  sample.logits.diff2 += (want - got) * (want - got);
  sample.logit_ref2 += want * want;
  ++sample.logits.count;
}

}  // namespace edgeconv
