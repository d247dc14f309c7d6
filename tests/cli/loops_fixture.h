// Loop and Scan that sum over an axis of unknown length, and their conversion and runs.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing::loop_models {

using Floats = std::vector<float>;

inline pb::AttributeProto& attribute(pb::NodeProto& n, const std::string& name, int32_t type) {
  auto* a = n.add_attribute();
  a->set_name(name);
  a->set_type(type);
  return *a;
}
inline void set_int(pb::NodeProto& n, const std::string& name, int64_t v) { attribute(n, name, 2).set_i(v); }
inline void set_ints(pb::NodeProto& n, const std::string& name, const std::vector<int64_t>& v) {
  auto& a = attribute(n, name, 7);
  for (int64_t x : v) a.add_ints(x);
}

inline void inner_node(pb::GraphProto& g, const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
  auto* n = g.add_node();
  n->set_op_type(op);
  for (const std::string& i : inputs) n->add_input(i);
  n->add_output(output);
}

// state' = state / 2 + part; both go out. half is a value of the outer graph.
inline void decaying_sum(pb::GraphProto& g) {
  inner_node(g, "Mul", {"state", "half"}, "decayed");
  inner_node(g, "Add", {"decayed", "part"}, "next");
  inner_node(g, "Identity", {"next"}, "given");
}

inline Floats decaying_sums(const Floats& x) {
  Floats y;
  float state = 0;
  for (float v : x) y.push_back(state = state / 2 + v);
  return y;
}

// What decaying_sum() reads, and the state before the first round.
inline void half_and_zero(pb::GraphProto& g) {
  for (const auto& [name, value] : {std::pair{"half", 0.5f}, {"zero", 0.0f}}) {
    auto* t = g.add_initializer();
    t->set_name(name);
    t->set_data_type(kOnnxFloat);
    t->add_dims(1);
    t->add_float_data(value);
  }
}

// x: [1, T] or [T, 1]; sums of the same shape, and the last one.
inline ModelWriter scan(int64_t axis, bool backward) {
  ModelWriter w;
  const std::vector<OnnxDim> shape = axis == 0 ? std::vector<OnnxDim>{"T", 1} : std::vector<OnnxDim>{1, "T"};
  w.input("x", kOnnxFloat, shape);
  w.output("sums", kOnnxFloat, shape);
  w.output("last", kOnnxFloat, {1});
  half_and_zero(*w.proto().mutable_graph());
  auto& n = w.node("Scan", {"zero", "x"}, {"last", "sums"});
  n.set_name("recurrence");
  set_int(n, "num_scan_inputs", 1);
  set_ints(n, "scan_input_axes", {axis});
  set_ints(n, "scan_output_axes", {axis == 0 ? 0 : -1});
  set_ints(n, "scan_input_directions", {backward ? 1 : 0});
  set_ints(n, "scan_output_directions", {backward ? 1 : 0});
  auto* body = attribute(n, "body", 5).mutable_g();
  body->set_name("cell");
  for (const char* name : {"state", "part"}) {
    auto* t = body->add_input();
    t->set_name(name);
    auto* type = t->mutable_type()->mutable_tensor_type();
    type->set_elem_type(kOnnxFloat);
    type->mutable_shape()->add_dim()->set_dim_value(1);
  }
  decaying_sum(*body);
  body->add_output()->set_name("next");
  body->add_output()->set_name("given");
  return w;
}

// The same as a Loop that takes the rows of x [T, 1] by their number. counts: by one of its own, which a condition compares with the number of rows, as
// tf2onnx writes the while of a Keras layer.
inline ModelWriter loop(bool counts = false) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"T", 1});
  w.output("sums", kOnnxFloat, {"T", 1});
  w.output("last", kOnnxFloat, {1});
  auto* g = w.proto().mutable_graph();
  half_and_zero(*g);
  auto* first = g->add_initializer();
  first->set_name("first");
  first->set_data_type(kOnnxInt64);
  first->add_int64_data(0);
  w.node("Shape", {"x"}, {"shape"});
  w.node("Gather", {"shape", "first"}, {"rounds"});
  if (counts) {
    auto* one = g->add_initializer();
    *one = *first;
    one->set_name("one");
    one->set_int64_data(0, 1);
    w.node("Less", {"first", "rounds"}, {"any"});
  }
  auto& n = counts ? w.node("Loop", {"rounds", "any", "zero", "first", "rounds"}, {"last", "", "", "sums"})
                   : w.node("Loop", {"rounds", "", "zero"}, {"last", "sums"});
  n.set_name("recurrence");
  auto* body = attribute(n, "body", 5).mutable_g();
  body->set_name("cell");
  for (const char* name : {"i", "go", "state"}) body->add_input()->set_name(name);
  inner_node(*body, "Gather", {"x", counts ? "row" : "i"}, "part");
  if (counts) {
    for (const char* name : {"row", "limit"}) body->add_input()->set_name(name);
    inner_node(*body, "Add", {"row", "one"}, "next_row");
    inner_node(*body, "Less", {"next_row", "limit"}, "more_rows");
    inner_node(*body, "Less", {"i", "rounds"}, "more_rounds");
    inner_node(*body, "And", {"more_rounds", "more_rows"}, "again");
  } else {
    inner_node(*body, "Identity", {"go"}, "again");
  }
  decaying_sum(*body);
  for (const char* name : {"again", "next"}) body->add_output()->set_name(name);
  if (counts)
    for (const char* name : {"next_row", "limit"}) body->add_output()->set_name(name);
  body->add_output()->set_name("given");
  return w;
}

class LoopsTest : public CliTest {
 protected:
  void write(const ModelWriter& w) { write_file(in("m.onnx"), w.bytes()); }
  void convert(const std::vector<std::string>& flags) {
    std::vector<std::string> all{in("m.onnx"), "-q", "--precision", "fp32"};
    all.insert(all.end(), flags.begin(), flags.end());
    expect_success(all);
  }
  // Sums and the last of them.
  std::pair<Floats, Floats> run(const Floats& x, bool rows) {
    std::filesystem::remove_all(in("data"));
    std::filesystem::remove_all(in("out"));
    std::filesystem::create_directory(in("data"));
    const auto size = static_cast<int64_t>(x.size());
    write_file(in("data/input_0.pb"),
               float_tensor_file("x", rows ? std::vector<int64_t>{size, 1} : std::vector<int64_t>{1, size}, x));
    expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
    return {read_tensor_pb(in("out/output_0.pb"), nullptr).to_float(), read_tensor_pb(in("out/output_1.pb"), nullptr).to_float()};
  }
};

}  // namespace edgeconv::testing::loop_models
