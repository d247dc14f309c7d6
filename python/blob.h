// A blob in memory, opened: what all threads of a Model share. Nothing in it changes after the constructor.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ert.h"
#include "ert_text.h"
#include "platform/posix/file_map.h"

namespace edgeconv_python {

struct FreeDelete {
  void operator()(void* p) const { std::free(p); }
};
using AlignedMemory = std::unique_ptr<void, FreeDelete>;

// 64-byte aligned; at least one byte. Throws std::bad_alloc.
AlignedMemory allocate_aligned(size_t bytes);

class Blob {
 public:
  // Maps the file; a compressed one is expanded into memory. Throws Refusal, std::system_error.
  explicit Blob(const std::string& path);
  ~Blob();
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;

  const ert_model& model() const { return model_; }
  const ert_info& info() const { return info_; }
  const std::vector<ert_value_info>& inputs() const { return inputs_; }
  const std::vector<ert_value_info>& outputs() const { return outputs_; }
  const std::vector<ert_dim_info>& dims() const { return dims_; }
  // Null without a tokenizer.
  const ert_text* text() const { return has_text_ ? &text_ : nullptr; }
  const ert_text_task_info& task() const { return task_; }
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  void open_text();

  ert_file_map map_{};
  AlignedMemory expanded_;
  ert_model model_{};
  ert_info info_{};
  std::vector<ert_value_info> inputs_, outputs_;
  std::vector<ert_dim_info> dims_;
  bool has_text_ = false;
  ert_text text_{};
  ert_text_task_info task_{};
  std::vector<std::string> labels_;
};

}  // namespace edgeconv_python
