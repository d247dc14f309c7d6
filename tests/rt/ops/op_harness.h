// Runs one op on small tensors the way the runtime does: prepare, then run with scratch of exactly the size that prepare
// asked for. Every run is repeated with three threads in reverse order and in place where the op allows it, and must give
// the same bits; so must the kernels of the best level that the machine has (the others are the reference's), split as on cores that differ, and an op in fp32 that is built for a
// target without an FPU, outside ert's float mode. Bytes behind outputs and scratch must stay untouched.
#pragma once

#include <stdint.h>

#include <functional>
#include <initializer_list>
#include <vector>

#include "rt/ops/op_params.h"
#include "rt/ops/op_defs.h"

namespace ert::test {

using Dims = std::vector<int32_t>;

struct Tensor {
  uint8_t dtype = 0;  // 0 = absent
  Dims dims;
  std::vector<uint8_t> bytes;
  bool constant = false;

  int64_t elements() const;
  template <class T>
  std::vector<T> as() const {
    const T* p = static_cast<const T*>(static_cast<const void*>(bytes.data()));
    return std::vector<T>(p, p + bytes.size() / sizeof(T));
  }
};

Tensor absent();
Tensor f32(Dims dims, std::vector<float> values);
Tensor i32(Dims dims, std::vector<int32_t> values);
Tensor i64(Dims dims, std::vector<int64_t> values);
Tensor boolean(Dims dims, std::vector<uint8_t> values);
Tensor u8(Dims dims, std::vector<uint8_t> values);
Tensor i8(Dims dims, std::vector<int8_t> values);
Tensor i16(Dims dims, std::vector<int16_t> values);
Tensor empty(uint8_t dtype, Dims dims);  // an output, or an input whose contents do not matter
Tensor packed_n16k4(int32_t n, int32_t k, const std::vector<int8_t>& weights);  // weights [n, k]

// Values in [-1, 1], the same for the same seed.
std::vector<float> noise(int64_t n, uint32_t seed);
Tensor noisy(Dims dims, uint32_t seed);

struct OpCase {
  const OpDef* def;
  std::vector<Tensor> inputs, outputs;
  std::vector<int32_t> ints;
  std::vector<float> floats;
  std::vector<int64_t> exprs;
  const ert_custom_op* custom = nullptr;
  std::vector<int32_t> row_starts = {};  // packed rows: batch + 1 entries
  int32_t sequence = 0;                  // packed rows: positions of a sequence
  size_t room = 0;                       // scratch of a context that was made for other dims, a multiple of 64; 0: as much as prepare asks for
};

inline size_t element_size(uint8_t dtype) {
  return dtype == ERT_I64 ? 8 : dtype == ERT_F32 || dtype == ERT_I32 ? 4 : dtype == ERT_I16 ? 2 : 1;
}

bool prepares(const OpCase& c);
uint64_t macs(const OpCase& c);
uint64_t further_steps(const OpCase& c);
size_t scratch_bytes(const OpCase& c);

// Fails the test unless prepare accepts and all ways of running agree. Outputs are filled.
ert_status run(OpCase& c);

template <class T>
std::vector<T> run_for(OpCase c, size_t output = 0) {
  run(c);
  return c.outputs[output].as<T>();
}

// Walks all indices of a shape in order.
void for_each_index(const Dims& dims, const std::function<void(const Dims& index)>& visit);
// Element of a tensor of shape `dims` at `index` under numpy broadcasting, aligned at the last axis.
int64_t broadcast_at(const Dims& dims, const Dims& index);

}  // namespace ert::test
