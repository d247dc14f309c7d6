// A context of one thread, with the memory that its largest run so far needed. Calls do not touch Python: the interpreter's lock is free meanwhile.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/posix/thread_pool.h"
#include "python/blob.h"

namespace edgeconv_python {

struct Settings {
  uint32_t threads = 1;
  uint32_t isa_mask = 0;  // 0: the best that there is
};

struct Scored {
  std::string label;
  float score;
  size_t start, end;  // bytes of the text, of qa's context
};

struct Answer {
  std::vector<float> vector;
  std::vector<Scored> scored;
  bool truncated = false;
};

struct Question {
  std::string text;
  std::optional<std::string> pair;
  std::vector<std::string> labels;
  uint32_t top = 0;
};

class Session {
 public:
  Session(const Blob& blob, const Settings& settings);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // inputs: one for each of the blob, data null for a state that the context keeps. allocate: gives memory for output i of this shape. Throws Refusal.
  void run(const std::vector<ert_tensor>& inputs, const std::function<void*(size_t i, const ert_tensor& shape)>& allocate);
  Answer answer(const Question& q);
  void reset_states();
  ert_isa isa();

 private:
  // Room for these dims: a context that is too small is made again for the largest of both.
  void reserve(const std::vector<int32_t>& dims);
  std::vector<int32_t> dims_of(const std::vector<ert_tensor>& inputs) const;
  std::vector<int32_t> dims_of_one_text() const;
  [[noreturn]] void refuse(ert_status s) const;

  const Blob& blob_;
  ert_config config_{};
  AlignedMemory pool_memory_, arena_, work_;
  ert_thread_pool* pool_ = nullptr;
  size_t work_bytes_ = 0;
  std::vector<int32_t> dims_;  // of the context; empty: there is none yet
  bool ready_ = false;
  ert_context context_{};
};

// Ids of one text and its pair, as the blob cuts them. Throws Refusal.
std::vector<int32_t> encode(const Blob& blob, const std::string& text, const std::optional<std::string>& pair,
                            bool special_tokens);

}  // namespace edgeconv_python
