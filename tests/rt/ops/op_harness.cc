// The harness behind all op tests: see op_harness.h.
#include "tests/rt/ops/op_harness.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <optional>

#include "kernels_int8/dispatch/dispatch.h"
#include "rt/base/float_mode.h"
#include "rt/base/isa.h"
#include "tests/rt/ops/one_nan.h"
#include "tests/rt/ops/ops_without_fpu.h"

namespace ert::test {
namespace {

// ert_run computes in ert's float mode on every thread; so do these tests, expectations included.
class InFloatMode : public testing::Environment {
 public:
  void SetUp() override { mode_.emplace(); }
  void TearDown() override { mode_.reset(); }
  template <class F>
  void outside(const F& f) {
    mode_.reset();
    f();
    mode_.emplace();
  }

 private:
  std::optional<FloatMode> mode_;
};
InFloatMode* const kInFloatMode = new InFloatMode;
[[maybe_unused]] const testing::Environment* const kRegistered = testing::AddGlobalTestEnvironment(kInFloatMode);

constexpr uint8_t kGuard = 0xA5;
constexpr size_t kGuardBytes = 64;

// 64-byte aligned memory of exactly n bytes and a guard behind it.
class Memory {
 public:
  explicit Memory(size_t n)
      : bytes_(n), base_(static_cast<uint8_t*>(aligned_alloc(64, (n + kGuardBytes + 63) / 64 * 64)), &free) {
    memset(base_.get(), kGuard, n + kGuardBytes);
  }
  uint8_t* data() const { return base_.get(); }
  bool guard_intact() const {
    for (size_t i = 0; i < kGuardBytes; ++i) {
      if (base_.get()[bytes_ + i] != kGuard) return false;
    }
    return true;
  }

