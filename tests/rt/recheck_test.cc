// ert_recheck: an opened blob whose memory loses bits.
#include <gtest/gtest.h>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

BlobSpec three_segments() {
  BlobSpec s = small_program();
  s.segments.push_back({std::vector<uint8_t>(300, 7), 2});
  s.segments.push_back({std::vector<uint8_t>(65, 9), 2});
  return s;
}

struct Opened {
  AlignedBytes blob;
  ert_model model;
  explicit Opened(const BlobSpec& s) : blob(s.build()) { EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK); }
  fb::Segment segment(uint32_t i) const { return *fb::GetProgram(blob.data() + kMetadataOffset)->segments()->Get(i); }
};

TEST(Recheck, FindsEveryFlippedBitOfASegmentAndBlamesNoOther) {
  Opened o(three_segments());
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(ert_recheck(&o.model, i), ERT_OK) << i;
  for (uint32_t i = 0; i < 3; ++i) {
    const fb::Segment s = o.segment(i);
    for (uint64_t bit = 0; bit < 8 * s.bytes(); ++bit) {
      uint8_t* byte = o.blob.data() + s.offset() + bit / 8;
      *byte ^= static_cast<uint8_t>(1u << bit % 8);
      for (uint32_t k = 0; k < 3; ++k) EXPECT_EQ(ert_recheck(&o.model, k), k == i ? ERT_ERR_CHECKSUM : ERT_OK) << i << " " << bit;
      EXPECT_EQ(ert_recheck(&o.model, ERT_WHOLE_BLOB), ERT_ERR_CHECKSUM);
      *byte ^= static_cast<uint8_t>(1u << bit % 8);
    }
  }
}

TEST(Recheck, TheWholeBlobCoversMetadataAndPadding) {
  Opened o(three_segments());
  EXPECT_EQ(ert_recheck(&o.model, ERT_WHOLE_BLOB), ERT_OK);
  for (size_t at = kHeaderBytes; at < o.blob.size(); ++at) {
    o.blob.data()[at] ^= 4;
    EXPECT_EQ(ert_recheck(&o.model, ERT_WHOLE_BLOB), ERT_ERR_CHECKSUM) << at;
    o.blob.data()[at] ^= 4;
  }
}

// Metadata rots like everything else: whatever it becomes, only the blob is read (a sanitizer sees a read outside).
TEST(Recheck, RottenMetadataLeadsNowhereElse) {
  Opened o(three_segments());
  const size_t end = o.segment(0).offset();
  for (size_t at = kHeaderBytes; at < end; ++at) {
    for (const uint8_t flip : {0x01, 0x80, 0xff}) {
      o.blob.data()[at] ^= flip;
      for (uint32_t i = 0; i < 3; ++i) {
        const ert_status status = ert_recheck(&o.model, i);
        EXPECT_TRUE(status == ERT_OK || status == ERT_ERR_CHECKSUM) << at;
      }
      o.blob.data()[at] ^= flip;
    }
  }
}

TEST(Recheck, WrongArguments) {
  Opened o(three_segments());
  EXPECT_EQ(ert_recheck(nullptr, 0), ERT_ERR_ARG);
  EXPECT_EQ(ert_recheck(&o.model, 3), ERT_ERR_ARG);
  ert_model closed{};
  EXPECT_EQ(ert_recheck(&closed, 0), ERT_ERR_ARG);
}

TEST(Recheck, ASignedBlob) {
  const uint8_t signature[kSignatureBytes] = {1, 2, 3};
  const AlignedBytes b = with_signature(three_segments().build(), signature);
  ert_model m;
  ASSERT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
  EXPECT_EQ(ert_recheck(&m, ERT_WHOLE_BLOB), ERT_OK);
  EXPECT_EQ(ert_recheck(&m, 2), ERT_OK);
}

}  // namespace
}  // namespace ert::testing
