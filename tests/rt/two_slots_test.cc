// An update over the air as rt/README.md means it: the new blob is written into the slot that is not in use, then a marker names it. Power is cut at every write; what boots is
// the old blob or the new one, whole, and never anything between.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

constexpr size_t kPage = 256;  // what one write of the flash takes

struct Flash {
  AlignedBytes slots[2];
  uint8_t marker = 0;  // the slot to boot first
  size_t left;         // writes until power fails

  explicit Flash(size_t bytes, size_t writes) : slots{AlignedBytes(bytes), AlignedBytes(bytes)}, left(writes) {
    for (AlignedBytes& slot : slots) std::memset(slot.data(), 0xFF, slot.size());
  }
  // False where power fails. The page of the cut is half written.
  bool write(int slot, size_t at, const uint8_t* from, size_t n) {
    const bool cut = left == 0;
    std::memcpy(slots[slot].data() + at, from, cut ? n / 2 : n);
    left -= !cut;
    return !cut;
  }
  bool update(int slot, const AlignedBytes& blob) {
    for (size_t at = 0; at < blob.size(); at += kPage) {
      if (!write(slot, at, blob.data() + at, std::min(kPage, blob.size() - at))) return false;
    }
    if (left == 0) return false;
    marker = static_cast<uint8_t>(slot);
    return true;
  }
};

// The slot that the marker names if it opens, otherwise the other one. -1: neither.
int boot(const Flash& flash, size_t bytes, ert_model* m) {
  for (const int slot : {int{flash.marker}, 1 - flash.marker}) {
    if (ert_model_open(m, flash.slots[slot].data(), bytes) == ERT_OK) return slot;
  }
  return -1;
}

uint32_t counter_of(const ert_model& m) {
  ert_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(ert_model_info(&m, &info), ERT_OK);
  return info.security_counter;
}

TEST(TwoSlots, ACutAtEveryWriteLeavesOneWholeModel) {
  BlobSpec old_spec = small_program(), new_spec = small_program();
  old_spec.security_counter = 1;
  new_spec.security_counter = 2;
  const AlignedBytes old_blob = old_spec.build(), new_blob = new_spec.build();
  ASSERT_EQ(old_blob.size(), new_blob.size());
  const size_t writes = (new_blob.size() + kPage - 1) / kPage;
  size_t booted_new = 0;
  for (size_t cut = 0; cut <= writes + 1; ++cut) {
    Flash flash(old_blob.size(), writes + 1);
    ASSERT_TRUE(flash.update(0, old_blob));
    flash.left = cut;
    const bool finished = flash.update(1, new_blob);
    EXPECT_EQ(finished, cut > writes);
    ert_model m;
    const int slot = boot(flash, old_blob.size(), &m);
    ASSERT_NE(slot, -1) << cut;
    EXPECT_EQ(counter_of(m), finished ? 2u : 1u) << cut;
    EXPECT_EQ(std::memcmp(flash.slots[slot].data(), finished ? new_blob.data() : old_blob.data(), old_blob.size()), 0) << cut;
    booted_new += finished;
    // A slot that is half written is refused even if the marker is wrong.
    flash.marker = 1;
    if (cut < writes) {
      EXPECT_EQ(boot(flash, old_blob.size(), &m), 0) << cut;
    }
  }
  EXPECT_EQ(booted_new, 1u);
}

}  // namespace
}  // namespace ert::testing
