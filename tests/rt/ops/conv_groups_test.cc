// Conv with groups against a Conv for each of them, bit for bit.
#include <gtest/gtest.h>

#include "tests/rt/ops/conv_case.h"

namespace ert::test {
namespace {

namespace lin = params::linear;
namespace cnv = params::conv;

template <class T>
void append(const Tensor& part, size_t size, Tensor* all) {
  std::vector<T> own = part.as<T>();
  own.resize(size);
  const auto* bytes = static_cast<const uint8_t*>(static_cast<const void*>(own.data()));
  all->bytes.insert(all->bytes.end(), bytes, bytes + size * sizeof(T));
  all->dims = {static_cast<int32_t>(all->bytes.size() / sizeof(T))};
}

// c is one group; the results of all are behind one another in `want`.
OpCase grouped_case(const ConvCase& c, int32_t groups, std::vector<OpCase>* parts) {
  OpCase all = conv_case(c);
  all.outputs = {empty(ERT_F32, c.map(true, c.filters * groups))};
  all.ints.push_back(groups);
  const size_t columns = static_cast<size_t>((c.filters + 15) / 16 * 16);
  for (int32_t i = 0; i < groups; ++i) {
    ConvCase own = c;
    own.first = c.first + i * c.count;
    parts->push_back(conv_case(own, 7 + 10 * static_cast<uint32_t>(i)));
    parts->back().inputs[lin::kX] = all.inputs[lin::kX];
    for (size_t k = lin::kWeights; k < lin::kInputCount; ++k) {
      const Tensor& part = parts->back().inputs[k];
      Tensor& joined = all.inputs[k];
      if (i == 0) joined.bytes.clear();
      if (part.dtype == 0) continue;
      if (k == lin::kWeights) {
        joined.bytes.insert(joined.bytes.end(), part.bytes.begin(), part.bytes.end());
        joined.dims = {static_cast<int32_t>(columns) * (i + 1), c.depth()};
      } else if (k == lin::kColsum) {
        append<int32_t>(part, columns, &joined);
      } else {
        append<float>(part, k == lin::kInvSmooth ? static_cast<size_t>(part.dims[0]) : columns, &joined);
      }
    }
  }
  return all;
}

void expect_is_all_groups(const ConvCase& c, int32_t groups) {
  std::vector<OpCase> parts;
  OpCase all = grouped_case(c, groups, &parts);
  ASSERT_EQ(run(all), ERT_OK);
  const std::vector<float> got = all.outputs[0].as<float>();
  const size_t n = static_cast<size_t>(c.filters), pixels = got.size() / n / static_cast<size_t>(groups);
  for (size_t i = 0; i < parts.size(); ++i) {
    ASSERT_EQ(run(parts[i]), ERT_OK);
    std::vector<float> own;
    for (size_t p = 0; p < pixels; ++p) {
      const auto at = got.begin() + static_cast<ptrdiff_t>((p * parts.size() + i) * n);
      own.insert(own.end(), at, at + static_cast<ptrdiff_t>(n));
    }
    EXPECT_EQ(own, parts[i].outputs[0].as<float>()) << "group " << i;
  }
}

TEST(ConvGroups, OneAxis) {
  for (int32_t precision : {lin::kInt8, lin::kInt8A16})
    for (int32_t kernel : {1, 3, 5})
      for (int32_t filters : {5, 16, 24}) {
        ConvCase c{{{41, kernel, 1, 1, kernel / 2, kernel / 2}}, 2, 12, 0, 4, filters, precision, kConvRelu};
        expect_is_all_groups(c, 3);
        c.axes[0].dilation = 2;
        expect_is_all_groups(c, 3);
        c.axes[0].stride = 2;
        c.extras = false;
        c.activation = static_cast<int32_t>(kernels::Unary::kTanh);
        expect_is_all_groups(c, 3);
      }
}

TEST(ConvGroups, TwoAxes) {
  for (int32_t shared : {0, 1, 4, 32})
    for (int32_t filters : {7, 16, 40})
      for (const bool extras : {false, true}) {
        ConvCase c{{{5, 3, 1, 1, 1, 1}, {11, 3, 1, 1, 1, 1}}, 2, 32, 0, 8, filters, lin::kInt8, kConvRelu, extras};
        c.shared = shared;
        expect_is_all_groups(c, 4);
        c.axes[1].stride = 2;
        c.activation = lin::kNoActivation;
        expect_is_all_groups(c, 2);
        c.first = 8;
        expect_is_all_groups(c, 3);
      }
}

// A thread has some of the groups then.
TEST(ConvGroups, FewRows) {
  for (int32_t size : {1, 3, 8})
    expect_is_all_groups({{{size, 3, 1, 1, 1, 1}}, 1, 320, 0, 40, 48, lin::kInt8, static_cast<int32_t>(kernels::Unary::kSigmoid)}, 8);
}

// Above 1 MiB in all a task has one group.
TEST(ConvGroups, LargeWeights) {
  expect_is_all_groups({{{12, 3, 1, 1, 1, 1}, {13, 3, 1, 1, 1, 1}}, 1, 240, 0, 60, 500, lin::kInt8, kConvRelu}, 4);
  expect_is_all_groups({{{67, 3, 1, 1, 1, 1}}, 2, 160, 0, 40, 2200, lin::kInt8A16, static_cast<int32_t>(kernels::Unary::kTanh)}, 4);
}

TEST(ConvGroups, EveryLayoutOfWeights) {
  for (const uint8_t layout : {params::kPackedN16K4, params::kPackedN8K8, params::kPackedN2K16}) {
    ConvCase c{{{7, 3, 1, 1, 1, 1}, {9, 3, 2, 1, 1, 1}}, 2, 8, 0, 4, 32, lin::kInt8, kConvRelu};
    c.layout = layout;
    expect_is_all_groups(c, 2);
    c.shared = 5;
    expect_is_all_groups(c, 2);
  }
}

TEST(ConvGroups, LeakyRelu) {
  std::vector<OpCase> parts;
  OpCase all = grouped_case({{{30, 3}}, 1, 8, 0, 4, 16}, 2, &parts);
  ASSERT_EQ(run(all), ERT_OK);
  std::vector<float> want = all.outputs[0].as<float>();
  for (float& v : want) v = v < 0 ? 0.25f * v : v;
  all.ints[cnv::kActivation] = params::unary::kLeakyRelu;
  all.floats = {0.25f};
  ASSERT_EQ(run(all), ERT_OK);
  EXPECT_EQ(all.outputs[0].as<float>(), want);
}

TEST(ConvGroups, Refusals) {
  std::vector<OpCase> parts;
  const OpCase good = grouped_case({{{8, 3, 1, 1, 1, 1}, {9, 3, 1, 1, 1, 1}}, 1, 12, 0, 4, 20}, 3, &parts);
  ASSERT_TRUE(prepares(good));
  EXPECT_EQ(macs(good), 3 * macs(parts[0]));
  const auto refuses = [&](const std::function<void(OpCase&)>& spoil) {
    OpCase c = good;
    spoil(c);
    return !prepares(c);
  };
  for (const int32_t groups : {-3, 0, 1, 2, 4, 6, 60, INT32_MAX, INT32_MIN})
    EXPECT_TRUE(refuses([&](OpCase& c) { c.ints.back() = groups; })) << groups;
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints.push_back(3); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.ints.pop_back(); }));
  for (const int32_t first : {-1, 1, 4, INT32_MAX, INT32_MIN}) EXPECT_TRUE(refuses([&](OpCase& c) { c.ints[cnv::kFirstChannel] = first; })) << first;
  for (const int32_t channels : {-4, 0, 3, 5, 12, INT32_MAX}) EXPECT_TRUE(refuses([&](OpCase& c) { c.ints[cnv::kChannels] = channels; })) << channels;
  for (const int32_t precision : {lin::kF32, lin::kW12A13}) EXPECT_TRUE(refuses([&](OpCase& c) { c.ints[cnv::kPrecision] = precision; }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs.resize(1); }));
  for (const size_t k : {lin::kWeights, lin::kBias, lin::kScale, lin::kColsum})
    EXPECT_TRUE(refuses([&](OpCase& c) { c.inputs[k] = parts[0].inputs[k]; })) << k << ": that of one group";
  EXPECT_TRUE(refuses([](OpCase& c) { c.inputs[lin::kInvSmooth] = noisy({36}, 1); }));
  EXPECT_TRUE(refuses([](OpCase& c) { c.outputs[0] = empty(ERT_F32, {1, 8, 9, 61}); }));
}

}  // namespace
}  // namespace ert::test
