// decompose_pool: pools of every form compute the same as shifted slices, for fixed and symbolic sizes.
#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

struct PoolCase {
  std::vector<int64_t> kernel, strides, pads, dilations;
  bool ceil_mode = false;
  std::string auto_pad = "NOTSET";
};

// Both kinds, both ways to count padding, and plain sums; the number of pools that were written.
int pools(const PoolCase& c, const Shape& spatial) {
  int written = 0;
  for (int form = 0; form < 4; ++form) {
    GraphBuilder b;
    Shape shape{B, 3};
    shape.insert(shape.end(), spatial.begin(), spatial.end());
    ConvAttrs a;
    a.kernel = c.kernel;
    a.strides = c.strides;
    a.pads = c.pads;
    a.dilations = c.dilations;
    a.ceil_mode = c.ceil_mode;
    a.auto_pad = c.auto_pad;
    a.count_include_pad = form == 2;
    a.sum = form == 3;
    b.output(b.node(form == 0 ? OpKind::kMaxPool : OpKind::kAveragePool, {b.input("x", shape)}, a));
    written += apply(b.g, {pass_decompose_pool}, 2e-6f);
  }
  return written;
}

TEST(DecomposePool, OneAxis) {
  for (const Shape& length : {Shape{9}, Shape{S}}) {
    EXPECT_EQ(pools({{1}, {2}, {0, 0}, {1}}, length), 4);
    EXPECT_EQ(pools({{3}, {1}, {0, 0}, {1}}, length), 4);
    EXPECT_EQ(pools({{3}, {2}, {1, 1}, {1}}, length), 4);
    EXPECT_EQ(pools({{2}, {2}, {0, 0}, {1}}, length), 4);
    EXPECT_EQ(pools({{2}, {3}, {1, 0}, {2}}, length), 4);
    EXPECT_EQ(pools({{3}, {2}, {1, 0}, {1}, true}, length), 4);
    EXPECT_EQ(pools({{3}, {1}, {}, {1}, false, "SAME_UPPER"}, length), 4);
  }
}

TEST(DecomposePool, SeveralAxes) {
  EXPECT_EQ(pools({{2, 3}, {1, 2}, {1, 1, 0, 1}, {1, 1}}, {5, 7}), 4);
  EXPECT_EQ(pools({{2, 3}, {2, 2}, {0, 0, 0, 0}, {1, 2}}, {S, 9}), 4);
  EXPECT_EQ(pools({{2, 2, 2}, {2, 2, 2}, {0, 1, 0, 1, 0, 0}, {1, 1, 1}, true}, {5, 4, 7}), 4);
  EXPECT_EQ(pools({{3, 3}, {2, 2}, {}, {1, 1}, false, "SAME_LOWER"}, {7, 8}), 4);
}

TEST(DecomposePool, KernelOverTheWholeAxisIsAReduction) {
  GraphBuilder b;
  ConvAttrs a;
  a.kernel = {100, 3};
  b.output(b.node(OpKind::kMaxPool, {b.input("x", {B, 3, 100, 9})}, a));
  EXPECT_EQ(apply(b.g, {pass_decompose_pool}), 1);
  EXPECT_EQ(count(b.g, OpKind::kReduce), 1);
}

// A mean over 75 steps of a signal in a network for EEG was refused.
TEST(DecomposePool, KernelsLongerThan64ThatDoNotCoverTheirAxis) {
  EXPECT_EQ(pools({{1, 75}, {1, 15}, {0, 0, 0, 0}, {1, 1}}, {1, 120}), 4);
  EXPECT_EQ(pools({{80}, {4}, {7, 0}, {1}}, {100}), 4);
}

// So many positions would be a long program out of a short file.
TEST(DecomposePool, ManyLongKernelsStay) {
  ConvAttrs a;
  a.kernel = {1024};
  for (const int kernels : {4, 5}) {
    GraphBuilder b;
    for (int i = 0; i < kernels; ++i) b.output(b.node(OpKind::kMaxPool, {b.input("x" + std::to_string(i), {1, 1, 1025})}, a));
    EXPECT_EQ(apply(b.g, {pass_decompose_pool}), kernels == 4 ? 4 : 0);
  }
  a.kernel = {1025};
  GraphBuilder b;
  b.output(b.node(OpKind::kMaxPool, {b.input("x", {1, 1, 1026})}, a));
  EXPECT_EQ(apply(b.g, {pass_decompose_pool}), 0);
}

// ceil_mode drops a window that would start in the padding; whether it would depends on the size.
TEST(DecomposePool, CeilModeDropsWindows) {
  for (const Shape& length : {Shape{9}, Shape{10}, Shape{S}}) {
    EXPECT_EQ(pools({{2}, {2}, {0, 1}, {1}, true}, length), 4);
    EXPECT_EQ(pools({{2}, {2}, {1, 1}, {1}, true}, length), 4);
    EXPECT_EQ(pools({{2}, {3}, {0, 0}, {1}, true}, length), 4) << "elements between the windows";
    EXPECT_EQ(pools({{1}, {3}, {0, 0}, {1}, true}, length), 4);
    EXPECT_EQ(pools({{3}, {3}, {1, 1}, {1}, true}, length), 4);
    EXPECT_EQ(pools({{2}, {4}, {1, 2}, {2}, true}, length), 4) << "dilated";
  }
  EXPECT_EQ(pools({{2, 3}, {2, 3}, {0, 1, 1, 1}, {1, 1}, true}, {S, 7}), 4);
}

TEST(DecomposePool, AutomaticPaddingOfUnknownSizes) {
  for (const char* where : {"SAME_UPPER", "SAME_LOWER"})
    for (int64_t kernel : {1, 2, 3, 4, 5})
      for (int64_t stride : {2, 3, 4}) EXPECT_EQ(pools({{kernel}, {stride}, {}, {1}, false, where}, {S}), 4) << where << kernel << stride;
  EXPECT_EQ(pools({{3}, {2}, {}, {2}, false, "SAME_UPPER"}, {S}), 4);
  EXPECT_EQ(pools({{3, 2}, {2, 2}, {}, {1, 1}, false, "SAME_LOWER"}, {S, 7}), 4);
}

}  // namespace

}  // namespace edgeconv::testing
