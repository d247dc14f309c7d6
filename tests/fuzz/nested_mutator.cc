// See nested_mutator.h.
#include "tests/fuzz/nested_mutator.h"

#include <vector>

#include "tests/cli/model_mutator.h"

namespace ert::fuzz {
namespace {

namespace pb = edgeconv::pb;
using edgeconv::testing::any_of;
using edgeconv::testing::below;
using edgeconv::testing::odd_name;
using edgeconv::testing::one_of;
using edgeconv::testing::Random;
using Nodes = google::protobuf::RepeatedPtrField<pb::NodeProto>;

constexpr size_t kMostNodes = 400;      // of a model that doubles itself again and again
constexpr const char* kDomain = "own";  // of functions

// All graphs of attributes, at any depth, without recursion.
std::vector<pb::GraphProto*> nested_graphs(pb::ModelProto* model) {
  std::vector<pb::GraphProto*> found;
  std::vector<Nodes*> open = {model->mutable_graph()->mutable_node()};
  for (pb::FunctionProto& f : *model->mutable_functions()) open.push_back(f.mutable_node());
  for (size_t at = 0; at < open.size() && open.size() < kMostNodes; ++at)
    for (pb::NodeProto& n : *open[at])
      for (pb::AttributeProto& a : *n.mutable_attribute()) {
        if (!a.has_g()) continue;
        found.push_back(a.mutable_g());
        open.push_back(a.mutable_g()->mutable_node());
      }
  return found;
}

// The rules for a model's graph, for a graph that is not one.
void mutate_graph(pb::GraphProto* graph, Random& random) {
  pb::ModelProto alone;
  alone.mutable_graph()->Swap(graph);
  edgeconv::testing::mutate_model(alone, random);
  alone.mutable_graph()->Swap(graph);
}

void mutate_function(pb::FunctionProto* f, Random& random) {
  switch (below(random, 8)) {
    case 0:
      if (f->input_size() > 0) f->mutable_input()->RemoveLast();
      return;
    case 1: f->add_input(odd_name(random)); return;
    case 2:
      if (f->output_size() > 0) f->set_output(any_of(random, f->output()), odd_name(random));
      return;
    case 3: f->set_name(odd_name(random)); return;
    case 4: f->add_attribute(edgeconv::testing::attribute_name(random)); return;
    case 5:  // a node takes an attribute from the call
      if (f->node_size() > 0) {
        pb::NodeProto& n = *f->mutable_node(any_of(random, f->node()));
        pb::AttributeProto& a = n.attribute_size() > 0 ? *n.mutable_attribute(0) : *n.add_attribute();
        if (!a.has_name()) a.set_name(edgeconv::testing::attribute_name(random));
        a.set_ref_attr_name(f->attribute_size() > 0 ? f->attribute(any_of(random, f->attribute())) : odd_name(random));
        a.clear_t();
      }
      return;
    default: {
      pb::GraphProto body;
      body.mutable_node()->Swap(f->mutable_node());
      for (const std::string& name : f->input()) body.add_input()->set_name(name);
      for (const std::string& name : f->output()) body.add_output()->set_name(name);
      mutate_graph(&body, random);
      body.mutable_node()->Swap(f->mutable_node());
    }
  }
}

// The node becomes a call of a new function that holds it.
void make_function(pb::ModelProto* model, pb::NodeProto* n, Random& random) {
  pb::FunctionProto& f = *model->add_functions();
  f.set_name("F" + std::to_string(model->functions_size()));
  f.set_domain(kDomain);
  for (const pb::OperatorSetIdProto& o : model->opset_import()) *f.add_opset_import() = o;
  bool known = false;
  for (const pb::OperatorSetIdProto& o : model->opset_import()) known |= o.domain() == kDomain;
  for (auto* imports : {model->mutable_opset_import(), f.mutable_opset_import()}) {
    if (known) break;
    pb::OperatorSetIdProto& o = *imports->Add();
    o.set_domain(kDomain);
    o.set_version(1);
  }
  *f.add_node() = *n;
  for (const std::string& name : n->input())
    if (!name.empty()) f.add_input(name);
  for (const std::string& name : n->output()) f.add_output(name);
  if (below(random, 8) == 0) {  // the body calls something too: perhaps itself
    f.mutable_node(0)->set_domain(kDomain);
    f.mutable_node(0)->set_op_type("F" + std::to_string(1 + below(random, static_cast<size_t>(model->functions_size()))));
  }
  pb::NodeProto call;
  for (const std::string& name : f.input()) call.add_input(name);
  for (const std::string& name : f.output()) call.add_output(name);
  call.set_op_type(f.name());
  call.set_domain(kDomain);
  if (below(random, 4) == 0) call.add_input(call.input_size() > 0 ? call.input(0) : "x");
  *n = call;
}

// The node becomes an If, a Loop or a Scan that holds it.
void make_branches(pb::GraphProto* graph, pb::NodeProto* n, Random& random) {
  const std::string condition = "condition" + std::to_string(graph->initializer_size());
  pb::TensorProto& t = *graph->add_initializer();
  t.set_name(condition);
  t.set_data_type(9);
  t.add_int32_data(static_cast<int>(below(random, 2)));
  pb::GraphProto body;  // its values have names of their own: no name may have two values
  body.set_name("body");
  *body.add_node() = *n;
  for (std::string& name : *body.mutable_node(0)->mutable_output()) {
    name += "_inside" + std::to_string(graph->node_size() + graph->initializer_size());
    body.add_output()->set_name(name);
  }
  pb::NodeProto outer;
  for (const std::string& name : n->output()) outer.add_output(name + (below(random, 16) == 0 ? "_" : ""));
  const auto add_body = [&](const char* name, const std::string& suffix = "") {
    pb::AttributeProto& a = *outer.add_attribute();
    a.set_name(name);
    a.set_type(5);
    *a.mutable_g() = body;
    for (std::string& output : *a.mutable_g()->mutable_node(0)->mutable_output()) output += suffix;
    for (pb::ValueInfoProto& output : *a.mutable_g()->mutable_output()) output.set_name(output.name() + suffix);
  };
  switch (below(random, 4)) {
    case 0: {
      outer.set_op_type("Loop");
      outer.add_input("");
      outer.add_input(condition);
      body.add_input()->set_name("trip");
      body.add_input()->set_name("going_on");
      body.add_output()->set_name("going_on");
      body.mutable_output()->SwapElements(0, body.output_size() - 1);
      return add_body("body"), n->Swap(&outer);
    }
    case 1: {
      outer.set_op_type("Scan");
      for (const std::string& name : n->input()) {
        outer.add_input(name);
        body.add_input()->set_name(name + "_slice");
      }
      for (std::string& name : *body.mutable_node(0)->mutable_input()) name += "_slice";
      pb::AttributeProto& count = *outer.add_attribute();
      count.set_name("num_scan_inputs");
      count.set_type(2);
      count.set_i(n->input_size());
      return add_body("body"), n->Swap(&outer);
    }
    default:
      outer.set_op_type("If");
      outer.add_input(condition);
      add_body("then_branch");
      if (below(random, 8) != 0) add_body("else_branch", "_else");
      if (below(random, 4) == 0 && outer.attribute_size() > 1) mutate_graph(outer.mutable_attribute(1)->mutable_g(), random);
      n->Swap(&outer);
  }
}

// One initializer as a sparse tensor, or in a file that is not there.
void store_otherwise(pb::GraphProto* graph, Random& random) {
  if (graph->initializer_size() == 0) return;
  const int at = any_of(random, graph->initializer());
  pb::TensorProto& t = *graph->mutable_initializer(at);
  if (below(random, 8) != 0) {  // sparse ones are refused
    static constexpr const char* kKeys[] = {"location", "offset", "length", "checksum", ""};
    static constexpr const char* kValues[] = {"w.bin", "../w.bin", "/dev/zero", "0", "-1", "18446744073709551616", ""};
    t.set_data_location(1);
    for (size_t entries = below(random, 4); entries > 0; --entries) {
      auto& e = *t.add_external_data();
      e.set_key(one_of(random, kKeys));
      e.set_value(one_of(random, kValues));
    }
    return;
  }
  pb::SparseTensorProto& s = *graph->add_sparse_initializer();
  *s.mutable_dims() = t.dims();
  s.mutable_values()->Swap(&t);
  graph->mutable_initializer()->DeleteSubrange(at, 1);
  const auto stored = static_cast<int>(below(random, 4));
  pb::TensorProto& indices = *s.mutable_indices();
  indices.set_data_type(7);
  indices.add_dims(stored);
  for (int i = 0; i < stored; ++i) indices.add_int64_data(edgeconv::testing::small_number(random));
  if (below(random, 2) == 0) return;
  s.mutable_values()->clear_dims();
  s.mutable_values()->add_dims(stored);
  edgeconv::testing::fill_tensor(*s.mutable_values(), random);
}

}  // namespace

void mutate_nested(pb::ModelProto* model, Random& random) {
  pb::GraphProto& g = *model->mutable_graph();
  const std::vector<pb::GraphProto*> nested = nested_graphs(model);
  const bool grows = g.node_size() > 0 && nested.size() + static_cast<size_t>(model->functions_size()) < kMostNodes;
  switch (below(random, 8)) {
    case 0: return store_otherwise(&g, random);
    case 1:
    case 2:
      if (grows) make_function(model, g.mutable_node(any_of(random, g.node())), random);
      return;
    case 3:
    case 4:
      if (grows) make_branches(&g, g.mutable_node(any_of(random, g.node())), random);
      return;
    case 5:
    case 6:
      if (!nested.empty()) return mutate_graph(nested[below(random, nested.size())], random);
      [[fallthrough]];
    default:
      if (model->functions_size() > 0) mutate_function(model->mutable_functions(any_of(random, model->functions())), random);
  }
}

}  // namespace ert::fuzz