 private:
  size_t bytes_;
  std::unique_ptr<uint8_t, void (*)(void*)> base_;
};

template <class T>
Tensor dense(uint8_t dtype, Dims dims, const std::vector<T>& values) {
  Tensor t;
  t.dtype = dtype;
  t.dims = std::move(dims);
  EXPECT_EQ(t.elements(), static_cast<int64_t>(values.size()));
  t.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}

Operand operand_of(const Tensor& t) {
  Operand o;
  o.dtype = t.dtype;
  o.rank = static_cast<uint8_t>(t.dims.size());
  o.constant = t.constant;
  for (size_t i = 0; i < t.dims.size() && i < ERT_MAX_RANK; ++i) o.dims[i] = t.dims[i];
  return o;
}

// Runs the tasks backwards, dealt out to the threads in turn.
void backwards(void* context, uint32_t tasks, ert_task task, void* arg) {
  const uint32_t threads = *static_cast<const uint32_t*>(context);
  for (uint32_t i = tasks; i-- > 0;) task(arg, i, i % threads);
}

struct Bound {
  std::vector<Operand> inputs, outputs, inner;
  OpContext context;
  explicit Bound(const OpCase& c) {
    for (const Tensor& t : c.inputs) inputs.push_back(operand_of(t));
    for (const Tensor& t : c.outputs) outputs.push_back(operand_of(t));
    context.n_inputs = static_cast<uint32_t>(inputs.size());
    context.n_outputs = static_cast<uint32_t>(outputs.size());
    context.inputs = inputs.data();
    context.outputs = outputs.data();
    inner.resize(params::row_bands::kMostOperands);
    context.inner = inner.data();
    context.n_ints = static_cast<uint32_t>(c.ints.size());
    context.ints = c.ints.data();
    context.n_floats = static_cast<uint32_t>(c.floats.size());
    context.floats = c.floats.data();
    context.n_exprs = static_cast<uint32_t>(c.exprs.size());
    context.exprs = c.exprs.data();
    context.custom = c.custom;
    context.scratch_stride = c.room;
    if (!c.row_starts.empty()) {
      const int32_t total = c.row_starts.back() == 0 ? 1 : c.row_starts.back();
      context.rows = {static_cast<int32_t>(c.row_starts.size()) - 1, c.sequence, total, c.row_starts.data()};
    }
  }
};

enum class Build { kOrdinary, kBestLevel, kWithoutFpu };  // kBestLevel: this machine's kernels, split as on cores that differ, without caches

// One run; alias >= 0: output 0 takes the memory of that input. Returns the outputs' bytes; nothing if the build lacks the op.
std::vector<std::vector<uint8_t>> run_once(const OpCase& c, uint32_t threads, int alias, ert_status* status,
                                           Build build = Build::kOrdinary) {
  Bound b(c);
  size_t scratch = 0;
  EXPECT_TRUE(c.def->prepare(b.context, &scratch) && (c.room == 0 || scratch <= c.room)) << c.def->name;
  std::vector<Memory> inputs, outputs, scratches;
  for (const Tensor& t : c.inputs) {
    inputs.emplace_back(t.bytes.size());
    if (!t.bytes.empty()) memcpy(inputs.back().data(), t.bytes.data(), t.bytes.size());
  }
  for (const Tensor& t : c.outputs) outputs.emplace_back(t.bytes.size());
  for (size_t i = 0; i < inputs.size(); ++i) b.inputs[i].data = inputs[i].data();
  for (size_t i = 0; i < outputs.size(); ++i) b.outputs[i].data = outputs[i].data();
  if (alias >= 0) b.outputs[0].data = inputs[static_cast<size_t>(alias)].data();
  const size_t stride = c.room != 0 ? c.room : (scratch + 63) / 64 * 64 + kGuardBytes;
  const Memory work(stride * threads);
  b.context.kernels = build == Build::kBestLevel ? choose_kernels(0) : &kernels::kernel_table(1u << static_cast<int>(kernels::Isa::kRef));
  b.context.parallel = {backwards, &threads, threads};
  if (build == Build::kBestLevel) b.context.uneven = true, b.context.caches = {1, 1};
  b.context.scratch = work.data();
  b.context.scratch_stride = stride;
  if (build != Build::kWithoutFpu) {
    *status = c.def->run(b.context);
  } else {
    bool found = false;
    kInFloatMode->outside([&] { found = run_op_without_fpu(c.def->name, &b.context, status); });
    if (!found) return {};
  }
  for (const Memory& m : inputs) EXPECT_TRUE(m.guard_intact()) << c.def->name << ": wrote behind an input";
  for (const Memory& m : outputs) EXPECT_TRUE(m.guard_intact()) << c.def->name << ": wrote behind an output";
  for (uint32_t t = 0; t < threads; ++t) {
    for (size_t i = scratch; i < stride; ++i)
      EXPECT_EQ(work.data()[stride * t + i], kGuard) << c.def->name << ": wrote behind its scratch";
  }
  std::vector<std::vector<uint8_t>> results;
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    const uint8_t* p = static_cast<const uint8_t*>(b.outputs[i].data);
    results.emplace_back(p, p + c.outputs[i].bytes.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (static_cast<int>(i) == alias) continue;
    EXPECT_TRUE(c.inputs[i].bytes.empty() || memcmp(inputs[i].data(), c.inputs[i].bytes.data(), c.inputs[i].bytes.size()) == 0)
        << c.def->name << ": changed input " << i;
  }
  return results;
}

}  // namespace

int64_t Tensor::elements() const {
  int64_t n = 1;
  for (int32_t d : dims) n *= d;
  return n;
}

Tensor absent() { return {}; }
Tensor f32(Dims dims, std::vector<float> values) { return dense(ERT_F32, std::move(dims), values); }
Tensor i32(Dims dims, std::vector<int32_t> values) { return dense(ERT_I32, std::move(dims), values); }
Tensor i64(Dims dims, std::vector<int64_t> values) { return dense(ERT_I64, std::move(dims), values); }
Tensor boolean(Dims dims, std::vector<uint8_t> values) { return dense(ERT_BOOL, std::move(dims), values); }
Tensor u8(Dims dims, std::vector<uint8_t> values) { return dense(ERT_U8, std::move(dims), values); }
Tensor i8(Dims dims, std::vector<int8_t> values) { return dense(ERT_I8, std::move(dims), values); }
Tensor i16(Dims dims, std::vector<int16_t> values) { return dense(ERT_I16, std::move(dims), values); }

Tensor empty(uint8_t dtype, Dims dims) {
  Tensor t;
  t.dtype = dtype;
  t.dims = std::move(dims);
  const int64_t n = t.elements();
  if (n >= 0 && n < (1 << 24)) t.bytes.resize(static_cast<size_t>(n) * element_size(dtype));
  return t;
}

Tensor packed_n16k4(int32_t n, int32_t k, const std::vector<int8_t>& weights) {
  Tensor t;
  t.dtype = params::kPackedN16K4;
  t.dims = {n, k};
  t.constant = true;
  const int32_t lines = (k + 3) / 4;
  t.bytes.assign(static_cast<size_t>((n + 15) / 16 * lines * 64), 0);
  for (int32_t c = 0; c < n; ++c) {
    for (int32_t i = 0; i < k; ++i) {
      const int32_t at = (c / 16 * lines + i / 4) * 64 + c % 16 * 4 + i % 4;
      t.bytes[static_cast<size_t>(at)] = static_cast<uint8_t>(weights[static_cast<size_t>(c * k + i)]);
    }
  }
  return t;
}

std::vector<float> noise(int64_t n, uint32_t seed) {
  std::vector<float> v(static_cast<size_t>(n));
  uint32_t state = seed * 2654435761u + 12345u;
  for (float& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<int32_t>(state >> 8) - (1 << 23)) / static_cast<float>(1 << 23);
  }
  return v;
}

