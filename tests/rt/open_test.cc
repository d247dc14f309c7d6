// Opening hostile, damaged and wrong blobs: each is refused with its own status.
#include <gtest/gtest.h>

#include <cstring>

#include "rt/blob/crc32c.h"
#include "rt/base/limits.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

ert_status open_bytes(const void* data, size_t bytes) {
  ert_model m;
  const ert_status status = ert_model_open(&m, data, bytes);
  // A refused model is not usable by accident.
  ert_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(ert_model_info(&m, &info), status == ERT_OK ? ERT_OK : ERT_ERR_ARG);
  return status;
}
ert_status open_blob(const AlignedBytes& b) { return open_bytes(b.data(), b.size()); }

template <class T>
void put(AlignedBytes* b, size_t at, T v) {
  std::memcpy(b->data() + at, &v, sizeof v);
}

// Only the header's own checksum: for changes of header fields.
void reseal_header(AlignedBytes* b) { put<uint32_t>(b, 52, crc32c(0, b->data(), 52)); }

TEST(Open, AcceptsTheSmallProgram) { EXPECT_EQ(open_spec(small_program()), ERT_OK); }

TEST(Open, TellsWhatIsInside) {
  const AlignedBytes b = small_program().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  ert_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(ert_model_info(&m, &info), ERT_OK);
  EXPECT_EQ(info.ops, 4u);
  EXPECT_EQ(info.values, 6u);
  EXPECT_EQ(info.blob_bytes, b.size());
  EXPECT_EQ(info.weight_bytes, 16u);
  EXPECT_STREQ(info.producer, "blob_builder");
  ert_dim_info dim{};
  dim.struct_size = sizeof dim;
  ASSERT_EQ(ert_model_dim(&m, 0, &dim), ERT_OK);
  EXPECT_STREQ(dim.name, "batch");
  EXPECT_EQ(dim.max, 8);
  EXPECT_EQ(ert_model_dim(&m, 1, &dim), ERT_ERR_ARG);
  ert_value_info in{};
  in.struct_size = sizeof in;
  ASSERT_EQ(ert_model_input(&m, 0, &in), ERT_OK);
  EXPECT_STREQ(in.name, "x");
  EXPECT_EQ(in.shape[0], -1);
  EXPECT_EQ(in.dim[0], 0);
  EXPECT_EQ(in.shape[1], 4);
  EXPECT_EQ(in.dim[1], -1);
  EXPECT_EQ(ert_model_input(&m, 1, &in), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_output(&m, 1, &in), ERT_ERR_ARG);
}

// A caller of another age: a shorter struct is filled as far as it goes, a longer one must end in zeros.
TEST(Open, StructSizesOfOlderAndNewerCallers) {
  const AlignedBytes b = small_program().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  ert_info info;
  std::memset(&info, 0xEE, sizeof info);
  info.struct_size = offsetof(ert_info, inputs);
  ASSERT_EQ(ert_model_info(&m, &info), ERT_OK);
  EXPECT_EQ(info.format_major, 1u);
  EXPECT_EQ(info.inputs, 0xEEEEEEEEu) << "beyond the caller's struct";
  info.struct_size = 0;
  EXPECT_EQ(ert_model_info(&m, &info), ERT_ERR_ARG);
  struct {
    ert_config known;
    uint64_t tail;
  } longer{};
  longer.known.struct_size = sizeof longer;
  ert_memory_need need{};
  need.struct_size = sizeof need;
  EXPECT_EQ(ert_arena_bytes(&m, &longer.known, nullptr, &need), ERT_OK);
  longer.tail = 1;
  EXPECT_EQ(ert_arena_bytes(&m, &longer.known, nullptr, &need), ERT_ERR_ARG);
}

TEST(Open, EveryTruncationIsRefused) {
  const AlignedBytes b = small_program().build();
  for (size_t n = 0; n < b.size(); ++n) {
    AlignedBytes cut(n);  // its own allocation, so that a sanitizer sees a read behind the end
    std::memcpy(cut.data(), b.data(), n);
    EXPECT_EQ(open_blob(cut), ERT_ERR_TRUNCATED) << n;
  }
  AlignedBytes longer(b.size() + 1);
  std::memcpy(longer.data(), b.data(), b.size());
  EXPECT_EQ(open_blob(longer), ERT_ERR_FORMAT);
}

