// Fills inputs by name and range: see inputs.h.
#include "bench/inputs.h"

#include <algorithm>
#include <cstring>

#include "bench/measure.h"
#include "rt/dims.h"
#include "rt/limits.h"
#include "rt/model.h"

namespace ert::bench {
namespace {

// A fixed sequence: results of two runs or two builds can be compared by their output CRC.
class Sequence {
 public:
  explicit Sequence(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33);
  }
  int64_t within(int64_t low, int64_t high) { return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1)); }
  // Sum of 12 uniforms minus 6: mean 0, variance 1, exact in fp32 up to the last rounding.
  float normal() {
    float sum = -6.0f;
    for (int i = 0; i < 12; ++i) sum += static_cast<float>(next() >> 15) * (1.0f / 65536.0f);
    return sum;
  }

 private:
  uint64_t state_;
};

bool holds(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

int64_t length_for(const ert_value_info& info, const std::vector<int32_t>& dims) {
  int64_t length = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool own = std::find(info.dim, info.dim + info.rank, static_cast<int32_t>(d)) != info.dim + info.rank;
    if (!own) length = std::max<int64_t>(length, dims[d]);
  }
  return std::clamp<int64_t>(length, info.min_value, info.max_value);
}

int64_t integer_for(const ert_value_info& info, const std::string& name, const std::vector<int32_t>& dims, Sequence& sequence) {
  if (holds(name, "token_type")) return std::max<int64_t>(0, info.min_value);
  if (holds(name, "mask") || info.max_value == 1 || info.dtype == ERT_BOOL) return 1;
  if (holds(name, "length")) return length_for(info, dims);
  // Without a range nobody knows what fits: small numbers are the least likely to be refused.
  const bool ranged = info.min_value != INT32_MIN || info.max_value != INT32_MAX;
  // Negative ids are legal but rare: they count from the table's end.
  const int64_t low = ranged ? std::max(info.min_value, std::min(info.max_value, 0)) : 0, high = ranged ? info.max_value : 1;
  return sequence.within(low, std::min(high, low + (1 << 20)));
}

void fill(InputData& in, const ert_value_info& info, const std::vector<int32_t>& dims, size_t count, uint64_t seed, int mask) {
  Sequence sequence(seed);
  uint8_t* at = reinterpret_cast<uint8_t*>(in.storage.data());
  for (size_t i = 0; i < count; ++i, at += element_bytes(in.dtype)) {
    if (in.dtype == ERT_F32) {
      const float v = sequence.normal();
      std::memcpy(at, &v, sizeof v);
      continue;
    }
    const int64_t v = mask >= 0 ? mask : integer_for(info, in.name, dims, sequence);  // little-endian: the low bytes come first
    std::memcpy(at, &v, element_bytes(in.dtype));
  }
}

}  // namespace

ert_tensor InputData::tensor() const {
  ert_tensor t{};
  t.struct_size = sizeof t;
  t.dtype = dtype;
  t.rank = static_cast<uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), t.shape);
  t.data = const_cast<uint64_t*>(storage.data());
  t.bytes = bytes;
  return t;
}

std::vector<InputData> make_inputs(const ert_model& m, const std::vector<int32_t>& dims) {
  // Axes may be any expression of the dims, which the public API does not evaluate for a caller.
  const ModelState& state = *model_state(&m);
  const Program p = program_view(state.blob, state.root);
  std::vector<int64_t> exprs(p.exprs.size);
  if (!evaluate_exprs(p, dims.data(), exprs.data())) throw Failure{2, "these dims give no valid shape"};
  std::vector<InputData> inputs;
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    ert_value_info info{};
    info.struct_size = sizeof info;
    ert_model_input(&m, i, &info);
    Operand o;
    if (!resolve_operand(p, p.inputs[i], exprs.data(), &o)) throw Failure{2, "these dims give no valid shape"};
    InputData in;
    in.name = info.name;
    in.dtype = info.dtype;
    in.shape.assign(o.dims, o.dims + o.rank);
    const size_t count = static_cast<size_t>(o.elements());
    in.bytes = count * element_bytes(in.dtype);
    in.storage.resize(in.bytes / sizeof(uint64_t) + 1);
    const bool marks_padding = p.packing.size != 0 && p.packing[0].mask() == i;
    fill(in, info, dims, count, i, marks_padding ? 1 - static_cast<int>(p.packing[0].padding()) : -1);
    inputs.push_back(std::move(in));
  }
  return inputs;
}

}  // namespace ert::bench
