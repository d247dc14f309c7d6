// See blob_session.h.
#include "convert/run/blob_session.h"

#include <algorithm>

#include "convert/ir/diagnostics.h"
#include "convert/run/refusal.h"
#include "convert/run/status.h"
#include "rt/context/context.h"

namespace edgeconv {

namespace {

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

// An op hook. Applications see no values between ops; a host tool may look into the context.
int show_op(void* argument, uint32_t index, uint32_t phase, const char* kind, const char* name) {
  const Observation& o = *static_cast<const Observation*>(argument);
  if (phase == 0) return 0;
  const auto& state = *reinterpret_cast<const ert::ContextState*>(o.context);
  const ert::Program p = ert::program_of(state);
  const ert::fb::Op& op = p.ops[index];
  const ert::Operand& out = state.values[p.operands[op.first_operand() + op.n_inputs()]];
  const bool is_float = out.dtype == ERT_F32;
  const int32_t first = op.n_inputs() > 0 ? p.operands[op.first_operand()] : -1;
  const ert::Operand* in = first >= 0 && state.values[first].dtype == ERT_F32 ? &state.values[first] : nullptr;
  (*o.observe)({kind,
                name,
                op.n_ints() > 0 ? p.ints[op.first_int()] : 0,
                is_float ? out.as<float>() : nullptr,
                is_float ? static_cast<size_t>(out.elements()) : 0,
                {p.floats.data + op.first_float(), op.n_floats()},
                index,
                in ? in->as<float>() : nullptr,
                in ? std::vector<int64_t>(in->dims, in->dims + in->rank) : std::vector<int64_t>()});
  return 0;
}

}  // namespace

AlignedMemory allocate_aligned(size_t bytes) {
  void* p = std::aligned_alloc(64, (std::max<size_t>(bytes, 1) + 63) / 64 * 64);
  if (!p) throw FatalError(ExitCode::kLimit, "out of memory: " + std::to_string(bytes) + " bytes for a run");
  return AlignedMemory(p);
}

BlobSession::BlobSession(const BlobRunner& runner, ert_config cfg, const std::vector<int32_t>& dims, const RunnerOptions& o)
    : runner_(runner), options_(o), observation_{&options_.observe, &context_} {
  if (o.observe) {
    cfg.op_hook = show_op;
    cfg.op_hook_context = &observation_;
  }
  const ert_memory_need need = runner.memory(dims, o);
  arena_ = allocate_aligned(need.bytes);
  const ert_region region{arena_.get(), need.bytes};
  if (const ert_status s = ert_context_init(&context_, &runner.model(), &cfg, dims.empty() ? nullptr : dims.data(), &region, 1);
      s != ERT_OK)
    throw_status(s, "cannot prepare a run");
  if (o.observe) ert::keep_values(&context_);
}

void BlobSession::refuse(ert_status status, const Frame& inputs, const std::string& what) const {
  std::vector<Tensor> bound;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const BoundaryInfo& info = runner_.inputs()[i];
    bound.push_back(inputs[i] ? *inputs[i] : Tensor(info.dtype, std::vector<int64_t>(info.shape.begin(), info.shape.end())));
  }
  ert_error_detail why{};
  why.struct_size = sizeof why;
  const std::string text = ert_last_error(&context_, &why) == ERT_OK ? refusal_text(runner_, bound, why) : "";
  throw_status(status, text.empty() ? what : what + ": " + text);
}

Tensor BlobSession::bind_input(size_t i, const Frame& inputs) {
  const BoundaryInfo& info = runner_.inputs()[i];
  const Tensor& given = *inputs[i];
  const bool narrow = is_whole(given.dtype()) && is_whole(info.dtype) && !binds_as(given.dtype(), info.dtype);
  const bool other_float = is_float(given.dtype()) && given.dtype() != DType::kFloat && info.dtype == DType::kFloat;
  if (const auto lost = narrow && info.dtype != DType::kBool ? given.lost_in(info.dtype) : std::nullopt)
    throw FatalError(ExitCode::kUsage, "input '" + printable(info.name) + "' holds " + std::to_string(*lost) + ", which " +
                                           std::string(dtype_name(info.dtype)) + " does not have");
  Tensor held = narrow || other_float ? given.cast(info.dtype) : given.aligned();
  const ert_tensor t = describe(held);
  if (const ert_status s = ert_bind_input(&context_, static_cast<uint32_t>(i), &t); s != ERT_OK)
    refuse(s, inputs, "input '" + printable(info.name) + "' of type " + std::string(dtype_name(given.dtype())));
  return held;
}

std::vector<Tensor> BlobSession::run(const Frame& inputs) {
  std::vector<Tensor> held;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) {
      held.push_back(bind_input(i, inputs));
    } else if (const ert_status s = ert_bind_input(&context_, static_cast<uint32_t>(i), nullptr); s != ERT_OK) {
      throw FatalError(ExitCode::kUsage,
                       "input '" + printable(runner_.inputs()[i].name) + "' is not given, and is no state of the blob");
    }
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < runner_.outputs().size(); ++i) {
    const std::string name = "output '" + printable(runner_.outputs()[i].name) + "'";
    ert_tensor t{};
    t.struct_size = sizeof t;
    if (const ert_status s = ert_output_shape(&context_, static_cast<uint32_t>(i), &t); s != ERT_OK) refuse(s, inputs, name);
    results.emplace_back(runner_.outputs()[i].dtype, std::vector<int64_t>(t.shape, t.shape + t.rank));
    ert_tensor bound = describe(results.back());
    bound.data = results.back().mutable_data();
    if (const ert_status s = ert_bind_output(&context_, static_cast<uint32_t>(i), &bound); s != ERT_OK) refuse(s, inputs, name);
  }
  if (const ert_status s = ert_run(&context_); s != ERT_OK) refuse(s, inputs, "the run failed");
  return results;
}

}  // namespace edgeconv
