// The host side of the C API: owns memory and threads, binds tensors.
#include "convert/run/blob_runner.h"

#include <algorithm>
#include <cstring>

#include "convert/ir/diagnostics.h"
#include "convert/run/refusal.h"
#include "convert/run/status.h"
#include "platform/posix/thread_pool.h"
#include "rt/context/context.h"
#include "rt/blob/header.h"
#include "rt/loading/model.h"
#include "rt/schema/program_generated.h"

namespace edgeconv {

struct FreeDelete {
  void operator()(void* p) const { std::free(p); }
};
// What the op hook of a run gets.
struct Observation {
  const std::function<void(const ObservedOp&)>* observe;
  const ert_context* context;
};

using AlignedMemory = std::unique_ptr<void, FreeDelete>;

namespace {

AlignedMemory allocate(size_t bytes) {
  void* p = std::aligned_alloc(64, (std::max<size_t>(bytes, 1) + 63) / 64 * 64);
  if (!p) throw FatalError(ExitCode::kLimit, "out of memory: " + std::to_string(bytes) + " bytes for a run");
  return AlignedMemory(p);
}

ert_tensor describe(const Tensor& t) {
  ert_tensor r{};
  r.struct_size = sizeof r;
  r.dtype = ert_dtype_of(t.dtype());
  r.rank = static_cast<uint32_t>(t.rank());
  for (int i = 0; i < t.rank() && i < static_cast<int>(ERT_MAX_RANK); ++i)
    r.shape[i] = static_cast<int32_t>(t.dims()[static_cast<size_t>(i)]);
  r.data = const_cast<uint8_t*>(t.data());
  r.bytes = t.bytes();
  return r;
}

bool is_whole(DType d) { return is_integer(d) || d == DType::kBool; }

// ert_bind_input takes either width of integers as it is.
bool binds_as(DType given, DType wanted) {
  const auto boundary_int = [](DType d) { return d == DType::kInt32 || d == DType::kInt64; };
  return given == wanted || (boundary_int(given) && boundary_int(wanted));
}

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

// An op hook. Applications see no values between ops; a host tool may look into the context.
int show_op(void* argument, uint32_t index, uint32_t phase, const char* kind, const char* name) {
  const Observation& o = *static_cast<const Observation*>(argument);
  if (phase == 0) return 0;
  const auto& state = *reinterpret_cast<const ert::ContextState*>(o.context);
  const ert::Program p = ert::program_of(state);
  const ert::fb::Op& op = p.ops[index];
  const ert::Operand& out = state.values[p.operands[op.first_operand() + op.n_inputs()]];
  const bool is_float = out.dtype == ERT_F32;
  (*o.observe)({kind, name, op.n_ints() > 0 ? p.ints[op.first_int()] : 0, is_float ? out.as<float>() : nullptr,
                is_float ? static_cast<size_t>(out.elements()) : 0});
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
  explicit Pool(uint32_t n) : threads(n), storage(allocate(ert_thread_pool_bytes(n))) {
    if (ert_thread_pool_init(&pool, storage.get(), ert_thread_pool_bytes(n), n) != 0)
      throw FatalError(ExitCode::kLimit, "cannot start " + std::to_string(n) + " threads");
  }
  ~Pool() { ert_thread_pool_shutdown(pool); }
  uint32_t threads;
  AlignedMemory storage;
  ert_thread_pool* pool = nullptr;
};

BlobRunner::BlobRunner(const void* blob, size_t bytes) {
  if (bytes == 0) throw FatalError(ExitCode::kMalformed, "the blob is refused: the file is empty");
  if (const ert_status s = ert_model_open(&model_, blob, bytes); s != ERT_OK) throw_status(s, "the blob is refused");
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
                                               printable(info.name) + "', the blob needs at least " + std::to_string(d.min));
      if (size > d.max)
        throw FatalError(ExitCode::kUsage, "dim '" + printable(d.name) + "' is " + std::to_string(size) + " in input '" +
                                               printable(info.name) + "', the blob allows " + std::to_string(d.min) + " to " +
                                               std::to_string(d.max) + "; convert with --dim " + d.name + "=" +
                                               std::to_string(size) + " for larger ones");
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

std::vector<Tensor> BlobRunner::run(const std::vector<Tensor>& inputs, const RunnerOptions& o) {
  return std::move(run_in_order({Frame(inputs.begin(), inputs.end())}, o).front());
}

// A context for frames of up to these dims, and the memory that it needs.
struct BlobRunner::Session {
  Session(BlobRunner& runner, const std::vector<int32_t>& dims, const RunnerOptions& o);
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

BlobRunner::Session::Session(BlobRunner& r, const std::vector<int32_t>& dims, const RunnerOptions& o)
    : runner_(r), options_(o), observation_{&options_.observe, &context_} {
  if (o.threads > 1 && (!r.pool_ || r.pool_->threads != o.threads)) r.pool_ = std::make_unique<Pool>(o.threads);
  ert_config cfg{};
  cfg.struct_size = sizeof cfg;
  cfg.isa_mask = o.isa_mask;
  cfg.threads = o.threads;
  if (o.threads > 1) {
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = r.pool_->pool;
  }
  cfg.custom_ops = r.placeholders_.data();
  cfg.custom_op_count = static_cast<uint32_t>(r.placeholders_.size());
  if (o.observe) {
    cfg.op_hook = show_op;
    cfg.op_hook_context = &observation_;
  }
  const ert_memory_need need = r.memory(dims, o);
  arena_ = allocate(need.bytes);
  const ert_region region{arena_.get(), need.bytes};
  if (const ert_status s = ert_context_init(&context_, &r.model_, &cfg, dims.empty() ? nullptr : dims.data(), &region, 1);
      s != ERT_OK)
    throw_status(s, "cannot prepare a run");
  if (o.observe) ert::keep_values(&context_);
}

void BlobRunner::Session::refuse(ert_status status, const Frame& inputs, const std::string& what) const {
  std::vector<Tensor> bound;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const BoundaryInfo& info = runner_.inputs_[i];
    bound.push_back(inputs[i] ? *inputs[i] : Tensor(info.dtype, std::vector<int64_t>(info.shape.begin(), info.shape.end())));
  }
  ert_error_detail why{};
  why.struct_size = sizeof why;
  const std::string text = ert_last_error(&context_, &why) == ERT_OK ? refusal_text(runner_, bound, why) : "";
  throw_status(status, text.empty() ? what : what + ": " + text);
}

Tensor BlobRunner::Session::bind_input(size_t i, const Frame& inputs) {
  const BoundaryInfo& info = runner_.inputs_[i];
  const Tensor& given = *inputs[i];
  const bool narrow = is_whole(given.dtype()) && is_whole(info.dtype) && !binds_as(given.dtype(), info.dtype);
  const bool other_float = is_float(given.dtype()) && given.dtype() != DType::kFloat && info.dtype == DType::kFloat;
  if (narrow && info.dtype != DType::kBool) {
    const std::vector<int64_t> given_values = given.to_int64(), stored = given.cast(info.dtype).to_int64();
    if (const auto lost = std::mismatch(given_values.begin(), given_values.end(), stored.begin());
        lost.first != given_values.end())
      throw FatalError(ExitCode::kUsage, "input '" + printable(info.name) + "' holds " + std::to_string(*lost.first) +
                                             ", which " + std::string(dtype_name(info.dtype)) + " does not have");
  }
  Tensor held = narrow || other_float ? given.cast(info.dtype) : given.aligned();
  const ert_tensor t = describe(held);
  if (const ert_status s = ert_bind_input(&context_, static_cast<uint32_t>(i), &t); s != ERT_OK)
    refuse(s, inputs, "input '" + printable(info.name) + "' of type " + std::string(dtype_name(given.dtype())));
  return held;
}

std::vector<Tensor> BlobRunner::Session::run(const Frame& inputs) {
  std::vector<Tensor> held;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) {
      held.push_back(bind_input(i, inputs));
    } else if (const ert_status s = ert_bind_input(&context_, static_cast<uint32_t>(i), nullptr); s != ERT_OK) {
      throw FatalError(ExitCode::kUsage,
                       "input '" + printable(runner_.inputs_[i].name) + "' is not given, and is no state of the blob");
    }
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < runner_.outputs_.size(); ++i) {
    const std::string name = "output '" + printable(runner_.outputs_[i].name) + "'";
    ert_tensor t{};
    t.struct_size = sizeof t;
    if (const ert_status s = ert_output_shape(&context_, static_cast<uint32_t>(i), &t); s != ERT_OK) refuse(s, inputs, name);
    results.emplace_back(runner_.outputs_[i].dtype, std::vector<int64_t>(t.shape, t.shape + t.rank));
    ert_tensor bound = describe(results.back());
    bound.data = results.back().mutable_data();
    if (const ert_status s = ert_bind_output(&context_, static_cast<uint32_t>(i), &bound); s != ERT_OK) refuse(s, inputs, name);
  }
  if (const ert_status s = ert_run(&context_); s != ERT_OK) refuse(s, inputs, "the run failed");
  return results;
}

std::vector<std::vector<Tensor>> BlobRunner::run_in_order(const std::vector<Frame>& frames, const RunnerOptions& o) {
  std::vector<int32_t> dims(dims_.size(), 0);
  for (const Frame& f : frames) {
    if (f.size() != inputs_.size())
      throw FatalError(ExitCode::kUsage, "the model has " + std::to_string(inputs_.size()) + " inputs, " +
                                             std::to_string(f.size()) + " were given");
    const std::vector<int32_t> needed = dims_of(f);
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = std::max(dims[d], needed[d]);
  }
  if (!custom_ops_.empty() && !o.custom_ops_as_zeros) {
    std::string names;
    for (const std::string& n : custom_ops_) names += (names.empty() ? "" : ", ") + n;
    throw FatalError(ExitCode::kUnsupported,
                     "the blob calls custom operators that only an application can provide (ert_config.custom_ops): " + names);
  }
  Session session(*this, dims, o);
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
  const AlignedMemory arena = allocate(need.bytes);
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
