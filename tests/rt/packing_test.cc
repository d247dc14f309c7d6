// Packed rows: a program that skips padding gives the bits of one that does not, of every sequence alone, on every level and
// thread count; zeros at padded positions; hostile metadata is refused.
#include <gtest/gtest.h>

#include <functional>

#include "rt/base/limits.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

using params::OpCode;

constexpr int32_t kBatch = 6, kLongest = 40, kWidth = 48, kHeads = 3, kIds = 16;

std::vector<float> noise(size_t n, uint32_t seed) {
  std::vector<float> v(n);
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) * 0x1p-23f - 1.0f;
  }
  return v;
}

// Adds ops one by one; every arena value has a slot of its own and lives to the end.
struct Builder {
  BlobSpec s;
  uint32_t arena(uint8_t dtype, std::vector<uint32_t> shape) {
    return s.add({dtype, std::move(shape), 0, s.slots++, 0, static_cast<uint32_t>(s.ops.size()), 0});
  }
  void op(OpCode code, std::vector<uint32_t> inputs, uint32_t output, std::vector<int32_t> ints = {},
          std::vector<float> floats = {}) {
    s.ops.push_back({code, {inputs.begin(), inputs.end()}, {static_cast<int32_t>(output)}, std::move(ints), std::move(floats)});
  }
  BlobSpec finish() {
    for (uint32_t v = 0; v < s.values.size(); ++v) {
      if (s.values[v].storage != 0) continue;
      s.values[v].last_op = static_cast<uint32_t>(s.ops.size()) - 1;
      s.arena_order.push_back(v);
    }
    return s;
  }
};

struct Choice {
  bool packed = true;
  uint8_t mask_dtype = ERT_I64;
  uint32_t padding = 0;
};

// tokens + positions -> Linear -> attention with the mask -> residual norm -> hidden [B, S, W] and its masked mean [B, W].
BlobSpec encoder(const Choice& choice) {
  Builder b;
  BlobSpec& s = b.s;
  const uint32_t batch = s.dim("batch", 1, kBatch), sequence = s.dim("sequence", 1, kLongest);
  const uint32_t width = s.constant(kWidth), one = s.constant(1), zero = s.constant(0);
  const uint32_t rows = choice.packed ? s.expr(9, batch, sequence) : 0;
  const std::vector<uint32_t> full{batch, sequence, width};
  const std::vector<uint32_t> x_shape = choice.packed ? std::vector<uint32_t>{one, rows, width} : full;
  const uint32_t ids = s.add_input("ids", ERT_I32, {batch, sequence});
  s.inputs.back().min = 0;
  s.inputs.back().max = kIds - 1;
  const uint32_t mask = s.add_input("mask", choice.mask_dtype, {batch, sequence});
  const uint32_t n_ids = s.constant(kIds), n_positions = s.constant(kLongest);
  const uint32_t table = s.add_constant(ERT_F32, {n_ids, width}, noise(kIds * kWidth, 1));
  const uint32_t places = s.add_constant(ERT_F32, {n_positions, width}, noise(kLongest * kWidth, 2));
  const uint32_t weights = s.add_constant(ERT_F32, {width, width}, noise(kWidth * kWidth, 3));
  const uint32_t gamma = s.add_constant(ERT_F32, {width}, noise(kWidth, 4));
  const auto packed = [&](uint32_t v, uint8_t dtype, std::vector<uint32_t> shape) {
    if (!choice.packed) return v;
    const uint32_t to = b.arena(dtype, std::move(shape));
    b.op(OpCode::kPackRows, {v}, to);
    return to;
  };
  const uint32_t ids32 = b.arena(ERT_I32, {batch, sequence});
  b.op(OpCode::kImportInt, {ids}, ids32);
  uint32_t attended = b.arena(ERT_BOOL, {batch, sequence});
  b.op(OpCode::kImportInt, {mask}, attended);
  if (choice.padding == 1) {
    const uint32_t inverse = b.arena(ERT_BOOL, {batch, sequence});
    b.op(OpCode::kUnary, {attended}, inverse, {params::unary::kNot});
    attended = inverse;
  }
  const uint32_t keys = s.add({ERT_BOOL, {batch, one, one, sequence}, 4, attended});
  const uint32_t positions = b.arena(ERT_I32, {sequence});
  b.op(OpCode::kRange, {}, positions, {static_cast<int32_t>(zero), 1});
  const uint32_t place = b.arena(ERT_F32, {sequence, width});
  b.op(OpCode::kEmbedding, {positions, places}, place);
  const uint32_t place3 = s.add({ERT_F32, {one, sequence, width}, 4, place});
  const uint32_t packed_ids = packed(ids32, ERT_I32, {one, rows});
  const uint32_t token = b.arena(ERT_F32, x_shape);
  b.op(OpCode::kEmbedding, {packed_ids, table}, token);
  const uint32_t packed_place = packed(place3, ERT_F32, x_shape);
  const uint32_t sum = b.arena(ERT_F32, x_shape);
  b.op(OpCode::kBinary, {token, packed_place}, sum, {params::binary::kAdd});
  const uint32_t q = b.arena(ERT_F32, x_shape);
  b.op(OpCode::kLinear, {sum, weights}, q, {params::linear::kF32, params::linear::kNoActivation});
  const uint32_t mixed = b.arena(ERT_F32, x_shape);
  std::vector<int32_t> ints{0, kHeads, kHeads, kWidth / kHeads, kWidth / kHeads, 0, 0, 0, 0};
  if (choice.packed) ints.push_back(1);
  b.op(OpCode::kAttention, {q, sum, sum, UINT32_MAX, keys}, mixed, ints, {0.25f});
  const uint32_t normed = b.arena(ERT_F32, x_shape);
  b.op(OpCode::kLayerNorm, {mixed, sum, gamma}, normed, {0}, {1e-5f});
  const uint32_t hidden = s.add_output("hidden", ERT_F32, full, static_cast<uint32_t>(s.ops.size()));
  b.op(choice.packed ? OpCode::kUnpackRows : OpCode::kCopy, {normed}, hidden);
  const uint32_t share = b.arena(ERT_F32, {batch, sequence});
  b.op(OpCode::kCast, {attended}, share);
  const uint32_t mean = s.add_output("mean", ERT_F32, {batch, width}, static_cast<uint32_t>(s.ops.size()));
  b.op(OpCode::kMeanPool, {hidden, share}, mean, {}, {1e-9f});
  if (choice.packed) {
    s.program_flags = 1;
    s.packing = {fb::Packing(1, choice.padding, rows, 0)};
  }
  return b.finish();
}

