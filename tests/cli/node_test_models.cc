// See node_test_models.h.
#include "tests/cli/node_test_models.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>

#include "tests/convert/onnx_node/case_files.h"

namespace edgeconv::testing {

namespace {

namespace fs = std::filesystem;

void add_scalar(pb::GraphProto& g, const std::string& name, int type, int64_t value) {
  auto* t = g.add_initializer();
  t->set_name(name), t->set_data_type(type);
  type == 7 ? t->add_int64_data(value) : t->add_int32_data(static_cast<int32_t>(value));
}

// Of rank 0 and 1 and whole: shapes, axes, bounds, depths. Other values are read more often than they are asked for a size.
bool is_a_few_numbers(const pb::TensorProto& t) { return t.dims_size() <= 1 && t.data_type() != 8; }

void odd_contents(pb::TensorProto& t, Random& random) {
  if (below(random, 4) == 0) return odd_tensor(t, random);
  fill_tensor(t, random);
  if (!is_a_few_numbers(t) || below(random, 2)) return;
  if (t.int64_data_size() > 0) t.set_int64_data(any_of(random, t.int64_data()), odd_number(random));
  if (t.float_data_size() > 0)
    t.set_float_data(any_of(random, t.float_data()),
                     below(random, 2) ? odd_float(random) : static_cast<float>(odd_number(random)));
  if (t.double_data_size() > 0) t.set_double_data(any_of(random, t.double_data()), static_cast<double>(odd_number(random)));
  if (t.int32_data_size() > 0)
    t.set_int32_data(any_of(random, t.int32_data()),
                     static_cast<int32_t>(std::clamp<int64_t>(odd_number(random), INT32_MIN, INT32_MAX)));
}

// All nodes into a body; the graph's results come from one node that has the body.
pb::GraphProto take_nodes(pb::GraphProto& g) {
  pb::GraphProto body;
  body.set_name("body");
  body.mutable_node()->Swap(g.mutable_node());
  *body.mutable_output() = g.output();
  return body;
}

pb::NodeProto& outer_node(pb::GraphProto& g, const char* op) {
  auto* n = g.add_node();
  n->set_op_type(op), n->set_name("outer");
  for (auto& o : *g.mutable_output()) {
    o.set_name("outer_" + o.name());
    n->add_output(o.name());
  }
  return *n;
}

void set_body(pb::NodeProto& n, const char* name, const pb::GraphProto& body) {
  auto* a = n.add_attribute();
  a->set_name(name), a->set_type(5 /* a graph */);
  *a->mutable_g() = body;
}

void into_if(pb::GraphProto& g, Random& random) {
  const pb::GraphProto body = take_nodes(g);
  if (below(random, 2)) {
    add_scalar(g, "chosen", 9, static_cast<int64_t>(below(random, 2)));
  } else {
    auto* in = g.add_input();
    in->set_name("chosen");
    in->mutable_type()->mutable_tensor_type()->set_elem_type(9);
    in->mutable_type()->mutable_tensor_type()->mutable_shape();
  }
  auto& n = outer_node(g, "If");
  n.add_input("chosen");
  set_body(n, "then_branch", body), set_body(n, "else_branch", body);
}

void into_loop(pb::GraphProto& g, Random& random) {
  pb::GraphProto body = take_nodes(g);
  for (const auto& [name, type] : {std::pair("round", 7), std::pair("go", 9)}) {
    auto* in = body.add_input();
    in->set_name(name);
    in->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    in->mutable_type()->mutable_tensor_type()->mutable_shape();
  }
  auto* go = body.add_node();
  go->set_op_type("Identity"), go->add_input("go"), go->add_output("goes_on");
  google::protobuf::RepeatedPtrField<pb::ValueInfoProto> results;
  results.Add()->set_name("goes_on");
  results.MergeFrom(body.output());
  *body.mutable_output() = results;
  add_scalar(g, "rounds", 7, small_number(random));
  add_scalar(g, "first", 9, 1);
  auto& n = outer_node(g, "Loop");
  n.add_input("rounds"), n.add_input("first");
  set_body(n, "body", body);
}

void into_function(pb::ModelProto& m) {
  pb::GraphProto& g = *m.mutable_graph();
  const pb::GraphProto body = take_nodes(g);
  auto* f = m.add_functions();
  f->set_name("Own"), f->set_domain("own");
  *f->mutable_node() = body.node();
  *f->mutable_opset_import() = m.opset_import();
  for (const auto& o : body.output()) f->add_output(o.name());
  auto& n = outer_node(g, "Own");
  n.set_domain("own");
  const auto operand = [&](const std::string& name) {
    if (name.empty()) return;
    f->add_input(name), n.add_input(name);
  };
  for (const auto& v : g.input()) operand(v.name());
  for (const auto& t : g.initializer()) operand(t.name());
  auto* own = m.add_opset_import();
  own->set_domain("own"), own->set_version(1);
  m.set_ir_version(std::max<int64_t>(8, m.ir_version()));
}

}  // namespace

std::vector<fs::path> node_test_folders() {
  const char* named = std::getenv("ERT_ONNX_TESTDATA");
  const fs::path root = named ? named : "/usr/share/libonnx-testdata/data/node";
  std::vector<fs::path> folders;
  std::error_code none;
  for (const auto& e : fs::directory_iterator(root, none))
    if (fs::exists(e.path() / "model.onnx") && fs::exists(e.path() / "test_data_set_0")) folders.push_back(e.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

pb::ModelProto node_test_model(const fs::path& folder, Random& random) {
  using edgeconv_test::Freeze;
  static constexpr Freeze kForms[] = {Freeze::kNothing, Freeze::kIntegers, Freeze::kAllButFirst, Freeze::kAllButFirst};
  pb::ModelProto m;
  pb::GraphProto& g = *m.mutable_graph();
  const Freeze form = one_of(random, kForms);
  try {
    m.ParseFromString(edgeconv_test::model_bytes(folder, form));
  } catch (const std::exception&) {  // recorded sequences, text, types of few bits
    m.ParseFromString(edgeconv_test::model_bytes(folder, Freeze::kNothing));
  }
  for (int i = 0; i < g.initializer_size(); ++i)
    if (below(random, 3) == 0) odd_contents(*g.mutable_initializer(i), random);
  // The last input too: what is wholly constant is folded.
  if (g.input_size() == 1 && below(random, 3) == 0 && g.input(0).type().has_tensor_type()) {
    auto* t = g.add_initializer();
    t->set_name(g.input(0).name());
    t->set_data_type(g.input(0).type().tensor_type().elem_type());
    for (const auto& d : g.input(0).type().tensor_type().shape().dim()) t->add_dims(std::max<int64_t>(1, d.dim_value()));
    odd_contents(*t, random);
    g.clear_input();
  }
  switch (below(random, 12)) {
    case 0: into_if(g, random); break;
    case 1: into_loop(g, random); break;
    case 2: into_function(m); break;
    default: break;
  }
  return m;
}

}  // namespace edgeconv::testing
