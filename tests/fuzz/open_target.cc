// Proves: ert_model_open ends on any bytes, in time linear in them, with one of its statuses; it reads nothing but the blob; it says the same twice and in
// lent memory; what it accepts answers every question within the blob.
#include <cstring>

#include "rt/include/ert.h"
#include "tests/fuzz/blob_mutator.h"
#include "tests/fuzz/exact_bytes.h"
#include "tests/fuzz/target.h"

namespace ert::fuzz {
namespace {

constexpr double kMostSeconds = 0.25 * kSlower, kMostSecondsAByte = 1e-5 * kSlower;

bool documented(ert_status s) {
  switch (s) {
    case ERT_OK:
    case ERT_ERR_TRUNCATED:
    case ERT_ERR_MAGIC:
    case ERT_ERR_VERSION:
    case ERT_ERR_CHECKSUM:
    case ERT_ERR_FORMAT:
    case ERT_ERR_MODEL:
    case ERT_ERR_LIMIT:
    case ERT_ERR_UNSUPPORTED:
    case ERT_ERR_COMPRESSED:
    case ERT_ERR_SIGNATURE:
    case ERT_ERR_LAYOUT: return true;
    default: return false;
  }
}

void ask_value(ert_status (*ask)(const ert_model*, uint32_t, ert_value_info*), const ert_model& m, uint32_t n,
               const ert_info& info) {
  for (uint32_t i = 0; i < n; ++i) {
    ert_value_info v{};
    v.struct_size = sizeof v;
    if (ask(&m, i, &v) != ERT_OK) finding("no answer about a value", i);
    if (std::strlen(v.name) > info.blob_bytes || v.rank > ERT_MAX_RANK) finding("a value's name or rank", i);
    for (uint32_t axis = 0; axis < v.rank; ++axis) {
      if (v.shape[axis] < 1 && v.shape[axis] != -1) finding("an axis", v.shape[axis]);
      if (v.dim[axis] >= static_cast<int32_t>(info.dims)) finding("an axis names a dim", v.dim[axis]);
    }
  }
}

void ask_everything(const ert_model& m) {
  ert_info info{};
  info.struct_size = sizeof info;
  if (ert_model_info(&m, &info) != ERT_OK) finding("no ert_model_info");
  if (std::strlen(info.producer) + std::strlen(info.source_sha256) > info.blob_bytes) finding("strings of ert_info");
  ask_value(ert_model_input, m, info.inputs, info);
  ask_value(ert_model_output, m, info.outputs, info);
  for (uint32_t i = 0; i < info.dims; ++i) {
    ert_dim_info d{};
    d.struct_size = sizeof d;
    if (ert_model_dim(&m, i, &d) != ERT_OK || d.min < 1 || d.max < d.min) finding("a dim", i);
    if (std::strlen(d.name) > info.blob_bytes) finding("a dim's name", i);
  }
  uint64_t macs;
  ert_model_macs(&m, nullptr, &macs);
}

void run(const uint8_t* data, size_t bytes) {
  ExactBytes blob(bytes);
  if (bytes != 0) std::memcpy(blob.data(), data, bytes);
  ert_model m;
  ert_status status = ERT_OK;
  within_seconds(kMostSeconds + kMostSecondsAByte * static_cast<double>(bytes), "open took so many ms",
                 [&] { status = ert_model_open(&m, blob.data(), bytes); });
  if (!documented(status)) finding("a status that open does not give", status);
  if (status != ERT_OK) return;
  ask_everything(m);
  ert_info info{};
  info.struct_size = sizeof info;
  ert_model_info(&m, &info);
  ExactBytes work(info.work_bytes);
  ert_model lent;
  const ert_status again = ert_model_open_in(&lent, blob.data(), bytes, work.data(), work.size());
  if (again != ERT_OK) finding("open_in refuses what open accepts", again);
  ask_everything(lent);
}

}  // namespace

const Target& target_open() {
  static const Target target = {"open", run, mutate_blob_quickly};
  return target;
}

}  // namespace ert::fuzz
