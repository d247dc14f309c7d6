// Golden vectors by recipes (rt/blob/recipe.h): what is made, how it is compared, and what hostile ones do.
#include "rt/blob/recipe.h"

#include <cstring>

#include "rt/blob/crc32c.h"
#include "rt/blob/kinds.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

constexpr int32_t kBatch = 5;
constexpr size_t kElements = kBatch * 4;
// By another implementation of the document.
constexpr uint64_t kSumOfInts = 0xB5A1DA8EA5ACF077u;
constexpr uint32_t kCrcOfFloats = 0xF6575919u;
constexpr uint32_t kCrcOfBlob = 884757471u;  // of the writer of the tests

Recipe made_floats() { return {static_cast<uint32_t>(RecipeKind::kMade), 77, -20000, 30000, -13, 0, 0, 0}; }

std::vector<float> inputs_of(const Recipe& r) {
  std::vector<float> x(kElements);
  make_input(r, ERT_F32, x.size() * sizeof(float), x.data());
  return x;
}

// small_program with one vector of two recipes; `change` sees them before they are written.
BlobSpec recipe_program(const std::function<void(Recipe*, Recipe*)>& change = nullptr) {
  BlobSpec s = small_program();
  const std::vector<float> x = inputs_of(made_floats());
  std::vector<float> out(x.size());
  for (size_t i = 0; i < x.size(); ++i) out[i] = small_program_result(x[i], static_cast<int>(i % 4));
  Recipe in = made_floats();
  Recipe result{static_cast<uint32_t>(RecipeKind::kDigest), 0, 0, 0, 0, crc32c(0, out.data(), out.size() * 4), 16, 0};
  if (change) change(&in, &result);
  std::vector<uint8_t> bytes(64 + sizeof result + 16);
  std::memcpy(bytes.data(), &in, sizeof in);
  std::memcpy(bytes.data() + 64, &result, sizeof result);
  std::memcpy(bytes.data() + 64 + sizeof result, out.data(), 16);
  s.segments.push_back({bytes, 1});
  s.golden.push_back({{kBatch}, 1, {0, 64}});
  s.program_flags = kFlagRecipes;
  return s;
}

ert_status selftest(const std::function<void(Recipe*, Recipe*)>& change) {
  SmallContext c(recipe_program(change));
  const ert_status status = ert_selftest(&c.context);
  EXPECT_TRUE(c.arena->intact());
  c.bind(2);
  EXPECT_EQ(ert_run(&c.context), ERT_OK);
  c.expect_results();
  return status;
}

TEST(Recipes, MadeInputsAreReplayed) { EXPECT_EQ(selftest(nullptr), ERT_OK); }

// The first op alone reads x, and the second is the first to write slot 1: x takes no room of its own.
TEST(Recipes, AnInputIsLentASlotThatIsWrittenLater) {
  const auto need = [](const BlobSpec& spec) {
    const AlignedBytes blob = spec.build();
    ert_model model;
    EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
    return arena_need(model);
  };
  constexpr size_t kTensor = 128;  // five rows of four floats, as a block
  EXPECT_EQ(need(recipe_program()), need(small_program()) + kTensor) << "room for the output";
  const auto with_late_reader = [](BlobSpec s) {
    const int32_t x = s.ops[0].inputs[0];
    s.ops[2] = {params::OpCode::kBinary, {s.ops[2].inputs[0], x}, s.ops[2].outputs, {params::binary::kAdd}, {}};
    return s;
  };
  EXPECT_EQ(need(with_late_reader(recipe_program())), need(with_late_reader(small_program())) + 2 * kTensor) << "and for x";
}

// Blobs that exist depend on every bit of the generator.
TEST(Recipes, TheGeneratorIsPartOfTheFormat) {
  const Recipe r{static_cast<uint32_t>(RecipeKind::kMade), 1, -5, 1000, 0, 0, 0, 0};
  int32_t ints[1000];
  make_input(r, ERT_I32, sizeof ints, ints);
  uint64_t sum = 0;
  for (const int32_t v : ints) {
    EXPECT_GE(v, -5);
    EXPECT_LE(v, 1000);
    sum = sum * 31 + static_cast<uint64_t>(int64_t{v});
  }
  EXPECT_EQ(sum, kSumOfInts);
  const std::vector<float> x = inputs_of(made_floats());
  EXPECT_EQ(crc32c(0, x.data(), x.size() * 4), kCrcOfFloats);
  const AlignedBytes blob = recipe_program().build();
  EXPECT_EQ(crc32c(0, blob.data(), blob.size()), kCrcOfBlob);
}

