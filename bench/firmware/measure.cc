// Times a blob at one shape on a board: see bench.h.
#include "bench/firmware/bench.h"
#include "bench/input_values.h"
#include "platform/platform.h"
#include "rt/blob/crc32c.h"
#include "rt/sizes/dims.h"
#include "rt/loading/model.h"

namespace ert::bench {
namespace {

struct Profile {
  BoardOp* ops;
  uint64_t start;
};

int profile_hook(void* context, uint32_t op, uint32_t phase, const char* kind, const char* name) {
  Profile& p = *static_cast<Profile*>(context);
  if (phase == 0) {
    p.ops[op].kind = kind;
    p.ops[op].name = name;
    p.start = ert_clock_ns();
  } else {
    p.ops[op].ns += ert_clock_ns() - p.start;
  }
  return 0;
}

ert_status bind_inputs(ert_context* context, const ert_model& model, const int32_t* dims, BulkMemory* memory) {
  const ModelState& state = *model_state(&model);
  const Program p = program_view(state.blob, state.root);
  int64_t* exprs = static_cast<int64_t*>(memory->take(p.exprs.size * sizeof(int64_t)));
  if (exprs == nullptr) return ERT_ERR_NOMEM;
  if (!evaluate_exprs(p, dims, exprs)) return ERT_ERR_DIMS;
  ert_status status = ERT_OK;
  for (uint32_t i = 0; i < p.inputs.size && status == ERT_OK; ++i) {
    InputValues values;
    if (!describe_input(model, p, i, exprs, &values)) return ERT_ERR_DIMS;
    void* data = memory->take(values.bytes);
    if (data == nullptr) return ERT_ERR_NOMEM;
    fill_input(values, i, dims, p.dims.size, data);
    ert_tensor t = {};
    t.struct_size = sizeof t;
    t.dtype = values.info.dtype;
    t.rank = values.shape.rank;
    for (uint32_t axis = 0; axis < t.rank; ++axis) t.shape[axis] = values.shape.dims[axis];
    t.data = data;
    t.bytes = values.bytes;
    status = ert_bind_input(context, i, &t);
  }
  return status;
}

ert_tensor output_of(ert_context* context, uint32_t i, ert_status* status) {
  ert_tensor t = {};
  t.struct_size = sizeof t;
  *status = ert_output_shape(context, i, &t);
  return t;
}

// Binds the outputs one behind the other; returns where they start, each at the next multiple of 64.
ert_status bind_outputs(ert_context* context, uint32_t n, BulkMemory* memory, void** first) {
  ert_status status = ERT_OK;
  for (uint32_t i = 0; i < n && status == ERT_OK; ++i) {
    ert_tensor t = output_of(context, i, &status);
    if (status != ERT_OK) break;
    t.data = memory->take(t.bytes);
    if (t.data == nullptr) return ERT_ERR_NOMEM;
    if (i == 0) *first = t.data;
    status = ert_bind_output(context, i, &t);
  }
  return status;
}

// Of all outputs, in order.
uint32_t crc_of_outputs(ert_context* context, uint32_t n, const void* first) {
  const uint8_t* at = static_cast<const uint8_t*>(first);
  uint32_t crc = 0;
  for (uint32_t i = 0; i < n; ++i) {
    ert_status status;
    const ert_tensor t = output_of(context, i, &status);
    crc = crc32c(crc, at, t.bytes);
    at += (t.bytes + 63) / 64 * 64;
  }
  return crc;
}

ert_status run_often(ert_context* context, uint32_t runs, uint64_t* times) {
  ert_status status = ERT_OK;
  for (uint32_t i = 0; i < runs && status == ERT_OK; ++i) {
    const uint64_t start = ert_clock_ns();
    status = ert_run(context);
    if (times != nullptr) times[i] = ert_clock_ns() - start;
  }
  return status;
}

// Nearest rank: the smallest sample that at least `percent` of all samples does not exceed.
uint64_t percentile(const uint64_t* sorted, uint32_t n, uint32_t percent) {
  const uint32_t rank = (n * percent + 99) / 100;
  return sorted[(rank < 1 ? 1 : rank) - 1];
}

void summarize(uint64_t* times, uint32_t n, BoardResult* r) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const uint64_t t = times[i];
    sum += t;
    uint32_t at = i;
    for (; at > 0 && times[at - 1] > t; --at) times[at] = times[at - 1];
    times[at] = t;
  }
  r->min = times[0];
  r->max = times[n - 1];
  r->p50 = percentile(times, n, 50);
  r->p90 = percentile(times, n, 90);
  r->p99 = percentile(times, n, 99);
  r->mean = sum / n;
}

ert_context context;

}  // namespace

ert_status measure_on_board(const ert_model& model, const BoardOptions& options, BulkMemory memory, BoardResult* r) {
  ert_config cfg = {};
  cfg.struct_size = sizeof cfg;
  cfg.isa_mask = options.isa_mask;
  ert_info info = {};
  info.struct_size = sizeof info;
  ert_memory_need need = {};
  need.struct_size = sizeof need;
  ert_status status = ert_model_info(&model, &info);
  if (status == ERT_OK) status = ert_model_macs(&model, r->dims, &r->macs);
  if (status == ERT_OK) status = ert_arena_bytes(&model, &cfg, r->dims, &need);
  if (status != ERT_OK) return status;
  r->arena_bytes = need.bytes;
  uint64_t* times = static_cast<uint64_t*>(memory.take(options.runs * sizeof(uint64_t)));
  Profile profile = {static_cast<BoardOp*>(memory.take(info.ops * sizeof(BoardOp))), 0};
  const ert_region region = {memory.take(need.bytes), need.bytes};
  if (times == nullptr || profile.ops == nullptr || region.base == nullptr) return ERT_ERR_NOMEM;
  void* outputs = nullptr;
  // A second context for the profile: the hook costs time itself.
  for (int profiled = 0; profiled <= (options.profile ? 1 : 0) && status == ERT_OK; ++profiled) {
    if (profiled != 0) {
      cfg.op_hook = profile_hook;
      cfg.op_hook_context = &profile;
    }
    BulkMemory rest = memory;
    const uint64_t start = ert_clock_ns();
    status = ert_context_init(&context, &model, &cfg, r->dims, &region, 1);
    if (profiled == 0) r->init = ert_clock_ns() - start;
    if (status == ERT_OK) status = bind_inputs(&context, model, r->dims, &rest);
    if (status == ERT_OK) status = bind_outputs(&context, info.outputs, &rest, &outputs);
    if (status == ERT_OK && profiled == 0) status = run_often(&context, 1, &r->first_run);
    if (status == ERT_OK) status = run_often(&context, options.warmup, nullptr);
    for (uint32_t i = 0; i < info.ops; ++i) profile.ops[i].ns = 0;
    if (status == ERT_OK) status = run_often(&context, options.runs, profiled == 0 ? times : nullptr);
    if (status == ERT_OK && profiled == 0) {
      summarize(times, options.runs, r);
      r->output_crc = crc_of_outputs(&context, info.outputs, outputs);
      status = ert_context_isa(&context, &r->isa);
    }
  }
  r->ops = options.profile ? profile.ops : nullptr;
  r->n_ops = options.profile ? info.ops : 0;
  return status;
}

}  // namespace ert::bench
