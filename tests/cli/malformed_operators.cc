// Operators that are used against their specification: too many operands and results, none at all, attributes twice and of another type, axes
// and shapes that no tensor has, scales that fit nothing.
#include "convert/import/arity.h"
#include "convert/import/registry.h"
#include "tests/cli/malformed_nodes.h"

namespace edgeconv::testing {

namespace {

void by_arity(Corpus& c) {
  for (const ImporterDef& d : importers()) {
    const auto most = most_operands(d.domain, d.op);
    if (!most) continue;
    const auto used = [&](size_t inputs, size_t outputs) {
      return [&d, inputs, outputs](ModelWriter& w) {
        if (!d.domain.empty()) w.opset(std::string(d.domain), 1);
        w.proto().mutable_opset_import(0)->set_version(d.since > 17 && d.domain.empty() ? d.since : 17);
        auto& n = w.node(std::string(d.op), {}, {}, std::string(d.domain));
        for (size_t i = 0; i < inputs; ++i) n.add_input("x");
        for (size_t i = 0; i < outputs; ++i) n.add_output(i == 0 ? "r" : "r" + std::to_string(i));
      };
    };
    const std::string called = std::string(d.domain.empty() ? "" : "com.microsoft::") + std::string(d.op);
    if (most->outputs < 100) with_node(c, called + " with one result too many", 3, used(1, most->outputs + 1));
    if (most->inputs < 100) with_node(c, called + " with one operand too many", 3, used(most->inputs + 1, 1));
    const bool sequence = d.op.find("Sequence") != std::string_view::npos;  // refused before its operands are looked at
    if (most->inputs > 0 && most->inputs < 100 && !sequence) with_node(c, called + " without operands", 3, used(0, 1));
  }
}

void by_attribute(Corpus& c) {
  struct Wrong {
    const char *op, *attribute;
  };
  for (const Wrong& a : {Wrong{"Softmax", "axis"},
                         {"LogSoftmax", "axis"},
                         {"Flatten", "axis"},
                         {"Transpose", "perm"},
                         {"LeakyRelu", "alpha"},
                         {"Elu", "alpha"},
                         {"Cast", "to"},
                         {"ArgMax", "keepdims"},
                         {"Gelu", "approximate"}}) {
    const auto node = [&](ModelWriter& w) -> pb::NodeProto& {
      w.proto().mutable_opset_import(0)->set_version(20);
      return w.node(a.op, {"x"}, {"r"});
    };
    with_node(c, std::string(a.op) + ": a graph as " + a.attribute, 3,
              [&](ModelWriter& w) { attribute(node(w), a.attribute, 5).mutable_g()->set_name("g"); });
    with_node(c, std::string(a.op) + ": a tensor as " + a.attribute, 3, [&](ModelWriter& w) {
      auto* t = attribute(node(w), a.attribute, 4).mutable_t();
      t->set_data_type(kOnnxInt64), t->add_int64_data(0);
    });
    with_node(c, std::string(a.op) + ": " + a.attribute + " twice", 3, [&](ModelWriter& w) {
      auto& n = node(w);
      whole(n, a.attribute, 0), whole(n, a.attribute, 0);
    });
    with_node(c, std::string(a.op) + ": " + a.attribute + " of no known type", 3,
              [&](ModelWriter& w) { attribute(node(w), a.attribute, 77).set_i(1); });
  }
}

void by_axes_and_shapes(Corpus& c) {
  // Every axis from it on was listed: 2^29 of them, and more.
  for (const int64_t axis : {int64_t{2}, int64_t{-3}, int64_t{-2000000000}, INT64_MIN})
    with_node(c, "LayerNormalization with statistics along axis " + std::to_string(axis), 3, [&](ModelWriter& w) {
      w.weights("g", {16});
      whole(w.node("LayerNormalization", {"x", "g"}, {"l", "", "inverse"}), "axis", axis);
      w.node("Mul", {"l", "inverse"}, {"r"});
    });
  for (const int64_t axis : {int64_t{2}, int64_t{-3}, int64_t{100000}, INT64_MAX, INT64_MIN})
    for (const char* op : {"Softmax", "LogSoftmax", "ArgMax"})
      with_node(c, std::string(op) + " along axis " + std::to_string(axis), 3,
                [&](ModelWriter& w) { whole(w.node(op, {"x"}, {"r"}), "axis", axis); });
  for (const char* op : {"Range", "CumSum", "Trilu", "TopK"})
    for (const size_t count : {0, 2})
      with_node(c, std::string(op) + " with " + std::to_string(count) + " numbers for one", 3, [&](ModelWriter& w) {
        ints(w, "e", std::vector<int64_t>(count, 1));
        ints(w, "one", {1}, true);
        const std::string name = op;
        if (name == "Range")
          w.node(op, {"one", "e", "one"}, {"r"});
        else if (name == "TopK")
          w.node(op, {"x", "e"}, {"r", "at"});
        else
          w.node(op, {"x", "e"}, {"r"});
      });
  for (const char* op : {"ArgMax", "ArgMin"})  // random graph of seed 957
    with_node(c, std::string(op) + " of nothing", 3, [&](ModelWriter& w) {
      ints(w, "e", {});
      whole(w.node(op, {"e"}, {"r"}), "axis", -1);
    });
  for (const auto& perm : {std::vector<int64_t>{0}, {0, 0}, {0, 2}, {1, -1}, {0, 1, 2}, {INT64_MAX, 0}})
    with_node(c,
              "Transpose by " + std::to_string(perm.size()) + " axes, " + std::to_string(perm[0]) + " to " +
                  std::to_string(perm.back()),
              3, [&](ModelWriter& w) { wholes(w.node("Transpose", {"x"}, {"r"}), "perm", perm); });
  for (const auto& shape : {std::vector<int64_t>{-1, -1}, {-2, 4}, {3, 5}, {0, 0, 0}, {4, 5, 1}})
    with_node(c, "Reshape to " + std::to_string(shape[0]) + ", " + std::to_string(shape[1]), 3, [&](ModelWriter& w) {
      w.weights("w", {4, 4});
      ints(w, "s", shape);
      w.node("Reshape", {"w", "s"}, {"r"});
    });
  // A list of zero points was made for as many columns, 1 GB and exit 1.
  for (const int64_t columns : {int64_t{1} << 28, INT64_MAX / 2})
    with_node(c, "MatMulNBits of " + std::to_string(columns) + " columns", 3, [&](ModelWriter& w) {
      w.opset("com.microsoft", 1);
      w.weights("s", {1});
      ints(w, "b", {1});
      auto& n = w.node("MatMulNBits", {"x", "b", "s"}, {"r"}, "com.microsoft");
      whole(n, "K", 16), whole(n, "N", columns), whole(n, "block_size", 16);
    });
  for (const auto& [axes, what] : {std::pair(std::vector<int64_t>{5}, "outside"), {{1}, "of size 4"}})
    with_node(c, std::string("Squeeze an axis ") + what, 3, [&, axes = axes](ModelWriter& w) {
      ints(w, "a", axes), w.node("Squeeze", {"x", "a"}, {"r"});
    });
  for (const auto& axes : {std::vector<int64_t>{7}, {0, 0}, {-9}})
    with_node(c, "Unsqueeze at " + std::to_string(axes[0]), 3, [&](ModelWriter& w) {
      ints(w, "a", axes), w.node("Unsqueeze", {"x", "a"}, {"r"});
    });
}

void by_quantization(Corpus& c) {
  const auto quantized = [&](const std::string& name, int exit_code, std::vector<float> scale, bool per_axis = false) {
    with_node(c, name, exit_code, [&](ModelWriter& w) {
      auto* t = w.proto().mutable_graph()->add_initializer();
      t->set_name("s"), t->set_data_type(kOnnxFloat);
      if (per_axis) t->add_dims(static_cast<int64_t>(scale.size()));
      for (const float f : scale) t->add_float_data(f);
      w.node("DequantizeLinear", {"q", "s"}, {"r"});
    });
  };
  quantized("a scale", 0, {.5f});
  quantized("a scale of 3 numbers for 4 channels", 3, {1, 1, 1}, true);
  with_node(c, "a zero point of another type", 3, [](ModelWriter& w) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name("s"), t->set_data_type(kOnnxFloat), t->add_float_data(1);
    auto* z = w.proto().mutable_graph()->add_initializer();
    z->set_name("z"), z->set_data_type(kOnnxInt8), z->add_int32_data(1);
    w.node("DequantizeLinear", {"q", "s", "z"}, {"r"});
  });
  with_node(c, "a scale that is an integer", 3, [](ModelWriter& w) {
    ints(w, "s", {1}, true), w.node("DequantizeLinear", {"q", "s"}, {"r"});
  });
  with_node(c, "dequantized floats", 3, [](ModelWriter& w) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name("s"), t->set_data_type(kOnnxFloat), t->add_float_data(1);
    w.node("DequantizeLinear", {"x", "s"}, {"r"});
  });
}

}  // namespace

void add_operator_damage(Corpus& c) {
  by_arity(c);
  by_attribute(c);
  by_axes_and_shapes(c);
  add_operand_damage(c);
  by_quantization(c);
}

}  // namespace edgeconv::testing