TEST(Recipes, EveryTypeIsMadeOfTheSameIntegers) {
  const Recipe r{static_cast<uint32_t>(RecipeKind::kMade), 3, 0, 120, 0, 0, 0, 0};
  const auto same = [&](uint32_t dtype, auto type) {
    std::vector<decltype(type)> made(300);
    make_input(r, dtype, made.size() * sizeof made[0], made.data());
    for (uint32_t j = 0; j < made.size(); ++j) EXPECT_EQ(made[j], static_cast<decltype(type)>(made_integer(r, j))) << dtype;
  };
  same(ERT_F32, float{});
  same(ERT_I32, int32_t{});
  same(ERT_I64, int64_t{});
  same(ERT_U8, uint8_t{});
  same(ERT_I16, int16_t{});
  Recipe wide = r;
  wide.low = -INT32_MAX, wide.high = INT32_MAX;
  bool negative = false, large = false;
  for (uint32_t j = 0; j < 300; ++j) negative |= made_integer(wide, j)<-1000000, large |= made_integer(wide, j)> 1000000;
  EXPECT_TRUE(negative && large);
}

TEST(Recipes, OtherBitsAreNoticed) {
  EXPECT_EQ(selftest([](Recipe* in, Recipe*) { in->seed ^= 1; }), ERT_ERR_SELFTEST);
  EXPECT_EQ(selftest([](Recipe* in, Recipe*) { ++in->low; }), ERT_ERR_SELFTEST);
  EXPECT_EQ(selftest([](Recipe* in, Recipe*) { ++in->exponent; }), ERT_ERR_SELFTEST);
  EXPECT_EQ(selftest([](Recipe*, Recipe* out) { out->crc ^= 1; }), ERT_ERR_SELFTEST) << "behind the first values";
  EXPECT_EQ(selftest([](Recipe*, Recipe* out) { out->bytes = 0; }), ERT_OK) << "the checksum alone";
}

// Nothing of a recipe is believed that open did not see.
TEST(Recipes, HostileOnesDoNotOpen) {
  const auto in = [](auto change) { return open_spec(recipe_program([=](Recipe* r, Recipe*) { change(r); })); };
  const auto out = [](auto change) { return open_spec(recipe_program([=](Recipe*, Recipe* r) { change(r); })); };
  const auto set = [](auto member, auto value) { return [=](Recipe* r) { r->*member = value; }; };
  const auto kind = [&](RecipeKind k) { return set(&Recipe::kind, static_cast<uint32_t>(k)); };
  ASSERT_EQ(in([](Recipe*) {}), ERT_OK);
  EXPECT_EQ(in(kind(RecipeKind::kStored)), ERT_ERR_MODEL);
  EXPECT_EQ(in(kind(RecipeKind::kDigest)), ERT_ERR_MODEL);
  EXPECT_EQ(in(kind(RecipeKind::kCount)), ERT_ERR_MODEL);
  EXPECT_EQ(in([](Recipe* r) { *r = Recipe{0, 0, 0, 0, 0, 0, 32, 0}; }), ERT_ERR_MODEL) << "not whole";
  EXPECT_EQ(in([](Recipe* r) { r->low = r->high + 1; }), ERT_ERR_MODEL);
  EXPECT_EQ(in([](Recipe* r) { r->low = r->high; }), ERT_OK);
  EXPECT_EQ(in(set(&Recipe::low, -kMostMadeFloat)), ERT_OK);
  EXPECT_EQ(in(set(&Recipe::low, -kMostMadeFloat - 1)), ERT_ERR_MODEL);
  EXPECT_EQ(in(set(&Recipe::high, kMostMadeFloat)), ERT_OK);
  EXPECT_EQ(in(set(&Recipe::high, kMostMadeFloat + 1)), ERT_ERR_MODEL);
  EXPECT_EQ(in([](Recipe* r) { r->low = INT32_MIN, r->high = INT32_MAX; }), ERT_ERR_MODEL);
  for (const int32_t exponent : {kMostMadeExponent, -kMostMadeExponent}) {
    EXPECT_EQ(in(set(&Recipe::exponent, exponent)), ERT_OK);
    EXPECT_EQ(in(set(&Recipe::exponent, exponent + (exponent > 0 ? 1 : -1))), ERT_ERR_MODEL);
  }
  for (const int32_t exponent : {INT32_MIN, INT32_MAX}) EXPECT_EQ(in(set(&Recipe::exponent, exponent)), ERT_ERR_MODEL);
  EXPECT_EQ(in(set(&Recipe::bytes, 1u)), ERT_ERR_MODEL);
  EXPECT_EQ(in(set(&Recipe::crc, 1u)), ERT_ERR_MODEL);
  EXPECT_EQ(in(set(&Recipe::reserved, 1u)), ERT_ERR_MODEL);
  EXPECT_EQ(out(kind(RecipeKind::kStored)), ERT_ERR_MODEL);
  EXPECT_EQ(out(kind(RecipeKind::kMade)), ERT_ERR_MODEL);
  EXPECT_EQ(out(kind(RecipeKind::kCount)), ERT_ERR_MODEL);
  EXPECT_EQ(out(set(&Recipe::bytes, 17u)), ERT_ERR_MODEL) << "behind the segment";
  EXPECT_EQ(out(set(&Recipe::bytes, UINT32_MAX)), ERT_ERR_MODEL);
  EXPECT_EQ(out(set(&Recipe::seed, 1u)), ERT_ERR_MODEL);
  EXPECT_EQ(out(set(&Recipe::low, -1)), ERT_ERR_MODEL);
  EXPECT_EQ(out(set(&Recipe::high, 1)), ERT_ERR_MODEL);
  EXPECT_EQ(out(set(&Recipe::exponent, 1)), ERT_ERR_MODEL);
  EXPECT_EQ(out(set(&Recipe::reserved, 1u)), ERT_ERR_MODEL);
}

