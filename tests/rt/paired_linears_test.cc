// Linears and what stands behind them: which neighbours the runtime finds, and that what they do together has the bits of each op on its own, for all
// levels of the machine, threads and rows. (Of converted models: tests/convert/lower/linear_pair_test.cc.)
#include <gtest/gtest.h>

#include <functional>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/context/context.h"
#include "rt/context/pairs.h"
#include "tests/rt/packed_encoder.h"
#include "tests/support/pool.h"

namespace ert::testing {
namespace {

namespace lin = params::linear;
using kernels::Layout;
using kernels::Unary;

constexpr int32_t kMostRows = 150, kIn = 32, kThreads = 3;

template <class T>
uint32_t add_bytes(BlobSpec* s, uint8_t dtype, std::vector<uint32_t> shape, const std::vector<T>& contents) {
  BlobSpec::Segment segment;
  segment.bytes.resize(contents.size() * sizeof(T));
  std::memcpy(segment.bytes.data(), contents.data(), segment.bytes.size());
  s->segments.push_back(std::move(segment));
  return s->add({dtype, std::move(shape), 1, static_cast<uint32_t>(s->segments.size()) - 1});
}

struct Layer {
  int32_t precision = lin::kInt8, activation = lin::kNoActivation;
  Layout layout = Layout::kN16K4;
  bool smooth = false;
};

// A program over x [rows, kIn]; the first arena value is that of the first Linear.
struct Net {
  Builder b;
  uint32_t rows, in, x;
  Net() : rows(b.s.dim("rows", 1, kMostRows)), in(b.s.constant(kIn)), x(b.s.add_input("x", ERT_F32, {rows, in})) {}

  uint32_t vector(int32_t n, uint32_t seed) {
    return b.s.add_constant(ERT_F32, {b.s.constant(n)}, noise(static_cast<size_t>(n), seed));
  }
  uint32_t arena(int32_t n) { return b.arena(ERT_F32, {rows, b.s.constant(n)}); }
  uint32_t output(int32_t n) {
    return b.s.add_output("y", ERT_F32, {rows, b.s.constant(n)}, static_cast<uint32_t>(b.s.ops.size()));
  }

