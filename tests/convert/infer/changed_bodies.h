// The loop of a test with one thing in its body changed, many times: whatever inference makes of it computes the same.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/passes/graph_changes.h"

namespace edgeconv_test {

constexpr uint64_t kChangesOfBody = 60;

inline edgeconv::Node* loop_of(edgeconv::Graph& g) {
  for (edgeconv::Node& n : g.nodes)
    if (n.kind == edgeconv::OpKind::kLoop) return &n;
  return nullptr;
}

// Changed values may be large: differences count beside the largest of an output, and outputs that are not finite are not compared.
inline void expect_same_results(const std::vector<edgeconv::Tensor>& before, const std::vector<edgeconv::Tensor>& after) {
  ASSERT_EQ(before.size(), after.size());
  for (size_t o = 0; o < before.size(); ++o) {
    ASSERT_EQ(before[o].dims(), after[o].dims());
    const std::vector<float> a = before[o].to_float(), b = after[o].to_float();
    float most = 1;
    for (const float v : a) most = std::max(most, std::fabs(v));
    for (size_t i = 0; std::isfinite(most) && i < a.size(); ++i) {
      if (std::isnan(a[i])) continue;
      ASSERT_NEAR(a[i], b[i], 1e-5f * most) << "output " << o << ", element " << i;
    }
  }
}

// g has one Loop over the dim "seq", of 5 steps of `inputs`. Bodies that are no valid graph any more are passed over.
inline void bodies_keep_changes(const edgeconv::Graph& g, const std::vector<edgeconv::Tensor>& inputs) {
  using namespace edgeconv;
  for (uint64_t seed = 0; seed < kChangesOfBody; ++seed) {
    Graph changed = g;
    Node* loop = loop_of(changed);
    Graph body = *loop->as<SubgraphAttrs>().bodies[0];
    const size_t in = body.inputs.size(), out = body.outputs.size();
    const std::string what = edgeconv::testing::change_graph(body, seed);
    if (what.empty() || body.inputs.size() != in || body.outputs.size() != out || !body.sort()) continue;
    SCOPED_TRACE("change " + std::to_string(seed) + " of the body: " + what);
    loop->as<SubgraphAttrs>().bodies[0] = std::make_shared<Graph>(std::move(body));
    changed.most_dims["seq"] = 6;
    try {
      const std::vector<Tensor> before = interpret(changed, inputs);
      Diagnostics d;
      infer(changed, d);
      if (d.ok()) expect_same_results(before, interpret(changed, inputs));
    } catch (const FatalError& e) {
      EXPECT_NE(e.code(), ExitCode::kInternal) << e.what();
    }
  }
}

}  // namespace edgeconv_test
