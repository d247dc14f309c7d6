// What padding costs: one padded batch of sentences against the same sentences alone, in turns in one run of the program.
//   bench_padding BLOB.ert [LENGTH,LENGTH,...] [ROUNDS] [--check]
// Exit code 1 if a sentence has other bits in the batch than alone; with --check 7 if the batch costs more than 1.05 times as much.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/exit_code.h"
#include "bench/inputs.h"
#include "bench/measure.h"
#include "platform/platform.h"

namespace ert::bench {
namespace {

void require(ert_status s, const char* what) {
  if (s != ERT_OK) throw Failure{ert_exit_code(s), std::string(what) + ": " + ert_status_str(s)};
}

// Dims of the blob with these two sizes for the mask's axes.
std::vector<int32_t> dims_for(const Blob& blob, int32_t batch, int32_t sequence) {
  ert_value_info mask{};
  mask.struct_size = sizeof mask;
  require(ert_model_input(&blob.model(), blob.info().mask_input, &mask), "mask");
  std::vector<int32_t> dims(blob.info().dims);
  for (uint32_t i = 0; i < dims.size(); ++i) {
    ert_dim_info d{};
    d.struct_size = sizeof d;
    require(ert_model_dim(&blob.model(), i, &d), "dim");
    dims[i] = static_cast<int32_t>(i) == mask.dim[0] ? batch : static_cast<int32_t>(i) == mask.dim[1] ? sequence : d.min;
  }
  return dims;
}

// A context with inputs and outputs of one shape.
class Session {
 public:
  Session(const Blob& blob, int32_t batch, int32_t sequence)
      : inputs_(make_inputs(blob.model(), dims_for(blob, batch, sequence))) {
    const std::vector<int32_t> dims = dims_for(blob, batch, sequence);
    ert_memory_need need{};
    need.struct_size = sizeof need;
    require(ert_arena_bytes(&blob.model(), nullptr, dims.data(), &need), "memory plan");
    arena_.reset(std::aligned_alloc(64, (need.bytes + 63) / 64 * 64));
    const ert_region region{arena_.get(), need.bytes};
    require(ert_context_init(&context_, &blob.model(), nullptr, dims.data(), &region, 1), "context");
    for (uint32_t i = 0; i < inputs_.size(); ++i) {
      const ert_tensor t = inputs_[i].tensor();
      require(ert_bind_input(&context_, i, &t), "input");
    }
    for (uint32_t i = 0; i < blob.info().outputs; ++i) {
      ert_tensor t{};
      t.struct_size = sizeof t;
      require(ert_output_shape(&context_, i, &t), "output shape");
      outputs_.emplace_back(t.bytes);
      shapes_.push_back(t);
      t.data = outputs_.back().data();
      require(ert_bind_output(&context_, i, &t), "output");
    }
  }
  std::vector<InputData>& inputs() { return inputs_; }
  // Bytes of position 0 on of row `row` of an output; all of a row if it has no positions.
  const uint8_t* output(size_t i, size_t row) const {
    return outputs_[i].data() + outputs_[i].size() / static_cast<size_t>(shapes_[i].shape[0]) * row;
  }
  size_t row_bytes(size_t i) const { return outputs_[i].size() / static_cast<size_t>(shapes_[i].shape[0]); }
  size_t outputs() const { return outputs_.size(); }
  double run_us() {
    const uint64_t start = ert_clock_ns();
    require(ert_run(&context_), "run");
    return static_cast<double>(ert_clock_ns() - start) / 1000.0;
  }

