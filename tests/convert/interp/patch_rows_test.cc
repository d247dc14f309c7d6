// Rows of patches that are made block by block are those of the whole value, and a run does not hold it.
#include "convert/interp/patch_rows.h"

#include <gtest/gtest.h>

#include "convert/interp/interpreter.h"
#include "convert/interp/memory_limits.h"
#include "convert/quantize/layer_samples.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kSide = 60, kChannels = 8, kFilters = 5;

// Two Linears over the 3 x 3 patches of a map, which are several blocks; with `kept` an Identity that keeps the patches as a value.
Graph two_layers(bool kept) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, kSide, kSide, kChannels});
  const ValueId p = b.node(OpKind::kPatches, {x}, PatchesAttrs{{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, 0, kChannels});
  for (int i = 0; i < 2; ++i) b.output(b.node(OpKind::kLinear, {p, b.weights({9 * kChannels, kFilters}), b.weights({kFilters})}, LinearAttrs{}));
  if (kept) b.output(b.node(OpKind::kIdentity, {p}, {}));
  finish(b.g);
  return b.g;
}

TEST(PatchRows, OfSeveralBlocksAreThoseOfTheWhole) {
  for (const Backend backend : {Backend::kCanonical, Backend::kOracle}) {
    const Graph blocks = two_layers(false), whole = two_layers(true);
    const std::vector<Tensor> inputs = random_inputs(blocks);
    const std::vector<Tensor> got = interpret(blocks, inputs, {backend, {}}), want = interpret(whole, inputs, {backend, {}});
    for (size_t o = 0; o < 2; ++o) {
      ASSERT_EQ(got[o].dims(), (std::vector<int64_t>{1, kSide, kSide, kFilters}));
      if (backend == Backend::kCanonical) {
        EXPECT_TRUE(got[o].same_bytes(want[o]));
      } else {
        for (int64_t i = 0; i < got[o].elements(); ++i)
          ASSERT_NEAR(got[o].as<float>()[static_cast<size_t>(i)], want[o].as<float>()[static_cast<size_t>(i)], 1e-4f);
      }
    }
  }
}

TEST(PatchRows, SamplesAreThoseOfTheWhole) {
  const Graph blocks = two_layers(false), whole = two_layers(true);
  const std::vector<Tensor> inputs = random_inputs(blocks);
  const LayerSamples got = sample_layers(blocks, {inputs}), want = sample_layers(whole, {inputs});
  ASSERT_EQ(got.size(), 2u);
  for (const auto& [id, sample] : got) {
    EXPECT_EQ(sample.amax, want.at(id).amax);
    EXPECT_EQ(sample.rows.at(0).data, want.at(id).rows.at(0).data);
  }
}

TEST(PatchRows, ARunDoesNotHoldThem) {
  const double map = 4.0 * kSide * kSide * kChannels, results = 2 * 4.0 * kSide * kSide * kFilters;
  EXPECT_EQ(run_bytes(two_layers(false), {}), map + results);
  EXPECT_GT(run_bytes(two_layers(true), {}), map + 9 * map);
}

}  // namespace

}  // namespace edgeconv::testing
