// All but the matrix products: attention per head, the others per element of rows of floats.
#include "bench/kernels/row_benchmarks.h"

#include "bench/kernels/measurement.h"

namespace ert::bench {
namespace {

using kernels::AttentionArgs;
using kernels::KernelTable;
using kernels::Precision;
using kernels::RowScale;

void attention(benchmark::State& state, const KernelTable* table, double peak, bool int8, int32_t tokens, int32_t head) {
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
  report_macs(state, int8 ? peak : 0, 2.0 * tokens * tokens * head, cycles);
}

// Kernels over rows of floats; `run(rows, row length, src, dst)` does one pass.
template <typename Run>
void elements(benchmark::State& state, size_t m, size_t n, const Run& run) {
  const std::vector<float> src = normal_floats(m * n);
  Buffer dst = aligned_buffer(m * n * sizeof(float) + m * 128);
  const double cycles = cycles_per_iteration(state, [&] { run(src.data(), dst.get()); });
  state.counters["cycles/element"] = cycles / static_cast<double>(m * n);
}

void add_attention(const std::string& prefix, const KernelTable* table, double peak, bool int8) {
  for (int32_t tokens : {8, 16, 32, 64, 128, 256, 512}) {
    for (int32_t head : {32, 64}) {
      add(prefix + "/tokens:" + std::to_string(tokens) + "/head_dim:" + std::to_string(head),
          [=](benchmark::State& s) { attention(s, table, peak, int8, tokens, head); });
    }
  }
}

constexpr const char *kQuantize8 = "quantize_rows[Precision::kW8A8]", *kQuantize16 = "quantize_rows[Precision::kW8A16]",
                     *kQuantize13 = "quantize_rows[Precision::kW12A13]";

void add_rows(const std::string& prefix, const KernelTable* table, const std::string& slot, size_t k) {
  constexpr size_t m = 32;
  const std::string name = prefix + "/32x" + std::to_string(k);
  const std::vector<float> ones(k, 1.0f);
  const ptrdiff_t stride = static_cast<ptrdiff_t>(k);
  if (slot == kQuantize8 || slot == kQuantize16 || slot == kQuantize13) {
    const Precision precision = slot == kQuantize16   ? Precision::kW8A16
                                : slot == kQuantize13 ? Precision::kW12A13
                                                      : Precision::kW8A8;
    add(name, [=](benchmark::State& s) {
      const size_t row_bytes = table->row_bytes[precision](k);
      const auto quantize = table->quantize_rows[precision];
      RowScale scales[m];
      elements(s, m, k, [&](const float* src, void* dst) { quantize(m, k, src, stride, ones.data(), dst, row_bytes, scales); });
    });
  } else if (slot == "gelu_quantize_rows") {
    add(name, [=](benchmark::State& s) {
      // The kernel overwrites its source, so each pass takes a fresh copy: the copy counts too.
      const size_t row_bytes = table->row_bytes[Precision::kW8A8](k);
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
  } else if (slot == "softmax_columns") {
    add(name, [=](benchmark::State& s) {
      elements(s, m, k, [&](const float* src, void* dst) { table->softmax_columns(m, k, src, k, static_cast<float*>(dst)); });
    });
  } else if (slot == "sum" || slot == "sum_squares") {
    const auto reduce = slot == "sum" ? table->sum : table->sum_squares;
    add(name, [=](benchmark::State& s) {
      elements(s, 1, k, [&](const float* src, void*) { benchmark::DoNotOptimize(reduce(k, src)); });
    });
  }
}

// One row of a step; the products and the projected inputs are the same numbers, and the state stays what it becomes.
void add_lstm(const std::string& prefix, decltype(KernelTable::lstm_step) step, size_t hidden) {
  add(prefix + "/hidden:" + std::to_string(hidden), [=](benchmark::State& s) {
    std::vector<float> c(hidden, 0.5f);
    elements(s, 4, hidden,
             [&](const float* src, void* dst) { step(hidden, src, hidden, src, c.data(), static_cast<float*>(dst)); });
  });
}
void add_gru(const std::string& prefix, decltype(KernelTable::gru_step) step, size_t hidden) {
  add(prefix + "/hidden:" + std::to_string(hidden), [=](benchmark::State& s) {
    elements(s, 3, hidden, [&](const float* src, void* dst) { step(hidden, src, hidden, src, static_cast<float*>(dst)); });
  });
}

bool add_cell(const std::string& prefix, const KernelTable* table, const std::string& slot) {
  for (size_t hidden : {256, 512}) {
    if (slot == "lstm_step")
      add_lstm(prefix, table->lstm_step, hidden);
    else if (slot == "lstm_step_coarse")
      add_lstm(prefix, table->lstm_step_coarse, hidden);
    else if (slot == "gru_step")
      add_gru(prefix, table->gru_step, hidden);
    else if (slot == "gru_step_coarse")
      add_gru(prefix, table->gru_step_coarse, hidden);
    else
      return false;
  }
  return true;
}

// Unary slots are listed by kind name; the table knows them by number, in the order of the rows of the reference.
void add_unary(const std::string& prefix, const KernelTable* table, int kind) {
  add(prefix + "/4096", [=](benchmark::State& s) {
    elements(s, 1, 4096, [&](const float* src, void* dst) { table->unary[kind](4096, src, static_cast<float*>(dst)); });
  });
}

bool add_pairs(const std::string& prefix, const KernelTable* table, const std::string& slot) {
  constexpr size_t n = 4096;
  if (slot == "leaky_relu") {
    add(prefix + "/4096", [=](benchmark::State& s) {
      elements(s, 1, n, [&](const float* src, void* dst) { table->leaky_relu(n, 0.2f, -0.4f, src, static_cast<float*>(dst)); });
    });
    return true;
  }
  const kernels::RowsDownFn down = slot == "add_down" ? table->add_down : slot == "largest_down" ? table->largest_down : nullptr;
  if (down != nullptr) {
    constexpr size_t kColumns = 64;
    add(prefix + "/64x64", [=](benchmark::State& s) {
      elements(s, 1, n, [&](const float* src, void* dst) { down(n / kColumns, kColumns, kColumns, src, static_cast<float*>(dst)); });
    });
    return true;
  }
  const kernels::RowPairFn pair = slot == "add_rows"         ? table->add_rows
                                  : slot == "multiply_rows"  ? table->multiply_rows
                                  : slot == "larger_of_rows" ? table->larger_of_rows
                                                             : nullptr;
  if (pair == nullptr) return false;
  add(prefix + "/4096", [=](benchmark::State& s) {
    elements(s, 1, n, [&](const float* src, void* dst) { pair(n, src, src, static_cast<float*>(dst)); });
  });
  return true;
}

constexpr const char* kUnarySlots[] = {
    "unary.kRelu",       "unary.kGeluErf",       "unary.kGeluTanh",  "unary.kTanh",        "unary.kSigmoid", "unary.kSilu",
    "unary.kQuickGelu",  "unary.kExp",           "unary.kErf",       "unary.kLog",         "unary.kSin",     "unary.kCos",
    "unary.kSoftplus",   "unary.kMish",          "unary.kHardSwish", "unary.kHardSigmoid", "unary.kElu",     "unary.kSelu",
    "unary.kGeluCoarse", "unary.kSigmoidCoarse", "unary.kTanhCoarse", "unary.kRelu6"};
static_assert(sizeof(kUnarySlots) / sizeof(kUnarySlots[0]) == static_cast<size_t>(kernels::Unary::kCount));

}  // namespace

bool add_row_kernel(const std::string& prefix, const KernelTable* table, double peak, const std::string& slot) {
  if (slot == "attention_i8" || slot == "attention_f32") {
    add_attention(prefix, table, peak, slot == "attention_i8");
    return true;
  }
  if (add_cell(prefix, table, slot) || add_pairs(prefix, table, slot)) return true;
  for (int kind = 0; kind < static_cast<int>(kernels::Unary::kCount); ++kind) {
    if (slot != kUnarySlots[kind]) continue;
    add_unary(prefix, table, kind);
    return true;
  }
  for (const char* known : {kQuantize8, "gelu_quantize_rows", kQuantize16, kQuantize13, "layernorm", "softmax", "softmax_columns", "sum",
                            "sum_squares"}) {
    if (slot != known) continue;
    for (size_t k : {384, 1536}) add_rows(prefix, table, slot, k);
    return true;
  }
  return false;
}

}  // namespace ert::bench
