// The host side of the C API: owns memory and threads, binds tensors.
#include "convert/run/blob_runner.h"

#include <algorithm>
#include <cstring>

#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_multiple.h"
#include "convert/ir/foreign_text.h"
#include "convert/run/blob_session.h"
#include "convert/run/status.h"
#include "platform/posix/thread_pool.h"
#include "rt/blob/header.h"
#include "rt/loading/model.h"
#include "rt/schema/program_generated.h"

namespace edgeconv {

namespace {

BoundaryInfo boundary(const ert_value_info& v) {
  BoundaryInfo b;
  b.name = v.name;
  b.dtype = dtype_of_ert(v.dtype);
  b.shape.assign(v.shape, v.shape + v.rank);
  b.dim.assign(v.dim, v.dim + v.rank);
  b.min = v.min_value;
  b.max = v.max_value;
  b.state = v.state;
  return b;
}

// Stands in for the application's kernel.
int write_zeros(void*, const ert_custom_attribute*, uint32_t, const ert_tensor*, uint32_t, ert_tensor* outputs, uint32_t count,
                void*) {
  for (uint32_t i = 0; i < count; ++i)
    if (outputs[i].data) std::memset(outputs[i].data, 0, outputs[i].bytes);
  return 0;
}

// The public API does not list them; the blob has been verified.
std::vector<std::string> custom_names(const void* blob) {
  std::vector<std::string> names;
  const auto* ops =
      flatbuffers::GetRoot<ert::fb::Program>(static_cast<const uint8_t*>(blob) + ert::kMetadataOffset)->custom_ops();
  for (uint32_t i = 0; ops && i < ops->size(); ++i)
    if (std::string name = ops->Get(i)->name()->str(); std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  return names;
}

}  // namespace

struct BlobRunner::Pool {
  explicit Pool(uint32_t n) : threads(n), storage(allocate_aligned(ert_thread_pool_bytes(n))) {
    if (ert_thread_pool_init(&pool, storage.get(), ert_thread_pool_bytes(n), n) != 0)
      throw FatalError(ExitCode::kLimit, "cannot start " + std::to_string(n) + " threads");
  }
  ~Pool() { ert_thread_pool_shutdown(pool); }
  uint32_t threads;
  AlignedMemory storage;
  ert_thread_pool* pool = nullptr;
};

BlobRunner::BlobRunner(const void* blob, size_t bytes, const std::string& called) {
  if (bytes == 0)
    throw FatalError(ExitCode::kMalformed, called + " is refused: the file is empty; copy it again, or convert the model again");
  if (const ert_status s = ert_model_open(&model_, blob, bytes); s != ERT_OK) throw_status(s, called + " is refused");
  custom_ops_ = custom_names(blob);
  for (const std::string& name : custom_ops_) {
    ert_custom_op op{};
    op.struct_size = sizeof op;
    op.name = name.c_str();
    op.run = write_zeros;
    placeholders_.push_back(op);
  }
  ert_info info{};
  info.struct_size = sizeof info;
  ert_model_info(&model_, &info);
  ert_value_info v{};
  v.struct_size = sizeof v;
  for (uint32_t i = 0; i < info.inputs; ++i) {
    ert_model_input(&model_, i, &v);
    inputs_.push_back(boundary(v));
  }
  for (uint32_t i = 0; i < info.outputs; ++i) {
    ert_model_output(&model_, i, &v);
    outputs_.push_back(boundary(v));
  }
  for (uint32_t i = 0; i < info.dims; ++i) {
    ert_dim_info d{};
    d.struct_size = sizeof d;
    ert_model_dim(&model_, i, &d);
    dims_.push_back({d.name, d.min, d.max});
  }
}

BlobRunner::~BlobRunner() = default;

std::vector<int32_t> BlobRunner::dims_of(const std::vector<Tensor>& inputs) const {
  return dims_of(Frame(inputs.begin(), inputs.end()));
}

std::vector<int32_t> BlobRunner::dims_of(const Frame& frame) const {
  std::vector<int32_t> dims;
  for (const NamedDim& d : dims_) dims.push_back(d.min);
  for (size_t i = 0; i < frame.size(); ++i) {
    if (!frame[i]) continue;
    const Tensor& given = *frame[i];
    const BoundaryInfo& info = inputs_[i];
    if (given.dims().size() != info.shape.size())
      throw FatalError(ExitCode::kUsage, "input '" + printable(info.name) + "' has rank " + std::to_string(given.rank()) +
                                             ", the model wants " + std::to_string(info.shape.size()));
    for (size_t axis = 0; axis < info.shape.size(); ++axis) {
      const int64_t size = given.dims()[axis];
      if (info.dim[axis] < 0) {
        if (info.shape[axis] >= 0 && info.shape[axis] != size)
          throw FatalError(ExitCode::kUsage, "input '" + printable(info.name) + "': axis " + std::to_string(axis) + " is " +
                                                 std::to_string(size) + ", the model wants " + std::to_string(info.shape[axis]));
        continue;
      }
      const NamedDim& d = dims_[static_cast<size_t>(info.dim[axis])];
      if (size < d.min)
        throw FatalError(ExitCode::kUsage, "dim '" + printable(d.name) + "' is " + std::to_string(size) + " in input '" +
                                               printable(info.name) + "', the blob needs at least " + std::to_string(d.min) +
                                               "; give an input that is not empty");
      if (size > d.max)
        throw FatalError(ExitCode::kUsage, "dim '" + printable(d.name) + "' is " + std::to_string(size) + " in input '" +
                                               printable(info.name) + "', the blob allows " + std::to_string(d.min) + " to " +
                                               std::to_string(d.max) + "; where the model has room for more, convert with --dim " +
                                               shell_word(d.name + "=" + std::to_string(size)));
      if (const int64_t m = multiple_of_dim(d.name); size % m != 0)
        throw FatalError(ExitCode::kUsage, "dim '" + printable(d.name) + "' is " + std::to_string(size) + " in input '" +
                                               printable(info.name) + "', every size of it is a multiple of " + std::to_string(m));
      dims[static_cast<size_t>(info.dim[axis])] = static_cast<int32_t>(size);
    }
  }
  return dims;
}

ert_memory_need BlobRunner::memory(const std::vector<int32_t>& dims, const RunnerOptions& o) const {
  ert_config cfg{};
  cfg.struct_size = sizeof cfg;
  cfg.threads = o.threads;
  cfg.parallel_for = o.threads > 1 ? ert_thread_pool_parallel_for : nullptr;
  cfg.custom_ops = placeholders_.data();
  cfg.custom_op_count = static_cast<uint32_t>(placeholders_.size());
  ert_memory_need need{};
  need.struct_size = sizeof need;
  if (const ert_status s = ert_arena_bytes(&model_, &cfg, dims.empty() ? nullptr : dims.data(), &need); s != ERT_OK)
    throw_status(s, "memory need");
  return need;
}

// Validation sets are many of the same sizes, and a context of a small model takes longer than a run.
std::vector<Tensor> BlobRunner::run(const std::vector<Tensor>& inputs, const RunnerOptions& o) {
  const Frame frame(inputs.begin(), inputs.end());
  if (o.observe) return std::move(run_in_order({frame}, o).front());
  check_runnable({frame}, o);
  const Context wanted{dims_of(frame), o.threads, o.isa_mask};
  if (!session_ || !(wanted == context_)) {
    session_.reset();
    session_ = std::make_unique<BlobSession>(*this, config(o), wanted.dims, o);
    context_ = wanted;
  }
  try {
    return session_->run(frame);
  } catch (...) {
    session_.reset();
    throw;
  }
}

ert_config BlobRunner::config(const RunnerOptions& o) {
  if (o.threads > 1 && (!pool_ || pool_->threads != o.threads)) {
    session_.reset();  // it may run on the threads that end here
    pool_ = std::make_unique<Pool>(o.threads);
  }
  ert_config cfg{};
  cfg.struct_size = sizeof cfg;
  cfg.isa_mask = o.isa_mask;
  cfg.threads = o.threads;
  if (o.threads > 1) {
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = pool_->pool;
  }
  cfg.custom_ops = placeholders_.data();
  cfg.custom_op_count = static_cast<uint32_t>(placeholders_.size());
  return cfg;
}

void BlobRunner::check_runnable(const std::vector<Frame>& frames, const RunnerOptions& o) const {
  for (const Frame& f : frames)
    if (f.size() != inputs_.size())
      throw FatalError(ExitCode::kUsage, "the model has " + std::to_string(inputs_.size()) + " inputs, " +
                                             std::to_string(f.size()) + " were given");
  if (!custom_ops_.empty() && !o.custom_ops_as_zeros) {
    std::string names;
    for (const std::string& n : custom_ops_) names += (names.empty() ? "" : ", ") + n;
    throw FatalError(ExitCode::kUnsupported,
                     "the blob calls custom operators that only an application can provide (ert_config.custom_ops): " + names);
  }
}

std::vector<std::vector<Tensor>> BlobRunner::run_in_order(const std::vector<Frame>& frames, const RunnerOptions& o) {
  check_runnable(frames, o);
  std::vector<int32_t> dims(dims_.size(), 0);
  for (const Frame& f : frames) {
    const std::vector<int32_t> needed = dims_of(f);
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = std::max(dims[d], needed[d]);
  }
  const ert_config cfg = config(o);
  BlobSession session(*this, cfg, dims, o);
  std::vector<std::vector<Tensor>> results;
  for (const Frame& f : frames) results.push_back(session.run(f));
  return results;
}

uint32_t BlobRunner::replay_golden(const RunnerOptions& o) const {
  const ert::ModelState& state = *ert::model_state(&model_);
  const auto* golden = state.root->golden();
  if (!golden || golden->size() == 0) return 0;
  std::vector<int32_t> dims;
  for (const NamedDim& d : dims_) dims.push_back(d.min);
  for (uint32_t i = 0; i < golden->size(); ++i)
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = std::max(dims[d], golden->Get(i)->dims()->Get(static_cast<uint32_t>(d)));
  ert_config cfg{};
  cfg.struct_size = sizeof cfg;
  cfg.isa_mask = o.isa_mask;
  cfg.custom_ops = placeholders_.data();
  cfg.custom_op_count = static_cast<uint32_t>(placeholders_.size());
  const ert_memory_need need = memory(dims, {});
  const AlignedMemory arena = allocate_aligned(need.bytes);
  const ert_region region{arena.get(), need.bytes};
  ert_context context;
  if (const ert_status s = ert_context_init(&context, &model_, &cfg, dims.empty() ? nullptr : dims.data(), &region, 1);
      s != ERT_OK)
    throw_status(s, "cannot replay the golden vectors");
  if (const ert_status s = ert_selftest(&context); s != ERT_OK)
    throw_status(
        s, "the golden vectors of the conversion do not replay bit for bit: the blob's contents are not what was converted");
  return golden->size();
}

}  // namespace edgeconv
