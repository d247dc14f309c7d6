#include "python/blob.h"

#include <new>
#include <system_error>

#include "python/refusal.h"

namespace edgeconv_python {

AlignedMemory allocate_aligned(size_t bytes) {
  void* p = std::aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (p == nullptr) throw std::bad_alloc();
  return AlignedMemory(p);
}

Blob::Blob(const std::string& path) {
  if (const int error = ert_file_map_open(&map_, path.c_str()); error != 0)
    throw std::system_error(error, std::generic_category(), path);
  const void* data = map_.data;
  size_t bytes = map_.bytes;
  ert_status s = ert_model_open(&model_, data, bytes);
  if (s == ERT_ERR_COMPRESSED) {
    size_t out = 0, work = 0;
    s = ert_unpack_bytes(data, bytes, &out, &work);
    if (s == ERT_OK) {
      expanded_ = allocate_aligned(out);
      const AlignedMemory scratch = allocate_aligned(work);
      s = ert_unpack(data, bytes, expanded_.get(), out, scratch.get(), work);
      if (s == ERT_OK) s = ert_model_open(&model_, expanded_.get(), out);
    }
  }
  if (s != ERT_OK) {
    ert_file_map_close(&map_);
    throw Refusal(s, path + ": the blob is refused: " + ert_status_str(s) + "; copy it again, or convert the model again");
  }
  info_.struct_size = sizeof info_;
  ert_model_info(&model_, &info_);
  inputs_.resize(info_.inputs), outputs_.resize(info_.outputs), dims_.resize(info_.dims);
  for (uint32_t i = 0; i < info_.inputs; ++i)
    inputs_[i].struct_size = sizeof inputs_[i], ert_model_input(&model_, i, &inputs_[i]);
  for (uint32_t i = 0; i < info_.outputs; ++i)
    outputs_[i].struct_size = sizeof outputs_[i], ert_model_output(&model_, i, &outputs_[i]);
  for (uint32_t i = 0; i < info_.dims; ++i) dims_[i].struct_size = sizeof dims_[i], ert_model_dim(&model_, i, &dims_[i]);
  try {
    open_text();
  } catch (...) {
    ert_file_map_close(&map_);
    throw;
  }
}

void Blob::open_text() {
  const ert_status s = ert_text_open(&text_, &model_);
  if (s == ERT_ERR_UNSUPPORTED) return;
  if (s != ERT_OK)
    throw Refusal(s, std::string("the blob's tokenizer is refused: ") + ert_status_str(s) + "; convert the model again");
  has_text_ = true;
  task_.struct_size = sizeof task_;
  if (const ert_status t = ert_text_task_of(&text_, &model_, &task_); t != ERT_OK)
    throw Refusal(t, std::string("the blob's task is refused: ") + ert_status_str(t) + "; convert the model again");
  for (uint32_t i = 0; i < task_.labels; ++i) {
    const char* name = nullptr;
    size_t bytes = 0;
    if (ert_text_label(&text_, i, &name, &bytes) == ERT_OK) labels_.emplace_back(name, bytes);
  }
}

Blob::~Blob() { ert_file_map_close(&map_); }

}  // namespace edgeconv_python
