// Graphs that contradict themselves: names, order, inputs, outputs, versions, functions.
#include "tests/cli/malformed_corpus.h"

namespace edgeconv::testing {

namespace {

void relu(ModelWriter& w) { w.node("Relu", {"x"}, {"y"}); }
pb::GraphProto& graph(ModelWriter& w) { return *w.proto().mutable_graph(); }

}  // namespace

ModelWriter corpus_model() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 4});
  w.input("k", kOnnxInt64, {"n", 4});
  w.input("q", kOnnxUint8, {"n", 4});
  w.input("b", kOnnxBool, {"n", 4});
  w.output("y", kOnnxFloat, {"n", 4});
  return w;
}

void add_model(Corpus& c, const std::string& name, int exit_code, const std::function<void(ModelWriter&)>& change) {
  ModelWriter w = corpus_model();
  change(w);
  c.push_back({name, exit_code, w.bytes()});
}

void add_graph_damage(Corpus& c) {
  add_model(c, "a good graph", 0, relu);
  add_model(c, "no outputs", 3, [](ModelWriter& w) { relu(w), graph(w).clear_output(); });
  add_model(c, "nothing at all", 3, [](ModelWriter& w) { w.proto().clear_graph(); });
  add_model(c, "an output that nothing gives", 3, [](ModelWriter& w) { w.node("Relu", {"x"}, {"z"}); });
  add_model(c, "an operand that nothing gives", 3, [](ModelWriter& w) { w.node("Relu", {"nobody"}, {"y"}); });
  add_model(c, "an operator without a name", 3, [](ModelWriter& w) { w.node("", {"x"}, {"y"}); });
  add_model(c, "a node without outputs", 3, [](ModelWriter& w) { relu(w), w.node("Neg", {"x"}, {}); });
  add_model(c, "a product whose output has no name", 3, [](ModelWriter& w) {
    relu(w), w.weights("w", {4, 4});
    w.node("MatMul", {"x", "w"}, {""});
  });
  add_model(c, "a node that reads itself", 3, [](ModelWriter& w) { w.node("Add", {"x", "y"}, {"y"}); });
  for (const int length : {2, 3, 100})
    add_model(c, "a circle of " + std::to_string(length), 3, [&](ModelWriter& w) {
      relu(w);
      for (int i = 0; i < length; ++i) w.node("Neg", {"c" + std::to_string(i)}, {"c" + std::to_string((i + 1) % length)});
    });
  add_model(c, "nodes in the wrong order", 0, [](ModelWriter& w) { w.node("Neg", {"z"}, {"y"}), w.node("Relu", {"x"}, {"z"}); });
  for (const char* twice : {"y", "x", "w"})
    add_model(c, std::string("'") + twice + "' is defined twice", 3, [&](ModelWriter& w) {
      w.weights("w", {4});
      relu(w);
      w.node("Add", {"x", "w"}, {twice});
    });
  add_model(c, "an initializer twice", 3, [](ModelWriter& w) { relu(w), w.weights("w", {4}), w.weights("w", {4}); });
  add_model(c, "an initializer without a name", 3, [](ModelWriter& w) { relu(w), w.weights("", {4}); });
  add_model(c, "an input twice", 3, [](ModelWriter& w) { relu(w), w.input("x", kOnnxFloat, {"n", 4}); });
  add_model(c, "an input without a name", 3, [](ModelWriter& w) { relu(w), w.input("", kOnnxFloat, {"n", 4}); });
  add_model(c, "an output without a name", 3, [](ModelWriter& w) { relu(w), w.output("", kOnnxFloat, {"n", 4}); });
  add_model(c, "a zero byte in an input's name", 3, [](ModelWriter& w) {
    w.input(std::string("a\0b", 3), kOnnxFloat, {"n", 4});
    w.node("Add", {"x", std::string("a\0b", 3)}, {"y"});
  });
  for (const size_t length : {4096, 4097, 100000}) {
    const std::string name(length, 'q');
    const int code = length <= 4096 ? 0 : 5;
    add_model(c, "an input's name of " + std::to_string(length) + " bytes", code, [&](ModelWriter& w) {
      w.input(name, kOnnxFloat, {"n", 4});
      w.node("Add", {"x", name}, {"y"});
    });
    add_model(c, "an output's name of " + std::to_string(length) + " bytes", code, [&](ModelWriter& w) {
      relu(w);
      w.node("Neg", {"x"}, {name});
      w.output(name, kOnnxFloat, {"n", 4});
    });
    add_model(c, "a dim's name of " + std::to_string(length) + " bytes", code, [&](ModelWriter& w) {
      w.input("z", kOnnxFloat, {name.c_str(), 4});
      w.output("s", kOnnxFloat, {name.c_str(), 4});
      relu(w);
      w.node("Neg", {"z"}, {"s"});
    });
    add_model(c, "a node's name of " + std::to_string(length) + " bytes", 0,
              [&](ModelWriter& w) { w.node("Relu", {"x"}, {"y"}).set_name(name); });
  }
  for (const int64_t d : {int64_t{0}, int64_t{-1}})
    add_model(c, "an input of size " + std::to_string(d), 0, [&](ModelWriter& w) {
      w.input("z", kOnnxFloat, {d, 4}), w.node("Relu", {"x"}, {"y"}), w.node("Neg", {"z"}, {"u"}),
          w.output("u", kOnnxFloat, {d, 4});
    });
  for (const int type : {0, 99, -1})
    add_model(c, "an input of type " + std::to_string(type), 3, [&](ModelWriter& w) {
      w.input("z", type, {"n", 4}), relu(w), w.node("Identity", {"z"}, {"u"}), w.output("u", kOnnxFloat, {"n", 4});
    });
  for (const int type : {8, 14, 15})
    add_model(c, "an input of type " + std::to_string(type), 4, [&](ModelWriter& w) {
      w.input("z", type, {"n", 4}), relu(w), w.node("Identity", {"z"}, {"u"}), w.output("u", type, {"n", 4});
    });
  for (const int64_t v : {int64_t{-1}, int64_t{0}, int64_t{34}, int64_t{9999}, INT64_MAX, INT64_MIN})
    add_model(c, "operator set " + std::to_string(v), 3,
              [&](ModelWriter& w) { relu(w), w.proto().mutable_opset_import(0)->set_version(v); });
  for (const int64_t v : {int64_t{20}, int64_t{999}, INT64_MAX})
    add_model(c, "IR version " + std::to_string(v), 3, [&](ModelWriter& w) { relu(w), w.proto().set_ir_version(v); });
  add_model(c, "no operator set", 3, [](ModelWriter& w) { relu(w), w.proto().clear_opset_import(); });
  add_model(c, "two versions of an operator set", 3, [](ModelWriter& w) { relu(w), w.opset("", 13); });
  add_model(c, "a domain that is not imported", 3, [](ModelWriter& w) { w.node("Relu", {"x"}, {"y"}, "com.example"); });
  add_model(c, "a domain that nobody knows", 4,
            [](ModelWriter& w) { w.opset("com.example", 1), w.node("Relu", {"x"}, {"y"}, "com.example"); });
  add_model(c, "an operator that nobody knows", 4, [](ModelWriter& w) { w.node("Frobnicate", {"x"}, {"y"}); });
  // Right files, which "read what nothing defines".
  for (const bool default_of_input : {false, true})
    add_model(c, std::string("a sparse initializer") + (default_of_input ? " that is an input's default" : ""), 4, [&](ModelWriter& w) {
      auto* s = w.proto().mutable_graph()->add_sparse_initializer();
      s->mutable_values()->set_name("w"), s->mutable_values()->set_data_type(kOnnxFloat);
      if (default_of_input) w.input("w", kOnnxFloat, {4, 4});
      w.node("MatMul", {"x", "w"}, {"y"});
    });
  // Functions.
  const auto function = [](ModelWriter& w, const std::string& name, const std::string& calls) {
    w.opset("f", 1);
    auto* f = w.proto().add_functions();
    f->set_name(name), f->set_domain("f"), f->add_input("a"), f->add_output("r");
    auto* set = f->add_opset_import();
    set->set_version(17);
    if (calls != "Relu") f->add_opset_import()->set_domain("f"), f->mutable_opset_import(1)->set_version(1);
    auto* n = f->add_node();
    n->set_op_type(calls), n->add_input("a"), n->add_output("r");
    if (calls != "Relu") n->set_domain("f");
  };
  add_model(c, "a function", 0, [&](ModelWriter& w) { function(w, "F", "Relu"), w.node("F", {"x"}, {"y"}, "f"); });
  for (const int64_t v : {int64_t{-1}, int64_t{0}, int64_t{34}, int64_t{9999}, INT64_MAX, INT64_MIN})
    add_model(c, "a function over operator set " + std::to_string(v), 3, [&](ModelWriter& w) {
      function(w, "F", "Relu"), w.node("F", {"x"}, {"y"}, "f");
      w.proto().mutable_functions(0)->mutable_opset_import(0)->set_version(v);
    });
  add_model(c, "a function that calls itself", 3, [&](ModelWriter& w) { function(w, "F", "F"), w.node("F", {"x"}, {"y"}, "f"); });
  add_model(c, "functions that call each other", 3, [&](ModelWriter& w) {
    function(w, "F", "G"), function(w, "G", "F");
    w.proto().mutable_opset_import()->RemoveLast();
    w.node("F", {"x"}, {"y"}, "f");
  });
  add_model(c, "a function called with too much", 3, [&](ModelWriter& w) {
    function(w, "F", "Relu"), w.node("F", {"x", "x"}, {"y"}, "f");
  });
  add_model(c, "a function called for too much", 3, [&](ModelWriter& w) {
    function(w, "F", "Relu"), w.node("F", {"x"}, {"y", "z"}, "f");
  });
  add_model(c, "functions that double with every level", 5, [&](ModelWriter& w) {
    for (int level = 0; level < 16; ++level) {
      const std::string next = level == 15 ? "Relu" : "F" + std::to_string(level + 1);
      function(w, "F" + std::to_string(level), next);
      auto* f = w.proto().mutable_functions(level);
      f->mutable_node(0)->set_output(0, "t");
      auto* again = f->add_node();
      *again = f->node(0);
      again->set_input(0, "t"), again->set_output(0, "r");
      if (level != 0) w.proto().mutable_opset_import()->RemoveLast();
    }
    w.node("F0", {"x"}, {"y"}, "f");
  });
  // Bodies.
  const auto choice = [](ModelWriter& w, const std::function<void(pb::GraphProto&)>& change) {
    auto& n = w.node("If", {"yes"}, {"y"});
    auto* yes = graph(w).add_initializer();
    yes->set_name("yes"), yes->set_data_type(kOnnxBool), yes->add_int32_data(1);
    for (const char* branch : {"then_branch", "else_branch"}) {
      auto* a = n.add_attribute();
      a->set_name(branch), a->set_type(5);
      auto* inner = a->mutable_g()->add_node();
      inner->set_op_type("Relu"), inner->add_input("x"), inner->add_output(branch);
      a->mutable_g()->add_output()->set_name(branch);
      change(*a->mutable_g());
    }
  };
  add_model(c, "a choice", 0, [&](ModelWriter& w) { choice(w, [](auto&) {}); });
  add_model(c, "branches without outputs", 3, [&](ModelWriter& w) { choice(w, [](auto& g) { g.clear_output(); }); });
  add_model(c, "branches with two outputs", 3,
            [&](ModelWriter& w) { choice(w, [](auto& g) { g.add_output()->set_name(g.output(0).name()); }); });
  add_model(c, "branches whose output nothing gives", 3, [&](ModelWriter& w) { choice(w, [](auto& g) { g.clear_node(); }); });
  add_model(c, "branches that read what nothing gives", 3,
            [&](ModelWriter& w) { choice(w, [](auto& g) { g.mutable_node(0)->set_input(0, "nobody"); }); });
  add_model(c, "a choice without branches", 3,
            [&](ModelWriter& w) { choice(w, [](auto&) {}), graph(w).mutable_node(0)->clear_attribute(); });
  add_model(c, "a choice with one branch", 3,
            [&](ModelWriter& w) { choice(w, [](auto&) {}), graph(w).mutable_node(0)->mutable_attribute()->RemoveLast(); });
}

}  // namespace edgeconv::testing
