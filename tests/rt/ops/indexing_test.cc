// Ops that read indices from data, and ops that make tensors from sizes. An index out of range is the caller's fault: a
// status, never an access.
#include <gtest/gtest.h>
#include <math.h>

#include <algorithm>
#include <numeric>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

const int32_t kBadIndices[] = {3, -4, INT32_MAX, INT32_MIN};

TEST(Made, FillRangeAndDims) {
  EXPECT_EQ(run_for<float>({&kOpFill, {}, {empty(ERT_F32, {2})}, {0x3fc00000}, {}, {}}), (std::vector<float>{1.5f, 1.5f}));
  EXPECT_EQ(run_for<uint8_t>({&kOpFill, {}, {empty(ERT_BOOL, {2})}, {256}, {}, {}}), (std::vector<uint8_t>{1, 1}));
  EXPECT_EQ(run_for<int8_t>({&kOpFill, {}, {empty(ERT_I8, {2})}, {-3}, {}, {}}), (std::vector<int8_t>{-3, -3}));
  run_for<int32_t>({&kOpFill, {}, {empty(ERT_I32, {30000})}, {7}, {}, {}});
  EXPECT_EQ(run_for<int32_t>({&kOpRange, {}, {empty(ERT_I32, {3})}, {1, -2}, {}, {0, 5}}), (std::vector<int32_t>{5, 3, 1}));
  EXPECT_EQ(run_for<int32_t>({&kOpRange, {}, {empty(ERT_I32, {2})}, {0, 1}, {}, {INT64_MAX}}),
            (std::vector<int32_t>{INT32_MAX, INT32_MIN}));
  EXPECT_EQ(run_for<int32_t>({&kOpDimsToTensor, {}, {empty(ERT_I32, {3})}, {2, 0, 1}, {}, {7, -(int64_t{1} << 40), 9}}),
            (std::vector<int32_t>{9, 7, INT32_MIN}));
  EXPECT_EQ(run_for<float>({&kOpDimsToTensor, {}, {empty(ERT_F32, {})}, {0}, {}, {7}}), (std::vector<float>{7.0f}));
  EXPECT_FALSE(prepares({&kOpRange, {}, {empty(ERT_I32, {3})}, {2, 1}, {}, {0, 5}}));
  EXPECT_FALSE(prepares({&kOpRange, {}, {empty(ERT_F32, {3})}, {0, 1}, {}, {0}}));
  EXPECT_FALSE(prepares({&kOpDimsToTensor, {}, {empty(ERT_I32, {2})}, {0, -1}, {}, {7}}));
  EXPECT_FALSE(prepares({&kOpDimsToTensor, {}, {empty(ERT_I32, {3})}, {0, 0}, {}, {7}}));
  EXPECT_FALSE(prepares({&kOpFill, {}, {empty(params::kPackedN16K4, {2})}, {0}, {}, {}}));
}

