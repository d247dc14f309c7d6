// GEMMs walk the weights of six layers, as an encoder does, so that small m is bound by the caches that it would meet there.
#include "bench/kernels/gemm_benchmarks.h"

#include <unistd.h>

#include <algorithm>

#include "bench/kernels/measurement.h"

namespace ert::bench {
namespace {

using kernels::KernelTable;
using kernels::Layout;
using kernels::PackedWeights;
using kernels::Precision;
using kernels::RowScale;

constexpr int kLayers = 6, kReadPasses = 5;
constexpr size_t kUnknownCache = size_t{32} << 20;

struct Slot {
  const char* name;
  Precision precision;
  Layout layout;
};
#define ERT_SLOT(p, l) \
  { "gemm[Precision::" #p "][Layout::" #l "]", Precision::p, Layout::l }
constexpr Slot kSlots[] = {ERT_SLOT(kW8A8, kN16K4),  ERT_SLOT(kW8A8, kN8K8),  ERT_SLOT(kW8A8, kN2K16),
                           ERT_SLOT(kW8A16, kN16K4), ERT_SLOT(kW8A16, kN8K8), ERT_SLOT(kW8A16, kN2K16),
                           ERT_SLOT(kW12A13, kN16K2)};
#undef ERT_SLOT

struct Weights {
  Buffer data;
  std::vector<float> scale, bias;
  std::vector<int32_t> colsum;
  PackedWeights packed;

  Weights(Layout layout, size_t n, size_t k) : scale(n, 0.01f), bias(n, 0.5f), colsum(n, 0) {
    const size_t bytes = kernels::packed_bytes(layout, n, k);
    data = aligned_buffer(bytes);
    // A cheap generator: `stream` makes more than twice the last cache of them. Bell-shaped like the weights of a trained layer, because the
    // avx2 kernel's speed depends on how often neighbours are large together.
    uint64_t random = 2;
    int8_t* w = static_cast<int8_t*>(data.get());
    for (size_t i = 0; i < bytes; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      int sum = 0;
      for (int shift = 32; shift < 64; shift += 8) sum += static_cast<int>(random >> shift & 255);
      w[i] = static_cast<int8_t>((sum - 510) / 6);
    }
    packed = {w, scale.data(), colsum.data(), bias.data(), layout};
  }
};

struct Shape {
  size_t n, k;
};
constexpr Shape kShapes[] = {{384, 384}, {1152, 384}, {1536, 384}, {384, 1536}, {768, 768}, {3072, 768}, {768, 3072}};
constexpr size_t kRows[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

// Eight chains: enough loads in flight to be bound by the memory alone.
uint64_t sum_of_words(const int8_t* data, size_t bytes) {
  const auto* words = reinterpret_cast<const uint64_t*>(data);
  uint64_t sums[8] = {};
  for (size_t i = 0; i + 8 <= bytes / sizeof(uint64_t); i += 8)
    for (size_t c = 0; c < 8; ++c) sums[c] += words[i + c];
  return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

// Quantized rows of normal numbers.
struct Rows {
  size_t row_bytes;
  Buffer data;
  std::vector<RowScale> scales;

  Rows(const KernelTable* table, Precision precision, size_t m, size_t k)
      : row_bytes(table->row_bytes[precision](k)), data(aligned_buffer(m * row_bytes)), scales(m) {
    const std::vector<float> src = normal_floats(m * k);
    table->quantize_rows[precision](m, k, src.data(), static_cast<ptrdiff_t>(k), nullptr, data.get(), row_bytes, scales.data());
  }
};

void gemm(benchmark::State& state, const KernelTable* table, double peak, const Slot& slot, Shape shape, size_t m) {
  const auto multiply = table->gemm[slot.precision][slot.layout];
  std::vector<Weights> layers;
  for (int i = 0; i < kLayers; ++i) layers.emplace_back(slot.layout, shape.n, shape.k);
  const Rows lhs(table, slot.precision, m, shape.k);
  std::vector<float> dst(m * shape.n);
  const double cycles = cycles_per_iteration(state, [&] {
    for (const Weights& w : layers) {
      multiply({m, shape.n, shape.k, lhs.data.get(), lhs.row_bytes, lhs.scales.data(), w.packed, dst.data(),
                static_cast<ptrdiff_t>(shape.n)});
    }
  });
  report_macs(state, peak, static_cast<double>(kLayers * m * shape.n * shape.k), cycles);
}

// One row over more weights than twice the last cache: what counts is the memory. %bandwidth: of plain reads of the same bytes.
void stream(benchmark::State& state, const KernelTable* table, const Slot& slot, Shape shape) {
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const size_t bytes = kernels::packed_bytes(slot.layout, shape.n, shape.k);
  const size_t count = static_cast<size_t>(cache > 0 ? cache : kUnknownCache) * 5 / 2 / bytes + 1;
  std::vector<Weights> layers;
  for (size_t i = 0; i < count; ++i) layers.emplace_back(slot.layout, shape.n, shape.k);
  const Rows lhs(table, slot.precision, 1, shape.k);
  std::vector<float> dst(shape.n);
  const auto multiply = table->gemm[slot.precision][slot.layout];
  double seconds = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    for (const Weights& w : layers)
      multiply({1, shape.n, shape.k, lhs.data.get(), lhs.row_bytes, lhs.scales.data(), w.packed, dst.data(),
                static_cast<ptrdiff_t>(shape.n)});
    benchmark::ClobberMemory();
    seconds += cpu_seconds() - start;
  }
  const double read = static_cast<double>(count * bytes);
  const double per_second = read * static_cast<double>(state.iterations()) / seconds;
  // The best of some passes, right after the kernel's: other guests of the host share the memory.
  double fastest = 0;
  for (int pass = 0; pass < kReadPasses; ++pass) {
    const double start = cpu_seconds();
    for (const Weights& w : layers) benchmark::DoNotOptimize(sum_of_words(w.packed.data, bytes));
    fastest = std::max(fastest, read / (cpu_seconds() - start));
  }
  state.counters["GB/s"] = per_second / 1e9;
  state.counters["%bandwidth"] = 100 * per_second / fastest;
}

void gemm_f32(benchmark::State& state, const KernelTable* table, Shape shape, size_t m) {
  const std::vector<float> lhs = normal_floats(m * shape.k);
  const std::vector<float> rhs = normal_floats(shape.n * shape.k);
  std::vector<float> dst(m * shape.n);
  const double cycles = cycles_per_iteration(state, [&] {
    table->gemm_f32(m, shape.n, shape.k, lhs.data(), static_cast<ptrdiff_t>(shape.k), 1, rhs.data(),
                    static_cast<ptrdiff_t>(shape.n), nullptr, dst.data(), static_cast<ptrdiff_t>(shape.n));
  });
  report_macs(state, 0, static_cast<double>(m * shape.n * shape.k), cycles);
}

}  // namespace

bool add_gemm(const std::string& prefix, const KernelTable* table, double peak, const std::string& slot) {
  const Slot* quantized = std::find_if(std::begin(kSlots), std::end(kSlots), [&](const Slot& s) { return slot == s.name; });
  if (quantized == std::end(kSlots) && slot != "gemm_f32") return false;
  for (const Shape& shape : kShapes) {
    const std::string of_shape = prefix + "/" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
    for (size_t m : kRows) {
      const std::string name = of_shape + "/m:" + std::to_string(m);
      if (slot == "gemm_f32")
        add(name, [=](benchmark::State& s) { gemm_f32(s, table, shape, m); });
      else
        add(name, [=](benchmark::State& s) { gemm(s, table, peak, *quantized, shape, m); });
    }
    if (quantized != std::end(kSlots))
      add(of_shape + "/stream", [=](benchmark::State& s) { stream(s, table, *quantized, shape); });
  }
  return true;
}

}  // namespace ert::bench
