// Ops that move elements: Copy, Transpose, Slice, Concat, Expand, Pad, Trilu, and the integer boundary.
#include <gtest/gtest.h>
#include <math.h>

#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

// 0, 1, 2, ... so that every element is told apart.
Tensor counting(Dims dims) {
  Tensor t = empty(ERT_I32, dims);
  std::vector<int32_t> v;
  for (int32_t i = 0; i < t.elements(); ++i) v.push_back(i);
  return i32(std::move(dims), v);
}
Tensor counting_bytes(Dims dims) {
  Tensor t = empty(ERT_U8, dims);
  for (size_t i = 0; i < t.bytes.size(); ++i) t.bytes[i] = static_cast<uint8_t>(i * 7);
  return t;
}

TEST(Boundary, ImportAndExport) {
  const auto import = [](const Tensor& t, uint8_t to) { return OpCase{&kOpImportInt, {t}, {empty(to, t.dims)}, {}, {}, {}}; };
  const Tensor wide = i64({4}, {5, -6, int64_t{1} << 40, -(int64_t{1} << 40)});
  EXPECT_EQ(run_for<int32_t>(import(wide, ERT_I32)), (std::vector<int32_t>{5, -6, INT32_MAX, INT32_MIN}));
  EXPECT_EQ(run_for<uint8_t>(import(i64({2}, {int64_t{1} << 40, 0}), ERT_BOOL)), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(run_for<uint8_t>(import(boolean({3}, {0, 1, 200}), ERT_BOOL)), (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_EQ(run_for<int32_t>(import(boolean({2}, {200, 0}), ERT_I32)), (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(run_for<int32_t>(import(u8({2}, {200, 0}), ERT_I32)), (std::vector<int32_t>{200, 0}));
  EXPECT_EQ(run_for<int32_t>(import(i8({2}, {-100, 0}), ERT_I32)), (std::vector<int32_t>{-100, 0}));
  EXPECT_EQ(run_for<int32_t>(import(i32({2}, {-100, 7}), ERT_I32)), (std::vector<int32_t>{-100, 7}));
  const auto out = [](const Tensor& t, uint8_t to) { return OpCase{&kOpExportInt, {t}, {empty(to, t.dims)}, {}, {}, {}}; };
  EXPECT_EQ(run_for<int64_t>(out(i32({2}, {INT32_MIN, 7}), ERT_I64)), (std::vector<int64_t>{INT32_MIN, 7}));
  EXPECT_EQ(run_for<int32_t>(out(i32({2}, {INT32_MIN, 7}), ERT_I32)), (std::vector<int32_t>{INT32_MIN, 7}));
  EXPECT_EQ(run_for<int64_t>(out(boolean({2}, {1, 0}), ERT_I64)), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(run_for<uint8_t>(out(boolean({2}, {1, 0}), ERT_U8)), (std::vector<uint8_t>{1, 0}));
  EXPECT_FALSE(prepares(import(wide, ERT_F32)));
  EXPECT_FALSE(prepares(out(i32({1}, {1}), ERT_U8)));
  EXPECT_FALSE(prepares({&kOpImportInt, {wide}, {empty(ERT_I32, {5})}, {}, {}, {}}));
}

TEST(Boundary, ImportFloat) {
  const auto import = [](const Tensor& t, uint8_t to) { return OpCase{&kOpImportFloat, {t}, {empty(to, t.dims)}, {}, {}, {}}; };
  Tensor samples = empty(ERT_I16, {4});
  const int16_t values[4] = {0, -1, INT16_MIN, INT16_MAX};
  memcpy(samples.bytes.data(), values, sizeof values);
  EXPECT_EQ(run_for<float>(import(samples, ERT_F32)), (std::vector<float>{0, -1, -32768, 32767}));
  EXPECT_EQ(run_for<float>(import(u8({3}, {0, 7, 255}), ERT_F32)), (std::vector<float>{0, 7, 255}));
  EXPECT_EQ(run_for<float>(import(i8({2}, {-128, 127}), ERT_F32)), (std::vector<float>{-128, 127}));
  EXPECT_EQ(run_for<float>(import(boolean({3}, {0, 1, 200}), ERT_F32)), (std::vector<float>{0, 1, 1}));
  run_for<float>(import(counting_bytes({3, 20001}), ERT_F32));
  EXPECT_FALSE(prepares(import(i32({2}, {1, 2}), ERT_F32)));
  EXPECT_FALSE(prepares(import(samples, ERT_I32)));
  EXPECT_FALSE(prepares({&kOpCopy, {samples}, {empty(ERT_I16, {4})}, {}, {}, {}}));  // 16 bits exist at the boundary only
}

TEST(Copy, TakesAnotherShape) {
  const Tensor x = counting({3, 4});
  EXPECT_EQ(run_for<int32_t>({&kOpCopy, {x}, {empty(ERT_I32, {2, 6})}, {}, {}, {}}), x.as<int32_t>());
  run_for<int32_t>({&kOpCopy, {counting({30000})}, {empty(ERT_I32, {30000})}, {}, {}, {}});
  EXPECT_FALSE(prepares({&kOpCopy, {x}, {empty(ERT_I32, {2, 5})}, {}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpCopy, {x}, {empty(ERT_F32, {3, 4})}, {}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpCopy, {empty(ERT_I64, {2})}, {empty(ERT_I64, {2})}, {}, {}, {}}));
}

TEST(Transpose, AllRanks) {
  struct Case {
    Dims dims, perm;
  };
  const Case cases[] = {{{}, {}},
                        {{5}, {0}},
                        {{3, 4}, {1, 0}},
                        {{2, 3, 4}, {2, 0, 1}},
                        {{2, 3, 4}, {0, 2, 1}},
                        {{2, 5, 3, 4}, {0, 2, 1, 3}},
                        {{2, 1, 2, 3, 1, 2, 2, 3}, {7, 6, 5, 4, 3, 2, 1, 0}},
                        {{0, 3}, {1, 0}},
                        {{150, 170}, {1, 0}},
                        {{20, 40, 50}, {1, 0, 2}},
                        {{3, 37, 20}, {0, 2, 1}},  // tiles, whole and cut
                        {{2, 3, 18, 33}, {0, 3, 1, 2}},
                        {{5, 18, 21, 4}, {2, 3, 1, 0}}};
  for (const Case& t : cases) {
    Dims out;
    for (int32_t axis : t.perm) out.push_back(t.dims[static_cast<size_t>(axis)]);
    OpCase words = {&kOpTranspose, {counting(t.dims)}, {empty(ERT_I32, out)}, t.perm, {}, {}}, bytes = words;
    bytes.inputs = {counting_bytes(t.dims)};
    bytes.outputs = {empty(ERT_U8, out)};
    ASSERT_EQ(run(words), ERT_OK);
    ASSERT_EQ(run(bytes), ERT_OK);
    const auto got = words.outputs[0].as<int32_t>();
    size_t at = 0;
    for_each_index(out, [&](const Dims& index) {
      Dims from(index.size());
      for (size_t i = 0; i < index.size(); ++i) from[static_cast<size_t>(t.perm[i])] = index[i];
      const int64_t want = broadcast_at(t.dims, from);
      ASSERT_EQ(got[at], want);
      ASSERT_EQ(bytes.outputs[0].bytes[at++], static_cast<uint8_t>(want * 7));
    });
  }
  const auto accepts = [](Dims perm) {
    return prepares({&kOpTranspose, {empty(ERT_F32, {2, 2})}, {empty(ERT_F32, {2, 2})}, perm, {}, {}});
  };
  EXPECT_TRUE(accepts({1, 0}));
  EXPECT_FALSE(accepts({0, 0}));
  EXPECT_FALSE(accepts({0, 2}));
  EXPECT_FALSE(accepts({0, -1}));
  EXPECT_FALSE(accepts({0}));
}

TEST(Transpose, EveryTailOfATile) {
  for (int32_t rows = 1; rows <= 21; ++rows) {
    for (int32_t columns = 1; columns <= 21; ++columns) {
      OpCase c = {&kOpTranspose, {counting({2, columns, rows})}, {empty(ERT_I32, {2, rows, columns})}, {0, 2, 1}, {}, {}}, bytes = c;
      bytes.inputs = {counting_bytes({2, columns, rows})};
      bytes.outputs = {empty(ERT_U8, {2, rows, columns})};
      ASSERT_EQ(run(c), ERT_OK);
      ASSERT_EQ(run(bytes), ERT_OK);
      const auto got = c.outputs[0].as<int32_t>();
      for (int32_t i = 0; i < 2 * rows * columns; ++i) {
        const int32_t of_batch = i / (rows * columns) * rows * columns, row = i % (rows * columns) / columns, column = i % columns;
        const int32_t want = of_batch + column * rows + row;
        ASSERT_EQ(got[static_cast<size_t>(i)], want) << rows << "x" << columns;
        ASSERT_EQ(bytes.outputs[0].bytes[static_cast<size_t>(i)], static_cast<uint8_t>(want * 7)) << rows << "x" << columns;
      }
    }
  }
}

TEST(Slice, StepsBothWays) {
  OpCase c = {&kOpSlice, {counting({5, 6})}, {empty(ERT_I32, {2, 3})}, {0, 2, 1, -2}, {}, {1, 5}};  // rows 1, 3; columns 5, 3, 1
  EXPECT_EQ(run_for<int32_t>(c), (std::vector<int32_t>{11, 9, 7, 23, 21, 19}));
  const auto with = [&](std::vector<int64_t> exprs, std::vector<int32_t> ints, Dims out) {
    OpCase s = c;
    s.exprs = exprs;
    s.ints = ints;
    s.outputs = {empty(ERT_I32, out)};
    return s;
  };
  EXPECT_EQ(run_for<int32_t>(with({4, 5}, {0, INT32_MAX, 1, INT32_MIN}, {1, 1})), (std::vector<int32_t>{29}));
  EXPECT_TRUE(run_for<int32_t>(with({99, 0}, {0, 1, 1, 1}, {0, 6})).empty());
  EXPECT_FALSE(prepares(with({5, 0}, {0, 1, 1, 1}, {1, 6})));
  EXPECT_FALSE(prepares(with({-1, 0}, {0, 1, 1, 1}, {1, 6})));
  EXPECT_FALSE(prepares(with({0, 0}, {0, 1, 1, 2}, {5, 4})));
  EXPECT_FALSE(prepares(with({0, 0}, {0, 0, 1, 1}, {5, 6})));
  EXPECT_FALSE(prepares(with({0, 0}, {0, 1, 2, 1}, {5, 6})));
  EXPECT_FALSE(prepares(with({0, 0}, {0, 1, -1, 1}, {5, 6})));
  EXPECT_FALSE(prepares(with({INT64_MAX, 0}, {0, 1, 1, 1}, {5, 6})));
  EXPECT_FALSE(prepares(with({1, 0}, {0, INT32_MIN, 1, 1}, {2, 6})));
  EXPECT_FALSE(prepares(with({0, 0}, {0, 1, 1}, {5, 6})));
}

TEST(Concat, AlongEveryAxis) {
  const Tensor a = i32({1, 2, 2}, {1, 2, 3, 4}), b = i32({1, 2, 2}, {5, 6, 7, 8});
  const auto joined = [&](int32_t axis, Dims out) {
    return run_for<int32_t>({&kOpConcat, {a, b}, {empty(ERT_I32, out)}, {axis}, {}, {}});
  };
  EXPECT_EQ(joined(0, {2, 2, 2}), (std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(joined(1, {1, 4, 2}), (std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(joined(2, {1, 2, 4}), (std::vector<int32_t>{1, 2, 5, 6, 3, 4, 7, 8}));
  EXPECT_EQ(
      run_for<uint8_t>(
          {&kOpConcat, {u8({2, 1}, {1, 2}), u8({2, 0}, {}), u8({2, 2}, {3, 4, 5, 6})}, {empty(ERT_U8, {2, 3})}, {1}, {}, {}}),
      (std::vector<uint8_t>{1, 3, 4, 2, 5, 6}));
  run_for<int32_t>({&kOpConcat, {counting({300, 70}), counting({300, 30})}, {empty(ERT_I32, {300, 100})}, {1}, {}, {}});
  EXPECT_FALSE(prepares({&kOpConcat, {a, b}, {empty(ERT_I32, {1, 2, 3})}, {2}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpConcat, {a, b}, {empty(ERT_I32, {1, 2, 4})}, {3}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpConcat, {a, absent()}, {empty(ERT_I32, {1, 2, 4})}, {2}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpConcat, {a, empty(ERT_I32, {1, 3, 2})}, {empty(ERT_I32, {1, 2, 4})}, {2}, {}, {}}));
}

TEST(Expand, RepeatsAxesOfSizeOne) {
  EXPECT_EQ(run_for<int32_t>({&kOpExpand, {i32({2, 1}, {1, 2})}, {empty(ERT_I32, {2, 2, 3})}, {}, {}, {}}),
            (std::vector<int32_t>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(run_for<uint8_t>({&kOpExpand, {boolean({}, {1})}, {empty(ERT_BOOL, {3})}, {}, {}, {}}),
            (std::vector<uint8_t>{1, 1, 1}));
  run_for<int32_t>({&kOpExpand, {counting({1, 100})}, {empty(ERT_I32, {300, 100})}, {}, {}, {}});
  EXPECT_FALSE(prepares({&kOpExpand, {empty(ERT_I32, {2})}, {empty(ERT_I32, {3})}, {}, {}, {}}));
  EXPECT_FALSE(prepares({&kOpExpand, {empty(ERT_I32, {1, 3})}, {empty(ERT_I32, {3})}, {}, {}, {}}));
}

// What stands behind the last axis that changes moves as one: the same as element by element.
TEST(Pad, AxesBehindThePaddedOnesStayTogether) {
  for (int32_t mode = 0; mode < 4; ++mode)
    for (const int32_t lead : {-1, 0, 2})
      for (const int32_t outer : {0, 1}) {
        const Tensor x = counting({2, 4, 3, 2});
        const int32_t sizes[] = {2 + outer, 5, 3, 2};
        const auto got = run_for<int32_t>(
            {&kOpPad, {x}, {empty(ERT_I32, {sizes[0], sizes[1], 3, 2})}, {mode, 77, 0, 1, 2, 2}, {}, {outer, lead, 0}});
        const auto from = [&](int32_t i, int32_t size) {
          if (i >= 0 && i < size) return i;
          if (mode == 0) return -1;
          if (mode == 2) return i < 0 ? 0 : size - 1;  // edge
          if (mode == 3) return (i + size) % size;     // wrap
          return i < 0 ? -i : 2 * (size - 1) - i;      // reflect
        };
        size_t at = 0;
        for (int32_t a = 0; a < sizes[0]; ++a)
          for (int32_t b = 0; b < sizes[1]; ++b)
            for (int32_t k = 0; k < 6; ++k, ++at) {
              const int32_t p = from(a - outer, 2), q = from(b - lead, 4);
              ASSERT_EQ(got[at], p < 0 || q < 0 ? 77 : (p * 4 + q) * 6 + k)
                  << mode << " " << lead << " " << outer << " at " << at;
            }
      }
}

// What is repeated is copied in pieces that depend on its bytes.
TEST(Pad, PiecesOfEveryLength) {
  for (int32_t inner = 1; inner <= 140; ++inner) {
    const Tensor x = counting_bytes({3, inner});
    const auto got = run_for<uint8_t>({&kOpPad, {x}, {empty(ERT_U8, {7, inner})}, {params::pad::kEdge, 0, 0, 1}, {}, {2, 0}});
    for (int32_t row = 0; row < 7; ++row) {
      const int32_t from = std::min(std::max(row - 2, 0), 2);
      for (int32_t k = 0; k < inner; ++k)
        ASSERT_EQ(got[static_cast<size_t>(row * inner + k)], x.bytes[static_cast<size_t>(from * inner + k)]) << inner << ": " << row << ", " << k;
    }
  }
}

TEST(Pad, FourModes) {
  const auto padded = [](int32_t mode, std::vector<int32_t> x, int64_t lead, int32_t size) {
    const int32_t n = static_cast<int32_t>(x.size());
    return run_for<int32_t>({&kOpPad, {i32({n}, std::move(x))}, {empty(ERT_I32, {size})}, {mode, 9, 0}, {}, {lead}});
  };
  EXPECT_EQ(padded(0, {1, 2, 3}, 2, 6), (std::vector<int32_t>{9, 9, 1, 2, 3, 9}));
  EXPECT_EQ(padded(0, {1, 2, 3}, -1, 3), (std::vector<int32_t>{2, 3, 9}));
  EXPECT_EQ(padded(0, {1, 2, 3}, 4, 3), (std::vector<int32_t>{9, 9, 9}));
  EXPECT_EQ(padded(0, {1, 2, 3}, -4, 2), (std::vector<int32_t>{9, 9}));
  EXPECT_EQ(padded(2, {1, 2, 3}, -2, 3), (std::vector<int32_t>{3, 3, 3}));
  EXPECT_EQ(padded(1, {1, 2, 3}, 5, 11), (std::vector<int32_t>{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2}));
  EXPECT_EQ(padded(1, {7}, 1, 3), (std::vector<int32_t>{7, 7, 7}));
  EXPECT_EQ(padded(2, {1, 2, 3}, 2, 7), (std::vector<int32_t>{1, 1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(padded(3, {1, 2, 3}, 4, 9), (std::vector<int32_t>{3, 1, 2, 3, 1, 2, 3, 1, 2}));
  EXPECT_EQ(run_for<uint8_t>({&kOpPad, {boolean({1, 2}, {0, 1})}, {empty(ERT_BOOL, {2, 3})}, {0, 5, 0, 1}, {}, {1, 0}}),
            (std::vector<uint8_t>{1, 1, 1, 0, 1, 1}));
  EXPECT_EQ(run_for<int32_t>({&kOpPad, {i32({}, {4})}, {empty(ERT_I32, {})}, {2, 0}, {}, {}}), (std::vector<int32_t>{4}));
  run_for<int32_t>({&kOpPad, {counting({190, 90})}, {empty(ERT_I32, {200, 100})}, {1, 0, 0, 0}, {}, {5}});
  const auto accepts = [](std::vector<int32_t> ints, int64_t lead, Dims in) {
    return prepares({&kOpPad, {empty(ERT_I32, in)}, {empty(ERT_I32, {5})}, ints, {}, {lead}});
  };
  EXPECT_TRUE(accepts({2, 0, 0}, 1, {3}));
  EXPECT_FALSE(accepts({4, 0, 0}, 1, {3}));
  EXPECT_FALSE(accepts({2, 0, 1}, 1, {3}));
  EXPECT_FALSE(accepts({2, 0}, 1, {3}));
  EXPECT_FALSE(accepts({2, 0, 0}, 1, {0}));
  EXPECT_FALSE(accepts({0, 0, 0}, INT64_MIN, {3}));
}

TEST(Trilu, BothSides) {
  const Tensor x = i32({1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto kept = [&](int32_t upper, int64_t diagonal) {
    return run_for<int32_t>({&kOpTrilu, {x}, {empty(ERT_I32, {1, 3, 3})}, {upper, 0}, {}, {diagonal}});
  };
  EXPECT_EQ(kept(1, 0), (std::vector<int32_t>{1, 2, 3, 0, 5, 6, 0, 0, 9}));
  EXPECT_EQ(kept(0, 0), (std::vector<int32_t>{1, 0, 0, 4, 5, 0, 7, 8, 9}));
  EXPECT_EQ(kept(1, 1), (std::vector<int32_t>{0, 2, 3, 0, 0, 6, 0, 0, 0}));
  EXPECT_EQ(kept(0, -1), (std::vector<int32_t>{0, 0, 0, 4, 0, 0, 7, 8, 0}));
  EXPECT_EQ(kept(1, INT64_MIN), x.as<int32_t>());
  EXPECT_EQ(kept(0, INT64_MIN), std::vector<int32_t>(9, 0));
  EXPECT_EQ(kept(0, INT64_MAX), x.as<int32_t>());
  run_for<uint8_t>({&kOpTrilu, {counting_bytes({2, 100, 110})}, {empty(ERT_U8, {2, 100, 110})}, {1, 0}, {}, {3}});
  EXPECT_FALSE(prepares({&kOpTrilu, {x}, {empty(ERT_I32, {1, 3, 3})}, {2, 0}, {}, {0}}));
  EXPECT_FALSE(prepares({&kOpTrilu, {x}, {empty(ERT_I32, {1, 3, 3})}, {1, 1}, {}, {0}}));
  EXPECT_FALSE(prepares({&kOpTrilu, {i32({2}, {1, 2})}, {empty(ERT_I32, {2})}, {1, 0}, {}, {0}}));
}

}  // namespace
}  // namespace ert::test
