// Builds small ONNX models in memory for tests of the importer.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "convert/import_graph/import_model.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {

class ModelBuilder {
 public:
  explicit ModelBuilder(int opset = 17) {
    model.set_ir_version(8);
    opset_import("", opset);
    graph = model.mutable_graph();
  }

  void opset_import(const std::string& domain, int version) {
    auto* o = model.add_opset_import();
    o->set_domain(domain);
    o->set_version(version);
  }

  // A dim is a number, or a text that becomes dim_param.
  void input(const std::string& name, const std::vector<std::string>& dims, int type = 1) {
    auto* v = graph->add_input();
    v->set_name(name);
    auto* t = v->mutable_type()->mutable_tensor_type();
    t->set_elem_type(type);
    auto* shape = t->mutable_shape();
    for (const std::string& d : dims) shape->add_dim()->set_dim_param(d);
  }

  void output(const std::string& name) { graph->add_output()->set_name(name); }

  pb::NodeProto* node(const std::string& op, const std::vector<std::string>& in, const std::vector<std::string>& out,
                      const std::string& domain = "") {
    return fill(graph->add_node(), op, in, out, domain);
  }

  static pb::NodeProto* fill(pb::NodeProto* n, const std::string& op, const std::vector<std::string>& in,
                             const std::vector<std::string>& out, const std::string& domain = "") {
    n->set_op_type(op);
    n->set_domain(domain);
    for (const auto& s : in) n->add_input(s);
    for (const auto& s : out) n->add_output(s);
    return n;
  }

  pb::TensorProto* ints(const std::string& name, const std::vector<int64_t>& v) {
    auto* t = graph->add_initializer();
    t->set_name(name);
    t->set_data_type(7);
    t->add_dims(static_cast<int64_t>(v.size()));
    for (int64_t x : v) t->add_int64_data(x);
    return t;
  }

  pb::TensorProto* floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& v) {
    auto* t = graph->add_initializer();
    t->set_name(name);
    t->set_data_type(1);
    for (int64_t d : dims) t->add_dims(d);
    for (float x : v) t->add_float_data(x);
    return t;
  }

  std::string bytes() const { return model.SerializeAsString(); }

  ImportedModel import(Diagnostics& d, const std::string& path = "model.onnx") const {
    const std::string b = bytes();
    return import_model_bytes(reinterpret_cast<const uint8_t*>(b.data()), b.size(), path, d);
  }

  pb::ModelProto model;
  pb::GraphProto* graph;
};

inline pb::AttributeProto* attribute(pb::NodeProto* n, const std::string& name, int type) {
  auto* a = n->add_attribute();
  a->set_name(name);
  a->set_type(type);
  return a;
}
inline void set_int(pb::NodeProto* n, const std::string& name, int64_t v) { attribute(n, name, 2)->set_i(v); }
inline void set_float(pb::NodeProto* n, const std::string& name, float v) { attribute(n, name, 1)->set_f(v); }
inline void set_text(pb::NodeProto* n, const std::string& name, const std::string& v) { attribute(n, name, 3)->set_s(v); }
inline void set_floats(pb::NodeProto* n, const std::string& name, const std::vector<float>& v) {
  auto* a = attribute(n, name, 6);
  for (const float x : v) a->add_floats(x);
}
inline void set_ints(pb::NodeProto* n, const std::string& name, const std::vector<int64_t>& v) {
  auto* a = attribute(n, name, 7);
  for (int64_t x : v) a->add_ints(x);
}

// The exit code with which importing ends, 0 when it succeeds; message receives the text.
inline int import_code(const ModelBuilder& m, std::string* message = nullptr, const std::string& path = "model.onnx") {
  Diagnostics d;
  try {
    m.import(d, path);
    d.check();
    return 0;
  } catch (const FatalError& e) {
    if (message != nullptr) *message = e.what();
    return static_cast<int>(e.code());
  }
}

}  // namespace edgeconv