Tensor noisy(Dims dims, uint32_t seed) {
  int64_t n = 1;
  for (int32_t d : dims) n *= d;
  return f32(std::move(dims), noise(n, seed));
}

bool prepares(const OpCase& c) {
  const Bound b(c);
  size_t scratch = 0;
  return c.def->prepare(b.context, &scratch);
}

uint64_t macs(const OpCase& c) {
  const Bound b(c);
  return c.def->macs == nullptr ? 0 : c.def->macs(b.context);
}

uint64_t further_steps(const OpCase& c) {
  const Bound b(c);
  return c.def->further_steps == nullptr ? 0 : c.def->further_steps(b.context);
}

size_t scratch_bytes(const OpCase& c) {
  const Bound b(c);
  size_t scratch = 0;
  EXPECT_TRUE(c.def->prepare(b.context, &scratch));
  return scratch;
}

ert_status run(OpCase& c) {
  if (!prepares(c)) {
    ADD_FAILURE() << c.def->name << ": prepare refused";
    return ERT_ERR_MODEL;
  }
  ert_status status = ERT_OK;
  const auto expected = run_once(c, 1, -1, &status);
  ert_status again = ERT_OK;
  const auto threaded = run_once(c, 3, -1, &again);
  EXPECT_EQ(status, again);
  EXPECT_TRUE(status != ERT_OK || expected == threaded) << c.def->name << ": threads change the result";
  const auto best_level = run_once(c, 3, -1, &again, Build::kBestLevel);
  EXPECT_EQ(status, again);
  EXPECT_TRUE(status != ERT_OK || one_nan(expected, c.outputs) == one_nan(best_level, c.outputs)) << c.def->name << ": differs on the best level";
  const auto without_fpu = run_once(c, 1, -1, &again, Build::kWithoutFpu);
  EXPECT_EQ(status, again);
  if (status == ERT_OK && !without_fpu.empty()) {
    EXPECT_EQ(one_nan(expected, c.outputs), one_nan(without_fpu, c.outputs)) << c.def->name << ": differs on a target without an FPU";
  }
  for (size_t i = 0; i < c.inputs.size() && status == ERT_OK; ++i) {
    if (!c.def->may_replace(i) || c.inputs[i].dtype != c.outputs[0].dtype || c.inputs[i].bytes.size() != c.outputs[0].bytes.size()) continue;
    for (uint32_t threads : {1u, 3u}) {
      EXPECT_EQ(expected, run_once(c, threads, static_cast<int>(i), &again))
          << c.def->name << ": differs in place of input " << i;
    }
  }
  for (size_t i = 0; i < c.outputs.size(); ++i) c.outputs[i].bytes = expected[i];
  return status;
}

void for_each_index(const Dims& dims, const std::function<void(const Dims&)>& visit) {
  for (int32_t d : dims) {
    if (d == 0) return;
  }
  Dims index(dims.size(), 0);
  for (;;) {
    visit(index);
    size_t axis = dims.size();
    while (axis > 0) {
      --axis;
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (dims.empty()) return;
  }
}

int64_t broadcast_at(const Dims& dims, const Dims& index) {
  int64_t at = 0;
  const size_t skip = index.size() - dims.size();
  for (size_t i = 0; i < dims.size(); ++i) at = at * dims[i] + (dims[i] == 1 ? 0 : index[i + skip]);
  return at;
}

}  // namespace ert::test
