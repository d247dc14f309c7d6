// See edge_runner.h.
#include "tests/cli/edge_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "tests/cli/program.h"

namespace edgeconv::testing {

namespace {

constexpr uint64_t kPattern = 0xA5C3A5C3A5C3A5C3u;

// 64-aligned memory inside of words.
template <class Words>
uint8_t* aligned(Words& words) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(words.data());
  return reinterpret_cast<uint8_t*>((at + 63) / 64 * 64);
}

int64_t content(const EdgeInput& in, const std::vector<int32_t>& dims, std::mt19937& random) {
  const std::string name = in.info.name;
  if (in.is_mask()) return 1;
  if (name.find("token_type") != std::string::npos) return 0;
  if (in.has_range()) return static_cast<int64_t>(random() % (static_cast<uint32_t>(in.info.max_value) + 1));
  int32_t longest = 1;  // lengths: the largest dim that is not the input's own
  for (size_t d = 0; d < dims.size(); ++d)
    if (std::find(in.info.dim, in.info.dim + in.info.rank, static_cast<int32_t>(d)) == in.info.dim + in.info.rank)
      longest = std::max(longest, dims[d]);
  return longest;
}

}  // namespace

bool EdgeInput::is_mask() const { return !is_float() && (info.dtype == ERT_BOOL || std::strstr(info.name, "mask")); }

size_t EdgeInput::elements() const {
  size_t n = 1;
  for (int32_t s : shape) n *= static_cast<size_t>(s);
  return n;
}

EdgeRunner::EdgeRunner(const std::string& blob_path) {
  const std::string bytes = read_file(blob_path);
  blob_.resize(bytes.size() / 8 + 16);
  std::memcpy(aligned(blob_), bytes.data(), bytes.size());
  const ert_status opened = ert_model_open(&model_, aligned(blob_), bytes.size());
  EXPECT_EQ(opened, ERT_OK) << blob_path;
  if (opened != ERT_OK) return;
  ert_memory_need need{};
  need.struct_size = sizeof need;
  EXPECT_EQ(ert_arena_bytes(&model_, nullptr, nullptr, &need), ERT_OK);
  arena_.resize(need.bytes / 8 + 16);
  const ert_region region{aligned(arena_), need.bytes};
  EXPECT_EQ(ert_context_init(&context_, &model_, nullptr, nullptr, &region, 1), ERT_OK);
  ert_dim_info d{};
  d.struct_size = sizeof d;
  for (uint32_t i = 0; ert_model_dim(&model_, i, &d) == ERT_OK; ++i) dims_.push_back(d);
  ert_value_info v{};
  v.struct_size = sizeof v;
  for (uint32_t i = 0; ert_model_input(&model_, i, &v) == ERT_OK; ++i) {
    inputs_.emplace_back();
    inputs_.back().info = v;
  }
  // Room for the largest outputs.
  std::vector<int32_t> largest;
  for (const ert_dim_info& dim : dims_) largest.push_back(dim.max);
  for (uint32_t i = 0; ert_model_output(&model_, i, &v) == ERT_OK; ++i) outputs_.emplace_back();
  fill(largest, 0);
  run();
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    ert_tensor t{};
    t.struct_size = sizeof t;
    EXPECT_EQ(ert_output_shape(&context_, i, &t), ERT_OK);
    outputs_[i].assign(t.bytes / 8 + 1, kPattern);
  }
  shapes_.resize(outputs_.size());
}

std::vector<int32_t> EdgeRunner::smallest(int32_t at_least) const {
  std::vector<int32_t> sizes;
  for (const ert_dim_info& d : dims_) sizes.push_back(std::clamp(at_least, d.min, d.max));
  return sizes;
}

