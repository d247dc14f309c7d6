// How accurate a model is, said in one place: what the error of an output is, which number of all of them counts, and the thresholds that
// gates, reports, the search for precisions, certificates and `validate` go by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convert/measure/sample_movement.h"

namespace edgeconv {

// Of the cosine of the worst output. Automatic precision climbs to the first; below the others a conversion warns, and fails.
constexpr double kTargetCosine = 0.999, kWarnCosine = 0.999, kFailCosine = 0.99;

// What is lost of an accuracy, as --max-loss counts it: 0 is exact.
constexpr double loss_of(double cosine) { return 1 - cosine; }
constexpr double cosine_of(double loss) { return 1 - loss; }

// Signal-to-noise ratio in decibels; +inf without noise.
double sqnr_db(double signal, double noise);

// Where an output is decided (decision.h), and its error counts beside that of its values.
enum class Decision : uint8_t {
  kValue,
  kLogit,      // a probability: half the mean square of the error of its logit is the loss; 0.001 is an error of 0.045
  kLogarithm,  // of a power: an error of it is a relative error of the power, however small that is
};

// What is measured in place of numbers of classes (class_scores.h).
struct MeasuredScores {
  size_t place;  // of the scores among the tensors that are compared, behind the outputs
  int64_t axis;  // from the front, of the classes
  std::string operation;
};

struct DecidedBy {
  Decision by = Decision::kValue;
  double unit = 0;  // kLogarithm: what one neper is in the output; 0 where the model normalizes it, or nothing tells
  // kLogit: the half of the rows that errs more counts. Where inputs are made up in several units because nothing tells the model's, those of
  // too small ones err hardly and would hide what the others show.
  bool by_worse_half = false;
  // Made-up samples are no sample of the user's: decibels are those of the tenth of them that errs most, or, where that is less, what nine in
  // ten further samples are expected to have.
  bool by_worst_tenth = false;
  // Each element of the first axis is a sample, as where its size is a dim of the model's.
  bool batched = false;
  std::optional<MeasuredScores> scores = {};  // `by` and all figures are theirs
};

// What a comparison tells of an output. Where the reference is the same whatever the inputs, agreement says nothing.
enum class Evidence : uint8_t {
  kMoves,
  kHardlyMoves,  // by less than a thousandth
  kStill,        // by no more than sums of many layers are rounded by
  kConstant,     // one number
  kZero,
  kSure,  // no made-up sample leaves it undecided: a probability below 0.001 or above 0.999 everywhere
  kChaotic,  // every sample was left out, because the reference itself is chaotic there (chaos.h)
  kNoNumber,  // NaN or infinity everywhere, in the reference and in the result
};

struct OutputError {
  std::string name;
  // Of the whole tensors as vectors; 1 when both are zero. Where rows differ beyond measure in size (row_sizes.h) each is divided by
  // its length in the reference first, here and in sqnr_db: a sum over all would tell of the largest only.
  double cosine = 1;
  double max_abs = 0;  // largest absolute difference
  double max_ref = 0;  // largest magnitude of the reference
  // Of the squares of the reference and of the difference, over all or of the worst tenth (DecidedBy::by_worst_tenth); of a probability
  // or a logarithm no more than it has where it is decided.
  double sqnr_db = 0;
  double argmax_agreement = 1;  // share of rows (last axis) whose largest element is at the same place; of classes, that are the same
  int64_t elements = 0;
  Decision decision = Decision::kValue;
  double decided = 1;  // the cosine that loses as much as the error does where the output is decided
  Evidence evidence = Evidence::kMoves;
  bool of_worst_tenth = false;  // sqnr_db is
  std::string scores_before = {};  // "ArgMax, axis -1": figures are of the scores that it chooses classes by; empty where they are of the output
  int64_t samples = 0, chaotic = 0;  // chaotic: of these, those that are in no figure (chaos.h)

