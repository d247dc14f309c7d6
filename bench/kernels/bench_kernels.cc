// Speed of every kernel of kernel_list.inc at every level that this CPU has, by Google Benchmark. GEMMs and attention report
// MAC per cycle and the share of the level's measured peak (clock_and_peak.h), the other kernels cycles per element.
//
//   bench_kernels --benchmark_filter='avx512vnni/gemm_qa8_qw8/.*'
//
// GEMMs walk the weights of six layers, as an encoder does, so that small m is bound by the caches that it would meet there.
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/kernels/clock_and_peak.h"
#include "kernels_int8/isa.h"
#include "kernels_int8/kernel_table.h"
#include "platform/cpu_features.h"

namespace ert::bench {
namespace {

using kernels::AttentionArgs;
using kernels::KernelTable;
using kernels::Level;
using kernels::PackedWeights;
using kernels::round_up;
using kernels::RowScale;

constexpr int kLayers = 6;
double g_peak[static_cast<int>(Level::kCount)];

struct FreeDeleter {
  void operator()(void* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<void, FreeDeleter>;

Buffer aligned_buffer(size_t bytes) {
  Buffer buffer(std::aligned_alloc(64, round_up(bytes, 64)));
  std::memset(buffer.get(), 0, round_up(bytes, 64));
  return buffer;
}

std::vector<float> normal_floats(size_t n) {
  std::mt19937 generator(1);
  std::normal_distribution<float> distribution;
  std::vector<float> values(n);
  for (float& x : values) x = distribution(generator);
  return values;
}

// CPU time of this thread, so that other processes do not count.
double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Runs the benchmark's loop; returns the cycles of one iteration.
template <typename Body>
double cycles_per_iteration(benchmark::State& state, const Body& body) {
  const double hz = clock_hz();
  const double start = cpu_seconds();
  for (auto _ : state) {
    body();
    benchmark::ClobberMemory();
  }
  return (cpu_seconds() - start) * hz / static_cast<double>(state.iterations());
}

void report_macs(benchmark::State& state, Level level, double macs, double cycles) {
  state.counters["MAC/cycle"] = macs / cycles;
  const double peak = g_peak[static_cast<int>(level)];
  if (peak > 0) state.counters["%peak"] = 100 * macs / cycles / peak;
}

struct Weights {
  Buffer data;
  std::vector<float> scale, bias;
  std::vector<int32_t> colsum;
  PackedWeights packed;

  Weights(size_t n, size_t k) : scale(n, 0.01f), bias(n, 0.5f), colsum(n, 0) {
    const size_t bytes = kernels::packed_bytes(kernels::Layout::kN16K4, n, k);
    data = aligned_buffer(bytes);
    std::mt19937 generator(2);
    int8_t* w = static_cast<int8_t*>(data.get());
    for (size_t i = 0; i < bytes; ++i) w[i] = static_cast<int8_t>(static_cast<int>(generator() % 255) - 127);
    packed = {w, scale.data(), colsum.data(), bias.data()};
  }
};

struct Shape {
  size_t n, k;
};
constexpr Shape kShapes[] = {{384, 384}, {1152, 384}, {1536, 384}, {384, 1536}, {768, 768}, {3072, 768}, {768, 3072}};
constexpr size_t kRows[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

void gemm(benchmark::State& state, const KernelTable* table, Level level, bool wide, Shape shape, size_t m) {
  const auto row_bytes_of = wide ? table->quantized16_row_bytes : table->quantized_row_bytes;
  const auto quantize = wide ? table->quantize16_rows : table->quantize_rows;
  const auto multiply = wide ? table->gemm_qa16_qw8 : table->gemm_qa8_qw8;
  std::vector<Weights> layers;
  for (int i = 0; i < kLayers; ++i) layers.emplace_back(shape.n, shape.k);
  const std::vector<float> src = normal_floats(m * shape.k);
  const size_t row_bytes = row_bytes_of(shape.k);
  Buffer lhs = aligned_buffer(m * row_bytes);
  std::vector<RowScale> scales(m);
  quantize(m, shape.k, src.data(), static_cast<ptrdiff_t>(shape.k), nullptr, lhs.get(), row_bytes, scales.data());
  std::vector<float> dst(m * shape.n);
  const double cycles = cycles_per_iteration(state, [&] {
    for (const Weights& w : layers) {
      multiply({m, shape.n, shape.k, lhs.get(), row_bytes, scales.data(), w.packed, dst.data(), static_cast<ptrdiff_t>(shape.n)});
    }
  });
  report_macs(state, level, static_cast<double>(kLayers * m * shape.n * shape.k), cycles);
}

void gemm_f32(benchmark::State& state, const KernelTable* table, Shape shape, size_t m) {
  const std::vector<float> lhs = normal_floats(m * shape.k);
  const std::vector<float> rhs = normal_floats(shape.n * shape.k);
  std::vector<float> dst(m * shape.n);
  const double cycles = cycles_per_iteration(state, [&] {
    table->gemm_f32(m, shape.n, shape.k, lhs.data(), static_cast<ptrdiff_t>(shape.k), 1, rhs.data(),
                    static_cast<ptrdiff_t>(shape.n), nullptr, dst.data(), static_cast<ptrdiff_t>(shape.n));
  });
  report_macs(state, Level::kRef, static_cast<double>(m * shape.n * shape.k), cycles);
}

void attention(benchmark::State& state, const KernelTable* table, Level level, bool int8, int32_t tokens, int32_t head) {
  const ptrdiff_t stride = 3 * 384;
  const std::vector<float> qkv = normal_floats(static_cast<size_t>(tokens * stride));
  std::vector<float> dst(static_cast<size_t>(tokens) * 384);
  Buffer scratch = aligned_buffer(kernels::attention_scratch_bytes(tokens, tokens, head, head));
  AttentionArgs args = {};
  args.seq_q = args.seq_k = tokens;
  args.head_dim = args.v_dim = head;
  args.q = qkv.data();
  args.k = qkv.data() + 384;
  args.v = qkv.data() + 768;
  args.q_stride = args.k_stride = args.v_stride = stride;
  args.scale = 0.2f;
  args.causal_offset = INT32_MAX;
  args.dst = dst.data();
  args.dst_stride = 384;
  args.scratch = scratch.get();
  const double cycles = cycles_per_iteration(state, [&] { int8 ? table->attention_i8(args) : table->attention_f32(args); });
  report_macs(state, int8 ? level : Level::kRef, 2.0 * tokens * tokens * head, cycles);
}

// Kernels over rows of floats; `run(rows, row length, src, dst)` does one pass.
template <typename Run>
void elements(benchmark::State& state, size_t m, size_t n, const Run& run) {
  const std::vector<float> src = normal_floats(m * n);
  Buffer dst = aligned_buffer(m * n * sizeof(float) + m * 128);
  const double cycles = cycles_per_iteration(state, [&] { run(src.data(), dst.get()); });
  state.counters["cycles/element"] = cycles / static_cast<double>(m * n);
}

template <typename Body>
void add(const std::string& name, const Body& body) {
  benchmark::RegisterBenchmark(name.c_str(), body);
}

void add_gemms(const std::string& prefix, const KernelTable* table, Level level, const std::string& slot) {
  for (const Shape& shape : kShapes) {
    for (size_t m : kRows) {
      const std::string name = prefix + "/" + std::to_string(shape.n) + "x" + std::to_string(shape.k) + "/m:" + std::to_string(m);
      if (slot == "gemm_f32") {
        add(name, [=](benchmark::State& s) { gemm_f32(s, table, shape, m); });
      } else {
        add(name, [=](benchmark::State& s) { gemm(s, table, level, slot == "gemm_qa16_qw8", shape, m); });
      }
    }
  }
}

void add_attention(const std::string& prefix, const KernelTable* table, Level level, bool int8) {
  for (int32_t tokens : {8, 16, 32, 64, 128, 256, 512}) {
    for (int32_t head : {32, 64}) {
      add(prefix + "/tokens:" + std::to_string(tokens) + "/head_dim:" + std::to_string(head),
          [=](benchmark::State& s) { attention(s, table, level, int8, tokens, head); });
    }
  }
}

void add_rows(const std::string& prefix, const KernelTable* table, const std::string& slot, size_t k) {
  constexpr size_t m = 32;
  const std::string name = prefix + "/32x" + std::to_string(k);
  const std::vector<float> ones(k, 1.0f);
  const ptrdiff_t stride = static_cast<ptrdiff_t>(k);
  if (slot == "quantize_rows" || slot == "quantize16_rows") {
    const bool wide = slot == "quantize16_rows";
    add(name, [=](benchmark::State& s) {
      const size_t row_bytes = wide ? table->quantized16_row_bytes(k) : table->quantized_row_bytes(k);
      const auto quantize = wide ? table->quantize16_rows : table->quantize_rows;
      RowScale scales[m];
      elements(s, m, k, [&](const float* src, void* dst) { quantize(m, k, src, stride, ones.data(), dst, row_bytes, scales); });
    });
  } else if (slot == "gelu_quantize_rows") {
    add(name, [=](benchmark::State& s) {
      // The kernel overwrites its source, so each pass takes a fresh copy: the copy counts too.
      const size_t row_bytes = table->quantized_row_bytes(k);
      RowScale scales[m];
      std::vector<float> x(m * k);
      elements(s, m, k, [&](const float* src, void* dst) {
        std::memcpy(x.data(), src, m * k * sizeof(float));
        table->gelu_quantize_rows(m, k, x.data(), stride, ones.data(), dst, row_bytes, scales);
      });
    });
  } else if (slot == "layernorm") {
    add(name, [=](benchmark::State& s) {
      elements(s, m, k, [&](const float* src, void* dst) {
        table->layernorm(m, k, src, src, ones.data(), ones.data(), 1e-12f, false, static_cast<float*>(dst), nullptr);
      });
    });
  } else if (slot == "softmax") {
    add(name, [=](benchmark::State& s) {
      elements(s, m, k, [&](const float* src, void* dst) { table->softmax(m, k, src, static_cast<float*>(dst)); });
    });
  } else if (slot == "sum" || slot == "sum_squares") {
    const auto reduce = slot == "sum" ? table->sum : table->sum_squares;
    add(name, [=](benchmark::State& s) {
      elements(s, 1, k, [&](const float* src, void*) { benchmark::DoNotOptimize(reduce(k, src)); });
    });
  }
}

// One row of a step; the products and the projected inputs are the same numbers, and the state stays what it becomes.
void add_cell(const std::string& prefix, const KernelTable* table, bool lstm, size_t hidden) {
  add(prefix + "/hidden:" + std::to_string(hidden), [=](benchmark::State& s) {
    std::vector<float> c(hidden, 0.5f);
    elements(s, 4, hidden, [&](const float* src, void* dst) {
      float* h = static_cast<float*>(dst);
      lstm ? table->lstm_step(hidden, src, hidden, src, c.data(), h) : table->gru_step(hidden, src, hidden, src, h);
    });
  });
}

// Unary slots are listed by kind name; the table knows them by number, in the order of the rows of the reference.
void add_unary(const std::string& prefix, const KernelTable* table, int kind) {
  add(prefix + "/4096", [=](benchmark::State& s) {
    elements(s, 1, 4096, [&](const float* src, void* dst) { table->unary[kind](4096, src, static_cast<float*>(dst)); });
  });
}

constexpr const char* kUnarySlots[] = {"unary.kRelu",     "unary.kGeluErf", "unary.kGeluTanh",  "unary.kTanh",
                                       "unary.kSigmoid",  "unary.kSilu",    "unary.kQuickGelu", "unary.kExp",
                                       "unary.kErf",      "unary.kLog",     "unary.kSin",       "unary.kCos",
                                       "unary.kSoftplus", "unary.kMish",    "unary.kHardSwish", "unary.kHardSigmoid",
                                       "unary.kElu",      "unary.kSelu",    "unary.kGeluCoarse"};
static_assert(sizeof(kUnarySlots) / sizeof(kUnarySlots[0]) == static_cast<size_t>(kernels::Unary::kCount));

// Returns false for a slot that this program does not know, so that a new kernel cannot stay unmeasured silently.
bool add_kernel(const kernels::KernelInfo& kernel, const KernelTable* table) {
  const std::string slot = kernel.slot;
  const std::string prefix = std::string(kernels::level_name(kernel.level)) + "/" + slot + "/" + kernel.name;
  if (slot == "quantized_row_bytes" || slot == "quantized16_row_bytes") return true;  // arithmetic on one number
  if (slot == "gemm_qa8_qw8" || slot == "gemm_qa16_qw8" || slot == "gemm_f32") {
    add_gemms(prefix, table, kernel.level, slot);
    return true;
  }
  if (slot == "attention_i8" || slot == "attention_f32") {
    add_attention(prefix, table, kernel.level, slot == "attention_i8");
    return true;
  }
  if (slot == "lstm_step" || slot == "gru_step") {
    for (size_t hidden : {256, 512}) add_cell(prefix, table, slot == "lstm_step", hidden);
    return true;
  }
  for (int kind = 0; kind < static_cast<int>(kernels::Unary::kCount); ++kind) {
    if (slot != kUnarySlots[kind]) continue;
    add_unary(prefix, table, kind);
    return true;
  }
  for (const char* known :
       {"quantize_rows", "gelu_quantize_rows", "quantize16_rows", "layernorm", "softmax", "sum", "sum_squares"}) {
    if (slot != known) continue;
    for (size_t k : {384, 1536}) add_rows(prefix, table, slot, k);
    return true;
  }
  return false;
}

int add_all() {
  const uint32_t cpu = ert_cpu_isa_mask();
  int skipped = 0;
  for (size_t i = 0; i < kernels::kernel_count(); ++i) {
    const kernels::KernelInfo kernel = kernels::kernel_info(i);
    if ((cpu & kernels::isa_bit(kernels::level_needs(kernel.level))) == 0) {
      ++skipped;
      continue;
    }
    double& peak = g_peak[static_cast<int>(kernel.level)];
    if (peak == 0) peak = peak_mac_per_cycle(kernel.level);
    if (!add_kernel(kernel, kernels::level_table(kernel.level))) {
      std::fprintf(stderr, "bench_kernels: no benchmark for slot %s (%s)\n", kernel.slot, kernel.name);
      return 1;
    }
  }
  std::fprintf(stderr, "clock %.2f GHz; peak MAC/cycle:", clock_hz() / 1e9);
  for (int level = 0; level < static_cast<int>(Level::kCount); ++level) {
    if (g_peak[level] > 0) std::fprintf(stderr, " %s %.1f", kernels::level_name(static_cast<Level>(level)), g_peak[level]);
  }
  std::fprintf(stderr, "; kernels skipped because this CPU lacks the level: %d\n", skipped);
  return 0;
}

}  // namespace
}  // namespace ert::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (ert::bench::add_all() != 0) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