// A second input that is made has room of its own; the largest alone is lent a slot.
TEST(Recipes, ASecondInputIsMadeBesideTheLentSlot) {
  BlobSpec s = recipe_program();
  s.add_input("more", ERT_I16, {s.constant(5)});
  std::vector<uint8_t>& bytes = s.segments.back().bytes;
  const Recipe more{static_cast<uint32_t>(RecipeKind::kMade), 3, -7, 7, 0, 0, 0, 0};
  bytes.resize(192 + sizeof more);
  std::memcpy(bytes.data() + 192, &more, sizeof more);
  s.golden.back().offsets = {0, 192, 64};
  const AlignedBytes blob = s.build();
  ert_model model;
  ASSERT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
  GuardedRegion arena(arena_need(model));
  const ert_region region = arena.region();
  ert_context c;
  ASSERT_EQ(ert_context_init(&c, &model, nullptr, nullptr, &region, 1), ERT_OK);
  EXPECT_EQ(ert_selftest(&c), ERT_OK);
  EXPECT_TRUE(arena.intact());
}

// The range of integers is what the type of the input holds: nothing is cut off where it is made.
TEST(Recipes, RangesThatTheTypeDoesNotHoldDoNotOpen) {
  const auto open = [](uint8_t dtype, int32_t low, int32_t high) {
    BlobSpec s = recipe_program();
    s.add_input("narrow", dtype, {s.constant(5)});
    std::vector<uint8_t>& bytes = s.segments.back().bytes;
    const Recipe narrow{static_cast<uint32_t>(RecipeKind::kMade), 3, low, high, 0, 0, 0, 0};
    bytes.resize(192 + sizeof narrow);
    std::memcpy(bytes.data() + 192, &narrow, sizeof narrow);
    s.golden.back().offsets = {0, 192, 64};
    return open_spec(s);
  };
  const struct {
    uint8_t dtype;
    int32_t low, high;
  } types[] = {{ERT_BOOL, 0, 1},
               {ERT_U8, 0, 255},
               {ERT_I8, -128, 127},
               {ERT_I16, -32768, 32767},
               {ERT_I32, -INT32_MAX, INT32_MAX},
               {ERT_I64, -INT32_MAX, INT32_MAX}};
  for (const auto& t : types) {
    const int type = t.dtype;
    EXPECT_EQ(open(t.dtype, t.low, t.high), ERT_OK) << type;
    EXPECT_EQ(open(t.dtype, t.low - 1, t.high), ERT_ERR_MODEL) << type;
    if (t.high == INT32_MAX) continue;
    EXPECT_EQ(open(t.dtype, t.low, t.high + 1), ERT_ERR_MODEL) << type;
    EXPECT_EQ(open(t.dtype, t.high + 1, INT32_MAX), ERT_ERR_MODEL) << type;
    EXPECT_EQ(open(t.dtype, INT32_MIN, t.low), ERT_ERR_MODEL) << type;
  }
}

