// One model of any kind at the C API with inputs that fit it, so that tests can spoil one thing at a time: a size, an element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rt/include/ert.h"

namespace edgeconv::testing {

struct EdgeInput {
  ert_value_info info;
  std::vector<int32_t> shape;
  std::vector<int64_t> ints;  // one of the two, by dtype
  std::vector<int32_t> narrow;
  std::vector<float> floats;
  std::vector<uint8_t> bytes;
  bool as_int32 = false;  // bind ints in 32 bits
  bool is_float() const { return info.dtype == ERT_F32; }
  bool is_wide() const { return info.dtype == ERT_I32 || info.dtype == ERT_I64; }
  bool is_mask() const;
  bool has_range() const { return info.max_value != INT32_MAX; }
  bool is_lengths() const { return is_wide() && info.rank == 1 && !has_range() && !is_mask(); }
  size_t elements() const;
};

class EdgeRunner {
 public:
  explicit EdgeRunner(const std::string& blob_path);  // fails the test and leaves dims() empty when it cannot be opened

  const std::vector<ert_dim_info>& dims() const { return dims_; }
  std::vector<int32_t> smallest(int32_t at_least) const;  // at_least where the range allows it
  // Inputs of these dims with ordinary contents: ids in range, masks of ones, full lengths, token types 0.
  void fill(const std::vector<int32_t>& dims, uint32_t seed);
  std::vector<EdgeInput>& inputs() { return inputs_; }

  // Binds everything and runs. Outputs are filled with a pattern before.
  ert_status run();
  bool untouched() const;                             // every output still has the pattern
  bool finite() const;                                // every float of the outputs' current shapes
  std::vector<std::vector<uint8_t>> outputs() const;  // the bytes of the outputs' current shapes
  ert_error_detail why() const;

 private:
  std::vector<uint64_t> blob_, arena_;
  ert_model model_{};
  ert_context context_{};
  std::vector<ert_dim_info> dims_;
  std::vector<EdgeInput> inputs_;
  std::vector<std::vector<uint64_t>> outputs_;
  std::vector<ert_tensor> shapes_;
};

}  // namespace edgeconv::testing