TEST(Open, EverySingleBitFlipIsRefused) {
  AlignedBytes b = small_program().build();
  for (size_t bit = 0; bit < b.size() * 8; ++bit) {
    b.data()[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    EXPECT_NE(open_blob(b), ERT_OK) << "byte " << bit / 8 << " bit " << bit % 8;
    b.data()[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
  EXPECT_EQ(open_blob(b), ERT_OK);
}

// The same with valid checksums: the verifier alone has to keep such a blob from doing harm. Many flips are harmless (a
// name, a weight); what opens must also run without touching foreign memory, which the redzones and sanitizers watch.
TEST(Open, EverySingleBitFlipWithValidChecksumsIsSafe) {
  const AlignedBytes good = small_program().build();
  size_t opened = 0;
  for (size_t bit = kHeaderBytes * 8; bit < good.size() * 8; ++bit) {
    AlignedBytes b = good;
    b.data()[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    reseal(&b);
    ert_model m;
    if (ert_model_open(&m, b.data(), b.size()) != ERT_OK) continue;
    ++opened;
    ert_memory_need need{};
    need.struct_size = sizeof need;
    if (ert_arena_bytes(&m, nullptr, nullptr, &need) != ERT_OK || need.bytes > 1 << 20) continue;
    GuardedRegion arena(need.bytes);
    const ert_region region = arena.region();
    ert_context c;
    ASSERT_EQ(ert_context_init(&c, &m, nullptr, nullptr, &region, 1), ERT_OK);
    float x[32] = {}, out[32];
    const ert_tensor in = float_tensor({1, 4}, x, 32), result = float_tensor({}, out, 32);
    if (ert_bind_input(&c, 0, &in) == ERT_OK && ert_bind_output(&c, 0, &result) == ERT_OK) ert_run(&c);
    EXPECT_TRUE(arena.intact()) << bit;
  }
  EXPECT_GT(opened, 0u) << "flips of a weight are allowed: the test reaches the run";
}

TEST(Open, PointersAndAlignment) {
  AlignedBytes b = small_program().build();
  ert_model m;
  EXPECT_EQ(ert_model_open(nullptr, b.data(), b.size()), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_open(&m, nullptr, b.size()), ERT_ERR_ARG);
  AlignedBytes shifted(b.size() + 64);
  for (size_t by = 1; by < 64; ++by) {
    std::memcpy(shifted.data() + by, b.data(), b.size());
    EXPECT_EQ(open_bytes(shifted.data() + by, b.size()), ERT_ERR_ALIGN) << by;
  }
}

TEST(Open, HeaderFields) {
  const AlignedBytes good = small_program().build();
  const auto with = [&good](size_t at, auto value) {
    AlignedBytes b = good;
    put(&b, at, value);
    reseal_header(&b);
    return open_blob(b);
  };
  EXPECT_EQ(with(0, uint32_t{0x31545246}), ERT_ERR_MAGIC);
  EXPECT_EQ(with(0, uint32_t{0x45525431}), ERT_ERR_MAGIC) << "byte-swapped";
  EXPECT_EQ(with(4, uint16_t{0}), ERT_ERR_VERSION);
  EXPECT_EQ(with(4, uint16_t{2}), ERT_ERR_VERSION);
  EXPECT_EQ(with(6, uint16_t{9}), ERT_OK) << "a newer minor only adds what may be skipped";
  EXPECT_EQ(with(8, uint32_t{128}), ERT_ERR_FORMAT);
  EXPECT_EQ(with(12, uint32_t{4}), ERT_ERR_VERSION) << "unknown critical flag";
  EXPECT_EQ(with(16, uint64_t{good.size() + 1}), ERT_ERR_TRUNCATED);
  EXPECT_EQ(with(16, uint64_t{good.size() - 1}), ERT_ERR_FORMAT);
  EXPECT_EQ(with(16, UINT64_MAX), ERT_ERR_LIMIT);
  EXPECT_EQ(with(24, uint64_t{128}), ERT_ERR_FORMAT);
  EXPECT_EQ(with(32, uint32_t{0}), ERT_ERR_FORMAT);
  EXPECT_EQ(with(32, UINT32_MAX), ERT_ERR_LIMIT);
  EXPECT_EQ(with(40, uint64_t{0}), ERT_ERR_FORMAT);
  EXPECT_EQ(with(40, UINT64_MAX - 63), ERT_ERR_FORMAT);
  EXPECT_EQ(with(48, uint32_t{0}), ERT_ERR_CHECKSUM);
  EXPECT_EQ(with(56, uint64_t{1}), ERT_ERR_FORMAT);
}

TEST(Open, GapsBetweenSegmentsMustBeZero) {
  BlobSpec s = small_program();
  s.segments.push_back({std::vector<uint8_t>(64), 0});
  AlignedBytes b = s.build();
  ASSERT_EQ(open_blob(b), ERT_OK);
  const size_t gap = b.size() - 64 - 1;  // between the 16 bytes of the bias and the next segment
  ASSERT_EQ(b.data()[gap], 0);
  b.data()[gap] = 1;
  reseal(&b);
  EXPECT_EQ(open_blob(b), ERT_ERR_FORMAT);
}

// An entry of a vector of strings or tables is an unsigned distance to what lies behind it. One that leads back wraps the address on
// 32-bit machines, where FlatBuffers' verifier would find a sound string in front.
TEST(Open, EntriesThatLeadBackAreRefused) {
  BlobSpec s = small_program();
  s.custom_ops.push_back({"test::Twice", "k", {1, 2}});
  s.segments.push_back({std::vector<uint8_t>(80), 1});
  s.golden.push_back({{1}, 1, {0, 64}});
  const AlignedBytes good = s.build();
  ASSERT_EQ(open_blob(good), ERT_OK);
  const fb::Program& root = *fb::GetProgram(good.data() + kMetadataOffset);
  const auto at = [&](const void* p) { return static_cast<size_t>(static_cast<const uint8_t*>(p) - good.data()); };
  const struct {
    const char* what;
    size_t entry, target;
  } cases[] = {
      {"dim name", at(root.dim_names()->Data()), at(root.certificate())},
      {"input name", at(root.input_names()->Data()), at(root.certificate())},
      {"output name", at(root.output_names()->Data()), at(root.certificate())},
      {"op name", at(root.op_names()->Data()), at(root.certificate())},
      {"last op name", at(root.op_names()->Data()) + 3 * sizeof(uint32_t), at(root.certificate())},
      {"golden vector", at(root.golden()->Data()), at(&root)},
      {"custom op", at(root.custom_ops()->Data()), at(&root)},
      {"attribute", at(root.custom_ops()->Get(0)->attributes()->Data()), at(&root)},
  };
  for (const auto& c : cases) {
    ASSERT_LT(c.target, c.entry) << c.what;
    for (const size_t target : {c.target, c.entry, c.entry - 4, size_t{0}, good.size() + kHeaderBytes}) {
      AlignedBytes b = good;
      put<uint32_t>(&b, c.entry, static_cast<uint32_t>(target - c.entry));
      reseal(&b);
      EXPECT_EQ(open_blob(b), ERT_ERR_FORMAT) << c.what << " at " << c.entry << " to " << target;
    }
    AlignedBytes b = good;
    put<uint32_t>(&b, c.entry, 0x80000000u);
    reseal(&b);
    EXPECT_EQ(open_blob(b), ERT_ERR_FORMAT) << c.what;
  }
}

// A short file must not be able to ask for long work: here all ops have the name of the output.
TEST(Open, NamesTogetherAreNoLongerThanTheMetadata) {
  for (const size_t length : {size_t{3}, size_t{2000}}) {
    BlobSpec s = small_program();
    s.outputs[0].name = std::string(length, 'n');
    AlignedBytes b = s.build();
    ASSERT_EQ(open_blob(b), ERT_OK);
    const fb::Program& root = *fb::GetProgram(b.data() + kMetadataOffset);
    const uint8_t *name = reinterpret_cast<const uint8_t*>(root.output_names()->Get(0)), *entries = root.op_names()->Data();
    ASSERT_LT(entries, name) << "entries lead forward";
    for (uint32_t op = 0; op < 4; ++op) {
      const uint8_t* entry = entries + 4 * op;
      put<uint32_t>(&b, static_cast<size_t>(entry - b.data()), static_cast<uint32_t>(name - entry));
    }
    reseal(&b);
    EXPECT_EQ(open_blob(b), length == 3 ? ERT_OK : ERT_ERR_FORMAT) << "five names of " << length;
  }
}

TEST(Open, RollbackIsRefusedAtInit) {
  BlobSpec s = small_program();
  s.security_counter = 4;
  const AlignedBytes b = s.build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  ert_config cfg = config_of_size();
  GuardedRegion arena(arena_need(m));
  const ert_region region = arena.region();
  ert_context c;
  cfg.min_security_counter = 5;
  EXPECT_EQ(ert_context_init(&c, &m, &cfg, nullptr, &region, 1), ERT_ERR_ROLLBACK);
  cfg.min_security_counter = 4;
  EXPECT_EQ(ert_context_init(&c, &m, &cfg, nullptr, &region, 1), ERT_OK);
}

TEST(Status, EveryStatusHasItsOwnText) {
  for (int a = 0; a <= 60; ++a) {
    const char* text = ert_status_str(static_cast<ert_status>(a));
    ASSERT_NE(text, nullptr);
    if (std::strcmp(text, "unknown status") == 0) continue;
    for (int b = 0; b < a; ++b) EXPECT_STRNE(text, ert_status_str(static_cast<ert_status>(b)));
  }
  EXPECT_STREQ(ert_status_str(static_cast<ert_status>(1000)), "unknown status");
}

}  // namespace
}  // namespace ert::testing
