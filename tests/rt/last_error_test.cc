// ert_last_error: every refusal names the input or output, the place, the value and what would be allowed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

using params::OpCode;

ert_error_detail last_error(const ert_context& c) {
  ert_error_detail d{};
  d.struct_size = sizeof d;
  EXPECT_EQ(ert_last_error(&c, &d), ERT_OK);
  return d;
}

// What small_program() and its context say after `act`, which must be refused with `status`.
template <class F>
ert_error_detail after(ert_status status, F act) {
  SmallContext c;
  EXPECT_EQ(last_error(c.context).fault, uint32_t{ERT_FAULT_NONE}) << "a fresh context has no error";
  EXPECT_EQ(act(c), status);
  const ert_error_detail d = last_error(c.context);
  EXPECT_TRUE(c.outputs_untouched());
  c.bind(2);
  EXPECT_EQ(ert_run(&c.context), ERT_OK) << "the context is reusable";
  c.expect_results();
  EXPECT_EQ(last_error(c.context).fault, uint32_t{ERT_FAULT_NONE}) << "a good call clears it";
  return d;
}

TEST(LastError, NamesTheElementThatIsNotFinite) {
  for (float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    const ert_error_detail d = after(ERT_ERR_INPUT, [bad](SmallContext& c) {
      c.x[7] = bad;
      c.x[9] = bad;
      return ert_run(&c.context);
    });
    EXPECT_EQ(d.fault, uint32_t{ERT_FAULT_NOT_FINITE});
    EXPECT_EQ(d.input, 0);
    EXPECT_EQ(d.element, 7) << "the first";
    uint32_t bits;
    std::memcpy(&bits, &bad, 4);
    EXPECT_EQ(d.value, int64_t{bits});
  }
}

// The check takes 16 values at a time, and the others one by one.
TEST(LastError, FindsWhatIsNotFiniteAtEveryPlace) {
  const float largest = std::numeric_limits<float>::max();
  for (int rows = 1; rows <= 8; ++rows) {
    SmallContext c;
    c.bind(rows);
    for (int i = 0; i < 4 * rows; ++i) {
      const float good = c.x[i];
      for (float bad : {std::nanf(""), -std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
        c.x[i] = bad;
        EXPECT_EQ(ert_run(&c.context), ERT_ERR_INPUT) << rows << " rows, " << bad << " at " << i;
        EXPECT_EQ(last_error(c.context).element, i);
      }
      for (float allowed : {largest, -largest, std::numeric_limits<float>::denorm_min(), -0.0f}) {
        c.x[i] = allowed;
        EXPECT_EQ(ert_run(&c.context), ERT_OK) << rows << " rows, " << allowed << " at " << i;
      }
      c.x[i] = good;
    }
  }
}

TEST(LastError, NamesTheDimOutOfRange) {
  const ert_error_detail d = after(ERT_ERR_DIMS, [](SmallContext& c) {
    c.bind(9);
    return ert_run(&c.context);
  });
  EXPECT_EQ(d.fault, uint32_t{ERT_FAULT_DIM});
  EXPECT_EQ(d.dim, 0);
  EXPECT_EQ(d.input, 0);
  EXPECT_EQ(d.value, 9);
  EXPECT_EQ(d.lowest, 1);
  EXPECT_EQ(d.highest, 8);
}

struct BindCase {
  const char* name;
  ert_status status;
  ert_fault fault;
  int32_t axis;
  int64_t value, lowest, highest;
  void (*change)(ert_tensor&);
};

TEST(LastError, SaysWhatIsWrongWithABinding) {
  const BindCase cases[] = {
      {"rank", ERT_ERR_INPUT, ERT_FAULT_RANK, -1, 1, 2, 2, [](ert_tensor& t) { t.rank = 1; }},
      {"fixed axis", ERT_ERR_INPUT, ERT_FAULT_AXIS, 1, 5, 4, 4, [](ert_tensor& t) { t.shape[1] = 5; }},
      {"length 0", ERT_ERR_INPUT, ERT_FAULT_AXIS, 0, 0, 1, INT32_MAX, [](ert_tensor& t) { t.shape[0] = 0; }},
      {"negative length", ERT_ERR_INPUT, ERT_FAULT_AXIS, 0, -1, 1, INT32_MAX, [](ert_tensor& t) { t.shape[0] = -1; }},
      {"dtype", ERT_ERR_INPUT, ERT_FAULT_DTYPE, -1, ERT_I32, ERT_F32, ERT_F32, [](ert_tensor& t) { t.dtype = ERT_I32; }},
      {"bytes", ERT_ERR_INPUT, ERT_FAULT_BUFFER, -1, 47, 48, 48, [](ert_tensor& t) { t.bytes = 47; }},
      {"alignment", ERT_ERR_ALIGN, ERT_FAULT_ALIGNMENT, -1, 0, 4, 4,
       [](ert_tensor& t) { t.data = static_cast<uint8_t*>(t.data) + 1; }},
  };
  for (const BindCase& k : cases) {
    const ert_error_detail d = after(k.status, [&k](SmallContext& c) {
      ert_tensor t = float_tensor({3, 4}, c.x.data(), 12);
      k.change(t);
      return ert_bind_input(&c.context, 0, &t);
    });
    EXPECT_EQ(d.fault, static_cast<uint32_t>(k.fault)) << k.name;
    EXPECT_EQ(d.input, 0) << k.name;
    EXPECT_EQ(d.output, -1) << k.name;
    EXPECT_EQ(d.axis, k.axis) << k.name;
    EXPECT_EQ(d.value, k.value) << k.name;
    EXPECT_EQ(d.lowest, k.lowest) << k.name;
    EXPECT_EQ(d.highest, k.highest) << k.name;
  }
}

TEST(LastError, NamesTheOutput) {
  const ert_error_detail small = after(ERT_ERR_NOMEM, [](SmallContext& c) {
    ert_tensor out = float_tensor({}, c.out.data(), c.out.size());
    out.bytes -= 1;
    EXPECT_EQ(ert_bind_output(&c.context, 0, &out), ERT_OK);
    return ert_run(&c.context);
  });
  EXPECT_EQ(small.fault, uint32_t{ERT_FAULT_BUFFER});
  EXPECT_EQ(small.output, 0);
  EXPECT_EQ(small.value, 47);
  EXPECT_EQ(small.lowest, 48);
  SmallContext c;
  const ert_tensor on_input = float_tensor({}, c.x.data(), c.x.size());
  ASSERT_EQ(ert_bind_output(&c.context, 0, &on_input), ERT_OK);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_ARG);
  EXPECT_EQ(last_error(c.context).fault, uint32_t{ERT_FAULT_OVERLAP});
}

