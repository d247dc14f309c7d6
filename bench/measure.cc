// Times a blob at one shape: see measure.h.
#include "bench/measure.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>

#include "bench/context_parts.h"
#include "bench/inputs.h"
#include "rt/blob/crc32c.h"

namespace ert::bench {
namespace {

// The samples of each op: the median of them, because one context switch in one run would make an op look expensive.
struct Profile {
  std::vector<OpTime> ops;
  std::vector<std::vector<double>> samples;  // [op], us
  uint64_t start = 0;
};

int profile_hook(void* context, uint32_t op, uint32_t phase, const char* kind, const char* name) {
  Profile& p = *static_cast<Profile*>(context);
  if (phase == 0) {
    if (p.ops.size() <= op) p.ops.resize(op + 1), p.samples.resize(op + 1);
    p.ops[op].kind = kind;
    p.ops[op].name = name;
    p.start = ert_clock_ns();
  } else {
    p.samples[op].push_back(us_since(p.start));
  }
  return 0;
}

std::string levels_here() {
  std::string names;
  for (int isa = 0; isa < 32; ++isa)
    if ((ert_isa_available() >> isa & 1) != 0)
      names += (names.empty() ? "" : ", ") + std::string(ert_isa_name(static_cast<ert_isa>(isa)));
  return names;
}

// One context for one shape, with inputs and outputs bound.
class Session {
 public:
  Session(const Blob& blob, const std::vector<int32_t>& dims, const Options& options, ert_op_hook hook, void* hook_context)
      : threads_(options.threads), inputs_(make_inputs(blob.model(), dims)) {
    ert_config cfg{};
    cfg.struct_size = sizeof cfg;
    cfg.isa_mask = options.isa_mask;
    cfg.threads = options.threads;
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = threads_.pool();
    cfg.op_hook = hook;
    cfg.op_hook_context = hook_context;
    ert_memory_need need{};
    need.struct_size = sizeof need;
    require(ert_arena_bytes(&blob.model(), &cfg, dims.data(), &need), "memory plan");
    arena_bytes_ = need.bytes;
    arena_ = allocate(need.bytes);
    const ert_region region = {arena_.get(), need.bytes};
    const uint64_t start = ert_clock_ns();
    const ert_status status = ert_context_init(&context_, &blob.model(), &cfg, dims.data(), &region, 1);
    init_us_ = us_since(start);
    if (status == ERT_ERR_ISA && options.isa_mask != 0)
      throw Failure{ert_exit_code(status), "--isa: this CPU, or this build, has no such level; there are " + levels_here()};
    require(status, "context");
    bind(blob);
  }
  ert_status run() { return ert_run(&context_); }
  double init_us() const { return init_us_; }
  const std::vector<InputData>& inputs() const { return inputs_; }
  size_t arena_bytes() const { return arena_bytes_; }
  std::string isa() const {
    ert_isa isa;
    require(ert_context_isa(&context_, &isa), "isa");
    return ert_isa_name(isa);
  }
  uint32_t output_crc() const {
    uint32_t crc = 0;
    for (const ert_tensor& t : outputs_) crc = crc32c(crc, t.data, t.bytes);
    return crc;
  }

 private:
  void bind(const Blob& blob) {
    for (uint32_t i = 0; i < inputs_.size(); ++i) {
      const ert_tensor t = inputs_[i].tensor();
      require(ert_bind_input(&context_, i, &t), "input " + inputs_[i].name);
    }
    for (uint32_t i = 0; i < blob.info().outputs; ++i) {
      ert_tensor t{};
      t.struct_size = sizeof t;
      require(ert_output_shape(&context_, i, &t), "output shape");
      output_memory_.push_back(allocate(t.bytes));
      t.data = output_memory_.back().get();
      require(ert_bind_output(&context_, i, &t), "output");
      outputs_.push_back(t);
    }
  }

