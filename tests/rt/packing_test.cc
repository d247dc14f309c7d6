// Packed rows: a program that skips padding gives the bits of one that does not, of every sequence alone, on every level and
// thread count; zeros at padded positions.
#include <gtest/gtest.h>

#include <functional>

#include "tests/rt/packed_encoder.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

struct Result {
  std::vector<float> hidden, mean;
  bool operator==(const Result& o) const {
    return hidden.size() == o.hidden.size() && mean.size() == o.mean.size() &&
           std::memcmp(hidden.data(), o.hidden.data(), hidden.size() * 4) == 0 &&
           std::memcmp(mean.data(), o.mean.data(), mean.size() * 4) == 0;
  }
};

struct Encoder {
  explicit Encoder(const Choice& c, const ert_config* cfg = nullptr) : choice(c), blob(encoder(c).build()) {
    EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
    arena = std::make_unique<GuardedRegion>(arena_need(model, cfg));
    const ert_region region = arena->region();
    EXPECT_EQ(ert_context_init(&context, &model, cfg, nullptr, &region, 1), ERT_OK);
  }
  // mask: 1 = token.
  Result run(const std::vector<int32_t>& ids, const std::vector<int64_t>& mask, int32_t batch) {
    const int32_t sequence = static_cast<int32_t>(ids.size()) / batch;
    std::vector<int32_t> own_ids = ids;
    std::vector<int64_t> wide = mask;
    for (int64_t& m : wide) m = choice.padding == 1 && (m == 0 || m == 1) ? 1 - m : m;
    std::vector<uint8_t> narrow(wide.begin(), wide.end());
    Result r{std::vector<float>(ids.size() * kWidth, -7.0f), std::vector<float>(static_cast<size_t>(batch) * kWidth, -7.0f)};
    std::vector<int32_t> ints(wide.begin(), wide.end());
    const ert_tensor in[] = {tensor(ERT_I32, {batch, sequence}, own_ids.data(), own_ids.size() * 4),
                             choice.mask_dtype == ERT_I64 ? tensor(ERT_I64, {batch, sequence}, wide.data(), wide.size() * 8)
                             : choice.mask_dtype == ERT_I32
                                 ? tensor(ERT_I32, {batch, sequence}, ints.data(), ints.size() * 4)
                                 : tensor(choice.mask_dtype, {batch, sequence}, narrow.data(), narrow.size())};
    const ert_tensor out[] = {float_tensor({}, r.hidden.data(), r.hidden.size()), float_tensor({}, r.mean.data(), r.mean.size())};
    for (uint32_t i = 0; i < 2; ++i) {
      EXPECT_EQ(ert_bind_input(&context, i, &in[i]), ERT_OK);
      EXPECT_EQ(ert_bind_output(&context, i, &out[i]), ERT_OK);
    }
    EXPECT_EQ(ert_run(&context), ERT_OK);
    EXPECT_TRUE(arena->intact());
    return r;
  }
  Choice choice;
  AlignedBytes blob;
  ert_model model{};
  ert_context context{};
  std::unique_ptr<GuardedRegion> arena;
};

// A batch as rows of 0 and 1, and the ids that go with it.
struct Batch {
  int32_t rows, length;
  std::vector<int32_t> ids;
  std::vector<int64_t> mask;
  Batch(int32_t rows_in, int32_t length_in, const std::function<bool(int32_t, int32_t)>& token)
      : rows(rows_in), length(length_in) {
    for (int32_t b = 0; b < rows; ++b)
      for (int32_t s = 0; s < length; ++s) {
        ids.push_back((b * 7 + s * 5 + s * s) % kIds);
        mask.push_back(token(b, s));
      }
  }
  int32_t extent(int32_t row) const {
    for (int32_t s = length; s > 0; --s)
      if (mask[static_cast<size_t>(row * length + s - 1)] != 0) return s;
    return 0;
  }
};

const int32_t kLengths[kBatch] = {5, 40, 0, 1, 17, 33};

std::vector<Batch> batches() {
  return {Batch(kBatch, kLongest, [](int32_t b, int32_t s) { return s < kLengths[b]; }),
          Batch(kBatch, kLongest, [](int32_t, int32_t) { return true; }),
          Batch(3, 20, [](int32_t, int32_t) { return false; }),                                 // nothing but padding
          Batch(4, 24, [](int32_t b, int32_t s) { return s >= 6 * b; }),                        // leading padding
          Batch(4, 24, [](int32_t b, int32_t s) { return s < 20 - 4 * b && s % 3 != b % 3; }),  // holes
          Batch(2, 16, [](int32_t b, int32_t s) { return b == 1 && s == 15; })};
}

// Bits of `got` against those of a run that computes all positions: the same up to each row's extent, zeros behind it.
void check_against_padded(const Batch& batch, const Result& got, const Result& padded) {
  for (int32_t b = 0; b < batch.rows; ++b) {
    const int32_t extent = batch.extent(b);
    const size_t row = static_cast<size_t>(b * batch.length) * kWidth, kept = static_cast<size_t>(extent) * kWidth;
    EXPECT_EQ(std::memcmp(&got.hidden[row], &padded.hidden[row], kept * 4), 0) << b;
    for (size_t i = kept; i < static_cast<size_t>(batch.length) * kWidth; ++i) ASSERT_EQ(got.hidden[row + i], 0.0f) << b;
    const size_t mean = static_cast<size_t>(b) * kWidth;
    for (size_t i = 0; extent == 0 && i < kWidth; ++i) ASSERT_EQ(got.mean[mean + i], 0.0f) << b;
    EXPECT_EQ(std::memcmp(&got.mean[mean], &padded.mean[mean], kWidth * 4), 0) << b;
  }
}

