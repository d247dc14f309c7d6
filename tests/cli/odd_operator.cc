// odd_operator of model_mutator.h.
#include <vector>

#include "tests/cli/model_mutator.h"

namespace edgeconv::testing {

pb::ModelProto odd_operator(Random& random) {
  pb::ModelProto m;
  m.set_ir_version(8);
  m.add_opset_import()->set_version(below(random, 4) ? 17 : 7 + static_cast<int64_t>(below(random, 18)));
  auto* microsoft = m.add_opset_import();
  microsoft->set_domain("com.microsoft");
  microsoft->set_version(1);
  pb::GraphProto& g = *m.mutable_graph();
  g.set_name("g");
  const auto value = [&](pb::ValueInfoProto& v, const char* name, int type, const std::vector<int64_t>& dims) {
    v.set_name(name);
    v.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    for (const int64_t d : dims) {
      auto* dim = v.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim();
      d > 0 ? dim->set_dim_value(d) : dim->set_dim_param("n");
    }
  };
  value(*g.add_input(), "x", 1, {0, 4});
  value(*g.add_input(), "z", 1, {0, 3, 4, 4});
  value(*g.add_input(), "k", 7, {0, 4});
  value(*g.add_input(), "b", 9, {0, 4});
  value(*g.add_input(), "q", 2, {0, 4});
  for (int i = 0; i < 5; ++i) {
    auto* t = g.add_initializer();
    t->set_name("c" + std::to_string(i));
    odd_tensor(*t, random);
  }
  const size_t nodes = 1 + below(random, 2);
  for (size_t i = 0; i < nodes; ++i) {
    auto* n = g.add_node();
    set_operator(*n, random);
    n->set_name("node" + std::to_string(i));
    // Constants only, half of the time: those are folded.
    const bool constant = below(random, 2);
    static constexpr const char *kInputs[] = {"x", "x", "z", "k", "b", "q"}, *kConstants[] = {"c0", "c1", "c2", "c3", "c4"};
    for (size_t inputs = 1 + below(random, 5); inputs > 0; --inputs)
      n->add_input(below(random, 12) == 0              ? ""
                   : constant || below(random, 3) == 0 ? one_of(random, kConstants)
                                                       : one_of(random, kInputs));
    if (i > 0 && n->input_size() > 0) n->set_input(0, "r0");
    const size_t outputs = below(random, 4) ? 1 : 1 + below(random, 4);
    for (size_t k = 0; k < outputs; ++k) n->add_output("r" + std::to_string(i + 10 * k));
    for (size_t attributes = below(random, 4); attributes > 0; --attributes) {
      auto* a = n->add_attribute();
      a->set_name(attribute_name(random));
      set_attribute(*a, random);
    }
    g.add_output()->set_name("r" + std::to_string(i));
  }
  auto* last = g.add_node();  // so that one output depends on an input
  last->set_op_type("Relu");
  last->add_input("x");
  last->add_output("y");
  g.add_output()->set_name("y");
  return m;
}

}  // namespace edgeconv::testing
