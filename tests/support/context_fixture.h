// A model, its arena with redzones, a context and bound tensors: what most runtime tests start from.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "rt/include/ert.h"
#include "tests/support/blob_builder.h"

namespace ert::testing {

constexpr size_t kRedzone = 64;
constexpr uint8_t kRedzoneByte = 0xA5;

// A memory region of exactly `bytes` bytes with 64 bytes of a fixed pattern before and behind.
class GuardedRegion {
 public:
  explicit GuardedRegion(size_t bytes) : storage_(bytes + 2 * kRedzone), bytes_(bytes) {
    std::memset(storage_.data(), kRedzoneByte, storage_.size());
  }
  ert_region region() { return {storage_.data() + kRedzone, bytes_}; }
  uint8_t* data() { return storage_.data() + kRedzone; }
  bool intact() const {
    for (size_t i = 0; i < kRedzone; ++i) {
      if (storage_.data()[i] != kRedzoneByte || storage_.data()[kRedzone + bytes_ + i] != kRedzoneByte) return false;
    }
    return true;
  }

 private:
  AlignedBytes storage_;
  size_t bytes_;
};

inline ert_tensor float_tensor(std::vector<int32_t> shape, float* data, size_t count) {
  ert_tensor t{};
  t.struct_size = sizeof t;
  t.dtype = ERT_F32;
  t.rank = static_cast<uint32_t>(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) t.shape[i] = shape[i];
  t.data = data;
  t.bytes = count * sizeof(float);
  return t;
}

inline ert_config config_of_size() {
  ert_config cfg{};
  cfg.struct_size = sizeof cfg;
  return cfg;
}

inline size_t arena_need(const ert_model& m, const ert_config* cfg = nullptr, const int32_t* dims = nullptr) {
  ert_memory_need need{};
  need.struct_size = sizeof need;
  EXPECT_EQ(ert_arena_bytes(&m, cfg, dims, &need), ERT_OK);
  EXPECT_EQ(need.bytes, need.activation_bytes + need.scratch_bytes + need.table_bytes);
  return need.bytes;
}

// small_program() opened, planned for its largest dims and bound for `batch` rows.
struct SmallContext {
  explicit SmallContext(const BlobSpec& spec = small_program(), const ert_config* cfg = nullptr, int32_t batch = 3)
      : blob(spec.build()) {
    EXPECT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
    arena = std::make_unique<GuardedRegion>(arena_need(model, cfg));
    const ert_region region = arena->region();
    EXPECT_EQ(ert_context_init(&context, &model, cfg, nullptr, &region, 1), ERT_OK);
    bind(batch);
  }
  void bind(int32_t batch) {
    rows = batch;
    x.assign(static_cast<size_t>(batch) * 4, 0);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 0.25f * static_cast<float>(i) - 1.5f;
    out.assign(x.size(), -7.0f);
    const ert_tensor in = float_tensor({batch, 4}, x.data(), x.size()), result = float_tensor({}, out.data(), out.size());
    EXPECT_EQ(ert_bind_input(&context, 0, &in), ERT_OK);
    EXPECT_EQ(ert_bind_output(&context, 0, &result), ERT_OK);
  }
  void expect_results() const {
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(out[i], small_program_result(x[i], static_cast<int>(i % 4))) << i;
    EXPECT_TRUE(arena->intact());
  }
  bool outputs_untouched() const {
    return std::all_of(out.begin(), out.end(), [](float v) { return v == -7.0f; });
  }

  AlignedBytes blob;
  ert_model model{};
  ert_context context{};
  std::unique_ptr<GuardedRegion> arena;
  std::vector<float> x, out;
  int32_t rows = 0;
};

}  // namespace ert::testing