TEST(Packing, GivesTheBitsOfThePaddedRunAndOfEverySequenceAlone) {
  for (const Batch& batch : batches()) {
    const Result padded = Encoder({false}).run(batch.ids, batch.mask, batch.rows);
    Encoder encoder({});
    const Result got = encoder.run(batch.ids, batch.mask, batch.rows);
    check_against_padded(batch, got, padded);
    for (int32_t b = 0; b < batch.rows; ++b) {
      const int32_t extent = batch.extent(b);
      if (extent == 0) continue;
      const auto at = static_cast<std::ptrdiff_t>(b * batch.length);
      const Result alone = encoder.run({batch.ids.begin() + at, batch.ids.begin() + at + extent},
                                       {batch.mask.begin() + at, batch.mask.begin() + at + extent}, 1);
      EXPECT_EQ(std::memcmp(alone.hidden.data(), &got.hidden[static_cast<size_t>(at) * kWidth], alone.hidden.size() * 4), 0);
      EXPECT_EQ(std::memcmp(alone.mean.data(), &got.mean[static_cast<size_t>(b) * kWidth], kWidth * 4), 0);
    }
  }
}

// Two threads' tasks in the least expected order.
void backwards(void*, uint32_t tasks, ert_task task, void* arg) {
  for (uint32_t i = tasks; i-- > 0;) task(arg, i, i % 2);
}

TEST(Packing, EveryIsaLevelAndThreadCountGivesTheSameBits) {
  std::vector<Result> expected;
  for (const Batch& batch : batches()) expected.push_back(Encoder({}).run(batch.ids, batch.mask, batch.rows));
  for (uint32_t isa = 0; isa < 32; ++isa) {
    if ((ert_isa_available() >> isa & 1) == 0) continue;
    for (uint32_t threads : {1u, 2u}) {
      ert_config cfg = config_of_size();
      cfg.isa_mask = 1u << isa;
      cfg.threads = threads;
      cfg.parallel_for = backwards;
      Encoder encoder({}, &cfg);
      size_t i = 0;
      for (const Batch& batch : batches())
        EXPECT_TRUE(encoder.run(batch.ids, batch.mask, batch.rows) == expected[i++]) << ert_isa_name(static_cast<ert_isa>(isa));
    }
  }
}

TEST(Packing, EveryDtypeAndBothMeaningsOfAMask) {
  const Batch batch = batches()[0];
  const Result expected = Encoder({}).run(batch.ids, batch.mask, batch.rows);
  for (const Choice c : {Choice{true, ERT_BOOL, 0}, Choice{true, ERT_BOOL, 1}, Choice{true, ERT_U8, 0}, Choice{true, ERT_I64, 1},
                         Choice{true, ERT_I32, 0}, Choice{true, ERT_I32, 1}})
    EXPECT_TRUE(Encoder(c).run(batch.ids, batch.mask, batch.rows) == expected) << int{c.mask_dtype} << " " << c.padding;
}

TEST(Packing, AMaskOfOtherNumbersComputesEverything) {
  Batch batch = batches()[0];
  batch.mask[0] = 2;
  const Result padded = Encoder({false}).run(batch.ids, batch.mask, batch.rows);
  EXPECT_TRUE(Encoder({}).run(batch.ids, batch.mask, batch.rows) == padded);
}

TEST(Packing, OutputShapeInTheMiddleOfStepsDoesNotDisturbThem) {
  Encoder e({});
  const Batch batch = batches()[0];
  const Result expected = e.run(batch.ids, batch.mask, batch.rows);
  const Result again = e.run(batch.ids, batch.mask, batch.rows);  // leaves bindings of buffers that are gone: bind anew below
  EXPECT_TRUE(again == expected);
  std::vector<int32_t> ids = batch.ids;
  std::vector<int64_t> mask = batch.mask;
  Result r{std::vector<float>(expected.hidden.size()), std::vector<float>(expected.mean.size())};
  const ert_tensor in[] = {tensor(ERT_I32, {batch.rows, batch.length}, ids.data(), ids.size() * 4),
                           tensor(ERT_I64, {batch.rows, batch.length}, mask.data(), mask.size() * 8)};
  const ert_tensor out[] = {float_tensor({}, r.hidden.data(), r.hidden.size()), float_tensor({}, r.mean.data(), r.mean.size())};
  for (uint32_t i = 0; i < 2; ++i) {
    ASSERT_EQ(ert_bind_input(&e.context, i, &in[i]), ERT_OK);
    ASSERT_EQ(ert_bind_output(&e.context, i, &out[i]), ERT_OK);
  }
  ert_status status;
  do {
    status = ert_step(&e.context);
    ert_tensor shape{};
    shape.struct_size = sizeof shape;
    ASSERT_EQ(ert_output_shape(&e.context, 0, &shape), ERT_OK);
    EXPECT_EQ(shape.shape[1], batch.length);
  } while (status == ERT_STEP_MORE);
  EXPECT_EQ(status, ERT_OK);
  EXPECT_TRUE(r == expected);
}

TEST(Packing, TheBlobSaysSo) {
  for (const bool packed : {true, false}) {
    Encoder e({packed, ERT_BOOL, 1});
    ert_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(ert_model_info(&e.model, &info), ERT_OK);
    EXPECT_EQ(info.skips_padding, packed ? 1u : 0u);
    EXPECT_EQ(info.mask_input, packed ? 1u : 0u);
    EXPECT_EQ(info.mask_padding, packed ? 1u : 0u);
  }
}

}  // namespace
}  // namespace ert::testing
