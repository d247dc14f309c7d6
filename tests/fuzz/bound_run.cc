// See bound_run.h.
#include "tests/fuzz/bound_run.h"

#include "tests/fuzz/canary.h"

#include "rt/blob/header.h"
#include "rt/sizes/dims.h"
#include "rt/base/limits.h"

namespace ert::fuzz {
namespace {

Program program_of(const uint8_t* blob) { return program_view(blob, flatbuffers::GetRoot<fb::Program>(blob + kMetadataOffset)); }

void backwards(void* context, uint32_t tasks, ert_task task, void* arg) {
  const uint32_t threads = *static_cast<const uint32_t*>(context);
  for (uint32_t i = tasks; i-- > 0;) task(arg, i, i % threads);
}

// Reads all that a kernel may read, and writes all that it must write.
int custom_run(void*, const ert_custom_attribute* attributes, uint32_t n, const ert_tensor* inputs, uint32_t n_inputs,
               ert_tensor* outputs, uint32_t n_outputs, void* scratch) {
  uint32_t sum = 1;
  for (uint32_t i = 0; i < n; ++i) {
    const ert_custom_attribute& a = attributes[i];
    sum += static_cast<uint32_t>(std::strlen(a.name));
    if (a.kind == 2) sum += static_cast<uint32_t>(std::strlen(a.string));
    if ((a.kind == 0 || a.kind == 1) && a.count != 1) finding("an attribute that is one number", a.count);
    for (uint32_t k = 0; (a.kind == 0 || a.kind == 3) && k < a.count; ++k) sum += static_cast<uint32_t>(a.ints[k]);
    for (uint32_t k = 0; (a.kind == 1 || a.kind == 4) && k < a.count; ++k) sum += a.floats[k] > 0;
    if (a.kind > 4) finding("an attribute's kind", a.kind);
  }
  for (uint32_t i = 0; i < n_inputs; ++i) {
    for (size_t b = 0; inputs[i].data != nullptr && b < inputs[i].bytes; ++b)
      sum = sum * 31 + static_cast<const uint8_t*>(inputs[i].data)[b];
  }
  std::memset(scratch, 7, 96);
  for (uint32_t i = 0; i < n_outputs; ++i) {
    if (outputs[i].data != nullptr) std::memset(outputs[i].data, static_cast<int>(sum & 1), outputs[i].bytes);
  }
  return 0;
}

struct Setup {
  ert_config cfg{};
  std::vector<ert_custom_op> customs;
  uint32_t threads;
  Setup(const Program& p, const Way& way) : threads(way.threads) {
    cfg.struct_size = sizeof cfg;
    cfg.isa_mask = way.isa_mask;
    cfg.threads = way.threads;
    cfg.parallel_for = way.threads > 1 ? backwards : nullptr;
    cfg.parallel_context = &threads;
    const auto* ops = p.root->custom_ops();
    for (uint32_t i = 0; ops != nullptr && i < ops->size(); ++i) {
      customs.push_back({});
      customs.back().struct_size = sizeof(ert_custom_op);
      customs.back().name = ops->Get(i)->name()->c_str();
      customs.back().run = custom_run;
      customs.back().scratch_bytes = 96;
    }
    cfg.custom_ops = customs.data();
    cfg.custom_op_count = static_cast<uint32_t>(customs.size());
  }
  Setup(const Setup&) = delete;
};

// Contents that many ops accept: small ids, masks, floats around 0.
void fill(RandomNumbers* r, const ert_value_info& info, uint32_t dtype, uint8_t* data, size_t bytes) {
  const bool odd = r->integer(0, 15) == 0;
  if (dtype == ERT_F32) {
    for (size_t i = 0; i < bytes / 4; ++i) {
      float x = r->normal();
      if (r->integer(0, 7) == 0) x = r->integer(0, 1) != 0 ? 0.0f : 1.0f;
      if (odd && r->integer(0, 3) == 0) x *= 1e4f;
      std::memcpy(data + 4 * i, &x, 4);
    }
    return;
  }
  const size_t size = element_bytes(dtype);
  for (size_t i = 0; i < bytes / size; ++i) {
    int64_t x = r->integer(0, r->integer(0, 1) != 0 ? 1 : 4);
    if (x < info.min_value || x > info.max_value) x = info.min_value;
    if (odd && r->integer(0, 3) == 0) x = static_cast<int64_t>(r->bits());
    if (dtype == ERT_BOOL) x &= 1;
    std::memcpy(data + size * i, &x, size);
  }
}

struct Evaluated {
  std::vector<int64_t> exprs;
  Evaluated(const Program& p, const int32_t* dims) : exprs(p.exprs.size + 1) { ok = evaluate_exprs(p, dims, exprs.data()); }
  bool ok;
};

}  // namespace

bool choose_dims(const ert_model& m, const uint8_t* blob, RandomNumbers* random, int32_t* dims) {
  const Program p = program_of(blob);
  for (uint32_t i = 0; i < p.dims.size; ++i) {
    const int32_t room = p.dims[i].max() - p.dims[i].min();
    dims[i] = p.dims[i].min() + (random->integer(0, 2) == 0 ? 0 : random->integer(0, room < 6 ? room : 6));
  }
  const Setup setup(p, {});
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Evaluated sizes(p, dims);
    uint64_t macs = 0;
    ert_memory_need need{};
    need.struct_size = sizeof need;
    const ert_status status = ert_arena_bytes(&m, &setup.cfg, dims, &need);
    bool fits = sizes.ok && status == ERT_OK && need.bytes <= kMostArena && ert_model_macs(&m, dims, &macs) == ERT_OK &&
                macs <= kMostMacs;
    uint64_t tensors = 0;
    for (uint32_t v = 0; fits && v < p.values.size; ++v) {
      Operand o;
      size_t bytes = 0;
      fits = resolve_operand(p, v, sizes.exprs.data(), &o) && operand_bytes(o, &bytes);
      tensors += bytes;
      fits = fits && tensors <= kMostTensors;
    }
    if (fits) return true;
    for (uint32_t i = 0; i < p.dims.size; ++i) dims[i] = p.dims[i].min();
  }
  return false;
}

