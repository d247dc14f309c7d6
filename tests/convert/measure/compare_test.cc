// Error measures.
#include "convert/measure/compare.h"

#include <gtest/gtest.h>

#include <cmath>

namespace edgeconv::testing {

namespace {

constexpr int64_t kRows = 20, kWidth = 8;

// Row r is `growth` times as large as row r - 1.
Tensor rows(float growth) {
  Tensor t(DType::kFloat, {1, kRows, kWidth});
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t k = 0; k < kWidth; ++k)
      t.mut<float>()[static_cast<size_t>(r * kWidth + k)] = std::pow(growth, static_cast<float>(r)) * static_cast<float>(1 + k);
  return t;
}

// The first half of the rows backwards.
Tensor half_wrong(const Tensor& t) {
  Tensor wrong(DType::kFloat, t.dims());
  for (int64_t i = 0; i < t.elements(); ++i) {
    const int64_t row = i / kWidth, from = row < kRows / 2 ? row * kWidth + kWidth - 1 - i % kWidth : i;
    wrong.mut<float>()[static_cast<size_t>(i)] = t.as<float>()[static_cast<size_t>(from)];
  }
  return wrong;
}

double cosine(const Tensor& reference, const Tensor& got) {
  Comparison c({"y"});
  c.add({reference}, {got});
  return c.errors()[0].cosine;
}

// The first axis is the batch: each row of it is a sample, whatever sets they came in.
TEST(Comparison, SamplesAreRowsOfTheBatch) {
  const std::vector<int64_t> dims = {10, 2, 3};
  Tensor reference(DType::kFloat, dims), got(DType::kFloat, dims);
  for (int64_t i = 0; i < reference.elements(); ++i) {
    reference.mut<float>()[static_cast<size_t>(i)] = 1;
    got.mut<float>()[static_cast<size_t>(i)] = i / 6 == 7 ? 1.1f : 1.001f;
  }
  DecidedBy tenth;
  tenth.by_worst_tenth = true;
  Comparison c({"y"}, {tenth});
  c.add({reference}, {got});
  EXPECT_NEAR(c.errors()[0].sqnr_db, 20, 0.01);
}

// An output of one axis has a sample for each element. Neighbours are taken together, and the figures are those of all.
TEST(Comparison, MillionsOfSamplesAreTakenTogether) {
  const int64_t count = 1 << 20, wrong = count / 10;
  Tensor reference(DType::kFloat, {count}), got(DType::kFloat, {count});
  for (int64_t i = 0; i < count; ++i) {
    reference.mut<float>()[static_cast<size_t>(i)] = 1;
    got.mut<float>()[static_cast<size_t>(i)] = i >= count - wrong ? 1.1f : 1.001f;
  }
  DecidedBy tenth;
  tenth.by_worst_tenth = true;
  Comparison c({"y"}, {tenth});
  for (int set = 0; set < 3; ++set) c.add({reference}, {got});
  EXPECT_NEAR(c.errors()[0].sqnr_db, 20, 0.1);
  EXPECT_EQ(c.errors()[0].samples, 3 * count);
}

// Several elements are looked at together: of equal ones the first is the largest, wherever the row ends; a NaN in front of all stays.
TEST(Comparison, TheLargestOfARowIsTheFirstOfEquals) {
  for (const int64_t width : {5, 16, 37}) {
    Tensor reference(DType::kFloat, {width + 1, width}), got(DType::kFloat, {width + 1, width});
    for (int64_t r = 0; r <= width; ++r)
      for (int64_t k = 0; k < width; ++k) {
        const auto i = static_cast<size_t>(r * width + k);
        reference.mut<float>()[i] = k == r ? 2.0f : -1.0f;
        got.mut<float>()[i] = k >= r ? 3.0f : -1.0f;
      }
    Comparison c({"y"});
    c.add({reference}, {got});
    EXPECT_DOUBLE_EQ(c.errors()[0].argmax_agreement, 1) << width;
    reference.mut<float>()[static_cast<size_t>(width * width)] = std::nanf("");  // of the last row, where all are alike
    got.mut<float>()[static_cast<size_t>(width * width + 1)] = 5;
    Comparison behind({"y"});
    behind.add({reference}, {got});
    EXPECT_DOUBLE_EQ(behind.errors()[0].argmax_agreement, static_cast<double>(width) / static_cast<double>(width + 1)) << width;
  }
}

// Where the fp32 model is chaotic, a blob that gives something else is no worse.
TEST(Comparison, ChaoticSamplesAreInNoFigure) {
  Tensor reference(DType::kFloat, {4, kWidth}), got(DType::kFloat, {4, kWidth});
  for (int64_t i = 0; i < reference.elements(); ++i) {
    reference.mut<float>()[static_cast<size_t>(i)] = static_cast<float>(1 + i % 5);
    got.mut<float>()[static_cast<size_t>(i)] = i / kWidth == 2 ? -7.0f : static_cast<float>(1 + i % 5);
  }
  const ChaoticSamples chaotic = chaotic_samples({reference}, {got});
  ASSERT_EQ(chaotic, (ChaoticSamples{{0, 0, 1, 0}}));
  EXPECT_EQ(count_of(chaotic), 1u);
  Comparison c({"y"});
  c.add({reference}, {got}, {}, chaotic);
  const OutputError e = c.errors()[0];
  EXPECT_DOUBLE_EQ(e.cosine, 1);
  EXPECT_EQ(e.max_abs, 0);
  EXPECT_EQ(e.argmax_agreement, 1);
  EXPECT_EQ(e.samples, 4);
  EXPECT_EQ(e.chaotic, 1);
  EXPECT_FALSE(e.vacuous());
  Comparison none({"y"});
  none.add({reference}, {got}, {}, {{1, 1, 1, 1}});
  EXPECT_EQ(none.errors()[0].evidence, Evidence::kChaotic);
  EXPECT_TRUE(none.errors()[0].vacuous());
}

// A model for proteins gives NaN for residues that are masked, as ONNX Runtime does: its other numbers were right and its certificate 0.
TEST(Comparison, NumbersBesideTheSameNaNCount) {
  Tensor reference = rows(1), got = rows(1);
  for (const size_t i : {size_t{3}, size_t{40}}) reference.mut<float>()[i] = got.mut<float>()[i] = std::nanf("");
  reference.mut<float>()[41] = got.mut<float>()[41] = INFINITY;
  EXPECT_DOUBLE_EQ(cosine(reference, got), 1);
  got.mut<float>()[42] += 10;
  EXPECT_LT(cosine(reference, got), 1);
  Tensor other = rows(1);
  EXPECT_EQ(cosine(reference, other), 0) << "a number where the reference has none";
  EXPECT_EQ(cosine(other, reference), 0);
  Tensor opposite = reference;
  opposite.mut<float>()[41] = -INFINITY;
  EXPECT_EQ(cosine(reference, opposite), 0);
}

// y = Relu(-|x W|) + P: a row of P is unlike the next one, and no input moves any of them. It was certified with cosine 1.
TEST(Comparison, RowsThatDifferButAreTheSameInEverySampleDoNotMove) {
  const auto places = [](const std::vector<int64_t>& dims, float moved = 0, DType dtype = DType::kFloat) {
    Tensor t(DType::kFloat, dims);
    for (int64_t i = 0; i < t.elements(); ++i)
      t.mut<float>()[static_cast<size_t>(i)] = static_cast<float>(i % 24 * 7 % 11) - 5 + (i == 30 ? moved : 0);
    return t.cast(dtype);
  };
  const auto evidence = [](const std::vector<Tensor>& sets, bool batched, const std::optional<TokenMask>& mask = {}) {
    DecidedBy by;
    by.batched = batched;
    Comparison c({"y"}, {by});
    for (const Tensor& set : sets) c.add({set}, {set}, mask);
    return c.errors()[0].evidence;
  };
  const Tensor one = places({3, 8}), batch = places({4, 3, 8});
  EXPECT_EQ(evidence({one, one, one}, false), Evidence::kStill);
  EXPECT_EQ(evidence({batch}, true), Evidence::kStill);
  EXPECT_EQ(evidence({places({1, 3, 8}), batch}, true), Evidence::kStill);
  EXPECT_EQ(evidence({places({4, 3, 8}, 0.002f)}, true), Evidence::kHardlyMoves);
  EXPECT_EQ(evidence({places({4, 3, 8}, 1)}, true), Evidence::kMoves);
  EXPECT_EQ(evidence({batch, places({4, 3, 8}, 1)}, false), Evidence::kMoves);
  // Of a single sample of a shape nothing is known.
  EXPECT_EQ(evidence({one}, false), Evidence::kMoves);
  EXPECT_EQ(evidence({batch}, false), Evidence::kMoves);
  EXPECT_EQ(evidence({one, places({4, 8}), places({2, 8})}, false), Evidence::kMoves);
  EXPECT_EQ(evidence({places({1, 4, 8}), places({1, 4, 8}, 1)}, true), Evidence::kMoves);
  // Masks and lengths may be the same everywhere.
  EXPECT_EQ(evidence({places({3, 8}, 0, DType::kInt64), places({3, 8}, 0, DType::kInt64)}, false), Evidence::kMoves);
}

// The first axis of [T, ..] may be the sequence: then each place is a sample of a batch that moves.
TEST(Comparison, AnOutputWhoseFirstAxisIsTheSequenceMayBeStill) {
  const auto places = [](const std::vector<int64_t>& dims, float moved = 0) {
    Tensor t(DType::kFloat, dims);
    const size_t place = static_cast<size_t>(t.elements() / dims[0]), width = static_cast<size_t>(dims.back());
    for (size_t i = 0; i < static_cast<size_t>(t.elements()); ++i)
      t.mut<float>()[i] = static_cast<float>((i / place * 5 + i % width * 7) % 11) - 5 + (i == 0 ? moved : 0);
    return t;
  };
  DecidedBy by;
  by.batched = true;
  const auto evidence = [&](const std::vector<Tensor>& sets) {
    Comparison c({"y"}, {by});
    for (const Tensor& set : sets) c.add({set}, {set}, {});
    return c.errors()[0].evidence;
  };
  EXPECT_EQ(evidence({places({6, 8}), places({4, 8})}), Evidence::kStill);
  EXPECT_EQ(evidence({places({4, 2, 8}), places({6, 3, 8}), places({2, 1, 8})}), Evidence::kStill);
  EXPECT_EQ(evidence({places({6, 8}), places({4, 8}, 0.002f)}), Evidence::kHardlyMoves);
  EXPECT_EQ(evidence({places({6, 8}), places({4, 8}, 1)}), Evidence::kMoves);
  EXPECT_EQ(evidence({places({6, 8})}), Evidence::kMoves) << "of one set nothing is known";
  EXPECT_EQ(evidence({places({6, 8}), places({1, 8})}), Evidence::kMoves) << "the only row that both have says nothing of others";
  Tensor loud = places({8, 4});
  for (size_t i = 0; i < 8; ++i) loud.mut<float>()[i] = 0;  // two frames of silence
  EXPECT_EQ(evidence({loud, Tensor(DType::kFloat, {2, 4})}), Evidence::kMoves) << "silence is like other silence";
}

TEST(Comparison, NothingButNaNIsNoAgreement) {
  Tensor none(DType::kFloat, {2, 3});
  for (float& v : none.mut<float>()) v = std::nanf("");
  EXPECT_EQ(cosine(none, none), 0);
}

// Steps of a recurrent layer whose states explode: the last ones would hide that all others are wrong.
TEST(Comparison, RowsThatDifferBeyondMeasureCountAlike) {
  const Tensor reference = rows(4);
  EXPECT_LT(cosine(reference, half_wrong(reference)), 0.9);
  EXPECT_DOUBLE_EQ(cosine(reference, reference), 1);
}

TEST(Comparison, OtherRowsCountByTheirSize) {
  const Tensor reference = rows(1.3f), got = half_wrong(reference);
  double dot = 0, rr = 0, gg = 0;
  for (size_t i = 0; i < static_cast<size_t>(reference.elements()); ++i) {
    const double r = reference.as<float>()[i], g = got.as<float>()[i];
    dot += r * g;
    rr += r * r;
    gg += g * g;
  }
  EXPECT_DOUBLE_EQ(cosine(reference, got), dot / (std::sqrt(rr) * std::sqrt(gg)));
}

// Attention that picks another token: rare, large errors that a sum over many rows hides.
TEST(Comparison, OneBadRowAmongManyCounts) {
  constexpr int64_t kMany = 2000;
  Tensor reference(DType::kFloat, {kMany, kWidth}), got(DType::kFloat, {kMany, kWidth});
  for (int64_t i = 0; i < kMany * kWidth; ++i)
    reference.mut<float>()[static_cast<size_t>(i)] = got.mut<float>()[static_cast<size_t>(i)] =
        static_cast<float>(1 + i % kWidth);
  const auto worst = [&] {
    Comparison c({"y"});
    c.add({reference}, {got});
    return c.worst_cosine();
  };
  EXPECT_DOUBLE_EQ(worst(), 1);
  for (int64_t k = 0; k < kWidth; ++k) got.mut<float>()[static_cast<size_t>(k)] = static_cast<float>(kWidth - k);
  EXPECT_GT(cosine(reference, got), 0.999);
  EXPECT_LT(worst(), 0.999);
  // Rows that are next to nothing beside the others are mostly rounding.
  for (int64_t k = 0; k < kWidth; ++k) reference.mut<float>()[static_cast<size_t>(k)] *= 0.05f;
  for (int64_t k = 0; k < kWidth; ++k) got.mut<float>()[static_cast<size_t>(k)] *= 0.05f;
  EXPECT_GT(worst(), 0.999);
}

// Rows of 2 logits, of which one in forty is the wrong way round: sums hardly tell, and the usual judgement takes such short rows for
// numbers of their own.
TEST(Comparison, LogitsOfTwoClassesAreRowsWhereAskedFor) {
  Tensor reference(DType::kFloat, {40, 2}), got(DType::kFloat, {40, 2});
  for (size_t r = 0; r < 40; ++r)
    for (size_t k = 0; k < 2; ++k) {
      reference.mut<float>()[2 * r + k] = k == r % 2 ? 1.0f : 0.1f;
      got.mut<float>()[2 * r + k] = r == 7 && k != r % 2 ? 0.6f : reference.as<float>()[2 * r + k];
    }
  Comparison c({"logits"});
  c.add({reference}, {got});
  const double row = 1.06 / std::sqrt(1.01 * 1.36);
  EXPECT_GT(c.worst_cosine(), 0.996);
  EXPECT_NEAR(c.worst_cosine(true), 1 - (1 - row) / 20, 1e-6);
  EXPECT_LT(c.worst_cosine(true), c.worst_cosine());
}

// A row of one number has no direction.
TEST(Comparison, SingleNumbersAreNoRows) {
  const Tensor reference = Tensor::of<float>(DType::kFloat, {4, 1}, {100, 100, 100, 20}),
               got = Tensor::of<float>(DType::kFloat, {4, 1}, {100, 100, 100, -1});
  Comparison c({"score"});
  c.add({reference}, {got});
  EXPECT_EQ(c.worst_cosine(true), c.worst_cosine());
}

}  // namespace

}  // namespace edgeconv::testing
