// Runs a blob on the host through the public C API: used by `edgeconv run`, by validation after conversion and by the tests.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/ir/tensor.h"
#include "rt/include/ert.h"

namespace edgeconv {

// An op that has just run: its name is the source node's; first_parameter, its first int, and floats are those of op_params.h.
struct ObservedOp {
  std::string_view kind;
  std::string name;
  int32_t first_parameter;
  const float* output;  // the first one, if it is float; otherwise null and 0 elements
  size_t elements;
  std::span<const float> floats = {};
  uint32_t index = 0;  // in the program
  const float* input = nullptr;  // the first one, if it is float
  std::vector<int64_t> input_dims = {};
};

struct RunnerOptions {
  uint32_t threads = 1;
  uint32_t isa_mask = 0;             // 0 = the best that the CPU has
  bool custom_ops_as_zeros = false;  // results of custom operators are zeros: for outputs that do not depend on them
  std::function<void(const ObservedOp&)> observe = nullptr;
};

struct BoundaryInfo {
  std::string name;
  DType dtype;
  std::vector<int32_t> shape;  // -1: depends on a dim
  std::vector<int32_t> dim;    // index of the named dim, -1: none
  int32_t min = INT32_MIN, max = INT32_MAX;
  int state = -1;  // an input: the output that a context keeps for it; an output: that input; otherwise -1
};

// The inputs of one run, in order; nothing where the context has them: states.
using Frame = std::vector<std::optional<Tensor>>;

struct NamedDim {
  std::string name;
  int32_t min, max;
};

class BlobSession;

class BlobRunner {
 public:
  // The bytes must stay in place and be 64-byte aligned. Throws FatalError when the blob is refused.
  // called: as messages name it.
  BlobRunner(const void* blob, size_t bytes, const std::string& called = "the blob");
  ~BlobRunner();
  BlobRunner(const BlobRunner&) = delete;
  BlobRunner& operator=(const BlobRunner&) = delete;

  const ert_model& model() const { return model_; }
  const std::vector<BoundaryInfo>& inputs() const { return inputs_; }
  const std::vector<BoundaryInfo>& outputs() const { return outputs_; }
  const std::vector<NamedDim>& dims() const { return dims_; }
  const std::vector<std::string>& custom_ops() const { return custom_ops_; }  // "domain::Name", from the application

  // Dims of one call from the shapes of its inputs; throws FatalError(kUsage) when a dim exceeds its maximum.
  std::vector<int32_t> dims_of(const std::vector<Tensor>& inputs) const;
  std::vector<int32_t> dims_of(const Frame& inputs) const;
  // Without the scratch that the application's custom operators ask for.
  ert_memory_need memory(const std::vector<int32_t>& dims, const RunnerOptions& o) const;
  // One run; contexts are sized for these inputs, and kept for further runs of the same sizes. Throws FatalError; kUnsupported for a blob with custom operators, unless
  // they shall be zeros.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, const RunnerOptions& o = {});
  // Runs that follow each other in one context, from states of zero; the outputs of each. Throws as run.
  std::vector<std::vector<Tensor>> run_in_order(const std::vector<Frame>& frames, const RunnerOptions& o = {});
  // The configuration of a context of this blob; starts threads. Valid until the next call with other threads.
  ert_config config(const RunnerOptions& o);
  // ert_selftest. Returns how many golden vectors were replayed; throws FatalError(kAccuracy) when one gives other bits.
  uint32_t replay_golden(const RunnerOptions& o = {}) const;

 private:
  struct Pool;
  // What a context was made for.
  struct Context {
    std::vector<int32_t> dims;
    uint32_t threads = 0, isa_mask = 0;
    bool operator==(const Context&) const = default;
  };
  void check_runnable(const std::vector<Frame>& frames, const RunnerOptions& o) const;

  ert_model model_;
  std::vector<BoundaryInfo> inputs_, outputs_;
  std::vector<NamedDim> dims_;
  std::vector<std::string> custom_ops_;
  std::vector<ert_custom_op> placeholders_;
  std::unique_ptr<Pool> pool_;
  Context context_;
  std::unique_ptr<BlobSession> session_;  // of the last run
};

}  // namespace edgeconv
