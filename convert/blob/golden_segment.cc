// See golden_segment.h.
#include "convert/blob/golden_segment.h"

#include <algorithm>

#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "rt/blob/recipe.h"

namespace edgeconv {

namespace {

constexpr size_t kFirstBytes = 64;  // of an output: enough to see by how much a device is wrong

void append(std::string& to, const void* data, size_t bytes) { to.append(static_cast<const char*>(data), bytes); }

void append_input(const Tensor& t, const std::optional<ert::Recipe>& made, std::string& bytes) {
  ert::Recipe r = made.value_or(ert::Recipe{});
  if (!made) r.bytes = static_cast<uint32_t>(t.bytes());
  append(bytes, &r, sizeof r);
  append(bytes, t.data(), r.bytes);
}

void append_output(Tensor t, std::string& bytes) {
  if (t.dtype() == DType::kFloat) ert::canonical_nan(t.mutable_data(), t.bytes());
  ert::Recipe r{};
  r.kind = static_cast<uint32_t>(ert::RecipeKind::kDigest);
  r.crc = ert::crc32c(0, t.data(), t.bytes());
  r.bytes = static_cast<uint32_t>(std::min(t.bytes(), kFirstBytes));
  append(bytes, &r, sizeof r);
  append(bytes, t.data(), r.bytes);
}

}  // namespace

std::string golden_segment(const GoldenVector& v, bool recipes, std::vector<uint64_t>& offsets) {
  std::string bytes;
  const size_t inputs = v.inputs.size();
  for (size_t k = 0; k < inputs + v.outputs.size(); ++k) {
    const Tensor& t = k < inputs ? v.inputs[k] : v.outputs[k - inputs];
    offsets.push_back(bytes.size());
    if (!recipes)
      append(bytes, t.data(), t.bytes());
    else if (k < inputs)
      append_input(t, v.made.empty() ? std::nullopt : v.made[k], bytes);
    else
      append_output(t, bytes);
    bytes.resize(ert::segment_start(bytes.size()), '\0');
  }
  return bytes;
}

bool has_recipes(const BlobMeta& meta) {
  return std::any_of(meta.golden.begin(), meta.golden.end(), [](const GoldenVector& v) { return v.short_form; });
}

size_t golden_bytes(const GoldenVector& v) {
  size_t bytes = 0;
  const auto add = [&](size_t part) { bytes = ert::segment_start(bytes + part); };
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    const bool made = v.short_form && !v.made.empty() && v.made[i];
    add((v.short_form ? sizeof(ert::Recipe) : 0) + (made ? 0 : v.inputs[i].bytes()));
  }
  for (const Tensor& t : v.outputs) add(v.short_form ? sizeof(ert::Recipe) + std::min(t.bytes(), kFirstBytes) : t.bytes());
  return bytes;
}

}  // namespace edgeconv
