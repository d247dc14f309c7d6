// A model with one node that is used against its operator's specification.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/cli/malformed_corpus.h"

namespace edgeconv::testing {

inline pb::AttributeProto& attribute(pb::NodeProto& n, const std::string& name, int32_t type) {
  auto* a = n.add_attribute();
  a->set_name(name);
  a->set_type(type);
  return *a;
}

inline void whole(pb::NodeProto& n, const std::string& name, int64_t v) { attribute(n, name, 2).set_i(v); }

inline void wholes(pb::NodeProto& n, const std::string& name, const std::vector<int64_t>& v) {
  auto& a = attribute(n, name, 7);
  for (const int64_t i : v) a.add_ints(i);
}

inline void ints(ModelWriter& w, const std::string& name, const std::vector<int64_t>& v, bool scalar = false) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(kOnnxInt64);
  if (!scalar) t->add_dims(static_cast<int64_t>(v.size()));
  for (const int64_t i : v) t->add_int64_data(i);
}

// y is read from x beside the node, so that the node alone can be wrong.
inline void with_node(Corpus& c, const std::string& name, int exit_code, const std::function<void(ModelWriter&)>& change) {
  add_model(c, name, exit_code, [&](ModelWriter& w) {
    w.node("Relu", {"x"}, {"y"});
    change(w);
    w.output("r", kOnnxFloat, {});
    w.proto().mutable_graph()->mutable_output(1)->clear_type();
  });
}

}  // namespace edgeconv::testing