TEST(LastError, NamesWhatIsNotBound) {
  const AlignedBytes blob = small_program().build();
  ert_model model;
  ASSERT_EQ(ert_model_open(&model, blob.data(), blob.size()), ERT_OK);
  GuardedRegion arena(arena_need(model));
  const ert_region region = arena.region();
  ert_context context;
  ASSERT_EQ(ert_context_init(&context, &model, nullptr, nullptr, &region, 1), ERT_OK);
  EXPECT_EQ(ert_run(&context), ERT_ERR_STATE);
  EXPECT_EQ(last_error(context).fault, uint32_t{ERT_FAULT_UNBOUND});
  EXPECT_EQ(last_error(context).output, 0);
  float out[32] = {};
  const ert_tensor t = float_tensor({}, out, 32);
  ASSERT_EQ(ert_bind_output(&context, 0, &t), ERT_OK);
  EXPECT_EQ(ert_run(&context), ERT_ERR_STATE);
  EXPECT_EQ(last_error(context).input, 0);
}

TEST(LastError, NamesTheOpThatWasAborted) {
  ert_config cfg = config_of_size();
  cfg.op_hook = [](void*, uint32_t op, uint32_t, const char*, const char*) { return op == 2 ? 1 : 0; };
  SmallContext c(small_program(), &cfg);
  EXPECT_EQ(ert_run(&c.context), ERT_ERR_ABORTED);
  EXPECT_EQ(last_error(c.context).fault, uint32_t{ERT_FAULT_OP});
  EXPECT_EQ(last_error(c.context).op, 2);
}

TEST(LastError, ChecksItsArguments) {
  SmallContext c;
  ert_error_detail d{};
  EXPECT_EQ(ert_last_error(nullptr, &d), ERT_ERR_ARG);
  EXPECT_EQ(ert_last_error(&c.context, nullptr), ERT_ERR_ARG);
  EXPECT_EQ(ert_last_error(&c.context, &d), ERT_ERR_ARG) << "struct_size is not set";
  ert_context none{};
  d.struct_size = sizeof d;
  EXPECT_EQ(ert_last_error(&none, &d), ERT_ERR_STATE);
}

}  // namespace
}  // namespace ert::testing