struct Result {
  std::vector<float> hidden, mean;
  bool operator==(const Result& o) const {
    return hidden.size() == o.hidden.size() && mean.size() == o.mean.size() &&
           std::memcmp(hidden.data(), o.hidden.data(), hidden.size() * 4) == 0 &&
           std::memcmp(mean.data(), o.mean.data(), mean.size() * 4) == 0;
  }
};

ert_tensor tensor(uint8_t dtype, std::vector<int32_t> shape, void* data, size_t bytes) {
  ert_tensor t = float_tensor(std::move(shape), static_cast<float*>(data), 0);
  t.dtype = dtype;
  t.bytes = bytes;
  return t;
}

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
    const ert_tensor in[] = {tensor(ERT_I32, {batch, sequence}, own_ids.data(), own_ids.size() * 4),
                             choice.mask_dtype == ERT_I64
                                 ? tensor(ERT_I64, {batch, sequence}, wide.data(), wide.size() * 8)
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
  for (const Choice c : {Choice{true, ERT_BOOL, 0}, Choice{true, ERT_BOOL, 1}, Choice{true, ERT_U8, 0}, Choice{true, ERT_I64, 1}})
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

ert_status open_spec(const BlobSpec& s) {
  const AlignedBytes b = s.build();
  ert_model m;
  return ert_model_open(&m, b.data(), b.size());
}

// A mask of bytes [batch, 1] with up to 2^30 rows, and a program that computes nothing with it: |x| of one number. The table of row
// starts is all that grows with the batch.
BlobSpec many_rows() {
  BlobSpec s;
  const uint32_t batch = s.dim("batch", 1, limits::kMaxDim), one = s.constant(1), rows = s.expr(9, batch, one);
  s.add_input("mask", ERT_U8, {batch, one});
  const uint32_t x = s.add_input("x", ERT_F32, {one}), out = s.add_output("out", ERT_F32, {one}, 0);
  s.ops = {{OpCode::kUnary, {static_cast<int32_t>(x)}, {static_cast<int32_t>(out)}, {params::unary::kAbs}, {}}};
  s.program_flags = 1;
  s.packing = {fb::Packing(0, 0, rows, 0)};
  return s;
}

// Four bytes for each of 2^30 + 1 row starts wrapped to four bytes in all on 32-bit machines; the run then wrote behind the arena.
TEST(Packing, RowStartsOfTheLargestBatchDoNotWrap) {
  const AlignedBytes blob = many_rows().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, blob.data(), blob.size()), ERT_OK);
  ert_memory_need need{};
  need.struct_size = sizeof need;
  GuardedRegion small(4096);
  const ert_region too_small = small.region();
  ert_context c;
  const bool addressable = sizeof(size_t) > 4;
  EXPECT_EQ(ert_arena_bytes(&m, nullptr, nullptr, &need), addressable ? ERT_OK : ERT_ERR_LIMIT);
  EXPECT_TRUE(!addressable || need.table_bytes / 4 > static_cast<size_t>(limits::kMaxDim));
  EXPECT_EQ(ert_context_init(&c, &m, nullptr, nullptr, &too_small, 1), addressable ? ERT_ERR_NOMEM : ERT_ERR_LIMIT);

  // For 1000 rows there is memory on every machine.
  const int32_t most = 1000;
  GuardedRegion arena(arena_need(m, nullptr, &most));
  const ert_region region = arena.region();
  ASSERT_EQ(ert_context_init(&c, &m, nullptr, &most, &region, 1), ERT_OK);
  std::vector<uint8_t> mask(1000, 1);
  float x = -3, out = 0;
  const ert_tensor in[] = {tensor(ERT_U8, {most, 1}, mask.data(), mask.size()), float_tensor({1}, &x, 1)},
                   result = float_tensor({}, &out, 1);
  for (uint32_t i = 0; i < 2; ++i) ASSERT_EQ(ert_bind_input(&c, i, &in[i]), ERT_OK);
  ASSERT_EQ(ert_bind_output(&c, 0, &result), ERT_OK);
  EXPECT_EQ(ert_run(&c), ERT_OK);
  EXPECT_EQ(out, 3.0f);
  EXPECT_TRUE(arena.intact());
}

