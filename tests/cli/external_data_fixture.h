// Models with external data, in a folder of their own.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

using Entries = std::vector<std::pair<std::string, std::string>>;

inline void externalize(pb::TensorProto& t, const Entries& entries) {
  t.clear_float_data();
  t.clear_raw_data();
  t.set_data_location(1);
  for (const auto& [key, value] : entries) {
    auto* e = t.add_external_data();
    e->set_key(key);
    e->set_value(value);
  }
}

inline std::string float_bytes(const pb::TensorProto& t) {
  std::string s(static_cast<size_t>(t.float_data_size()) * 4, '\0');
  std::memcpy(s.data(), t.float_data().data(), s.size());
  return s;
}

// x [batch, 16] -> MatMul w1 -> Add b1 -> MatMul w2 -> y [batch, 4]
inline ModelWriter layers() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 4});
  w.weights("w1", {16, 16});
  w.weights("b1", {16});
  w.weights("w2", {16, 4});
  w.node("MatMul", {"x", "w1"}, {"h"});
  w.node("Add", {"h", "b1"}, {"i"});
  w.node("MatMul", {"i", "w2"}, {"y"});
  return w;
}

class CliExternalDataTest : public CliTest {
 protected:
  void SetUp() override {
    ModelWriter w = layers();
    write_file(in("inline.onnx"), w.bytes());
    expect_success({in("inline.onnx"), "-q"});
    for (int i = 0; i < 3; ++i) bytes_.push_back(float_bytes(w.proto().graph().initializer(i)));
  }
  // layers() with its three tensors outside.
  std::string model(const std::vector<Entries>& entries) {
    ModelWriter w = layers();
    for (size_t i = 0; i < entries.size(); ++i)
      externalize(*w.proto().mutable_graph()->mutable_initializer(static_cast<int>(i)), entries[i]);
    write_file(in("m.onnx"), w.bytes());
    return in("m.onnx");
  }
  // The blob computes what the one of the model with inline data computes, bit for bit.
  void expect_same_as_inline(const std::string& path) {
    expect_success({path, "-q", "-o", in("m.ert")});
    write_file(in("data/input_0.pb"), float_tensor_file("x", {2, 16}, std::vector<float>(32, 0.25f)));
    for (const char* blob : {"inline", "m"})
      expect_success({"run", in(std::string(blob) + ".ert"), "--data", in("data"), "--out", in(std::string("out_") + blob)});
    EXPECT_EQ(read_file(in("out_m/output_0.pb")), read_file(in("out_inline/output_0.pb")));
  }
  std::vector<std::string> bytes_;
};

}  // namespace edgeconv::testing
