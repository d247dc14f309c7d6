// Windows in a blob: what is read, what is refused, and which positions of a kernel meet the input.
#include "rt/ops/window.h"

#include <gtest/gtest.h>

#include <vector>

namespace ert::ops {
namespace {

Operand map_of(std::vector<int32_t> dims) {
  Operand o;
  o.dtype = ERT_F32;
  o.rank = static_cast<uint8_t>(dims.size());
  std::copy(dims.begin(), dims.end(), o.dims);
  return o;
}

bool reads(std::vector<int32_t> x, std::vector<int32_t> out, std::vector<int32_t> ints, Window* w) {
  OpContext c;
  ints.insert(ints.begin(), 7);  // of the op itself
  c.ints = ints.data();
  c.n_ints = static_cast<uint32_t>(ints.size());
  return read_window(c, 1, map_of(x), map_of(out), w);
}
bool reads(std::vector<int32_t> x, std::vector<int32_t> out, std::vector<int32_t> ints) {
  Window w;
  return reads(x, out, ints, &w);
}

TEST(Window, OfOneAxisIsAMapOfOneRow) {
  Window w;
  ASSERT_TRUE(reads({2, 10, 3}, {2, 5, 7}, {4, 2, 1, 1, 1}, &w));
  EXPECT_EQ(w.rows.size, 1);
  EXPECT_EQ(w.rows.out, 1);
  EXPECT_EQ(w.columns.kernel, 4);
  EXPECT_EQ(w.columns.begin, 1);
  EXPECT_EQ(w.channels, 3);
  EXPECT_EQ(w.out_channels, 7);
  EXPECT_EQ(w.outputs(), 10);
}

TEST(Window, OfTwoAxesHasRowsFirst) {
  Window w;
  ASSERT_TRUE(reads({1, 9, 20, 3}, {1, 9, 9, 3}, {3, 1, 1, 2, 0, 4, 2, 1, 0, 0}, &w));
  EXPECT_EQ(w.rows.kernel, 3);
  EXPECT_EQ(w.rows.begin, 2);
  EXPECT_EQ(w.columns.kernel, 4);
  EXPECT_EQ(w.columns.stride, 2);
  EXPECT_EQ(w.positions(), 12);
}

TEST(Window, RefusesSizesThatAreNotItsOwn) {
  EXPECT_TRUE(reads({1, 10, 3}, {1, 8, 3}, {3, 1, 1, 0, 0}));
  EXPECT_FALSE(reads({1, 10, 3}, {1, 9, 3}, {3, 1, 1, 0, 0}));  // would read behind the padding
  EXPECT_FALSE(reads({1, 10, 3}, {1, 7, 3}, {3, 1, 1, 0, 0}));
  EXPECT_FALSE(reads({1, 10, 3}, {2, 8, 3}, {3, 1, 1, 0, 0}));       // batch
  EXPECT_FALSE(reads({1, 10, 3}, {1, 8, 1, 3}, {3, 1, 1, 0, 0}));    // rank
  EXPECT_FALSE(reads({10, 3}, {8, 3}, {3, 1, 1, 0, 0}));             // no spatial axis
  EXPECT_FALSE(reads({1, 2, 3}, {1, 0, 3}, {3, 1, 1, 0, 0}));        // kernel larger than the input
  EXPECT_FALSE(reads({1, 2, 3}, {1, 1, 3}, {4, 3, 1, 0, 0}));        // the same, where the quotient would round up to a window
  EXPECT_FALSE(reads({1, 9, 9, 3}, {1, 7, 9, 3}, {3, 1, 1, 0, 0}));  // ints of one axis only
}

TEST(Window, RefusesNumbersThatMakeNoWindow) {
  EXPECT_FALSE(reads({1, 10, 3}, {1, 11, 3}, {0, 1, 1, 0, 0}));
  EXPECT_FALSE(reads({1, 10, 3}, {1, 10, 3}, {1, 0, 1, 0, 0}));
  EXPECT_FALSE(reads({1, 10, 3}, {1, 10, 3}, {1, -1, 1, 0, 0}));
  EXPECT_FALSE(reads({1, 10, 3}, {1, 10, 3}, {3, 1, 0, 0, 0}));
  EXPECT_FALSE(reads({1, 10, 3}, {1, 10, 3}, {3, 1, -1, 0, 0}));
  EXPECT_FALSE(reads({1, 10, 3}, {1, 10, 3}, {INT32_MAX, 1, INT32_MAX, 1, 1}));
  EXPECT_FALSE(reads({1, 10, 3}, {1, 10, 3}, {1, 1, 1, INT32_MIN, INT32_MAX}));
  EXPECT_FALSE(reads({1, 10, 3}, {1, 10, 3}, {1, 1, 1, INT32_MAX, INT32_MIN}));
}

TEST(Window, KnowsWhichPositionsMeetTheInput) {
  for (int32_t kernel = 1; kernel <= 5; ++kernel)
    for (int32_t stride = 1; stride <= 3; ++stride)
      for (int32_t dilation = 1; dilation <= 3; ++dilation)
        for (int32_t begin = -2; begin <= 6; ++begin)
          for (int32_t size = 1; size <= 7; ++size) {
            const WindowAxis a{kernel, stride, dilation, begin, size, 6};
            for (int32_t o = 0; o < a.out; ++o) {
              const WindowSpan s = span_inside(a, o);
              for (int32_t i = 0; i < kernel; ++i) {
                const int64_t at = a.first(o) + i * dilation;
                EXPECT_EQ(i >= s.first && i < s.last, at >= 0 && at < size)
                    << kernel << ' ' << stride << ' ' << dilation << ' ' << begin;
              }
              EXPECT_TRUE(s.first <= s.last && s.first >= 0 && s.last <= kernel);
            }
          }
}

}  // namespace
}  // namespace ert::ops
