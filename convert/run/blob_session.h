// One context of a blob and the memory that it needs: what BlobRunner makes to run. Keeps the states between its runs.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "convert/run/blob_runner.h"

namespace edgeconv {

struct FreeDelete {
  void operator()(void* p) const { std::free(p); }
};
using AlignedMemory = std::unique_ptr<void, FreeDelete>;

// 64-byte aligned. Throws FatalError(kLimit).
AlignedMemory allocate_aligned(size_t bytes);

// What the op hook of a run gets.
struct Observation {
  const std::function<void(const ObservedOp&)>* observe;
  const ert_context* context;
};

class BlobSession {
 public:
  // For frames of up to these dims. cfg: all but the op hook. The runner stays where it is. Throws FatalError.
  BlobSession(const BlobRunner& runner, ert_config cfg, const std::vector<int32_t>& dims, const RunnerOptions& o);
  BlobSession(const BlobSession&) = delete;
  BlobSession& operator=(const BlobSession&) = delete;
  // The outputs of one run. Throws FatalError.
  std::vector<Tensor> run(const Frame& inputs);

 private:
  [[noreturn]] void refuse(ert_status status, const Frame& inputs, const std::string& what) const;
  Tensor bind_input(size_t i, const Frame& inputs);  // what must live until the run is over

  const BlobRunner& runner_;
  RunnerOptions options_;
  AlignedMemory arena_;
  ert_context context_;
  Observation observation_;
};

}  // namespace edgeconv
