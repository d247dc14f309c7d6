// One made-up picture in place of a set, for an order of layers.
#include "convert/precision/one_picture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "convert/inputs/affordable_inputs.h"
#include "convert/passes/pass.h"
#include "convert/precision/candidate.h"
#include "convert/prepare/prepare.h"
#include "rt/base/float_mode.h"

namespace edgeconv::testing {

namespace {

struct Fixture {
  // Of the repository's own: those beside a checkout are texts only.
  explicit Fixture(const std::string& name) {
    Diagnostics d;
    const char* source = std::getenv("ERT_SOURCE_DIR");
    const auto root = source ? std::filesystem::path(source) : std::filesystem::current_path();
    original = prepare_model((root / "tests" / "fixtures" / name / "model.onnx").string(), {}, d);
    dims = plan_dims(original.graph, {});
  }
  std::vector<Tensor> rows(int64_t count) const { return synthetic_inputs(original.graph, dims, {count, 8, false, 300, true}); }
  bool suffices(int64_t rows_of_set) const { return OnePicture::suffices(original.graph, dims, rows(rows_of_set)); }
  const ert::FloatMode mode;
  PreparedModel original;
  DimPlan dims;
};

TEST(OnePicture, SufficesForSetsOfSeveral) {
  const Fixture vit("vit_ts14_eager");
  EXPECT_TRUE(vit.suffices(4));
  EXPECT_FALSE(vit.suffices(1)) << "no less work";
  EXPECT_FALSE(Fixture("bert_base_ts14").suffices(4)) << "texts are cheap, and one says little";
}

TEST(OnePicture, TellsWhatLayersDoToTheOutputs) {
  const Fixture vit("vit_ts14_eager");
  Diagnostics d;
  Graph g = vit.original.graph;
  run_passes(g, d);
  const ValidationSet validation(vit.original.graph, vit.dims, {vit.rows(1)}, std::nullopt);
  const LowerOptions options = lower_options(vit.dims);
  Candidates candidates(g, options, validation, d);
  const OnePicture picture(vit.original.graph, vit.dims);
  PrecisionPlan exact = int8_plan(g);
  exact.int8_attention = exact.int8_tables = false;
  for (size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == OpKind::kLinear) exact.set(static_cast<NodeId>(i), ert::params::linear::kF32);
  const double none = picture.loss(candidates.built(exact).blob), all = picture.loss(candidates.built(int8_plan(g)).blob);
  EXPECT_LT(none, 1e-6);
  EXPECT_GT(all, 10 * none + 1e-6);
}

}  // namespace

}  // namespace edgeconv::testing
