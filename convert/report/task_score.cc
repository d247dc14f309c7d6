// See task_score.h.
#include "convert/report/task_score.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "convert/ir/diagnostics.h"
#include "convert/files/npy.h"
#include "convert/files/text_lines.h"

namespace edgeconv {

namespace {

Tensor read_text(const std::string& path) {
  std::vector<double> numbers;
  bool whole = true;
  int line_number = 0;
  for_each_line("--labels", path, [&](std::string line) {
    ++line_number;
    line.resize(std::min(line.find('#'), line.size()));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    if (line.empty()) return;
    size_t used = 0;
    try {
      numbers.push_back(std::stod(line, &used));
    } catch (const std::logic_error&) {
      used = 0;
    }
    if (used != line.size())
      throw FatalError(ExitCode::kMalformed,
                       "--labels " + printable(path) + ": line " + std::to_string(line_number) + " is no number: '" + printable(line) + "'");
    whole &= line.find_first_not_of("+-0123456789 \t") == std::string::npos;
  });
  Tensor t(whole ? DType::kInt64 : DType::kDouble, {static_cast<int64_t>(numbers.size())});
  for (size_t i = 0; i < numbers.size(); ++i)
    if (whole)
      t.mut<int64_t>()[i] = static_cast<int64_t>(numbers[i]);
    else
      t.mut<double>()[i] = numbers[i];
  return t;
}

int64_t largest(const float* row, size_t n) { return n == 1 ? row[0] > 0 : std::max_element(row, row + n) - row; }

// Ranks from 0; equal values share the mean of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t k = i; k < end; ++k) rank[order[k]] = (static_cast<double>(i) + static_cast<double>(end) - 1) / 2;
    i = end;
  }
  return rank;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n, mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

// Of each sample: the mean over its tokens.
std::vector<float> mean_of_tokens(const float* rows, size_t tokens, size_t width, const char* counts) {
  std::vector<double> sum(width, 0.0);
  double n = 0;
  for (size_t t = 0; t < tokens; ++t) {
    if (counts && !counts[t]) continue;
    n += 1;
    for (size_t k = 0; k < width; ++k) sum[k] += rows[t * width + k];
  }
  std::vector<float> mean(width);
  for (size_t k = 0; k < width; ++k) mean[k] = static_cast<float>(sum[k] / std::max(1.0, n));
  return mean;
}

}  // namespace

Tensor read_labels(const std::string& path) {
  const bool npy = std::filesystem::path(path).extension() == ".npy";
  Tensor t = npy ? read_npy(path) : read_text(path);
  const auto fail = [&](const std::string& what) { throw FatalError(ExitCode::kMalformed, "--labels " + path + ": " + what); };
  if (t.elements() == 0) fail("there are no labels in it");
  if (t.rank() < 1 || t.rank() > 2)
    fail("labels are [samples] or [samples, tokens], these have rank " + std::to_string(t.rank()));
  if (is_float(t.dtype()))
    for (float v : t.to_float())
      if (!std::isfinite(v)) fail("it holds NaN or an infinity");
  return t;
}

TaskScore::TaskScore(Tensor labels, std::string where, std::optional<TaskMetric> metric, const std::string& output,
                     std::vector<std::string> names)
    : labels_(std::move(labels)),
      where_(std::move(where)),
      metric_(metric.value_or(is_float(labels_.dtype()) ? TaskMetric::kSpearman : TaskMetric::kAccuracy)),
      names_(std::move(names)) {
  if (metric_ == TaskMetric::kAccuracy && is_float(labels_.dtype())) fail("accuracy needs classes, which are integers");
  if (metric_ == TaskMetric::kSpearman && labels_.rank() != 1) fail("Spearman needs one score per sample or pair");
  if (output.empty()) return;
  const auto it = std::find(names_.begin(), names_.end(), output);
  if (it == names_.end())
    throw FatalError(ExitCode::kUsage, "--label-output: the model has no output '" + printable(output) + "'");
  output_ = static_cast<size_t>(it - names_.begin());
}

void TaskScore::fail(const std::string& what) const {
  throw FatalError(ExitCode::kMalformed, "--labels " + where_ + ": " + what);
}

bool TaskScore::fits(const Tensor& y) const {
  if (!is_float(y.dtype()) || y.rank() < 1) return false;
  if (labels_.rank() == 2) return y.rank() == 3;
  return y.rank() <= 2 || (metric_ == TaskMetric::kSpearman && y.rank() == 3);
}