// The segment has room for it, the tensor does not.
TEST(Recipes, MoreFirstBytesThanTheOutputHasDoNotOpen) {
  const auto open = [](uint32_t first_bytes) {
    BlobSpec s = recipe_program([=](Recipe*, Recipe* out) { out->bytes = first_bytes; });
    s.segments.back().bytes.resize(64 + sizeof(Recipe) + 2 * kElements * sizeof(float));
    return open_spec(s);
  };
  EXPECT_EQ(open(kElements * sizeof(float)), ERT_OK);
  EXPECT_EQ(open(kElements * sizeof(float) + 1), ERT_ERR_MODEL);
}

// The same vector with its input stored; `change` as above.
BlobSpec stored_program(const std::function<void(Recipe*)>& change) {
  BlobSpec s = recipe_program();
  std::vector<uint8_t>& bytes = s.segments.back().bytes;
  const std::vector<float> x = inputs_of(made_floats());
  Recipe in{static_cast<uint32_t>(RecipeKind::kStored), 0, 0, 0, 0, 0, kElements * sizeof(float), 0};
  change(&in);
  const std::vector<uint8_t> out(bytes.begin() + 64, bytes.end());
  bytes.assign(128, 0);
  std::memcpy(bytes.data(), &in, sizeof in);
  std::memcpy(bytes.data() + sizeof in, x.data(), kElements * sizeof(float));
  bytes.insert(bytes.end(), out.begin(), out.end());
  s.golden.back() = {{kBatch}, 1, {0, 128}};
  return s;
}

TEST(Recipes, StoredInputsAreReplayed) {
  SmallContext c(stored_program([](Recipe*) {}));
  EXPECT_EQ(ert_selftest(&c.context), ERT_OK);
}

TEST(Recipes, HostileStoredInputsDoNotOpen) {
  const auto open = [](auto change) { return open_spec(stored_program(change)); };
  EXPECT_EQ(open([](Recipe* r) { --r->bytes; }), ERT_ERR_MODEL);
  EXPECT_EQ(open([](Recipe* r) { r->crc = 1; }), ERT_ERR_MODEL);
  EXPECT_EQ(open([](Recipe* r) { r->kind = static_cast<uint32_t>(RecipeKind::kDigest); }), ERT_ERR_MODEL);
  EXPECT_EQ(open([](Recipe* r) { r->kind = static_cast<uint32_t>(RecipeKind::kMade); }), ERT_ERR_MODEL);
  const Recipe made{static_cast<uint32_t>(RecipeKind::kMade), 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(open_spec(recipe_program([=](Recipe*, Recipe* out) { *out = made; })), ERT_ERR_MODEL) << "an output";
}

TEST(Recipes, OneThatLeavesItsSegmentDoesNotOpen) {
  BlobSpec s = recipe_program([](Recipe*, Recipe* out) { out->bytes = 0; });
  s.segments.back().bytes.resize(64 + sizeof(Recipe) - 1);
  EXPECT_EQ(open_spec(s), ERT_ERR_MODEL);
  s.segments.back().bytes.resize(64 + sizeof(Recipe));
  EXPECT_EQ(open_spec(s), ERT_OK);
  s.program_flags = 0;  // whole tensors are longer
  EXPECT_EQ(open_spec(s), ERT_ERR_MODEL);
}

TEST(Recipes, EveryNanIsTheSame) {
  uint32_t bits[] = {0xFFC00000u, 0x7F800001u, 0x7FC00001u, 0x7F800000u, 0x80000000u, 0x3F800000u};
  canonical_nan(bits, sizeof bits);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bits[i], kCanonicalNan);
  EXPECT_EQ(bits[3], 0x7F800000u);
  EXPECT_EQ(bits[4], 0x80000000u);
  EXPECT_EQ(bits[5], 0x3F800000u);
}

}  // namespace
}  // namespace ert::testing