  Threads threads_;
  std::vector<InputData> inputs_;
  Memory arena_;
  std::vector<Memory> output_memory_;
  std::vector<ert_tensor> outputs_;
  size_t arena_bytes_ = 0;
  double init_us_ = 0;
  ert_context context_{};
};

// Nearest rank: the smallest sample that at least this share of all samples does not exceed.
double percentile(const std::vector<double>& sorted, double share) {
  const size_t rank = static_cast<size_t>(share * static_cast<double>(sorted.size()) + 0.999999);
  return sorted[std::min(std::max<size_t>(rank, 1), sorted.size()) - 1];
}

std::vector<int32_t> in_model_order(const ert_model& m, const std::map<std::string, int32_t>& dims) {
  std::vector<int32_t> values(dims.size());
  for (uint32_t i = 0; i < values.size(); ++i) {
    ert_dim_info d{};
    d.struct_size = sizeof d;
    require(ert_model_dim(&m, i, &d), "dim");
    values[i] = dims.at(d.name);
  }
  return values;
}

// What people count. Sequences: the dim "batch", or the leading axis of the first input of two axes or more. Tokens: the elements of the first integer
// input [batch, sequence], or of one [tokens] beside "batch"; frames of a float input [batch, frames, features] whose number is a dim.
void count_work(const ert_model& m, const std::map<std::string, int32_t>& dims, const std::vector<InputData>& inputs, Result* r) {
  const auto batch = dims.find("batch");
  bool counted = batch != dims.end();
  if (counted) r->sequences = static_cast<uint64_t>(batch->second);
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const std::vector<int32_t>& shape = inputs[i].shape;
    ert_value_info info{};
    info.struct_size = sizeof info;
    require(ert_model_input(&m, i, &info), "inputs");
    if (!counted && shape.size() >= 2) r->sequences = static_cast<uint64_t>(shape[0]), counted = true;
    const bool integer = info.dtype == ERT_I32 || info.dtype == ERT_I64;
    const bool moves_1 = shape.size() >= 2 && info.shape[1] < 0;
    if (r->tokens != 0 || shape.empty()) continue;
    if ((integer && shape.size() == 2) || (info.dtype == ERT_F32 && shape.size() == 3 && moves_1))
      r->tokens = static_cast<uint64_t>(shape[0]) * static_cast<uint64_t>(shape[1]);
    else if (integer && shape.size() == 1 && batch != dims.end() && info.shape[0] < 0)
      r->tokens = static_cast<uint64_t>(shape[0]);
  }
}

// From sorted times.
void describe_times(Result* r) {
  const std::vector<double>& times = r->times_us;
  r->min_us = times.front();
  r->max_us = times.back();
  r->p50_us = percentile(times, 0.50);
  r->p90_us = percentile(times, 0.90);
  r->p99_us = percentile(times, 0.99);
  r->mean_us = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

template <class F>
std::map<std::string, int32_t> all_dims(const ert_model& m, const F& value) {
  std::map<std::string, int32_t> dims;
  ert_dim_info d{};
  d.struct_size = sizeof d;
  for (uint32_t i = 0; ert_model_dim(&m, i, &d) == ERT_OK; ++i) dims[d.name] = value(d);
  return dims;
}

}  // namespace

std::map<std::string, int32_t> complete_dims(const ert_model& m, const std::map<std::string, int32_t>& given) {
  std::map<std::string, int32_t> dims = all_dims(m, [](const ert_dim_info& d) { return d.min; });
  for (const auto& [name, value] : given) {
    const auto it = dims.find(name);
    if (it == dims.end()) {
      std::string known;
      for (const auto& [other, unused] : dims) known += (known.empty() ? "" : ", ") + other;
      throw Failure{2, "--shape: the model has no dim '" + name + "' " +
                           (known.empty() ? "(all its sizes are fixed: leave --shape out)" : "(it has: " + known + ")")};
    }
    it->second = value;
  }
  all_dims(m, [&](const ert_dim_info& d) {
    const int32_t value = dims.at(d.name);
    if (value < d.min || value > d.max)
      throw Failure{2, "--shape: dim '" + std::string(d.name) + "' is " + std::to_string(value) + ", the blob allows " +
                           std::to_string(d.min) + " to " + std::to_string(d.max)};
    return value;
  });
  return dims;
}

std::map<std::string, int32_t> largest_dims(const ert_model& m) {
  return all_dims(m, [](const ert_dim_info& d) { return d.max; });
}

Result measure(const Blob& blob, const std::map<std::string, int32_t>& dims, const Options& options) {
  const std::vector<int32_t> values = in_model_order(blob.model(), dims);
  Result r;
  r.dims = dims;
  r.threads = options.threads;
  require(ert_model_macs(&blob.model(), values.data(), &r.macs), "dims");
  Session session(blob, values, options, nullptr, nullptr);
  r.isa = session.isa();
  r.arena_bytes = session.arena_bytes();
  r.init_us = session.init_us();
  const uint64_t first = ert_clock_ns();
  require(session.run(), "run");
  r.first_run_us = us_since(first);
  for (uint32_t i = 0; i < options.warmup; ++i) require(session.run(), "run");
  std::vector<double> times(std::max(options.runs, 1u));
  for (double& t : times) {
    const uint64_t start = ert_clock_ns();
    const ert_status status = session.run();
    t = us_since(start);
    require(status, "run");
  }
  std::sort(times.begin(), times.end());
  r.times_us = times;
  describe_times(&r);
  r.repetition_p50_us = {r.p50_us};
  count_work(blob.model(), dims, session.inputs(), &r);
  r.output_crc = session.output_crc();
  if (options.profile) {  // apart from the timed runs: the hook costs time itself
    Profile profile;
    Session profiled(blob, values, options, profile_hook, &profile);
    for (uint32_t i = 0; i < options.warmup; ++i) require(profiled.run(), "run");
    for (std::vector<double>& op : profile.samples) op.clear(), op.reserve(std::max<size_t>(options.profile_runs, times.size()));
    const size_t profile_runs = options.profile_runs != 0 ? options.profile_runs : times.size();
    for (size_t i = 0; i < profile_runs; ++i) require(profiled.run(), "run");
    for (size_t i = 0; i < profile.ops.size(); ++i) {
      std::sort(profile.samples[i].begin(), profile.samples[i].end());
      profile.ops[i].us = percentile(profile.samples[i], 0.50);
    }
    r.ops = std::move(profile.ops);
  }
  return r;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void add_repetition(Result* all, Result one) {
  if (all->times_us.empty()) {
    *all = std::move(one);
    return;
  }
  if (all->output_crc != one.output_crc) throw Failure{7, "the same inputs gave other outputs in a further context"};
  std::vector<double> times(all->times_us.size() + one.times_us.size());
  std::merge(all->times_us.begin(), all->times_us.end(), one.times_us.begin(), one.times_us.end(), times.begin());
  all->times_us = std::move(times);
  all->repetition_p50_us.push_back(one.p50_us);
  describe_times(all);
  const auto [least, most] = std::minmax_element(all->repetition_p50_us.begin(), all->repetition_p50_us.end());
  const double middle = median_of(all->repetition_p50_us);
  all->spread = middle > 0 ? (*most - *least) / 2 / middle : 0;
}

}  // namespace ert::bench
