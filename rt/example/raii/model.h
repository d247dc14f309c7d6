// Owners of what ert leaves to its caller: the blob, the memory of a context, the working memory of texts. Copy it and change it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ert.h"
#include "ert_text.h"

namespace example {

/// What ert refused, as an exception; `status` is for code, what() for people.
struct Refused : std::runtime_error {
  Refused(const std::string& what, ert_status s) : std::runtime_error(what + ": " + ert_status_str(s)), status(s) {}
  ert_status status;
};

inline void demand(ert_status status, const char* what) {
  if (status != ERT_OK) throw Refused(what, status);
}

/// Every struct that a caller fills begins with its size.
template <class T>
T sized() {
  T value{};
  value.struct_size = sizeof value;
  return value;
}

/// Memory with the alignment that ert wants of blobs (ERT_BLOB_ALIGN) and arenas (ERT_ARENA_ALIGN).
class Memory {
 public:
  static constexpr std::size_t kAlign = ERT_BLOB_ALIGN > ERT_ARENA_ALIGN ? ERT_BLOB_ALIGN : ERT_ARENA_ALIGN;

  explicit Memory(std::size_t bytes) : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kAlign}))) {}
  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{kAlign}); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> data_;
};

inline Memory read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  Memory memory(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(memory.data()), static_cast<std::streamsize>(memory.bytes())))
    throw std::runtime_error(path + ": cannot be read");
  return memory;
}

/// A verified blob and its tokenizer. Constant once it is made: any number of threads share one, each with a Classifier of its own.
class Model {
 public:
  explicit Model(Memory blob) : blob_(std::move(blob)) {
    demand(ert_model_open(&model_, blob_.data(), blob_.bytes()), "open");
    demand(ert_text_open(&text_, &model_), "tokenizer");
  }
  const ert_model* get() const { return &model_; }
  const ert_text* text() const { return &text_; }
  std::string_view label(std::uint32_t i) const {
    const char* name = nullptr;
    std::size_t bytes = 0;
    demand(ert_text_label(&text_, i, &name, &bytes), "label");
    return {name, bytes};  // in the blob
  }

 private:
  Memory blob_;  // ert reads the weights from it as long as the model is used
  ert_model model_{};
  ert_text text_{};
};

/// A context with its memory, for one thread at a time. It neither moves nor is copied: ert keeps addresses inside of it.
class Classifier {
 public:
  struct Answer {
    std::string_view label;
    float score;
  };

  Classifier(std::shared_ptr<const Model> model, std::size_t max_text) : model_(std::move(model)), arena_(arena_bytes()), max_text_(max_text) {
    const ert_region region{arena_.data(), arena_.bytes()};
    demand(ert_context_init(&context_, model_->get(), nullptr, dims().data(), &region, 1), "context");
    auto task = sized<ert_text_task_info>();
    demand(ert_text_task_of(model_->text(), model_->get(), &task), "task");
    if (task.task != ERT_TEXT_CLASSIFY) throw std::runtime_error("the blob does not classify texts");
    scored_.resize(task.labels);
    std::size_t need = 0;
    demand(ert_text_run_bytes(model_->text(), &context_, max_text, 0, &need), "working memory");
    work_.resize((need + 7) / 8);
  }
  Classifier(const Classifier&) = delete;
  Classifier& operator=(const Classifier&) = delete;

  Answer classify(std::string_view text) {
    if (text.size() > max_text_) throw std::length_error("a text of more than " + std::to_string(max_text_) + " bytes");
    auto question = sized<ert_question>();
    question.text = text.data();
    question.bytes = text.size();
    auto answer = sized<ert_answer>();
    answer.scored = scored_.data();
    answer.capacity = static_cast<std::uint32_t>(scored_.size());
    demand(ert_text_run(&context_, model_->text(), &question, work_.data(), work_.size() * 8, &answer), "run");
    return {model_->label(scored_[0].label), scored_[0].score};
  }

 private:
  /// One text at a time: the dim named batch is 1, the others are as large as the model lets them be.
  std::vector<std::int32_t> dims() const {
    auto info = sized<ert_info>();
    demand(ert_model_info(model_->get(), &info), "info");
    std::vector<std::int32_t> dims(info.dims);
    for (std::uint32_t i = 0; i < info.dims; ++i) {
      auto dim = sized<ert_dim_info>();
      demand(ert_model_dim(model_->get(), i, &dim), "dim");
      dims[i] = std::string_view(dim.name) == "batch" ? dim.min : dim.max;
    }
    return dims;
  }
  std::size_t arena_bytes() const {
    auto need = sized<ert_memory_need>();
    demand(ert_arena_bytes(model_->get(), nullptr, dims().data(), &need), "memory");
    return need.bytes;
  }

  std::shared_ptr<const Model> model_;
  Memory arena_;
  std::size_t max_text_;
  ert_context context_{};
  std::vector<ert_scored> scored_;
  std::vector<std::uint64_t> work_;
};

}  // namespace example
