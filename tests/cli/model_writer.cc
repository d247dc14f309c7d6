// See model_writer.h.
#include "tests/cli/model_writer.h"

namespace edgeconv::testing {

namespace {

void declare(pb::ValueInfoProto* v, const std::string& name, int32_t type, const std::vector<OnnxDim>& dims) {
  v->set_name(name);
  auto* tensor = v->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  for (const OnnxDim& d : dims) {
    auto* dim = tensor->mutable_shape()->add_dim();
    if (const auto* number = std::get_if<int64_t>(&d)) {
      dim->set_dim_value(*number);
    } else {
      dim->set_dim_param(std::get<const char*>(d));
    }
  }
}

void add_layers(ModelWriter& w, const std::string& last) {
  w.weights("w1", {16, 24});
  w.weights("b1", {24});
  w.weights("w2", {24, 4});
  w.node("MatMul", {"x", "w1"}, {"h1"}).set_name("first");
  w.node("Add", {"h1", "b1"}, {"h2"});
  w.node("Relu", {"h2"}, {"h3"});
  w.node("MatMul", {"h3", "w2"}, {last}).set_name("second");
}

}  // namespace

ModelWriter::ModelWriter(int64_t opset_version) {
  model_.set_ir_version(8);
  model_.set_producer_name("edgeconv tests");
  model_.mutable_graph()->set_name("g");
  opset("", opset_version);
}

void ModelWriter::input(const std::string& name, int32_t type, const std::vector<OnnxDim>& dims) {
  declare(model_.mutable_graph()->add_input(), name, type, dims);
}

void ModelWriter::output(const std::string& name, int32_t type, const std::vector<OnnxDim>& dims) {
  declare(model_.mutable_graph()->add_output(), name, type, dims);
}

void ModelWriter::weights(const std::string& name, const std::vector<int64_t>& dims) {
  auto* t = model_.mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(kOnnxFloat);
  int64_t elements = 1;
  for (int64_t d : dims) {
    t->add_dims(d);
    elements *= d;
  }
  for (int64_t i = 0; i < elements; ++i) {
    random_ = random_ * 1664525u + 1013904223u;
    t->add_float_data(static_cast<float>(random_ >> 8) * 0x1p-24f - 0.5f);
  }
}

pb::NodeProto& ModelWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs, const std::string& domain) {
  auto* n = model_.mutable_graph()->add_node();
  n->set_op_type(op);
  if (!domain.empty()) n->set_domain(domain);
  for (const std::string& i : inputs) n->add_input(i);
  for (const std::string& o : outputs) n->add_output(o);
  return *n;
}

void ModelWriter::masked(const std::string& x, const std::string& mask, const std::string& y) {
  auto* cast = node("Cast", {mask}, {"m"}).add_attribute();
  cast->set_name("to");
  cast->set_type(2);
  cast->set_i(kOnnxFloat);
  auto* axes = proto().mutable_graph()->add_initializer();
  axes->set_name("axes");
  axes->set_data_type(kOnnxInt64);
  axes->add_dims(1);
  axes->add_int64_data(2);
  node("Unsqueeze", {"m", "axes"}, {"m3"});
  node("Mul", {x, "m3"}, {y});
}

void ModelWriter::opset(const std::string& domain, int64_t version) {
  auto* o = model_.add_opset_import();
  o->set_domain(domain);
  o->set_version(version);
}

std::string ModelWriter::bytes() const { return model_.SerializeAsString(); }

void int_attribute(pb::NodeProto& n, const std::string& name, int64_t v) {
  auto* a = n.add_attribute();
  a->set_name(name);
  a->set_type(2);  // INT
  a->set_i(v);
}

void ints_attribute(pb::NodeProto& n, const std::string& name, const std::vector<int64_t>& values) {
  auto* a = n.add_attribute();
  a->set_name(name);
  a->set_type(7);  // INTS
  for (int64_t v : values) a->add_ints(v);
}

pb::TensorProto& float_constant(ModelWriter& w, const std::string& name, const std::vector<int64_t>& dims) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(kOnnxFloat);
  for (int64_t d : dims) t->add_dims(d);
  return *t;
}

std::string small_model() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 4});
  add_layers(w, "y");
  return w.bytes();
}

std::string model_with_two_problems() {
  ModelWriter w;
  w.opset("my.ops", 1);
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("where", kOnnxInt64, {2, "found"});
  w.output("y", kOnnxFloat, {"batch", 4});
  add_layers(w, "h4");
  w.node("NonZero", {"h4"}, {"where"}).set_name("find_active");
  w.node("SecretSauce", {"h4"}, {"y"}, "my.ops").set_name("sauce");
  return w.bytes();
}

std::string float_tensor_file(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values) {
  pb::TensorProto t;
  t.set_name(name);
  t.set_data_type(kOnnxFloat);
  for (int64_t d : dims) t.add_dims(d);
  t.set_raw_data(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
  return t.SerializeAsString();
}

}  // namespace edgeconv::testing