RunResult run_bound(const ert_model& m, const uint8_t* blob, const int32_t* dims, uint32_t seed, const Way& way) {
  const char key[4] = {static_cast<char>(1 + seed % 250), static_cast<char>(1 + seed / 250 % 250), 'i', 0};
  RandomNumbers random(key);
  const Program p = program_of(blob);
  const Setup setup(p, way);
  const Evaluated sizes(p, dims);
  RunResult result;
  ert_memory_need need{};
  need.struct_size = sizeof need;
  result.status = ert_arena_bytes(&m, &setup.cfg, dims, &need);
  if (result.status != ERT_OK) return result;
  ert_context c;
  ExactBytes arena(need.bytes);
  const ert_region exact{arena.data(), need.bytes}, short_of{arena.data(), need.bytes - 1};
  if (need.bytes > 0 && ert_context_init(&c, &m, &setup.cfg, dims, &short_of, 1) == ERT_OK)
    finding("a byte less than the need suffices");
  std::memset(arena.data(), 0x7F, need.bytes);
  const size_t first = need.table_bytes + need.scratch_bytes;
  ExactBytes fast(first), slow(need.bytes);
  const ert_region regions[2] = {{fast.data(), first}, {slow.data(), need.bytes}};
  const ert_status init = way.two_regions ? ert_context_init(&c, &m, &setup.cfg, dims, regions, 2)
                                          : ert_context_init(&c, &m, &setup.cfg, dims, &exact, 1);
  if (init != ERT_OK) finding("init refuses what arena_bytes says", init);

  std::vector<std::unique_ptr<ExactBytes>> buffers;
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    ert_value_info info{};
    info.struct_size = sizeof info;
    ert_model_input(&m, i, &info);
    Operand o;
    size_t bytes = 0;
    if (!resolve_operand(p, p.inputs[i], sizes.exprs.data(), &o)) finding("an input without a shape", i);
    o.dtype = static_cast<uint8_t>(info.dtype);
    operand_bytes(o, &bytes);
    buffers.push_back(std::make_unique<ExactBytes>(bytes));
    fill(&random, info, info.dtype, buffers.back()->data(), bytes);
    ert_tensor t{};
    t.struct_size = sizeof t;
    t.dtype = info.dtype;
    t.rank = o.rank;
    for (uint32_t axis = 0; axis < o.rank; ++axis) t.shape[axis] = o.dims[axis];
    t.data = buffers.back()->data();
    t.bytes = bytes;
    result.status = ert_bind_input(&c, i, &t);
    if (result.status != ERT_OK) return result;
  }
  const size_t first_output = buffers.size();
  for (uint32_t i = 0; i < p.outputs.size; ++i) {
    ert_tensor t{};
    t.struct_size = sizeof t;
    result.status = ert_output_shape(&c, i, &t);
    if (result.status != ERT_OK) return result;
    if (t.bytes > kMostTensors * 2) finding("an output larger than its values", static_cast<long long>(t.bytes));
    buffers.push_back(std::make_unique<ExactBytes>(t.bytes));
    t.data = buffers.back()->data();
    std::memset(t.data, 0x7F, t.bytes);
    result.dtypes.push_back(t.dtype);
    result.status = ert_bind_output(&c, i, &t);
    if (result.status != ERT_OK) return result;
  }
  if (way.steps) {
    uint32_t steps = 0;
    while ((result.status = ert_step(&c)) == ERT_STEP_MORE) {
      if (++steps > p.ops.size) finding("more steps than ops", steps);
    }
  } else {
    result.status = ert_run(&c);
  }
  if (result.status == ERT_OK) {
    for (size_t i = first_output; i < buffers.size(); ++i) {
      result.outputs.emplace_back(buffers[i]->data(), buffers[i]->data() + buffers[i]->size());
    }
  }
  plant_memory(arena.data(), need.bytes);
  result.selftest = ert_selftest(&c);
  return result;
}

}  // namespace ert::fuzz
