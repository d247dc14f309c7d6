// Proves: ert_unpack ends on any bytes within the memory that ert_unpack_bytes asks for, and what it writes is sound up to its checksums.
#include <zstd.h>

#include <cstring>

#include "rt/include/ert.h"
#include "tests/fuzz/blob_mutator.h"
#include "tests/fuzz/blob_spec_reader.h"
#include "tests/fuzz/exact_bytes.h"
#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {
namespace {

constexpr size_t kMostExpanded = 1 << 20;

void run(const uint8_t* data, size_t bytes) {
  ExactBytes blob(bytes);
  if (bytes != 0) std::memcpy(blob.data(), data, bytes);
  size_t out_bytes = 0, work_bytes = 0;
  if (ert_unpack_bytes(blob.data(), bytes, &out_bytes, &work_bytes) != ERT_OK || out_bytes > kMostExpanded) return;
  ExactBytes out(out_bytes), work(work_bytes);
  const ert_status status = ert_unpack(blob.data(), bytes, out.data(), out_bytes, work.data(), work_bytes);
  if (status != ERT_OK && status != ERT_ERR_FORMAT) finding("a status that unpacking does not give", status);
  if (status != ERT_OK) return;
  ert_model m;
  const ert_status opened = ert_model_open(&m, out.data(), out_bytes);
  if (opened == ERT_ERR_CHECKSUM || opened == ERT_ERR_TRUNCATED || opened == ERT_ERR_MAGIC || opened == ERT_ERR_COMPRESSED ||
      opened == ERT_ERR_FORMAT)
    finding("what was unpacked is damaged", opened);
}

// Segments compressed anew, or frames that are changed as bytes.
bool mutate(Bytes* bytes, RandomNumbers* r) {
  testing::BlobSpec spec;
  if (r->integer(0, 2) == 0 || !read_spec(bytes->data(), bytes->size(), &spec) || spec.segments.empty())
    return mutate_blob(bytes, r);
  auto& g = spec.segments[r->bits() % spec.segments.size()];
  if (g.raw_bytes == 0 || r->integer(0, 2) == 0) {
    const size_t n = static_cast<size_t>(r->integer(1, 3000));
    Bytes raw(n), frame(ZSTD_compressBound(n));
    for (size_t i = 0; i < n; ++i) raw[i] = static_cast<uint8_t>(r->integer(0, 3));
    frame.resize(ZSTD_compress(frame.data(), frame.size(), raw.data(), n, r->integer(1, 4)));
    g.bytes = frame;
    g.raw_bytes = r->integer(0, 3) == 0 ? odd_number(r, static_cast<uint32_t>(n)) : n;
  } else if (!g.bytes.empty()) {
    for (int k = r->integer(1, 3); k > 0; --k) g.bytes[r->bits() % g.bytes.size()] ^= static_cast<uint8_t>(1 << r->integer(0, 7));
    if (r->integer(0, 3) == 0) g.bytes.resize(r->bits() % (g.bytes.size() + 3));
  }
  const testing::AlignedBytes blob = spec.build();
  bytes->assign(blob.data(), blob.data() + blob.size());
  return true;
}

}  // namespace

const Target& target_unpack() {
  static const Target target = {"unpack", run, mutate};
  return target;
}

}  // namespace ert::fuzz
