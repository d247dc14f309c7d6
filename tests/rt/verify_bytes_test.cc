// Fields and offsets of a blob's metadata that blob_builder.h cannot get wrong, changed in the bytes and sealed again: one for each check of rt/verify that nothing else stands
// in for (tests/checks/check_deletion.py).
// More than 300 lines, because each of them has its case here.
#include <gtest/gtest.h>

#include <cstring>

#include "rt/blob/crc32c.h"
#include "tests/support/context_fixture.h"
#include "tests/support/guarded_buffer.h"

namespace ert::testing {
namespace {

// A blob whose bytes are changed by address.
struct Bytes {
  AlignedBytes blob;
  explicit Bytes(const BlobSpec& s) : blob(s.build()) {}

  const fb::Program& root() const { return *fb::GetProgram(blob.data() + kMetadataOffset); }
  size_t at(const void* p) const { return static_cast<size_t>(static_cast<const uint8_t*>(p) - blob.data()); }
  template <class T>
  void put(size_t to, T v) {
    std::memcpy(blob.data() + to, &v, sizeof v);
  }
  uint32_t word(size_t from) const {
    uint32_t v;
    std::memcpy(&v, blob.data() + from, 4);
    return v;
  }
  ert_status open() {
    reseal(&blob);
    ert_model m;
    return ert_model_open(&m, blob.data(), blob.size());
  }
  // Where a field of a table stands, and the entry of the vtable that says so.
  size_t field(const void* table, uint16_t which) const {
    return at(table) + static_cast<const flatbuffers::Table*>(table)->GetOptionalFieldOffset(which);
  }
  size_t vtable_entry(const void* table, uint16_t which) const {
    return at(static_cast<const flatbuffers::Table*>(table)->GetVTable()) + which;
  }
};

BlobSpec rich_program() {
  BlobSpec s = small_program();
  s.custom_ops.push_back({"test::Twice", "", {}, {{"name", 2, {}, {}, "text"}}});
  s.segments.push_back({std::vector<uint8_t>(128), 1});
  s.golden.push_back({{1}, 1, {0, 64}});
  return s;
}

TEST(VerifyBytes, TheUnchangedBlobOpens) { EXPECT_EQ(Bytes(rich_program()).open(), ERT_OK); }

TEST(VerifyBytes, NoNameHoldsAZero) {
  const auto cut = [](const std::function<const flatbuffers::String*(const fb::Program&)>& name) {
    Bytes b(rich_program());
    const flatbuffers::String* s = name(b.root());
    if (s->size() == 0) b.put<uint32_t>(b.at(s), 1);  // its terminator becomes a part of it
    b.put<uint8_t>(b.at(s->c_str()), 0);
    return b.open();
  };
  EXPECT_EQ(cut([](const fb::Program& p) { return p.producer(); }), ERT_ERR_FORMAT);
  EXPECT_EQ(cut([](const fb::Program& p) { return p.source_sha256(); }), ERT_ERR_FORMAT);
  EXPECT_EQ(cut([](const fb::Program& p) { return p.dim_names()->Get(0); }), ERT_ERR_FORMAT);
  EXPECT_EQ(cut([](const fb::Program& p) { return p.input_names()->Get(0); }), ERT_ERR_FORMAT);
  EXPECT_EQ(cut([](const fb::Program& p) { return p.output_names()->Get(0); }), ERT_ERR_FORMAT);
  EXPECT_EQ(cut([](const fb::Program& p) { return p.op_names()->Get(3); }), ERT_ERR_FORMAT);
  EXPECT_EQ(cut([](const fb::Program& p) { return p.custom_ops()->Get(0)->name(); }), ERT_ERR_FORMAT);
  EXPECT_EQ(cut([](const fb::Program& p) { return p.custom_ops()->Get(0)->attributes()->Get(0)->name(); }), ERT_ERR_FORMAT);
  EXPECT_EQ(cut([](const fb::Program& p) { return p.custom_ops()->Get(0)->attributes()->Get(0)->text(); }), ERT_ERR_FORMAT);
}

TEST(VerifyBytes, RequiredFieldsOfTables) {
  const auto without = [](const std::function<const void*(const fb::Program&)>& table, uint16_t field) {
    Bytes b(rich_program());
    b.put<uint16_t>(b.vtable_entry(table(b.root()), field), 0);
    return b.open();
  };
  const auto custom = [](const fb::Program& p) { return p.custom_ops()->Get(0); };
  const auto attribute = [](const fb::Program& p) { return p.custom_ops()->Get(0)->attributes()->Get(0); };
  const auto golden = [](const fb::Program& p) { return p.golden()->Get(0); };
  EXPECT_EQ(without(custom, fb::CustomOp::VT_NAME), ERT_ERR_FORMAT);
  EXPECT_EQ(without(attribute, fb::CustomAttribute::VT_NAME), ERT_ERR_FORMAT);
  EXPECT_EQ(without(golden, fb::Golden::VT_DIMS), ERT_ERR_MODEL);
  EXPECT_EQ(without(golden, fb::Golden::VT_OFFSETS), ERT_ERR_MODEL);
}

TEST(VerifyBytes, AbsentFieldsAreEmpty) {
  using P = fb::Program;
  for (const uint16_t field :
       {P::VT_PRODUCER, P::VT_SOURCE_SHA256, P::VT_OP_NAMES, P::VT_INPUT_RANGES, P::VT_CUSTOM_OPS, P::VT_GOLDEN}) {
    Bytes b(rich_program());
    b.put<uint16_t>(b.vtable_entry(&b.root(), field), 0);
    reseal(&b.blob);
    ert_model m;
    ASSERT_EQ(ert_model_open(&m, b.blob.data(), b.blob.size()), ERT_OK) << field;
    ert_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(ert_model_info(&m, &info), ERT_OK);
    EXPECT_EQ(*info.producer == 0, field == P::VT_PRODUCER || b.root().producer()->size() == 0) << field;
    EXPECT_EQ(*info.source_sha256 == 0, field == P::VT_SOURCE_SHA256 || b.root().source_sha256()->size() == 0) << field;
    EXPECT_EQ(info.golden_vectors, field == P::VT_GOLDEN ? 0u : 1u) << field;
  }
  Bytes attributes(rich_program());
  attributes.put<uint16_t>(attributes.vtable_entry(attributes.root().custom_ops()->Get(0), fb::CustomOp::VT_ATTRIBUTES), 0);
  EXPECT_EQ(attributes.open(), ERT_OK);
}

// The field of a vector of 64-bit elements leads to a length that stands where elements would begin.
TEST(VerifyBytes, ElementsAreAligned) {
  const auto shifted = [](const std::function<const void*(const fb::Program&)>& table, uint16_t which,
                          const std::function<const void*(const fb::Program&)>& length) {
    Bytes b(rich_program());
    const size_t field = b.field(table(b.root()), which), to = b.at(length(b.root()));
    EXPECT_LT(field, to);
    b.put<uint32_t>(to, 1);
    b.put<uint32_t>(field, static_cast<uint32_t>(to - field));
    return b.open();
  };
  const auto root = [](const fb::Program& p) -> const void* { return &p; };
  const auto golden = [](const fb::Program& p) -> const void* { return p.golden()->Get(0); };
  const auto values = [](const fb::Program& p) -> const void* { return p.values()->Get(0); };
  const auto offsets = [](const fb::Program& p) -> const void* { return p.golden()->Get(0)->offsets()->Data(); };
  EXPECT_EQ(shifted(root, fb::Program::VT_EXPRS, values), ERT_ERR_FORMAT);
  EXPECT_EQ(shifted(root, fb::Program::VT_VALUES, values), ERT_ERR_FORMAT);
  EXPECT_EQ(shifted(root, fb::Program::VT_SEGMENTS, values), ERT_ERR_FORMAT);
  EXPECT_EQ(shifted(golden, fb::Golden::VT_OFFSETS, offsets), ERT_ERR_FORMAT);
}

// Without segments.
BlobSpec fill_program() {
  BlobSpec s;
  const uint32_t out = s.add_output("out", ERT_F32, {s.constant(4)}, 0);
  s.ops = {{params::OpCode::kFill, {}, {static_cast<int32_t>(out)}, {0}, {}}};
  return s;
}

TEST(VerifyBytes, OffsetsLeadForward) {
  Bytes root(fill_program()), vector(small_program()), entry(small_program());
  root.put<uint32_t>(kMetadataOffset, 0);
  EXPECT_EQ(root.open(), ERT_ERR_FORMAT) << "a table of no fields at the root's own offset";
  vector.put<uint32_t>(vector.field(&vector.root(), fb::Program::VT_INPUT_RANGES), 0);
  EXPECT_EQ(vector.open(), ERT_ERR_FORMAT) << "a vector of no elements at the field";
  entry.put<uint32_t>(entry.at(entry.root().dim_names()->Data()), 0);
  EXPECT_EQ(entry.open(), ERT_ERR_FORMAT) << "a name of no bytes at its entry";
}

TEST(VerifyBytes, NumbersAreAlignedAndInside) {
  for (const uint16_t by : {2, 0x4000}) {
    Bytes b(small_program());
    const size_t entry = b.vtable_entry(&b.root(), fb::Program::VT_SLOTS), slots = b.field(&b.root(), fb::Program::VT_SLOTS);
    if (by == 2) b.put<uint32_t>(slots + 2, b.root().slots());  // read there it would be right
    b.put<uint16_t>(entry, static_cast<uint16_t>(slots - b.at(&b.root()) + by));
    EXPECT_EQ(b.open(), ERT_ERR_FORMAT) << by;
  }
}

// A name of one byte, with a length that stands where no length may.
TEST(VerifyBytes, NamesAreAligned) {
  BlobSpec s = small_program();
  s.custom_ops.push_back({"test::Twice", "", {}, {{"name", 3, std::vector<int32_t>{0x00010000, 0x00780000, 0}}}});
  Bytes b(s);
  ASSERT_EQ(b.open(), ERT_OK);
  const size_t length = b.at(b.root().custom_ops()->Get(0)->attributes()->Get(0)->ints()->Data()) + 2;
  const size_t entry = b.at(b.root().dim_names()->Data());
  ASSERT_EQ(b.word(length), 1u);
  ASSERT_LT(entry, length);
  b.put<uint32_t>(entry, static_cast<uint32_t>(length - entry));
  EXPECT_EQ(b.open(), ERT_ERR_FORMAT);
}

TEST(VerifyBytes, TextsEndWithAZeroInside) {
  Bytes open_end(small_program());
  const flatbuffers::String* name = open_end.root().dim_names()->Get(0);
  open_end.put<uint8_t>(open_end.at(name->c_str()) + name->size(), 'x');
  EXPECT_EQ(open_end.open(), ERT_ERR_FORMAT);

  // The last text reaches to the end of the metadata; a zero follows, which is not its own.
  Bytes last(small_program());
  const size_t end = kMetadataOffset + last.word(32);
  ASSERT_NE(end % 64, 0u);
  const auto& p = last.root();
  size_t length = 0;
  for (const flatbuffers::String* text : {p.producer(), p.source_sha256(), p.dim_names()->Get(0), p.input_names()->Get(0)})
    if (last.at(text) > length) length = last.at(text);
  ASSERT_LT(end - length, 80u) << "something else is the last";
  for (size_t i = length + 4; i < end; ++i) last.put<uint8_t>(i, 'x');
  last.put<uint32_t>(length, static_cast<uint32_t>(end - length - 4));
  EXPECT_EQ(last.open(), ERT_ERR_FORMAT);
}

TEST(VerifyBytes, ListsAreAsLongAsWhatTheyName) {
  const auto shorter = [](const BlobSpec& s, const std::function<const void*(const fb::Program&)>& first) {
    Bytes b(s);
    const size_t length = b.at(first(b.root())) - 4;
    b.put<uint32_t>(length, b.word(length) - 1);
    return b.open();
  };
  BlobSpec two_inputs = small_program();
  two_inputs.add_input("z", ERT_F32, {1});
  EXPECT_EQ(shorter(small_program(), [](const fb::Program& p) { return p.op_names()->Data(); }), ERT_ERR_MODEL);
  EXPECT_EQ(shorter(small_program(), [](const fb::Program& p) { return p.input_names()->Data(); }), ERT_ERR_MODEL);
  EXPECT_EQ(shorter(small_program(), [](const fb::Program& p) { return p.dim_names()->Data(); }), ERT_ERR_MODEL);
  EXPECT_EQ(shorter(two_inputs, [](const fb::Program& p) { return p.input_ranges()->Data(); }), ERT_ERR_MODEL);
}

TEST(VerifyBytes, ReservedAndUnusedFieldsAreZero) {
  Bytes value(small_program()), axis(small_program()), segment(small_program());
  value.put<uint8_t>(value.at(value.root().values()->Get(0)) + 3, 1);
  EXPECT_EQ(value.open(), ERT_ERR_MODEL);
  axis.put<uint32_t>(axis.at(axis.root().values()->Get(0)->shape()) + 7 * 4, 1);
  EXPECT_EQ(axis.open(), ERT_ERR_MODEL) << "the eighth axis of a matrix";
  segment.put<uint16_t>(segment.at(segment.root().segments()->Get(0)) + 30, 1);
  EXPECT_EQ(segment.open(), ERT_ERR_FORMAT);
}

// Fill takes any bits, so that an int behind the pool would be taken.
TEST(VerifyBytes, ParametersAreInsideTheirPool) {
  Bytes b(fill_program());
  ASSERT_EQ(b.open(), ERT_OK);
  b.put<uint32_t>(b.at(b.root().ops()->Get(0)) + 8, 1);
  EXPECT_EQ(b.open(), ERT_ERR_MODEL);
}

TEST(VerifyBytes, FileIdentifier) {
  Bytes b(small_program());
  b.put<uint8_t>(kMetadataOffset + 4, 'e');
  EXPECT_EQ(b.open(), ERT_ERR_FORMAT);
}

// offset:u64 bytes:u64 raw_bytes:u64 crc:u32 kind:u8 compression:u8 reserved:u16
TEST(VerifyBytes, SegmentTable) {
  constexpr size_t kBytes = 8, kRaw = 16, kCrc = 24, kCompression = 29;
  const auto segment = [](Bytes& b) { return b.at(b.root().segments()->Get(0)); };
  const auto compressed = [](Bytes& b) { b.put<uint32_t>(12, 1); };
  Bytes raw(small_program()), crc(small_program()), flag(small_program()), kind(small_program()), wraps(small_program()),
      huge(small_program());
  raw.put<uint64_t>(segment(raw) + kRaw, 8);
  EXPECT_EQ(raw.open(), ERT_ERR_FORMAT);
  crc.put<uint32_t>(segment(crc) + kCrc, 5);
  EXPECT_EQ(crc.open(), ERT_ERR_CHECKSUM);
  flag.put<uint8_t>(segment(flag) + kCompression, 1);
  EXPECT_EQ(flag.open(), ERT_ERR_FORMAT) << "compressed, and the header does not say so";
  compressed(kind);
  EXPECT_EQ(kind.open(), ERT_ERR_COMPRESSED) << "nothing is, but the header says so";
  kind.put<uint8_t>(segment(kind) + kCompression, 2);
  EXPECT_EQ(kind.open(), ERT_ERR_FORMAT);
  compressed(wraps);
  wraps.put<uint8_t>(segment(wraps) + kCompression, 1);
  wraps.put<uint64_t>(segment(wraps) + kBytes, uint64_t{0} - (wraps.blob.size() - 16) + wraps.blob.size());
  EXPECT_EQ(wraps.open(), ERT_ERR_COMPRESSED) << "16 bytes: the sum does not wrap yet";
  wraps.put<uint64_t>(segment(wraps) + kBytes, uint64_t{0} - 64);
  EXPECT_EQ(wraps.open(), ERT_ERR_FORMAT);
  compressed(huge);
  huge.put<uint8_t>(segment(huge) + kCompression, 1);
  huge.put<uint64_t>(segment(huge) + kRaw, UINT64_MAX);
  EXPECT_EQ(huge.open(), ERT_ERR_LIMIT);
}

TEST(VerifyBytes, NothingFollowsTheLastSegmentButPadding) {
  const AlignedBytes good = small_program().build();
  const auto longer = [&](size_t by, uint8_t last) {
    AlignedBytes b(good.size() + by);
    std::memcpy(b.data(), good.data(), good.size());
    b.data()[b.size() - 1] = last;
    const uint64_t total = b.size();
    std::memcpy(b.data() + 16, &total, sizeof total);
    reseal(&b);
    ert_model m;
    return ert_model_open(&m, b.data(), b.size());
  };
  ASSERT_EQ(good.size() % 64, 16u);
  EXPECT_EQ(longer(48, 0), ERT_OK) << "padding to a multiple of 64";
  EXPECT_EQ(longer(48, 1), ERT_ERR_FORMAT);
  EXPECT_EQ(longer(49, 0), ERT_ERR_FORMAT);
}

// Metadata that reaches behind the blob, which ends where readable memory ends.
TEST(VerifyBytes, AreasThatDoNotFitAreNotRead) {
  const auto open_areas = [](uint64_t total, uint32_t metadata) {
    GuardedBuffer<uint8_t> blob(total);
    std::memset(blob.data(), 0, total);
    Header h;
    h.total_bytes = total;
    h.metadata_bytes = metadata;
    h.segments_offset = segment_start(kMetadataOffset + metadata);
    h.content_crc = crc32c(0, blob.data() + kHeaderBytes, total - kHeaderBytes);
    encode_header(h, blob.data());
    ert_model m;
    return ert_model_open(&m, blob.data(), total);
  };
  EXPECT_EQ(open_areas(128, 100), ERT_ERR_FORMAT);
  EXPECT_EQ(open_areas(64, 0), ERT_ERR_FORMAT) << "no metadata at all";
}

TEST(VerifyBytes, QuestionsAboutAModelThatIsNone) {
  const ert_model none{};
  ert_dim_info d{};
  d.struct_size = sizeof d;
  ert_value_info v{};
  v.struct_size = sizeof v;
  uint64_t macs;
  EXPECT_EQ(ert_model_macs(&none, nullptr, &macs), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_dim(&none, 0, &d), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_input(&none, 0, &v), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_output(&none, 0, &v), ERT_ERR_ARG);
}

TEST(VerifyBytes, QuestionsWithoutTheSizeOfTheirStruct) {
  const AlignedBytes b = small_program().build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  ert_info info{};
  ert_dim_info d{};
  ert_value_info v{};
  ert_work work{};
  EXPECT_EQ(ert_model_info(&m, &info), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_dim(&m, 0, &d), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_input(&m, 0, &v), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_output(&m, 0, &v), ERT_ERR_ARG);
  EXPECT_EQ(ert_model_work(&m, nullptr, &work), ERT_ERR_ARG);
}

TEST(VerifyBytes, MacsOfDimsThatCannotBe) {
  BlobSpec s = small_program();
  s.expr(5, 0, s.expr(3, 0, s.constant(3)));  // divides by batch - 3
  const AlignedBytes b = s.build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  uint64_t macs;
  for (const int32_t batch : {0, 3, 9}) EXPECT_EQ(ert_model_macs(&m, &batch, &macs), ERT_ERR_DIMS) << batch;
  const int32_t one = 1;
  EXPECT_EQ(ert_model_macs(&m, &one, &macs), ERT_OK);
  EXPECT_EQ(ert_model_macs(&m, &one, nullptr), ERT_ERR_ARG);
}

TEST(VerifyBytes, DimsBelowTheirMinimumAreRefused) {
  BlobSpec s = small_program();
  s.dims[0] = fb::Dim(2, 8);
  const AlignedBytes b = s.build();
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  uint64_t macs;
  const int32_t one = 1, two = 2;
  EXPECT_EQ(ert_model_macs(&m, &one, &macs), ERT_ERR_DIMS);
  EXPECT_EQ(ert_model_macs(&m, &two, &macs), ERT_OK);
}

}  // namespace
}  // namespace ert::testing