 private:
  struct FreeBytes {
    void operator()(void* p) const { std::free(p); }
  };
  std::vector<InputData> inputs_;
  std::unique_ptr<void, FreeBytes> arena_;
  std::vector<std::vector<uint8_t>> outputs_;
  std::vector<ert_tensor> shapes_;
  ert_context context_{};
};

uint8_t* element(InputData& in, size_t i) {
  const size_t size = in.bytes / static_cast<size_t>(in.shape[0] * in.shape[1]);
  return reinterpret_cast<uint8_t*>(in.storage.data()) + i * size;
}

// Row `row` of the batch is the sentence alone, then padding.
void place(const Blob& blob, Session& batch, size_t row, Session& alone, int32_t length, int32_t sequence) {
  for (size_t i = 0; i < batch.inputs().size(); ++i) {
    InputData &to = batch.inputs()[i], &from = alone.inputs()[i];
    const size_t size = static_cast<size_t>(element(to, 1) - element(to, 0)), first = row * static_cast<size_t>(sequence);
    std::memcpy(element(to, first), element(from, 0), size * static_cast<size_t>(length));
    for (size_t s = static_cast<size_t>(length); i == blob.info().mask_input && s < static_cast<size_t>(sequence); ++s) {
      std::memset(element(to, first + s), 0, size);
      element(to, first + s)[0] = static_cast<uint8_t>(blob.info().mask_padding);
    }
  }
}

bool same_bits(const Session& batch, size_t row, const Session& alone) {
  bool same = true;
  for (size_t i = 0; i < batch.outputs(); ++i)
    same &= std::memcmp(batch.output(i, row), alone.output(i, 0), alone.row_bytes(i)) == 0;
  return same;
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

constexpr double kMostRatio = 1.05;  // of the least times
constexpr int kGoalMissed = 7;

int run(const std::string& path, const std::vector<int32_t>& lengths, int rounds, bool check) {
  const Blob blob(path);
  if (blob.info().skips_padding == 0) throw Failure{2, "this blob computes padded positions"};
  const int32_t longest = *std::max_element(lengths.begin(), lengths.end());
  Session batch(blob, static_cast<int32_t>(lengths.size()), longest);
  std::vector<std::unique_ptr<Session>> alone;
  for (size_t i = 0; i < lengths.size(); ++i) {
    alone.push_back(std::make_unique<Session>(blob, 1, lengths[i]));
    place(blob, batch, i, *alone.back(), lengths[i], longest);
  }
  std::vector<double> together, sums;
  std::vector<double> least(lengths.size(), 1e300);
  for (int round = -3; round < rounds; ++round) {  // three to warm up
    const double t = batch.run_us();
    double sum = 0;
    for (size_t i = 0; i < alone.size(); ++i) {
      const double us = alone[i]->run_us();
      least[i] = std::min(least[i], us);
      sum += us;
    }
    if (round < 0) continue;
    together.push_back(t);
    sums.push_back(sum);
  }
  int other_bits = 0;
  for (size_t i = 0; i < alone.size(); ++i) other_bits += same_bits(batch, i, *alone[i]) ? 0 : 1;
  double least_sum = 0;
  for (double us : least) least_sum += us;
  const double least_together = *std::min_element(together.begin(), together.end());
  std::printf("padded batch %zux%d: least %.0f us, median %.0f us\n", lengths.size(), longest, least_together, median(together));
  std::printf("the same alone, sum: least %.0f us, median %.0f us\n", least_sum, median(sums));
  std::printf("ratio: least %.3f, median %.3f\n", least_together / least_sum, median(together) / median(sums));
  std::printf("bits: %s\n", other_bits == 0 ? "the same in the batch and alone" : "DIFFERENT in the batch");
  if (other_bits != 0) return 1;
  return check && least_together > kMostRatio * least_sum ? kGoalMissed : 0;
}

// "5,9,128"; empty if it is anything else.
std::vector<int32_t> counts_in(const std::string& text) {
  std::vector<int32_t> counts;
  for (const char* p = text.c_str();; ++p) {
    char* end = nullptr;
    const long count = std::strtol(p, &end, 10);
    if (end == p || count < 1 || count > INT32_MAX || (*end != ',' && *end != '\0')) return {};
    counts.push_back(static_cast<int32_t>(count));
    if (*end == '\0') return counts;
    p = end;
  }
}

}  // namespace
}  // namespace ert::bench

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const auto flag = std::find(args.begin(), args.end(), "--check");
  const bool check = flag != args.end();
  if (check) args.erase(flag);
  const std::vector<int32_t> lengths = ert::bench::counts_in(args.size() > 1 ? args[1] : "5,9,14,22,35,57,90,128");
  const std::vector<int32_t> rounds = ert::bench::counts_in(args.size() > 2 ? args[2] : "30");
  if (args.empty() || args.size() > 3 || lengths.empty() || rounds.size() != 1) {
    std::fprintf(stderr, "usage: bench_padding BLOB.ert [LENGTH,LENGTH,...] [ROUNDS] [--check]\n");
    return 2;
  }
  try {
    return ert::bench::run(args[0], lengths, rounds[0], check);
  } catch (const ert::bench::Failure& f) {
    std::fprintf(stderr, "bench_padding: %s\n", f.message.c_str());
    return f.exit_code;
  }
}