uint32_t rows_expr(const BlobSpec& s) { return s.packing[0].rows(); }

TEST(Packing, HostileMetadataIsRefused) {
  const BlobSpec good = encoder({});
  ASSERT_EQ(open_spec(good), ERT_OK);
  const std::vector<std::pair<const char*, std::function<void(BlobSpec&)>>> cases = {
      {"rows without a mask", [](BlobSpec& s) { s.packing.clear(), s.program_flags = 0; }},
      {"flag without packing", [](BlobSpec& s) { s.packing.clear(); }},
      {"packing without flag", [](BlobSpec& s) { s.program_flags = 0; }},
      {"two masks", [](BlobSpec& s) { s.packing.push_back(s.packing[0]); }},
      {"mask index", [](BlobSpec& s) { s.packing[0] = fb::Packing(2, 0, rows_expr(s), 0); }},
      {"padding mark", [](BlobSpec& s) { s.packing[0] = fb::Packing(1, 2, rows_expr(s), 0); }},
      {"reserved field", [](BlobSpec& s) { s.packing[0] = fb::Packing(1, 0, rows_expr(s), 1); }},
      {"rows index", [](BlobSpec& s) { s.packing[0] = fb::Packing(1, 0, 99, 0); }},
      {"rows that are a dim", [](BlobSpec& s) { s.packing[0] = fb::Packing(1, 0, 0, 0); }},
      {"rows of other axes", [](BlobSpec& s) { s.exprs[rows_expr(s)] = fb::Expr(9, 1, 0, 0, 0); }},
      {"rows of later expressions", [](BlobSpec& s) { s.exprs[rows_expr(s)] = fb::Expr(9, rows_expr(s), 1, 0, 0); }},
      {"float mask",
       [](BlobSpec& s) {
         s.values[s.inputs[1].value].dtype = ERT_F32;
         s.inputs[1].dtype = ERT_F32;
       }},
      {"mask of rank 3",
       [](BlobSpec& s) {
         auto& shape = s.values[s.inputs[1].value].shape;
         shape.push_back(s.values[s.inputs[0].value].shape[0]);
       }},
      {"mask with a computed axis",
       [](BlobSpec& s) {
         const uint32_t sum = s.expr(2, 0, 1);
         s.values[s.inputs[1].value].shape[1] = sum;
         s.exprs[rows_expr(s)] = fb::Expr(9, 0, sum, 0, 0);
       }},
      {"output with packed rows", [](BlobSpec& s) { s.values[s.outputs[0].value].shape[1] = rows_expr(s); }},
      {"output whose size follows from packed rows",
       [](BlobSpec& s) { s.values[s.outputs[0].value].shape[1] = s.expr(7, rows_expr(s), 1); }},
      {"input with packed rows", [](BlobSpec& s) { s.values[s.inputs[0].value].shape[1] = rows_expr(s); }},
      {"more rows than there are numbers", [](BlobSpec& s) { s.dims[0] = fb::Dim(1, 1 << 20), s.dims[1] = fb::Dim(1, 1 << 20); }},
  };
  for (const auto& [what, change] : cases) {
    BlobSpec s = good;
    change(s);
    const ert_status status = open_spec(s);
    EXPECT_TRUE(status == ERT_ERR_MODEL || status == ERT_ERR_LIMIT) << what << ": " << ert_status_str(status);
  }
  BlobSpec s = good;
  s.program_flags = 3;
  EXPECT_EQ(open_spec(s), ERT_ERR_VERSION) << "a flag of a later version";
}

}  // namespace
}  // namespace ert::testing
