// Operators that are used against their specification: too many operands and results, none at all, attributes twice and of another
// type, operands of impossible types and sizes. More than 300 lines, because it is one table of cases.
#include "convert/import/arity.h"
#include "convert/import/registry.h"
#include "tests/cli/malformed_corpus.h"

namespace edgeconv::testing {

namespace {

pb::AttributeProto& attribute(pb::NodeProto& n, const std::string& name, int32_t type) {
  auto* a = n.add_attribute();
  a->set_name(name);
  a->set_type(type);
  return *a;
}

void whole(pb::NodeProto& n, const std::string& name, int64_t v) { attribute(n, name, 2).set_i(v); }

void wholes(pb::NodeProto& n, const std::string& name, const std::vector<int64_t>& v) {
  auto& a = attribute(n, name, 7);
  for (const int64_t i : v) a.add_ints(i);
}

void ints(ModelWriter& w, const std::string& name, const std::vector<int64_t>& v, bool scalar = false) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(kOnnxInt64);
  if (!scalar) t->add_dims(static_cast<int64_t>(v.size()));
  for (const int64_t i : v) t->add_int64_data(i);
}

// y is read from x beside the node, so that the node alone can be wrong.
void with_node(Corpus& c, const std::string& name, int exit_code, const std::function<void(ModelWriter&)>& change) {
  add_model(c, name, exit_code, [&](ModelWriter& w) {
    w.node("Relu", {"x"}, {"y"});
    change(w);
    w.output("r", kOnnxFloat, {});
    w.proto().mutable_graph()->mutable_output(1)->clear_type();
  });
}

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

struct Used {
  const char* name;
  int exit_code;
  std::function<void(ModelWriter&)> write;
};

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

void by_operands(Corpus& c) {
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
  const std::vector<Used> all = {
      {"Slice by a step of 0", 3,
       [](ModelWriter& w) {
         ints(w, "z", {0}), ints(w, "o", {1}), w.node("Slice", {"x", "z", "o", "o", "z"}, {"r"});
       }},
      {"Slice with starts and ends of other lengths", 3,
       [](ModelWriter& w) {
         ints(w, "z", {0}), ints(w, "o", {1, 1}), w.node("Slice", {"x", "z", "o"}, {"r"});
       }},
      {"Slice by floats", 3,
       [](ModelWriter& w) {
         w.weights("f", {1}), w.node("Slice", {"x", "f", "f"}, {"r"});
       }},
      {"Gather by floats", 3,
       [](ModelWriter& w) {
         w.node("Gather", {"x", "x"}, {"r"});
       }},
      {"Gather outside of a constant", 3,
       [](ModelWriter& w) {
         w.weights("w", {4}), ints(w, "i", {4}), w.node("Gather", {"w", "i"}, {"r"});
       }},
      {"Gather far outside of a constant", 3,
       [](ModelWriter& w) {
         w.weights("w", {4}), ints(w, "i", {INT64_MIN}), w.node("Gather", {"w", "i"}, {"r"});
       }},
      {"Concat of other sizes", 3,
       [](ModelWriter& w) {
         w.weights("w", {4, 3}), whole(w.node("Concat", {"x", "w"}, {"r"}), "axis", 0);
       }},
      {"Concat without an axis", 3,
       [](ModelWriter& w) {
         w.node("Concat", {"x", "x"}, {"r"});
       }},
      {"Concat of floats and integers", 3,
       [](ModelWriter& w) {
         whole(w.node("Concat", {"x", "k"}, {"r"}), "axis", 0);
       }},
      {"Split into sizes of another sum", 3,
       [](ModelWriter& w) {
         ints(w, "s", {1, 2}), whole(w.node("Split", {"x", "s"}, {"r", "t"}), "axis", 1);
       }},
      {"Split into fewer sizes than results", 3,
       [](ModelWriter& w) {
         ints(w, "s", {4}), whole(w.node("Split", {"x", "s"}, {"r", "t"}), "axis", 1);
       }},
      {"Split by a negative size", 3,
       [](ModelWriter& w) {
         ints(w, "s", {5, -1}), whole(w.node("Split", {"x", "s"}, {"r", "t"}), "axis", 1);
       }},
      {"Split into another number of parts", 3,
       [](ModelWriter& w) {
         w.proto().mutable_opset_import(0)->set_version(18);
         auto& n = w.node("Split", {"x"}, {"r", "t"});
         whole(n, "axis", 1), whole(n, "num_outputs", 1000000000);
       }},
      {"Where of a number", 3,
       [](ModelWriter& w) {
         w.node("Where", {"x", "x", "x"}, {"r"});
       }},
      {"Add of a float and an integer", 3,
       [](ModelWriter& w) {
         w.node("Add", {"x", "k"}, {"r"});
       }},
      {"Add of sizes that do not broadcast", 3,
       [](ModelWriter& w) {
         w.weights("w", {3}), w.node("Add", {"x", "w"}, {"r"});
       }},
      {"Add of int8 and uint8", 3,
       [](ModelWriter& w) {
         w.node("Cast", {"x"}, {"a"}), whole(*w.proto().mutable_graph()->mutable_node()->rbegin(), "to", 3);
         w.node("Cast", {"x"}, {"b"}), whole(*w.proto().mutable_graph()->mutable_node()->rbegin(), "to", 2);
         w.node("Add", {"a", "b"}, {"r"});
       }},
      {"Atan of an integer", 3, [](ModelWriter& w) { w.node("Atan", {"k"}, {"r"}); }},
      {"Not of a float", 3, [](ModelWriter& w) { w.node("Not", {"x"}, {"r"}); }},
      {"And of floats", 3,
       [](ModelWriter& w) {
         w.node("And", {"x", "x"}, {"r"});
       }},
      {"Sqrt of an integer", 3, [](ModelWriter& w) { w.node("Sqrt", {"k"}, {"r"}); }},
      {"Softmax of an integer", 3, [](ModelWriter& w) { w.node("Softmax", {"k"}, {"r"}); }},
      {"MatMul of sizes that do not fit", 3,
       [](ModelWriter& w) {
         w.weights("w", {5, 4}), w.node("MatMul", {"x", "w"}, {"r"});
       }},
      {"MatMul of a float and an integer", 3,
       [](ModelWriter& w) {
         w.node("MatMul", {"x", "k"}, {"r"});
       }},
      {"MatMul of integers", 4,
       [](ModelWriter& w) {
         w.node("Transpose", {"k"}, {"t"}), w.node("MatMul", {"t", "k"}, {"r"});
       }},
      {"Gemm of vectors", 3,
       [](ModelWriter& w) {
         w.weights("w", {4}), w.node("Gemm", {"w", "w"}, {"r"});
       }},
      {"Conv of a matrix", 3,
       [](ModelWriter& w) {
         w.weights("w", {4, 4, 3}), w.node("Conv", {"x", "w"}, {"r"});
       }},
      {"Conv with an empty bias", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}), w.weights("b", {0}), w.node("Conv", {"z", "w", "b"}, {"r"});
       }},
      {"Conv with a bias of no axes", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}), w.weights("b", {}), w.node("Conv", {"z", "w", "b"}, {"r"});
       }},
      {"Conv with a bias of two axes", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}), w.weights("b", {1, 4}), w.node("Conv", {"z", "w", "b"}, {"r"});
       }},
      {"ConvTranspose with a bias of no axes", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}), w.weights("b", {}), w.node("ConvTranspose", {"z", "w", "b"}, {"r"});
       }},
      {"Conv with a stride of 0", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}),
             wholes(w.node("Conv", {"z", "w"}, {"r"}), "strides", {0});
       }},
      {"Conv with a dilation of 0", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}),
             wholes(w.node("Conv", {"z", "w"}, {"r"}), "dilations", {0});
       }},
      {"Conv with 3 groups of 4 channels", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}), whole(w.node("Conv", {"z", "w"}, {"r"}), "group", 3);
       }},
      {"Conv with 0 groups", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}), whole(w.node("Conv", {"z", "w"}, {"r"}), "group", 0);
       }},
      {"Conv with negative pads", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}),
             wholes(w.node("Conv", {"z", "w"}, {"r"}), "pads", {-9, -9});
       }},
      {"Conv with 5 filters in 2 groups", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {5, 2, 3}), whole(w.node("Conv", {"z", "w"}, {"r"}), "group", 2);
       }},
      {"Conv with a kernel larger than its padded input", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 12}),
             wholes(w.node("Conv", {"z", "w"}, {"r"}), "pads", {1, 1});
       }},
      {"Conv with a dilation that leaves the input", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}),
             wholes(w.node("Conv", {"z", "w"}, {"r"}), "dilations", {2147483647});
       }},
      {"Conv with pads beyond 32 bits together", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}),
             wholes(w.node("Conv", {"z", "w"}, {"r"}), "pads", {2147483647, 2147483647});
       }},
      {"Conv with another kernel_shape than its weights", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("w", {4, 4, 3}),
             wholes(w.node("Conv", {"z", "w"}, {"r"}), "kernel_shape", {5});
       }},
      {"MaxPool without a kernel", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.node("MaxPool", {"z"}, {"r"});
       }},
      {"MaxPool with a kernel of 0", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), wholes(w.node("MaxPool", {"z"}, {"r"}), "kernel_shape", {0});
       }},
      {"LSTM of a matrix", 3,
       [](ModelWriter& w) {
         w.weights("w", {1, 16, 4}), w.weights("u", {1, 16, 4}), whole(w.node("LSTM", {"x", "w", "u"}, {"r"}), "hidden_size", 4);
       }},
      {"LayerNormalization over another size", 3,
       [](ModelWriter& w) {
         w.weights("s", {3}), w.node("LayerNormalization", {"x", "s"}, {"r"});
       }},
      {"LayerNormalization with an epsilon below 0", 3,
       [](ModelWriter& w) {
         w.weights("s", {4});
         attribute(w.node("LayerNormalization", {"x", "s"}, {"r"}), "epsilon", 1).set_f(-3e38f);
       }},
      {"BatchNormalization with a mean of another size", 3,
       [](ModelWriter& w) {
         w.weights("s", {4}), w.weights("m", {3}), w.node("BatchNormalization", {"x", "s", "s", "m", "s"}, {"r"});
       }},
      {"BatchNormalization with a scale of another size", 3,
       [](ModelWriter& w) {
         w.weights("s", {9}), w.weights("m", {4}), w.node("BatchNormalization", {"x", "s", "m", "m", "m"}, {"r"});
       }},
      {"InstanceNormalization with a scale of another size", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("s", {9}), w.weights("b", {4});
         w.node("InstanceNormalization", {"z", "s", "b"}, {"r"});
       }},
      {"GroupNormalization with a bias of another size", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("s", {2}), w.weights("b", {1});
         attribute(w.node("GroupNormalization", {"z", "s", "b"}, {"r"}), "num_groups", 2).set_i(2);
       }},
      {"GroupNormalization with a scale of neither size", 3,
       [](ModelWriter& w) {
         w.input("z", kOnnxFloat, {"n", 4, 9}), w.weights("s", {3});
         attribute(w.node("GroupNormalization", {"z", "s", "s"}, {"r"}), "num_groups", 2).set_i(2);
       }},
      {"Expand to another size", 3,
       [](ModelWriter& w) {
         ints(w, "s", {3}), w.node("Expand", {"x", "s"}, {"r"});
       }},
      {"ArgMax of bool", 3,
       [](ModelWriter& w) {
         w.input("b", kOnnxBool, {4}), w.node("ArgMax", {"b"}, {"r"});
       }},
      {"Slice by a matrix of axes", 3,
       [](ModelWriter& w) {
         ints(w, "s", {0}), ints(w, "e", {1}), ints(w, "a", {1});
         w.proto().mutable_graph()->mutable_initializer(w.proto().graph().initializer_size() - 1)->add_dims(1);
         w.node("Slice", {"x", "s", "e", "a"}, {"r"});
       }},
      {"ScatterND with an axis too many", 3,
       [](ModelWriter& w) {
         w.input("d", kOnnxFloat, {4, 4}), w.input("i", kOnnxInt64, {2, 1}), w.input("u", kOnnxFloat, {2, 4, 1});
         w.node("ScatterND", {"d", "i", "u"}, {"r"});
       }},
      {"Tile by another number of axes", 3,
       [](ModelWriter& w) {
         ints(w, "s", {3}), w.node("Tile", {"x", "s"}, {"r"});
       }},
      {"Tile by -1", 3,
       [](ModelWriter& w) {
         ints(w, "s", {-1, 1}), w.node("Tile", {"x", "s"}, {"r"});
       }},
      {"Pad with no number", 3,
       [](ModelWriter& w) {
         ints(w, "s", {1, 1, 1, 1}), w.weights("fill", {0}), w.node("Pad", {"x", "s", "fill"}, {"r"});
       }},
      {"Pad by one number", 3,
       [](ModelWriter& w) {
         ints(w, "s", {1}), w.node("Pad", {"x", "s"}, {"r"});
       }},
      {"Range by 0", 3,
       [](ModelWriter& w) {
         ints(w, "z", {0}, true), ints(w, "o", {4}, true), w.node("Range", {"z", "o", "z"}, {"r"});
       }},
      {"ConstantOfShape of a negative size", 3,
       [](ModelWriter& w) { ints(w, "s", {-4}), w.node("ConstantOfShape", {"s"}, {"r"}); }},
      {"TopK of more than there is", 3,
       [](ModelWriter& w) {
         ints(w, "s", {5}), w.node("TopK", {"x", "s"}, {"r", "at"});
       }},
      {"TopK of -1", 3,
       [](ModelWriter& w) {
         ints(w, "s", {-1}), w.node("TopK", {"x", "s"}, {"r", "at"});
       }},
      {"OneHot of a negative depth", 3,
       [](ModelWriter& w) {
         ints(w, "d", {-2}), w.weights("v", {2}), w.node("OneHot", {"k", "d", "v"}, {"r"});
       }},
      {"OneHot of one value", 3,
       [](ModelWriter& w) {
         ints(w, "d", {2}), w.weights("v", {1}), w.node("OneHot", {"k", "d", "v"}, {"r"});
       }},
      {"Einsum of other ranks", 3,
       [](ModelWriter& w) {
         attribute(w.node("Einsum", {"x", "x"}, {"r"}), "equation", 3).set_s("abc,abc->a");
       }},
      {"Einsum without an equation", 3, [](ModelWriter& w) { w.node("Einsum", {"x"}, {"r"}); }},
      {"Cast to nothing", 3, [](ModelWriter& w) { whole(w.node("Cast", {"x"}, {"r"}), "to", 0); }},
      {"Cast to type 99", 3, [](ModelWriter& w) { whole(w.node("Cast", {"x"}, {"r"}), "to", 99); }},
      {"Cast to text", 4, [](ModelWriter& w) { whole(w.node("Cast", {"x"}, {"r"}), "to", 8); }},
      {"Constant without a value", 3, [](ModelWriter& w) { w.node("Constant", {}, {"r"}); }},
      {"Constant with two values", 3,
       [](ModelWriter& w) {
         auto& n = w.node("Constant", {}, {"r"});
         whole(n, "value_int", 1), attribute(n, "value_float", 1).set_f(1);
       }},
      {"NonZero", 4, [](ModelWriter& w) { w.node("NonZero", {"x"}, {"r"}); }},
      {"Unique", 4, [](ModelWriter& w) { w.node("Unique", {"x"}, {"r"}); }},
  };
  for (const Used& u : all) with_node(c, u.name, u.exit_code, u.write);
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
  by_operands(c);
  by_quantization(c);
}

}  // namespace edgeconv::testing