TEST(Gather, AlongEachAxis) {
  const Tensor x = i32({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run_for<int32_t>({&kOpGather, {x, i32({2, 2}, {0, -1, 1, 1})}, {empty(ERT_I32, {2, 2, 2})}, {0}, {}, {}}),
            (std::vector<int32_t>{1, 2, 5, 6, 3, 4, 3, 4}));
  EXPECT_EQ(run_for<int32_t>({&kOpGather, {x, i32({}, {1})}, {empty(ERT_I32, {3})}, {1}, {}, {}}),
            (std::vector<int32_t>{2, 4, 6}));
  EXPECT_EQ(run_for<uint8_t>({&kOpGather, {u8({3}, {7, 8, 9}), i32({2}, {2, 0})}, {empty(ERT_U8, {2})}, {0}, {}, {}}),
            (std::vector<uint8_t>{9, 7}));
  run_for<int32_t>({&kOpGather,
                    {empty(ERT_I32, {4, 3, 50}), i32({300}, std::vector<int32_t>(300, 2))},
                    {empty(ERT_I32, {4, 300, 50})},
                    {1},
                    {},
                    {}});
  // Neighbours are copied together, but not around the end, nor from one row of the data into the next.
  EXPECT_EQ(run_for<int32_t>({&kOpGather,
                              {i32({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), i32({6}, {-2, -1, 0, 1, 2, 0})},
                              {empty(ERT_I32, {2, 6})},
                              {1},
                              {},
                              {}}),
            (std::vector<int32_t>{2, 3, 0, 1, 2, 0, 6, 7, 4, 5, 6, 4}));
  EXPECT_EQ(run_for<int32_t>(
                {&kOpGather, {i32({2, 3}, {0, 1, 2, 3, 4, 5}), i32({3}, {0, 1, 2})}, {empty(ERT_I32, {2, 3})}, {1}, {}, {}}),
            (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
  // Words one by one and in runs, from either end.
  std::vector<int32_t> mixed, numbers(2 * 90);
  for (int32_t i = 0; i < 200; ++i) mixed.push_back(i % 50 < 25 ? 60 + i % 50 : i * 37 % 90 - (i % 3 == 0 ? 90 : 0));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
  std::vector<int32_t> wanted;
  for (int32_t row = 0; row < 2; ++row)
    for (const int32_t i : mixed) wanted.push_back(row * 90 + (i < 0 ? i + 90 : i));
  EXPECT_EQ(run_for<int32_t>({&kOpGather, {i32({2, 90}, numbers), i32({200}, mixed)}, {empty(ERT_I32, {2, 200})}, {1}, {}, {}}),
            wanted);
  for (int32_t bad : kBadIndices) {
    OpCase c = {&kOpGather, {x, i32({1}, {bad})}, {empty(ERT_I32, {1, 2})}, {0}, {}, {}};
    EXPECT_EQ(run(c), ERT_ERR_INPUT) << bad;
  }
  EXPECT_FALSE(prepares({&kOpGather, {x, empty(ERT_I32, {4})}, {empty(ERT_I32, {4, 3})}, {0}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpGather, {x, empty(ERT_I32, {4})}, {empty(ERT_I32, {4, 2})}, {2}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpGather, {x, empty(ERT_F32, {4})}, {empty(ERT_I32, {4, 2})}, {0}, {}, {}}));
}

TEST(GatherElements, OneIndexPerElement) {
  const Tensor x = i32({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(run_for<int32_t>({&kOpGatherElements, {x, i32({2, 3}, {1, 2, 0, 2, 0, -3})}, {empty(ERT_I32, {2, 3})}, {0}, {}, {}}),
            (std::vector<int32_t>{4, 8, 3, 7, 2, 3}));
  EXPECT_EQ(run_for<int32_t>({&kOpGatherElements, {x, i32({2, 2}, {1, -1, 2, 0})}, {empty(ERT_I32, {2, 2})}, {1}, {}, {}}),
            (std::vector<int32_t>{2, 3, 6, 4}));
  EXPECT_EQ(run_for<uint8_t>({&kOpGatherElements, {u8({2}, {8, 9}), i32({3}, {1, 1, 0})}, {empty(ERT_U8, {3})}, {0}, {}, {}}),
            (std::vector<uint8_t>{9, 9, 8}));
  for (int32_t bad : kBadIndices) {
    OpCase c = {&kOpGatherElements, {x, i32({1, 1}, {bad})}, {empty(ERT_I32, {1, 1})}, {1}, {}, {}};
    EXPECT_EQ(run(c), ERT_ERR_INPUT) << bad;
  }
  EXPECT_FALSE(prepares({&kOpGatherElements, {x, empty(ERT_I32, {2, 4})}, {empty(ERT_I32, {2, 4})}, {0}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpGatherElements, {x, empty(ERT_I32, {9})}, {empty(ERT_I32, {9})}, {0}, {}, {}}));
}

TEST(GatherND, TuplesAndBatches) {
  const Tensor x = i32({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(run_for<int32_t>({&kOpGatherND, {x, i32({2, 3}, {0, 1, 1, 1, 0, -1})}, {empty(ERT_I32, {2})}, {0}, {}, {}}),
            (std::vector<int32_t>{3, 5}));
  EXPECT_EQ(run_for<int32_t>({&kOpGatherND, {x, i32({2, 1, 1}, {1, 0})}, {empty(ERT_I32, {2, 1, 2, 2})}, {0}, {}, {}}),
            (std::vector<int32_t>{4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(run_for<int32_t>({&kOpGatherND, {x, i32({2, 1}, {1, 0})}, {empty(ERT_I32, {2, 2})}, {1}, {}, {}}),
            (std::vector<int32_t>{2, 3, 4, 5}));
  for (int32_t bad : kBadIndices) {
    OpCase c = {&kOpGatherND, {x, i32({1, 2}, {0, bad})}, {empty(ERT_I32, {1, 2})}, {0}, {}, {}};
    EXPECT_EQ(run(c), ERT_ERR_INPUT) << bad;
  }
  const auto accepts = [&](Dims indices, Dims out, int32_t batch) {
    return prepares({&kOpGatherND, {x, empty(ERT_I32, indices)}, {empty(ERT_I32, out)}, {batch}, {}, {}});
  };
  EXPECT_TRUE(accepts({5, 2}, {5, 2}, 0));
  EXPECT_FALSE(accepts({5, 4}, {5}, 0));
  EXPECT_FALSE(accepts({5, 0}, {5, 2, 2, 2}, 0));
  EXPECT_FALSE(accepts({5, 2}, {5, 2}, 1));
  EXPECT_FALSE(accepts({}, {}, 0));
  EXPECT_FALSE(accepts({5, 2}, {5, 2}, -1));
  EXPECT_FALSE(accepts({2, 2, 2, 1}, {2, 2, 2}, 3));
}

TEST(Scatter, ReductionsInIndexOrder) {
  const Tensor x = f32({4}, {1, 2, 3, 4}), at = i32({3, 1}, {1, -1, 1}), updates = f32({3}, {10, 0.5f, 3});
  const auto nd = [&](int32_t how) {
    return run_for<float>({&kOpScatterND, {x, at, updates}, {empty(ERT_F32, {4})}, {how}, {}, {}});
  };
  const auto elements = [&](int32_t how) {
    return run_for<float>({&kOpScatterElements, {x, i32({3}, {1, -1, 1}), updates}, {empty(ERT_F32, {4})}, {0, how}, {}, {}});
  };
  const std::vector<float> want[] = {{1, 3, 3, 0.5f}, {1, 15, 3, 4.5f}, {1, 60, 3, 2}, {1, 2, 3, 0.5f}, {1, 10, 3, 4}};
  for (int32_t how = 0; how < 5; ++how) {
    EXPECT_EQ(nd(how), want[how]) << how;
    EXPECT_EQ(elements(how), want[how]) << how;
  }
  EXPECT_EQ(run_for<int32_t>({&kOpScatterND,
                              {i32({2, 2}, {1, 2, 3, 4}), i32({1, 1}, {1}), i32({1, 2}, {7, INT32_MAX})},
                              {empty(ERT_I32, {2, 2})},
                              {1},
                              {},
                              {}}),
            (std::vector<int32_t>{1, 2, 10, INT32_MIN + 3}));
  EXPECT_EQ(run_for<int32_t>({&kOpScatterElements,
                              {i32({2, 2}, {1, 2, 3, 4}), i32({1, 2}, {1, 0}), i32({1, 2}, {8, 9})},
                              {empty(ERT_I32, {2, 2})},
                              {0, 0},
                              {},
                              {}}),
            (std::vector<int32_t>{1, 9, 8, 4}));
  EXPECT_EQ(
      run_for<uint8_t>(
          {&kOpScatterND, {boolean({2}, {0, 0}), i32({1, 1}, {1}), boolean({1}, {1})}, {empty(ERT_BOOL, {2})}, {0}, {}, {}}),
      (std::vector<uint8_t>{0, 1}));
  for (int32_t bad : {4, -5, INT32_MAX, INT32_MIN}) {
    OpCase c = {&kOpScatterND, {x, i32({1, 1}, {bad}), f32({1}, {1})}, {empty(ERT_F32, {4})}, {0}, {}, {}};
    EXPECT_EQ(run(c), ERT_ERR_INPUT) << bad;
    c = {&kOpScatterElements, {x, i32({1}, {bad}), f32({1}, {1})}, {empty(ERT_F32, {4})}, {0, 0}, {}, {}};
    EXPECT_EQ(run(c), ERT_ERR_INPUT) << bad;
  }
  EXPECT_FALSE(prepares({&kOpScatterND, {x, at, updates}, {empty(ERT_F32, {4})}, {5}, {}, {}}));
  EXPECT_FALSE(prepares(
      {&kOpScatterND, {boolean({2}, {0, 0}), i32({1, 1}, {1}), boolean({1}, {1})}, {empty(ERT_BOOL, {2})}, {1}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpScatterElements, {x, i32({2}, {0, 0}), updates}, {empty(ERT_F32, {4})}, {0, 0}, {}, {}}));
}

TEST(Scatter, ReductionsOfIntegers) {
  const Tensor x = i32({4}, {INT32_MAX, -2, 3, INT32_MIN}), updates = i32({4}, {1, 5, -4, -1});
  const std::vector<int32_t> want[] = {{1, 5, -4, -1},
                                       {INT32_MIN, 3, -1, INT32_MAX},
                                       {INT32_MAX, -10, -12, INT32_MIN},
                                       {1, -2, -4, INT32_MIN},
                                       {INT32_MAX, 5, 3, -1}};
  for (int32_t how = 0; how < 5; ++how) {
    EXPECT_EQ(run_for<int32_t>({&kOpScatterND, {x, i32({4, 1}, {0, 1, 2, 3}), updates}, {empty(ERT_I32, {4})}, {how}, {}, {}}),
              want[how])
        << how;
    EXPECT_EQ(
        run_for<int32_t>({&kOpScatterElements, {x, i32({4}, {0, 1, 2, 3}), updates}, {empty(ERT_I32, {4})}, {0, how}, {}, {}}),
        want[how])
        << how;
  }
}

TEST(ArgMinMax, TiesNaNAndAxes) {
  const Tensor x = f32({2, 4}, {1, 3, 3, 1, NAN, 2, NAN, -1});
  const auto best = [&](int32_t axis, int32_t max, int32_t last, Dims out) {
    return run_for<int32_t>({&kOpArgMinMax, {x}, {empty(ERT_I32, out)}, {axis, max, last}, {}, {}});
  };
  EXPECT_EQ(best(1, 1, 0, {2}), (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(best(1, 1, 1, {2, 1}), (std::vector<int32_t>{2, 2}));
  EXPECT_EQ(best(1, 0, 0, {2}), (std::vector<int32_t>{0, 3}));
  EXPECT_EQ(best(1, 0, 1, {2}), (std::vector<int32_t>{3, 3}));
  EXPECT_EQ(best(0, 1, 0, {4}), (std::vector<int32_t>{1, 0, 1, 0}));
  EXPECT_EQ(run_for<int32_t>({&kOpArgMinMax, {i32({3}, {5, INT32_MIN, INT32_MAX})}, {empty(ERT_I32, {})}, {0, 1, 0}, {}, {}}),
            (std::vector<int32_t>{2}));
  run_for<int32_t>({&kOpArgMinMax, {noisy({300, 70}, 1)}, {empty(ERT_I32, {70})}, {0, 1, 0}, {}, {}});
  EXPECT_FALSE(prepares({&kOpArgMinMax, {x}, {empty(ERT_I32, {4})}, {1, 1, 0}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpArgMinMax, {empty(ERT_F32, {2, 0})}, {empty(ERT_I32, {2})}, {1, 1, 0}, {}, {}}));
}

TEST(TopK, AgreesWithAStableSort) {
  for (int32_t n : {1, 2, 7, 50, 400, 3000}) {
    for (int32_t k : {0, 1, 2, 5, 6, n / 2, n}) {  // 1 + 4 and one more: the last parent has one child or four
      if (k > n) continue;
      for (int32_t largest : {0, 1}) {
        std::vector<float> x = noise(int64_t{3} * n, 8);
        for (float& v : x) v = floorf(v * 8.0f);  // many ties
        OpCase c = {&kOpTopK, {f32({3, n}, x)}, {empty(ERT_F32, {3, k}), empty(ERT_I32, {3, k})}, {1, largest, 1}, {}, {}};
        ASSERT_EQ(run(c), ERT_OK);
        for (int32_t row = 0; row < 3; ++row) {
          std::vector<int32_t> order(static_cast<size_t>(n));
          std::iota(order.begin(), order.end(), 0);
          const float* line = x.data() + row * n;
          std::stable_sort(order.begin(), order.end(),
                           [&](int32_t a, int32_t b) { return largest ? line[a] > line[b] : line[a] < line[b]; });
          for (int32_t j = 0; j < k; ++j) {
            const size_t at = static_cast<size_t>(row * k + j), from = static_cast<size_t>(j);
            ASSERT_EQ(c.outputs[1].as<int32_t>()[at], order[from]);
            ASSERT_EQ(c.outputs[0].as<float>()[at], line[order[from]]);
          }
        }
      }
    }
  }
  OpCase columns = {&kOpTopK, {i32({3, 2}, {1, 9, 5, 7, 3, 8})}, {empty(ERT_I32, {2, 2}), empty(ERT_I32, {2, 2})}, {0, 1, 1}, {},
                    {}};
  run(columns);
  EXPECT_EQ(columns.outputs[0].as<int32_t>(), (std::vector<int32_t>{5, 9, 3, 8}));
  EXPECT_EQ(columns.outputs[1].as<int32_t>(), (std::vector<int32_t>{1, 0, 2, 2}));
  OpCase nan = {&kOpTopK, {f32({4}, {1, NAN, 3, NAN})}, {empty(ERT_F32, {3}), empty(ERT_I32, {3})}, {0, 1, 1}, {}, {}};
  run(nan);
  EXPECT_EQ(nan.outputs[1].as<int32_t>(), (std::vector<int32_t>{1, 3, 2}));
  OpCase bounds = {&kOpTopK, {i32({4}, {INT32_MIN, 0, INT32_MAX, -1})}, {empty(ERT_I32, {4}), empty(ERT_I32, {4})}, {0, 0, 1}, {},
                   {}};
  run(bounds);
  EXPECT_EQ(bounds.outputs[1].as<int32_t>(), (std::vector<int32_t>{0, 3, 1, 2}));
  OpCase zeros = {
      &kOpTopK, {f32({5}, {-0.0f, 0.0f, -INFINITY, -NAN, -0.0f})}, {empty(ERT_F32, {5}), empty(ERT_I32, {5})}, {0, 0, 1}, {}, {}};
  run(zeros);
  EXPECT_EQ(zeros.outputs[1].as<int32_t>(), (std::vector<int32_t>{2, 0, 1, 4, 3}));
  EXPECT_FALSE(prepares({&kOpTopK, {empty(ERT_F32, {4})}, {empty(ERT_F32, {5}), empty(ERT_I32, {5})}, {0, 1, 1}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpTopK, {empty(ERT_F32, {4})}, {empty(ERT_F32, {2})}, {0, 1, 1}, {}, {}}));
}

TEST(OneHot, NewAxisAnywhere) {
  const Tensor at = i32({3}, {1, -1, 5});
  EXPECT_EQ(run_for<int32_t>({&kOpOneHot, {at}, {empty(ERT_I32, {3, 2})}, {1, 8, -8}, {}, {}}),
            (std::vector<int32_t>{-8, 8, -8, 8, -8, -8}));
  EXPECT_EQ(run_for<uint8_t>({&kOpOneHot, {at}, {empty(ERT_BOOL, {2, 3})}, {0, 1, 0}, {}, {}}),
            (std::vector<uint8_t>{0, 0, 0, 1, 1, 0}));
  EXPECT_FALSE(prepares({&kOpOneHot, {at}, {empty(ERT_I32, {3, 2})}, {2, 1, 0}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpOneHot, {at}, {empty(ERT_I32, {2, 2})}, {1, 1, 0}, {}, {}}));
}

// Doubles the first input and leaves a trace in its scratch.
int double_it(void* context, const ert_custom_attribute*, uint32_t, const ert_tensor* inputs, uint32_t input_count,
              ert_tensor* outputs, uint32_t output_count, void* scratch) {
  *static_cast<int*>(context) += 1;
  if (input_count != 2 || output_count != 1 || inputs[1].dtype != 0 || inputs[0].struct_size != sizeof(ert_tensor)) return 1;
  for (int i = 0; i < 100; ++i) static_cast<uint8_t*>(scratch)[i] = 1;
  for (int32_t i = 0; i < inputs[0].shape[0]; ++i)
    static_cast<float*>(outputs[0].data)[i] = 2.0f * static_cast<const float*>(inputs[0].data)[i];
  return outputs[0].bytes == inputs[0].bytes ? 0 : 1;
}

TEST(Custom, CallsTheRegisteredFunction) {
  int calls = 0;
  const ert_custom_op op = {sizeof(ert_custom_op), "test::Double", &calls, double_it, 100};
  OpCase c = {&kOpCustom, {f32({2}, {1, 2}), absent()}, {empty(ERT_F32, {2})}, {0}, {}, {}, &op};
  EXPECT_EQ(run(c), ERT_OK);
  EXPECT_EQ(c.outputs[0].as<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(calls, 3);  // alone, on threads and on the best level
  c.inputs.pop_back();
  EXPECT_EQ(run(c), ERT_ERR_CUSTOM_OP);
  c.custom = nullptr;
  EXPECT_TRUE(prepares(c));  // open prepares before anything is registered
  EXPECT_EQ(run(c), ERT_ERR_UNSUPPORTED);
  c.ints = {-1};
  EXPECT_FALSE(prepares(c));
}

}  // namespace
}  // namespace ert::test