void EdgeRunner::fill(const std::vector<int32_t>& dims, uint32_t seed) {
  std::mt19937 random(seed);
  for (EdgeInput& in : inputs_) {
    in.shape.assign(in.info.shape, in.info.shape + in.info.rank);
    for (uint32_t axis = 0; axis < in.info.rank; ++axis) {
      ASSERT_TRUE(in.shape[axis] >= 0 || in.info.dim[axis] >= 0) << in.info.name << ": an axis that is an expression";
      if (in.info.dim[axis] >= 0) in.shape[axis] = dims[static_cast<size_t>(in.info.dim[axis])];
    }
    const size_t n = in.elements();
    in.as_int32 = false;
    in.floats.assign(in.is_float() ? n : 0, 0);
    in.ints.assign(in.is_wide() ? n : 0, 0);
    in.bytes.assign(in.is_float() || in.is_wide() ? 0 : n, 1);
    for (float& x : in.floats) x = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    for (int64_t& x : in.ints) x = content(in, dims, random);
  }
}

ert_status EdgeRunner::run() {
  for (auto& words : outputs_) std::fill(words.begin(), words.end(), kPattern);
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    EdgeInput& in = inputs_[i];
    in.narrow.assign(in.ints.begin(), in.ints.end());
    ert_tensor t{};
    t.struct_size = sizeof t;
    t.rank = in.info.rank;
    std::copy(in.shape.begin(), in.shape.end(), t.shape);
    static uint64_t nothing;  // data of an empty tensor must not be null
    t.data = &nothing;
    if (in.is_float()) {
      t.dtype = ERT_F32, t.bytes = in.floats.size() * 4;
      if (t.bytes > 0) t.data = in.floats.data();
    } else if (in.is_wide()) {
      t.dtype = in.as_int32 ? ERT_I32 : ERT_I64, t.bytes = in.ints.size() * (in.as_int32 ? 4 : 8);
      if (t.bytes > 0) t.data = in.as_int32 ? static_cast<void*>(in.narrow.data()) : in.ints.data();
    } else {
      t.dtype = in.info.dtype, t.bytes = in.bytes.size();
      if (t.bytes > 0) t.data = in.bytes.data();
    }
    if (const ert_status s = ert_bind_input(&context_, i, &t); s != ERT_OK) return s;
  }
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    ert_tensor t{};
    t.struct_size = sizeof t;
    ert_value_info v{};
    v.struct_size = sizeof v;
    ert_model_output(&model_, i, &v);
    t.dtype = v.dtype;
    if (outputs_[i].empty()) continue;
    t.data = outputs_[i].data();
    t.bytes = outputs_[i].size() * 8;
    if (const ert_status s = ert_bind_output(&context_, i, &t); s != ERT_OK) return s;
  }
  const ert_status status = ert_run(&context_);
  for (uint32_t i = 0; i < shapes_.size() && status == ERT_OK; ++i) {
    shapes_[i] = ert_tensor{};
    shapes_[i].struct_size = sizeof shapes_[i];
    EXPECT_EQ(ert_output_shape(&context_, i, &shapes_[i]), ERT_OK);
  }
  return status;
}

bool EdgeRunner::untouched() const {
  return std::all_of(outputs_.begin(), outputs_.end(), [](const std::vector<uint64_t>& words) {
    return std::all_of(words.begin(), words.end(), [](uint64_t w) { return w == kPattern; });
  });
}

bool EdgeRunner::finite() const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (shapes_[i].dtype != ERT_F32) continue;
    const float* x = reinterpret_cast<const float*>(outputs_[i].data());
    if (!std::all_of(x, x + shapes_[i].bytes / 4, [](float v) { return std::isfinite(v); })) return false;
  }
  return true;
}

std::vector<std::vector<uint8_t>> EdgeRunner::outputs() const {
  std::vector<std::vector<uint8_t>> all;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(outputs_[i].data());
    all.emplace_back(bytes, bytes + shapes_[i].bytes);
  }
  return all;
}

ert_error_detail EdgeRunner::why() const {
  ert_error_detail d{};
  d.struct_size = sizeof d;
  EXPECT_EQ(ert_last_error(&context_, &d), ERT_OK);
  return d;
}

}  // namespace edgeconv::testing
