// Fills inputs by name and range: see input_values.h.
#include "bench/input_values.h"

#include <string.h>

#include "rt/sizes/dims.h"

namespace ert::bench {
namespace {

// A fixed sequence: results of two runs, two builds or two targets can be compared by their output CRC.
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

bool starts_with(const char* text, const char* part) {
  while (*part != '\0' && *text == *part) ++text, ++part;
  return *part == '\0';
}

bool holds(const char* name, const char* part) {
  for (; *name != '\0'; ++name) {
    if (starts_with(name, part)) return true;
  }
  return false;
}

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t length_for(const ert_value_info& info, const int32_t* dims, uint32_t n_dims) {
  int64_t length = 1;
  for (uint32_t d = 0; d < n_dims; ++d) {
    bool own = false;
    for (uint32_t axis = 0; axis < info.rank; ++axis) own = own || info.dim[axis] == static_cast<int32_t>(d);
    if (!own) length = most(length, dims[d]);
  }
  return most(info.min_value, least(info.max_value, length));
}

int64_t integer_for(const ert_value_info& info, const int32_t* dims, uint32_t n_dims, Sequence* sequence) {
  if (holds(info.name, "token_type")) return most(0, info.min_value);
  if (holds(info.name, "mask") || info.max_value == 1 || info.dtype == ERT_BOOL) return 1;
  if (holds(info.name, "length")) return length_for(info, dims, n_dims);
  // Without a range nobody knows what fits: small numbers are the least likely to be refused.
  const bool ranged = info.min_value != INT32_MIN || info.max_value != INT32_MAX;
  // Negative ids are legal but rare: they count from the table's end.
  const int64_t low = ranged ? most(info.min_value, least(info.max_value, 0)) : 0, high = ranged ? info.max_value : 1;
  return sequence->within(low, least(high, low + (1 << 20)));
}

}  // namespace

bool describe_input(const ert_model& m, const Program& p, uint32_t i, const int64_t* exprs, InputValues* out) {
  out->info = ert_value_info{};
  out->info.struct_size = sizeof out->info;
  if (ert_model_input(&m, i, &out->info) != ERT_OK || !resolve_operand(p, p.inputs[i], exprs, &out->shape)) return false;
  out->count = static_cast<size_t>(out->shape.elements());
  out->bytes = out->count * element_bytes(out->info.dtype);
  const bool marks_padding = p.packing.size != 0 && p.packing[0].mask() == i;
  out->token_mark = marks_padding ? 1 - static_cast<int>(p.packing[0].padding()) : -1;
  return true;
}

void fill_input(const InputValues& in, uint32_t i, const int32_t* dims, uint32_t n_dims, void* to) {
  Sequence sequence(i);
  uint8_t* at = static_cast<uint8_t*>(to);
  const size_t width = element_bytes(in.info.dtype);
  for (size_t k = 0; k < in.count; ++k, at += width) {
    if (in.info.dtype == ERT_F32) {
      const float v = sequence.normal();
      memcpy(at, &v, sizeof v);
      continue;
    }
    // Little-endian: the low bytes come first.
    const int64_t v = in.token_mark >= 0 ? in.token_mark : integer_for(in.info, dims, n_dims, &sequence);
    memcpy(at, &v, width);
  }
}

}  // namespace ert::bench