void TaskScore::add(const std::vector<Tensor>& reference, const std::vector<Tensor>& blob, const std::optional<TokenMask>& mask) {
  for (size_t o = 0; !output_ && o < reference.size(); ++o)
    if (fits(reference[o])) output_ = o;
  if (!output_)
    fail(labels_.rank() == 2 ? "labels of tokens need an output [samples, tokens, classes], and the model has none"
                             : "the model has no output with a row for each sample");
  if (!fits(reference.at(*output_))) fail("output '" + names_[*output_] + "' has another rank than these labels need");
  collect(reference[*output_], mask, reference_);
  collect(blob.at(*output_), mask, blob_);
}

void TaskScore::collect(const Tensor& y, const std::optional<TokenMask>& mask, Side& side) const {
  const std::vector<float> values = y.to_float();
  const auto samples = static_cast<size_t>(y.dims()[0]);
  const size_t per_sample = samples ? values.size() / samples : 0,
               width = y.rank() == 1 ? 1 : static_cast<size_t>(y.dims().back());
  for (size_t s = 0; s < samples; ++s) {
    const float* row = values.data() + s * per_sample;
    if (metric_ == TaskMetric::kAccuracy) {
      side.classes.emplace_back();
      for (size_t at = 0; at < per_sample; at += width) side.classes.back().push_back(largest(row + at, width));
    } else {
      const bool masked = mask && y.rank() == 3 && mask->batch == y.dims()[0] && mask->sequence == y.dims()[1];
      side.embeddings.push_back(
          mean_of_tokens(row, per_sample / width, width, masked ? mask->token.data() + s * (per_sample / width) : nullptr));
    }
  }
}

double TaskScore::accuracy(const Side& side, int64_t* counted) const {
  const std::vector<int64_t> labels = labels_.to_int64();
  const size_t width = labels_.rank() == 2 ? static_cast<size_t>(labels_.dims()[1]) : 1;
  if (side.classes.size() * width != labels.size())
    fail("there are labels for " + std::to_string(labels.size() / width) + " samples, and " +
         std::to_string(side.classes.size()) + " samples");
  int64_t right = 0;
  *counted = 0;
  for (size_t s = 0; s < side.classes.size(); ++s)
    for (size_t t = 0; t < width; ++t) {
      const int64_t label = labels[s * width + t];
      if (label < 0) continue;
      if (t >= side.classes[s].size())
        fail("sample " + std::to_string(s) + " has " + std::to_string(side.classes[s].size()) + " tokens, but more labels");
      ++*counted;
      right += side.classes[s][t] == label;
    }
  if (*counted == 0) fail("all labels are negative, so that none counts");
  return static_cast<double>(right) / static_cast<double>(*counted);
}

double TaskScore::spearman(const Side& side, int64_t* counted) const {
  std::vector<double> labels, scores;
  if (is_float(labels_.dtype()))
    for (float v : labels_.to_float()) labels.push_back(v);
  else
    for (int64_t v : labels_.to_int64()) labels.push_back(static_cast<double>(v));
  const size_t samples = side.embeddings.size();
  const bool numbers = samples == labels.size(), pairs = samples == 2 * labels.size();
  if (!numbers && !pairs)
    fail("there are " + std::to_string(labels.size()) + " labels and " + std::to_string(samples) +
         " samples: as many are scores of samples, half as many are scores of pairs of samples");
  if (numbers && side.embeddings[0].size() != 1)
    fail("as many labels as samples need an output with one number for each, '" + names_[*output_] + "' has " +
         std::to_string(side.embeddings[0].size()) + "; half as many are scores of pairs of samples");
  for (size_t i = 0; i < labels.size(); ++i)
    scores.push_back(numbers ? double{side.embeddings[i][0]} : cosine(side.embeddings[2 * i], side.embeddings[2 * i + 1]));
  if (std::all_of(labels.begin(), labels.end(), [&](double v) { return v == labels[0]; }))
    fail("all labels are equal: they have no ranks to compare");
  *counted = static_cast<int64_t>(labels.size());
  return correlation(ranks(scores), ranks(labels));
}

TaskResult TaskScore::result() const {
  TaskResult r{metric_, output_ ? names_[*output_] : "", 0, 0, 0};
  const auto of = [&](const Side& side) {
    return metric_ == TaskMetric::kAccuracy ? accuracy(side, &r.labels) : spearman(side, &r.labels);
  };
  r.reference = of(reference_);
  r.blob = of(blob_);
  return r;
}

}  // namespace edgeconv