  // y [rows, n] = x [rows, k] times weights. bias: a value, or UINT32_MAX for a constant one.
  void linear(uint32_t from, int32_t k, uint32_t to, int32_t n, const Layer& l, uint32_t bias = UINT32_MAX) {
    const uint32_t columns = b.s.constant(n), depth = b.s.constant(k), seed = static_cast<uint32_t>(b.s.values.size());
    if (bias == UINT32_MAX) bias = vector(n, seed + 1);
    if (l.precision == lin::kF32) {
      const uint32_t weights = b.s.add_constant(ERT_F32, {depth, columns}, noise(static_cast<size_t>(n * k), seed));
      return b.op(OpCode::kLinear, {from, weights, bias}, to, {l.precision, l.activation});
    }
    std::vector<int8_t> codes(kernels::packed_bytes(l.layout, static_cast<size_t>(n), static_cast<size_t>(k)));
    std::vector<int32_t> sums(static_cast<size_t>(n));
    const std::vector<float> weights = noise(static_cast<size_t>(n * k), seed);
    for (size_t i = 0; i < weights.size(); ++i) {
      const size_t column = i / static_cast<size_t>(k);
      const auto code = static_cast<int8_t>(weights[i] * 127.0f);
      codes[kernels::packed_offset(l.layout, column, i % static_cast<size_t>(k), static_cast<size_t>(k))] = code;
      sums[column] += code;
    }
    const auto dtype = static_cast<uint8_t>(params::kPackedN16K4 + static_cast<int>(l.layout));
    std::vector<uint32_t> inputs = {from, add_bytes(&b.s, dtype, {columns, depth}, codes), bias,
                                    b.s.add_constant(ERT_F32, {columns}, std::vector<float>(static_cast<size_t>(n), 0.004f)),
                                    add_bytes(&b.s, ERT_I32, {columns}, sums)};
    if (l.smooth) inputs.push_back(b.s.add_constant(ERT_F32, {depth}, std::vector<float>(static_cast<size_t>(k), 0.75f)));
    b.op(OpCode::kLinear, inputs, to, {l.precision, l.activation});
  }
  // y = norm(from + residual), which need not be there. gamma and beta: values, or UINT32_MAX for constants.
  void norm(uint32_t from, uint32_t residual, uint32_t to, int32_t n, uint32_t gamma = UINT32_MAX, uint32_t beta = UINT32_MAX) {
    if (gamma == UINT32_MAX) gamma = vector(n, 77);
    if (beta == UINT32_MAX) beta = vector(n, 78);
    b.op(OpCode::kLayerNorm, {from, residual, gamma, beta}, to, {0}, {1e-5f});
  }
  // Value v, the last one that was made, takes the memory of value `of`.
  void in_place(uint32_t v, uint32_t of) {
    b.s.values[v].index = b.s.values[of].index;
    --b.s.slots;
  }
  // Every value lives to the last op that reads it.
  BlobSpec finish() {
    BlobSpec& s = b.s;
    for (uint32_t op = 0; op < s.ops.size(); ++op)
      for (const auto* operands : {&s.ops[op].inputs, &s.ops[op].outputs})
        for (const int32_t v : *operands)
          if (v >= 0 && s.values[static_cast<size_t>(v)].storage == 0) s.values[static_cast<size_t>(v)].last_op = op;
    for (uint32_t v = 0; v < s.values.size(); ++v)
      if (s.values[v].storage == 0) s.arena_order.push_back(v);
    std::sort(s.arena_order.begin(), s.arena_order.end(), [&](uint32_t v, uint32_t w) {
      return std::pair(s.values[v].index, s.values[v].first_op) < std::pair(s.values[w].index, s.values[w].first_op);
    });
    return s;
  }
  // A vector that an op computes.
  uint32_t computed(int32_t n) {
    const uint32_t of = vector(n, 79), to = b.arena(ERT_F32, {b.s.constant(n)});
    b.op(OpCode::kUnary, {of}, to, {params::unary::kNeg});
    return to;
  }
};

class Run {
 public:
  Run(const ert_model& model, uint32_t isa_mask, Pool* pool) {
    cfg_ = config_of_size();
    cfg_.isa_mask = isa_mask;
    if (pool != nullptr) {
      cfg_.threads = kThreads;
      cfg_.parallel_for = ert_thread_pool_parallel_for;
      cfg_.parallel_context = pool->get();
    }
    arena_ = std::make_unique<GuardedRegion>(arena_need(model, &cfg_));
    const ert_region region = arena_->region();
    EXPECT_EQ(ert_context_init(&context_, &model, &cfg_, nullptr, &region, 1), ERT_OK);
  }
  void keep() { EXPECT_EQ(keep_values(&context_), ERT_OK); }
  const ContextState& state() const {
    const ert_context* const context = &context_;
    return *reinterpret_cast<const ContextState*>(context);
  }
  std::vector<uint32_t> bits(int32_t rows) {
    std::vector<float> x = noise(static_cast<size_t>(rows * kIn), 5);
    std::vector<std::vector<float>> out(program_of(state()).outputs.size,
                                        std::vector<float>(static_cast<size_t>(rows) * 256, -7.0f));
    ert_tensor in = float_tensor({rows, kIn}, x.data(), x.size());
    EXPECT_EQ(ert_bind_input(&context_, 0, &in), ERT_OK);
    for (uint32_t i = 0; i < out.size(); ++i) {
      const ert_tensor t = float_tensor({}, out[i].data(), out[i].size());
      EXPECT_EQ(ert_bind_output(&context_, i, &t), ERT_OK);
    }
    EXPECT_EQ(ert_run(&context_), ERT_OK);
    EXPECT_TRUE(arena_->intact());
    std::vector<uint32_t> all;
    for (const std::vector<float>& o : out) {
      all.resize(all.size() + o.size());
      std::memcpy(all.data() + all.size() - o.size(), o.data(), o.size() * sizeof(float));
    }
    return all;
  }

