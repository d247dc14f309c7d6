// Operands of types, sizes and contents that their operator does not take. One table of cases, which other files of malformed_*.cc make by rules.
#include "tests/cli/malformed_nodes.h"

namespace edgeconv::testing {

namespace {

struct Used {
  const char* name;
  int exit_code;
  std::function<void(ModelWriter&)> write;
};

// An input of rank 0.
void number(ModelWriter& w, const char* name) {
  w.input(name, kOnnxFloat, {});
  auto& inputs = *w.proto().mutable_graph()->mutable_input();
  inputs[inputs.size() - 1].mutable_type()->mutable_tensor_type()->mutable_shape();
}

const std::vector<Used> kUsed = {
    {"Slice by a step of 0", 3,
     [](ModelWriter& w) {
       ints(w, "z", {0}), ints(w, "o", {1}), w.node("Slice", {"x", "z", "o", "o", "z"}, {"r"});
     }},
    {"Slice with starts and ends of other lengths", 3,
     [](ModelWriter& w) {
       ints(w, "z", {0}), ints(w, "o", {1, 1}), w.node("Slice", {"x", "z", "o"}, {"r"});
     }},
    {"Slice by floats", 3, [](ModelWriter& w) { w.weights("f", {1}), w.node("Slice", {"x", "f", "f"}, {"r"}); }},
    {"Gather by floats", 3, [](ModelWriter& w) { w.node("Gather", {"x", "x"}, {"r"}); }},
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
    {"Concat without an axis", 3, [](ModelWriter& w) { w.node("Concat", {"x", "x"}, {"r"}); }},
    {"Concat of floats and integers", 3, [](ModelWriter& w) { whole(w.node("Concat", {"x", "k"}, {"r"}), "axis", 0); }},
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
    {"Where of a number", 3, [](ModelWriter& w) { w.node("Where", {"x", "x", "x"}, {"r"}); }},
    {"Add of a float and an integer", 3, [](ModelWriter& w) { w.node("Add", {"x", "k"}, {"r"}); }},
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
    {"And of floats", 3, [](ModelWriter& w) { w.node("And", {"x", "x"}, {"r"}); }},
    {"Sqrt of an integer", 3, [](ModelWriter& w) { w.node("Sqrt", {"k"}, {"r"}); }},
    {"Softmax of an integer", 3, [](ModelWriter& w) { w.node("Softmax", {"k"}, {"r"}); }},
    {"MatMul of sizes that do not fit", 3,
     [](ModelWriter& w) {
       w.weights("w", {5, 4}), w.node("MatMul", {"x", "w"}, {"r"});
     }},
    {"MatMul of a float and an integer", 3, [](ModelWriter& w) { w.node("MatMul", {"x", "k"}, {"r"}); }},
    {"MatMul of integers", 4,
     [](ModelWriter& w) {
       w.node("Transpose", {"k"}, {"t"}), w.node("MatMul", {"t", "k"}, {"r"});
     }},
    {"Gemm of vectors", 3, [](ModelWriter& w) { w.weights("w", {4}), w.node("Gemm", {"w", "w"}, {"r"}); }},
    {"Conv of a matrix", 3, [](ModelWriter& w) { w.weights("w", {4, 4, 3}), w.node("Conv", {"x", "w"}, {"r"}); }},
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
    {"Expand to another size", 3, [](ModelWriter& w) { ints(w, "s", {3}), w.node("Expand", {"x", "s"}, {"r"}); }},
    {"ArgMax of bool", 3, [](ModelWriter& w) { w.input("b", kOnnxBool, {4}), w.node("ArgMax", {"b"}, {"r"}); }},
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
    {"Tile by another number of axes", 3, [](ModelWriter& w) { ints(w, "s", {3}), w.node("Tile", {"x", "s"}, {"r"}); }},
    {"Tile by -1", 3, [](ModelWriter& w) { ints(w, "s", {-1, 1}), w.node("Tile", {"x", "s"}, {"r"}); }},
    {"Pad with no number", 3,
     [](ModelWriter& w) {
       ints(w, "s", {1, 1, 1, 1}), w.weights("fill", {0}), w.node("Pad", {"x", "s", "fill"}, {"r"});
     }},
    {"Pad by one number", 3, [](ModelWriter& w) { ints(w, "s", {1}), w.node("Pad", {"x", "s"}, {"r"}); }},
    {"Range by 0", 3,
     [](ModelWriter& w) {
       ints(w, "z", {0}, true), ints(w, "o", {4}, true), w.node("Range", {"z", "o", "z"}, {"r"});
     }},
    {"ConstantOfShape of a negative size", 3,
     [](ModelWriter& w) { ints(w, "s", {-4}), w.node("ConstantOfShape", {"s"}, {"r"}); }},
    {"Softmax of a number", 3, [](ModelWriter& w) { number(w, "z"), whole(w.node("Softmax", {"z"}, {"r"}), "axis", 0); }},
    {"Softmax of a number, by rows", 3,
     [](ModelWriter& w) {
       w.proto().mutable_opset_import(0)->set_version(12);
       number(w, "z"), whole(w.node("Softmax", {"z"}, {"r"}), "axis", 0);
     }},
    {"TopK of more than there is", 3, [](ModelWriter& w) { ints(w, "s", {5}), w.node("TopK", {"x", "s"}, {"r", "at"}); }},
    {"TopK of -1", 3, [](ModelWriter& w) { ints(w, "s", {-1}), w.node("TopK", {"x", "s"}, {"r", "at"}); }},
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

}  // namespace

void add_operand_damage(Corpus& c) {
  for (const Used& u : kUsed) with_node(c, u.name, u.exit_code, u.write);
}

}  // namespace edgeconv::testing
