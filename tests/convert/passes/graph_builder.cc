// See graph_builder.h.
#include "tests/convert/passes/graph_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "convert/infer/infer.h"
#include "convert/interp/interpreter.h"
#include "tests/convert/passes/changed_passes.h"

namespace edgeconv::testing {

ValueId GraphBuilder::input(const std::string& name, Shape shape, DType dtype) {
  const ValueId v = g.add_value(name, dtype, std::move(shape));
  g.inputs.push_back(v);
  return v;
}

ValueId GraphBuilder::constant(Tensor t) { return g.add_constant(fresh("c"), std::move(t)); }

ValueId GraphBuilder::weights(const std::vector<int64_t>& dims, float mean) {
  Tensor t(DType::kFloat, dims);
  for (float& x : t.mut<float>()) {
    random_ = random_ * 1664525u + 1013904223u;
    x = static_cast<float>(random_ >> 8) * 0x1p-24f - 0.5f + mean;
  }
  return constant(t);
}

ValueId GraphBuilder::node(OpKind kind, const std::vector<ValueId>& inputs, Attributes attrs) {
  const std::string name = fresh("n");
  return g.add_node(kind, inputs, std::move(attrs), {name, std::string(op_name(kind)), ""}, name + "_out");
}

std::vector<ValueId> GraphBuilder::node_with_outputs(OpKind kind, const std::vector<ValueId>& inputs, size_t outputs,
                                                     Attributes attrs) {
  const std::string name = fresh("n");
  std::vector<ValueId> made;
  for (size_t i = 0; i < outputs; ++i) made.push_back(g.add_value(name + "_out" + std::to_string(i)));
  g.add_node_with_outputs(kind, inputs, made, std::move(attrs), {name, std::string(op_name(kind)), ""});
  return made;
}

void finish(Graph& g) {
  Diagnostics d;
  ASSERT_TRUE(g.sort());
  infer(g, d);
  try {
    d.check();
  } catch (const FatalError& e) {
    FAIL() << e.what() << g.dump();
  }
}

int count(const Graph& g, OpKind kind) {
  int n = 0;
  for (const Node& node : g.nodes) n += !node.dead && node.kind == kind;
  return n;
}

const Node& only(const Graph& g, OpKind kind) {
  EXPECT_EQ(count(g, kind), 1) << op_name(kind) << "\n" << g.dump();
  for (const Node& node : g.nodes)
    if (!node.dead && node.kind == kind) return node;
  throw std::runtime_error("no such node");
}

std::vector<Tensor> random_inputs(const Graph& g) {
  std::map<std::string, int64_t> sizes;
  std::vector<Tensor> inputs;
  uint32_t random = 99;
  const auto next = [&] { return (random = random * 1664525u + 1013904223u) >> 8; };
  for (ValueId v : g.inputs) {
    std::vector<int64_t> dims;
    for (const DimExpr& d : *g.value(v).shape) {
      for (const std::string& name : d.symbols()) sizes.try_emplace(name, sizes.empty() ? 3 : 5);
      dims.push_back(d.evaluate(sizes).value());
    }
    const DType dtype = g.value(v).dtype;
    if (dtype == DType::kFloat) {
      Tensor t(DType::kFloat, dims);
      for (float& x : t.mut<float>()) x = static_cast<float>(next()) * 0x1p-22f - 2.0f;
      inputs.push_back(t);
    } else {
      Tensor t(DType::kInt64, dims);
      for (int64_t& x : t.mut<int64_t>()) x = dtype == DType::kBool ? next() % 3 != 0 : next() % 4;
      inputs.push_back(t.cast(dtype));
    }
  }
  return inputs;
}

namespace {

void expect_equal(const std::vector<Tensor>& before, const std::vector<Tensor>& after, float tolerance, const Graph& g) {
  ASSERT_EQ(before.size(), after.size());
  for (size_t o = 0; o < before.size(); ++o) {
    ASSERT_EQ(before[o].dims(), after[o].dims()) << g.dump();
    const std::vector<float> a = before[o].to_float(), b = after[o].to_float();
    float largest = 1, worst = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      largest = std::fmax(largest, std::fabs(a[i]));
      worst = std::isfinite(b[i]) ? std::fmax(worst, std::fabs(a[i] - b[i])) : HUGE_VALF;
    }
    EXPECT_LE(worst, tolerance * largest) << "output " << o << "\n" << g.dump();
  }
}

}  // namespace

int apply(Graph& g, const std::vector<PassFunction>& passes, float tolerance) {
  finish(g);
  const std::vector<Tensor> inputs = random_inputs(g);
  const std::vector<Tensor> before = interpret(g, inputs);
  int matches = 0;
  passes_keep_near_misses(g);
  for (const PassFunction pass : passes) {
    Diagnostics d;
    matches = pass(g, d);
    EXPECT_TRUE(d.ok());
    g.remove_dead();
    finish(g);
  }
  expect_equal(before, interpret(g, inputs), tolerance, g);
  return matches;
}

PipelineResult apply_all(Graph& g, float tolerance) {
  finish(g);
  const std::vector<Tensor> inputs = random_inputs(g);
  const std::vector<Tensor> before = interpret(g, inputs);
  passes_keep_near_misses(g);
  Diagnostics d;
  const PipelineResult r = run_passes(g, d, {true, nullptr});
  EXPECT_TRUE(d.ok());
  expect_equal(before, interpret(g, inputs), tolerance, g);
  return r;
}

}  // namespace edgeconv::testing