 private:
  ert_config cfg_;
  std::unique_ptr<GuardedRegion> arena_;
  ert_context context_{};
};

// The bits that pairs.h sets on the result of op `op`, of a context with one thread or several.
uint8_t pairs_of_op(const Run& run, uint32_t op) {
  const Program p = program_of(run.state());
  return run.state().values[operand_of(p, p.ops[op], p.ops[op].n_inputs())].pairs;
}

// `pairs` of op `op` on several threads; and the same bits as on the reference with every op on its own.
void expect_found(uint8_t pairs, uint32_t op, const std::function<void(Net&)>& build) {
  Net n;
  build(n);
  const AlignedBytes blob = n.finish().build();
  ert_model model;
  ASSERT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
  Pool pool(kThreads);
  EXPECT_EQ(pairs_of_op(Run(model, 0, &pool), op), pairs);
  EXPECT_EQ(pairs_of_op(Run(model, 0, nullptr), op), pairs & ~kNormBehind) << "a norm is taken along on several threads only";
  for (const int32_t rows : {1, 2, 3, 17, 33, 64, kMostRows}) {
    Run apart(model, 1u << ERT_ISA_REF, nullptr);
    apart.keep();
    const std::vector<uint32_t> want = apart.bits(rows);
    for (const uint32_t isa : {0u, 1u << ERT_ISA_REF, 1u << ERT_ISA_AVX2})
      for (Pool* const threads : {static_cast<Pool*>(nullptr), &pool}) {
        if ((isa & ~ert_isa_available()) != 0) continue;
        EXPECT_EQ(Run(model, isa, threads).bits(rows), want)
            << rows << " rows, ISA mask " << isa << (threads != nullptr ? ", threads" : "");
      }
  }
}

// Rows of `hidden` values between two Linears.
std::function<void(Net&)> two(Layer first, Layer second, int32_t hidden = 160) {
  return [=](Net& n) {
    const uint32_t h = n.arena(hidden);
    n.linear(n.x, kIn, h, hidden, first);
    n.linear(h, hidden, n.output(24), 24, second);
  };
}

TEST(PairedLinears, RowsAreHandedOverQuantized) {
  expect_found(kHandsOver, 0, two({}, {}));
  expect_found(kTakesOver, 1, two({}, {}));
  expect_found(kHandsOver, 0, two({lin::kInt8, static_cast<int32_t>(Unary::kRelu)}, {}));
  expect_found(
      kHandsOver, 0,
      two({lin::kInt8, static_cast<int32_t>(Unary::kGeluCoarse)}, {lin::kInt8, lin::kNoActivation, Layout::kN16K4, true}));
  expect_found(kHandsOver, 0, two({lin::kF32, static_cast<int32_t>(Unary::kGeluCoarse)}, {}));
  expect_found(kHandsOver, 0, two({lin::kInt8A16}, {lin::kInt8, static_cast<int32_t>(Unary::kTanh)}));
  expect_found(kHandsOver, 0, two({}, {}, 84));  // a row is not a whole number of lines: found, and left as it is
  expect_found(kHandsOver, 0, two({}, {}, 16));  // no room for a scale
}

TEST(PairedLinears, OnlyForAReaderThatTakesQuantizedRows) {
  expect_found(0, 0, two({}, {lin::kF32}));
  expect_found(0, 0, two({}, {lin::kInt8A16}));
  expect_found(0, 0, two({}, {lin::kInt8, lin::kNoActivation, Layout::kN8K8}));
}

TEST(PairedLinears, OnlyForTheOneReaderOfWhatIsNotBound) {
  const auto read_again = [](Net& n) {
    const uint32_t h = n.arena(24);
    n.linear(n.x, kIn, h, 24, {});
    const uint32_t y = n.arena(24);
    n.linear(h, 24, y, 24, {});
    n.b.op(OpCode::kBinary, {h, y}, n.output(24), {params::binary::kAdd});
  };
  expect_found(0, 0, read_again);
  expect_found(0, 0, [](Net& n) {  // an output of the model
    const uint32_t h = n.output(24);
    n.linear(n.x, kIn, h, 24, {});
    n.linear(h, 24, n.output(24), 24, {});
  });
  expect_found(0, 0, [](Net& n) {  // the next Linear reads something else
    const uint32_t h = n.output(24);
    n.linear(n.x, kIn, h, 24, {});
    n.linear(n.x, kIn, n.output(24), 24, {});
  });
  expect_found(0, 1, [](Net& n) {  // what the reader adds is only known at run time
    const uint32_t bias = n.computed(24);
    const uint32_t h = n.arena(160);
    n.linear(n.x, kIn, h, 160, {});
    n.linear(h, 160, n.output(24), 24, {}, bias);
  });
}

// norm(y + x) or norm(x + y) behind y = Linear(x).
std::function<void(Net&)> normed(bool residual_first, Layer first = {}) {
  return [=](Net& n) {
    const uint32_t y = n.arena(kIn);
    n.linear(n.x, kIn, y, kIn, first);
    n.norm(residual_first ? n.x : y, residual_first ? y : n.x, n.output(kIn), kIn);
  };
}

TEST(PairedLinears, NormsFollowRowByRow) {
  expect_found(kNormBehind, 0, normed(false));
  expect_found(kNormBehind, 0, normed(true));
  expect_found(kNormBehind, 0, normed(false, {lin::kF32, static_cast<int32_t>(Unary::kRelu)}));
  expect_found(kNormBehind, 0, [](Net& n) {  // without a residual
    const uint32_t y = n.arena(200);
    n.linear(n.x, kIn, y, 200, {});
    n.norm(y, UINT32_MAX, n.output(200), 200);
  });
  expect_found(kNormBehind, 0, [](Net& n) {  // in place of the Linear's result
    const uint32_t y = n.arena(200);
    n.linear(n.x, kIn, y, 200, {});
    const uint32_t z = n.arena(200);
    n.in_place(z, y);
    n.norm(y, UINT32_MAX, z, 200);
    n.b.op(OpCode::kCopy, {z}, n.output(200));
  });
}

TEST(PairedLinears, NormsOfOtherValuesOrOverWhatTheLinearReadsWait) {
  expect_found(0, 0, [](Net& n) {  // of x alone
    n.linear(n.x, kIn, n.output(24), 24, {});
    n.norm(n.x, UINT32_MAX, n.output(kIn), kIn);
  });
  expect_found(0, 1, [](Net& n) {
    const uint32_t gamma = n.computed(24);
    const uint32_t y = n.arena(24);
    n.linear(n.x, kIn, y, 24, {});
    n.norm(y, UINT32_MAX, n.output(24), 24, gamma);
  });
  expect_found(0, 1, [](Net& n) {
    const uint32_t beta = n.computed(24);
    const uint32_t y = n.arena(24);
    n.linear(n.x, kIn, y, 24, {});
    n.norm(y, UINT32_MAX, n.output(24), 24, UINT32_MAX, beta);
  });
  expect_found(0, 1, [](Net& n) {  // its first rows would be written over rows of x that the Linear has yet to read
    const uint32_t x = n.arena(kIn);
    n.b.op(OpCode::kUnary, {n.x}, x, {params::unary::kNeg});
    const uint32_t y = n.arena(kIn);
    n.linear(x, kIn, y, kIn, {});
    const uint32_t z = n.arena(kIn);
    n.in_place(z, x);
    n.norm(y, x, z, kIn);
    n.b.op(OpCode::kCopy, {z}, n.output(kIn));
  });
}

}  // namespace
}  // namespace ert::testing