  // Whether it is known to be as good as its cosine says: an error where the reference hardly moves is one all the same.
  bool vacuous() const { return evidence != Evidence::kMoves && cosine > 0.999999; }
  // Its figures say nothing; it counts as the worst all the same where it never was a number.
  bool unknown() const { return vacuous() || evidence == Evidence::kNoNumber; }
};

// What gates, summaries and `validate` judge by; 1 where nothing was compared. Vacuous outputs do not count.
double worst_cosine(const std::vector<OutputError>& outputs);

// Sums of products of a reference and a result.
struct Products {
  double dot = 0, ref2 = 0, got2 = 0, diff2 = 0;
  void add(double reference, double result) {
    const double d = result - reference;
    dot += reference * result;
    ref2 += reference * reference;
    got2 += result * result;
    diff2 += d * d;
  }
  double cosine() const;  // 1 when both are zero, 0 where it is not a number
};

// All that is known of one output.
struct OutputSums : Products {
  std::vector<Products> by_row;  // rows are vectors along the last axis
  size_t row = 0;                // elements of each
  double max_abs = 0, max_ref = 0;
  int64_t rows = 0, agree = 0, elements = 0;
  int64_t chaotic = 0;     // samples that are in no sum
  bool of_scores = false;  // DecidedBy::scores are what the sums are of
  int64_t no_numbers = 0;  // elements that are the same NaN or infinity in both, and stand in no sum
  DecidedBy decided_by;

  // What follows belongs to another sample.
  void begin_sample();
  // One element of the reference and of the result, beside Products::add: what is decided by it, and whether the reference moves.
  void weigh(double reference, double result, size_t column);
  // Elements of one row and of one sample, from this column on, those for which counts(i) is true. The first element of a row opens it.
  void add_elements(const float* reference, const float* result, size_t count, size_t column, const std::function<bool(size_t)>& counts);

  // One set of the reference, after its elements are in the sums: whether it moves from sample to sample.
  void compare_samples(std::span<const float> reference, const std::vector<int64_t>& dims, const std::function<bool(size_t)>& counts);

  OutputError error(const std::string& name) const;

  // What precisions are judged by: the cosine, or less where single rows lose many times as much as a gate allows for all of them,
  // or where more is lost where the output is decided.
  // Errors that are rare and large, as those of an attention that picks another token, hardly show in sums over rows, and whether few
  // rows show them at all is luck.
  // short_rows: those of 2 or 3 elements too, as the logits of a classifier, which may be numbers of their own.
  double judged_cosine(bool short_rows) const;

 private:
  void weigh_logit(double reference, double result);
  void add_element(float reference, float result, size_t column);
  // reference has no NaN and no infinity, and is not the first row.
  void add_finite(const float* reference, const float* result, size_t count, size_t column);
  // Sums that every element moves; held in registers while a row is added.
  struct Moving {
    double least = 0, most = 0, sum_ref = 0, departure = 0;  // of the reference; departure: the largest distance from its first row
  };
  bool tells_no_number() const { return elements == 0 && no_numbers > 0; }
  Products level() const;
  double logit_error() const;
  double worst_row(size_t shortest) const;
  double decided_cosine() const;
  Evidence evidence() const;

  struct Logits {
    double diff2 = 0;
    int64_t count = 0;
  };
  // The sums of one sample. Logits: those that are not certain in both.
  struct Sample {
    double ref2 = 0, diff2 = 0, logit_ref2 = 0;
    Logits logits;
    Sample with(const Sample& o) const {
      return {ref2 + o.ref2, diff2 + o.diff2, logit_ref2 + o.logit_ref2, {logits.diff2 + o.logits.diff2, logits.count + o.logits.count}};
    }
  };
  double worst_tenth_drop() const;
  double worst_tenth_logit_error() const;
  // At most twice kMostSamples: an output of one axis has a sample for each element, of which there may be millions. Then neighbours are one.
  static constexpr size_t kMostSamples = 1 << 16;
  std::vector<Sample> samples_;
  int64_t begun_ = 0, together_ = 1;  // samples of the output, and of each of samples_; the last may have fewer
  static void move(Moving& m, Sample& sample, std::vector<double>& first_row, double reference, double result, size_t column, bool first);
  Moving moving_;
  SampleMovement between_samples_;
  std::vector<Logits> logits_;  // of each row, without those that are certain in both
  std::vector<double> first_row_;
};

}  // namespace edgeconv
