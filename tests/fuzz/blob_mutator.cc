// See blob_mutator.h.
#include "tests/fuzz/blob_mutator.h"

#include <cstring>

#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "tests/fuzz/blob_spec_reader.h"
#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {
namespace {

template <class T>
void put(Bytes* b, size_t at, T v) {
  std::memcpy(b->data() + at, &v, sizeof v);
}

void seal_header(Bytes* b) { put<uint32_t>(b, 52, crc32c(0, b->data(), 52)); }

void seal(Bytes* b) {
  put<uint64_t>(b, 16, b->size());
  put<uint32_t>(b, 48, crc32c(0, b->data() + kHeaderBytes, b->size() - kHeaderBytes));
  seal_header(b);
}

void mutate_header(Bytes* b, RandomNumbers* r) {
  const size_t at = static_cast<size_t>(r->integer(0, 15)) * 4;
  uint32_t old;
  std::memcpy(&old, b->data() + at, 4);
  put(b, at, odd_number(r, old));
  if (r->integer(0, 3) != 0) seal_header(b);
}

// Words and bytes of the metadata: offsets, lengths, tables.
void mutate_metadata(Bytes* b, RandomNumbers* r) {
  uint32_t metadata;
  std::memcpy(&metadata, b->data() + 32, 4);
  const size_t end = metadata <= b->size() - kHeaderBytes && metadata >= 8 ? kHeaderBytes + metadata : b->size();
  for (int n = r->integer(1, 4); n > 0; --n) {
    const size_t at = kHeaderBytes + r->bits() % (end - kHeaderBytes);
    if (r->integer(0, 2) == 0 || at + 4 > end) {
      (*b)[at] = static_cast<uint8_t>(r->integer(0, 3) == 0 ? r->bits() : (*b)[at] + r->integer(-2, 2));
      continue;
    }
    const size_t word = at / 4 * 4;
    uint32_t old;
    std::memcpy(&old, b->data() + word, 4);
    put(b, word, odd_number(r, old));
  }
  seal(b);
}

}  // namespace

bool mutate_blob(Bytes* bytes, RandomNumbers* random) {
  if (bytes->size() < kHeaderBytes + 8) return false;
  const int way = random->integer(0, 15);
  if (way == 0) return mutate_header(bytes, random), true;
  if (way <= 3) return mutate_metadata(bytes, random), true;
  testing::BlobSpec spec;
  if (!read_spec(bytes->data(), bytes->size(), &spec)) return mutate_metadata(bytes, random), true;
  for (int n = random->integer(1, 3); n > 0; --n) mutate_program(&spec, random);
  if (random->integer(0, 3) != 0) {
    plan_anew(&spec);
    if (random->integer(0, 1) != 0) share_slots(&spec);
  }
  const testing::AlignedBytes blob = spec.build();
  bytes->assign(blob.data(), blob.data() + blob.size());
  return true;
}

bool mutate_blob_quickly(Bytes* bytes, RandomNumbers* random) {
  if (bytes->size() < kHeaderBytes + 8) return false;
  if (random->integer(0, 7) == 0) return mutate_blob(bytes, random);
  return mutate_metadata(bytes, random), true;
}

}  // namespace ert::fuzz
