// write_extremes FILE [wrong]: a blob whose golden vector drives subnormal, huge, tiny and signed-zero floats through every elementwise and reducing
// op. Expected outputs are the host's reference; a device with another idea of subnormals fails its ert_selftest. With `wrong`, one bit of one expected output is changed (the canary).
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "rt/include/ert.h"
#include "tests/support/blob_builder.h"

namespace ert::testing {
namespace {

constexpr int kCount = 64;

struct Case {
  params::OpCode code;
  std::vector<int32_t> ints;
  std::vector<float> floats;
  int inputs;      // 1: one of the vectors, 2: both
  bool reduced;    // one number from all
  int vector = 0;  // of inputs == 1: 0 both signs, 1 positive only
};

float at(uint32_t i, bool positive) {
  static const float kValues[] = {1e-40f, 0x1p-149f, 1.1754942e-38f, 0x1p-126f, 2.5e-38f, 1e-30f, 1e-20f, 3e-7f, 0.1f,
                                  0.5f,   1.0f,      1.5f,           7.25f,     88.5f,    1e10f,  1e20f,  3e38f, 0.0f};
  const float v = kValues[i % (sizeof kValues / sizeof kValues[0])];
  return positive || i % 4 < 2 ? v : -v;
}

std::vector<float> inputs(bool second) {
  std::vector<float> v;
  for (uint32_t i = 0; i < kCount; ++i) v.push_back(second ? at(i * 7 + i / 18 + 5, true) : at(i, false));
  return v;
}

BlobSpec program(const std::vector<Case>& cases) {
  BlobSpec s;
  const uint32_t n = s.constant(kCount), one = s.constant(1);
  const int32_t x[2] = {static_cast<int32_t>(s.add_input("a", ERT_F32, {n})),
                        static_cast<int32_t>(s.add_input("b", ERT_F32, {n}))};
  for (const Case& c : cases) {
    const uint32_t index = static_cast<uint32_t>(s.ops.size());
    const auto out = static_cast<int32_t>(s.add_output("out" + std::to_string(index), ERT_F32, {c.reduced ? one : n}, index));
    s.ops.push_back(
        {c.code, c.inputs == 2 ? std::vector<int32_t>{x[0], x[1]} : std::vector<int32_t>{x[c.vector]}, {out}, c.ints, c.floats});
  }
  return s;
}

// The outputs of a program, one behind the other, each 64-aligned; nothing if the runtime refuses it.
std::optional<std::vector<uint8_t>> run(const BlobSpec& spec) {
  const AlignedBytes blob = spec.build();
  ert_model model;
  ert_context context;
  ert_config config{};
  config.struct_size = sizeof config;
  config.isa_mask = ERT_ISA_BIT(ERT_ISA_REF);
  ert_memory_need need{};
  need.struct_size = sizeof need;
  if (ert_model_open(&model, blob.data(), blob.size()) != ERT_OK || ert_arena_bytes(&model, &config, nullptr, &need) != ERT_OK)
    return {};
  AlignedBytes arena(need.bytes), out(spec.outputs.size() * 256);
  const ert_region region{arena.data(), arena.size()};
  if (ert_context_init(&context, &model, &config, nullptr, &region, 1) != ERT_OK) return {};
  std::vector<float> in[2] = {inputs(false), inputs(true)};
  for (uint32_t i = 0; i < 2; ++i) {
    const ert_tensor t{sizeof(ert_tensor), ERT_F32, 1, {kCount}, in[i].data(), 4 * kCount};
    if (ert_bind_input(&context, i, &t) != ERT_OK) return {};
  }
  for (uint32_t i = 0; i < spec.outputs.size(); ++i) {
    const ert_tensor t{sizeof(ert_tensor), ERT_F32, 1, {}, out.data() + 256 * i, 256};
    if (ert_bind_output(&context, i, &t) != ERT_OK) return {};
  }
  if (ert_run(&context) != ERT_OK) return {};
  return std::vector<uint8_t>(out.data(), out.data() + out.size());
}

// The sign and payload of a NaN are not specified, so a case that gives one cannot be compared.
bool usable(const Case& c) {
  const auto out = run(program({c}));
  if (!out) return false;
  for (int i = 0; i < (c.reduced ? 1 : kCount); ++i) {
    float v;
    std::memcpy(&v, out->data() + 4 * i, 4);
    if (std::isnan(v)) return false;
  }
  return true;
}

std::vector<Case> cases() {
  std::vector<Case> found;
  const auto add = [&](std::vector<Case> variants) {  // the first that runs and gives numbers
    for (const Case& c : variants) {
      if (!usable(c)) continue;
      found.push_back(c);
      return;
    }
  };
  for (int32_t kind = 0; kind <= params::unary::kCelu; ++kind) {
    std::vector<Case> variants;
    for (const auto& floats : {std::vector<float>{}, std::vector<float>{0.25f}})
      for (int vector : {0, 1}) variants.push_back({params::OpCode::kUnary, {kind}, floats, 1, false, vector});
    add(variants);
  }
  for (int32_t kind = 0; kind <= params::binary::kPRelu; ++kind) add({{params::OpCode::kBinary, {kind}, {}, 2, false}});
  for (int32_t kind = 0; kind <= params::reduce::kLogSumExp; ++kind)
    for (int vector : {0, 1}) add({{params::OpCode::kReduce, {kind, 1}, {}, 1, true, vector}});
  return found;
}

BlobSpec with_golden(const std::vector<Case>& found, bool wrong) {
  BlobSpec s = program(found);
  BlobSpec::Segment segment;
  segment.kind = 1;
  BlobSpec::Golden golden{{}, static_cast<uint32_t>(s.segments.size()), {}};
  for (const bool second : {false, true}) {
    const std::vector<float> v = inputs(second);
    golden.offsets.push_back(segment.bytes.size());
    const auto* bytes = reinterpret_cast<const uint8_t*>(v.data());
    segment.bytes.insert(segment.bytes.end(), bytes, bytes + 4 * kCount);
  }
  std::vector<uint8_t> out = *run(s);
  if (wrong) out[256 * (found.size() / 2)] ^= 1;
  for (size_t i = 0; i < found.size(); ++i) golden.offsets.push_back(segment.bytes.size() + 256 * i);
  segment.bytes.insert(segment.bytes.end(), out.begin(), out.end());
  s.segments.push_back(segment);
  s.golden.push_back(golden);
  return s;
}

}  // namespace
}  // namespace ert::testing

int main(int argc, char** argv) {
  using namespace ert::testing;
  if (argc != 2 && argc != 3) return 2;
  const std::vector<Case> found = cases();
  std::printf("%zu ops\n", found.size());
  if (found.size() < 50) return 1;  // most of them must take part
  const AlignedBytes blob = with_golden(found, argc == 3).build();
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) return 6;
  const bool written = std::fwrite(blob.data(), 1, blob.size(), file) == blob.size();
  return std::fclose(file) == 0 && written ? 0 : 6;
}
