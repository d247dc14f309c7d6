// Loops whose rounds a condition or the data decide, and Scans that stack along other axes than the first.
#include <fmt/format.h>

#include "tests/cli/loops_fixture.h"

namespace edgeconv::testing::loop_models {

// Was refused as data-dependent: a loop that only its condition ends, with a count of the user's or the largest number there is.
TEST_F(LoopsTest, AConditionThatCountsTheRowsEndsTheLoop) {
  for (const bool far : {false, true}) {
    SCOPED_TRACE(far);
    ModelWriter w = loop(true);
    auto* g = w.proto().mutable_graph();
    auto* most = g->add_initializer();
    most->set_name("most");
    most->set_data_type(kOnnxInt64);
    most->add_int64_data(INT64_MAX);
    auto& n = *g->mutable_node(g->node_size() - 1);
    n.set_input(0, far ? "most" : "");
    auto& body = *n.mutable_attribute(0)->mutable_g();
    body.mutable_output(0)->set_name("more_rows");
    write(w);
    convert({"--dim", "T=4", "--force"});
    for (const Floats& x : {Floats{3}, Floats{1, -2, 5}, Floats{1, 2, 3, 4}}) {
      const auto [sums, last] = run(x, true);
      EXPECT_EQ(sums, decaying_sums(x));
      EXPECT_EQ(last, Floats{sums.back()});
    }
    expect_refusal({in("m.onnx"), "-o", in("no.ert")}, kUnsupported, {"recurrence", "dim 'T'", "--dim T=MAX"});
  }
}

// A count of the data that a Min bounds, around this body: rounds behind the last are computed and left out.
ModelWriter bounded_loop(const std::string& name, const std::vector<OnnxDim>& state_dims, const std::vector<OnnxDim>& last_dims,
                         const std::function<void(pb::GraphProto&)>& fill) {
  ModelWriter w;
  w.input("x", kOnnxFloat, state_dims);
  w.input("count", kOnnxInt64, {1});
  auto* five = w.proto().mutable_graph()->add_initializer();
  five->set_name("five");
  five->set_data_type(kOnnxInt64);
  five->add_int64_data(5);
  w.node("Min", {"count", "five"}, {"rounds"});
  auto& n = w.node("Loop", {"rounds", "", "x"}, {"last"});
  n.set_name(name);
  auto* body = attribute(n, "body", 5).mutable_g();
  body->set_name("body");
  for (const char* input : {"i", "go", "state"}) body->add_input()->set_name(input);
  inner_node(*body, "Identity", {"go"}, "again");
  fill(*body);
  for (const char* output : {"again", "next"}) body->add_output()->set_name(output);
  w.output("last", kOnnxFloat, last_dims);
  return w;
}

// Was refused whatever bounds it: the rounds are as many as an input says, at most 5.
TEST_F(LoopsTest, ACountOfTheDataThatAMinBounds) {
  ModelWriter w = bounded_loop("doubling", {"T"}, {"T"}, [](pb::GraphProto& body) { inner_node(body, "Add", {"state", "state"}, "next"); });
  write(w);
  convert({"--dim", "T=4"});
  for (const auto& [count, factor] : {std::pair<int64_t, float>{-1, 1}, {0, 1}, {3, 8}, {5, 32}, {9, 32}}) {
    std::filesystem::remove_all(in("data"));
    std::filesystem::create_directory(in("data"));
    write_file(in("data/input_0.pb"), float_tensor_file("x", {2}, {1, -3}));
    pb::TensorProto t;
    t.set_name("count");
    t.set_data_type(kOnnxInt64);
    t.add_dims(1);
    t.add_int64_data(count);
    write_file(in("data/input_1.pb"), t.SerializeAsString());
    expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
    EXPECT_EQ(read_tensor_pb(in("out/output_0.pb"), nullptr).to_float(), (Floats{factor, -3 * factor}));
  }
  w.proto().mutable_graph()->mutable_node(1)->set_input(0, "count");
  write(w);
  expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--dim", "T=4"}, kUnsupported, {"doubling", "Min(count, N)"});
}

// One row more in each round: what is left out had been broadcast over what was kept, a wrong result without a word.
TEST_F(LoopsTest, ABoundedCountOfAStateThatGrowsIsRefused) {
  write(bounded_loop("bounded", {1, 4}, {}, [](pb::GraphProto& body) {
    auto* n = body.add_node();
    n->set_op_type("Concat");
    n->add_input("state");
    n->add_input("state");
    n->add_output("next");
    attribute(*n, "axis", 2).set_i(0);
  }));
  expect_refusal({in("m.onnx"), "-o", in("no.ert")}, kUnsupported, {"bounded"});
}

// Was refused where only the body tells how many axes a part has.
TEST_F(LoopsTest, AScanThatStacksAlongAnAxisOfItsParts) {
  for (const int64_t axis : {1, 2, -1}) {
    SCOPED_TRACE(axis);
    ModelWriter w = scan(0, false);
    auto* g = w.proto().mutable_graph();
    auto& n = *g->mutable_node(g->node_size() - 1);
    for (auto& a : *n.mutable_attribute()) {
      if (a.name() == "scan_output_axes") a.set_ints(0, axis);
      if (a.name() == "scan_output_directions" || a.name() == "scan_input_directions") a.set_ints(0, 0);
      if (a.name() != "body") continue;
      auto* shape = a.mutable_g()->add_initializer();
      shape->set_name("as");
      shape->set_data_type(kOnnxInt64);
      shape->add_dims(2);
      shape->add_int64_data(1);
      shape->add_int64_data(1);
      a.mutable_g()->mutable_node(2)->set_op_type("Expand");
      a.mutable_g()->mutable_node(2)->add_input("as");
    }
    g->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    write(w);
    convert({"--dim", "T=5", "--force"});
    const auto [sums, last] = run({1, 2, 3}, true);
    EXPECT_EQ(sums, decaying_sums({1, 2, 3}));
    EXPECT_EQ(last, Floats{sums.back()});
  }
}

}  // namespace edgeconv::testing::loop_models
