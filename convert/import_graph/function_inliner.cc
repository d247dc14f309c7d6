// Function inlining by copying and renaming protos; works on an explicit stack.
#include "convert/import_graph/function_inliner.h"

#include <algorithm>

#include "convert/import/registry.h"
#include "convert/ir/diagnostics.h"
#include "convert/onnx/reader.h"

namespace edgeconv {
namespace {

constexpr const char* kWayOut = "export the model again, or write to the maker of its exporter";
constexpr int kMaxCallDepth = 64;
constexpr int64_t kMaxCopiedBytes = int64_t{1} << 30;
// Real files call a function once a layer, or once. Functions that call others twice each double with every level: 1 kB of them makes
// as many nodes as a file may have, which takes ten seconds. So the work is bounded by the file's size.
constexpr int64_t kFreeNodes = 20'000, kNodesPerNode = 200;

std::string key(const std::string& domain, const std::string& name, const std::string& overload) {
  return normal_domain(domain) + "::" + name + "::" + overload;
}

// Names inside one call: formal names become the caller's, all others get the call's prefix.
class Renamer {
 public:
  Renamer(const pb::FunctionProto& f, const OnnxNode& call, std::string prefix) : prefix_(std::move(prefix)) {
    for (int i = 0; i < f.input_size(); ++i) {
      const auto at = static_cast<size_t>(i);
      map_[f.input(i)] = at < call.inputs.size() ? call.inputs[at] : "";
    }
    for (int i = 0; i < f.output_size(); ++i) {
      const auto at = static_cast<size_t>(i);
      if (at < call.outputs.size() && !call.outputs[at].empty() && map_.count(f.output(i)) == 0)
        map_[f.output(i)] = call.outputs[at];
    }
  }

  std::string operator()(const std::string& name) const {
    if (name.empty()) return name;
    const auto it = map_.find(name);
    return it != map_.end() ? it->second : prefix_ + name;
  }

  // Recursion depth is bounded by the nesting cap of the reader.
  void graph(pb::GraphProto& g) const {
    for (auto& n : *g.mutable_node()) node(n);
    for (auto& t : *g.mutable_initializer()) t.set_name((*this)(t.name()));
    for (auto& v : *g.mutable_input()) v.set_name((*this)(v.name()));
    for (auto& v : *g.mutable_output()) v.set_name((*this)(v.name()));
  }

  void node(pb::NodeProto& n) const {
    for (auto& s : *n.mutable_input()) s = (*this)(s);
    for (auto& s : *n.mutable_output()) s = (*this)(s);
    for (auto& a : *n.mutable_attribute()) {
      if (a.has_g()) graph(*a.mutable_g());
      for (auto& g : *a.mutable_graphs()) graph(g);
    }
  }

 private:
  std::string prefix_;
  std::unordered_map<std::string, std::string> map_;
};

// Puts the caller's values in the place of attribute references, or the function's defaults, or drops the attribute.
void bind_attributes(pb::NodeProto& n, const pb::FunctionProto& f, const OnnxNode& call) {
  google::protobuf::RepeatedPtrField<pb::AttributeProto> bound;
  for (auto& a : *n.mutable_attribute()) {
    if (a.has_g())
      for (auto& inner : *a.mutable_g()->mutable_node()) bind_attributes(inner, f, call);
    if (a.ref_attr_name().empty()) {
      bound.Add()->Swap(&a);
      continue;
    }
    const pb::AttributeProto* value = call.find(a.ref_attr_name().c_str());
    for (const auto& d : f.attribute_proto())
      if (value == nullptr && d.name() == a.ref_attr_name()) value = &d;
    if (value == nullptr) continue;
    pb::AttributeProto* copy = bound.Add();
    *copy = *value;
    copy->set_name(a.name());
  }
  n.mutable_attribute()->Swap(&bound);
}

}  // namespace

std::shared_ptr<const OpsetMap> read_opsets(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& imports) {
  auto m = std::make_shared<OpsetMap>();
  for (const auto& o : imports)
    (*m)[normal_domain(o.domain())] = static_cast<int>(std::min<int64_t>(std::max<int64_t>(o.version(), -1'000'000), 1'000'000));
  return m;
}

FunctionInliner::FunctionInliner(const pb::ModelProto& model) {
  const auto model_opsets = read_opsets(model.opset_import());
  int64_t nodes = model.graph().node_size();
  for (const auto& f : model.functions()) {
    nodes += f.node_size();
    auto opsets = std::make_shared<OpsetMap>(*read_opsets(f.opset_import()));
    opsets->insert(model_opsets->begin(), model_opsets->end());
    if (!functions_.emplace(key(f.domain(), f.name(), f.overload()), Function{&f, opsets}).second)
      throw FatalError(ExitCode::kMalformed,
                       "the model defines the function '" + printable(f.domain() + "::" + f.name()) + "' twice; " + kWayOut);
  }
  allowed_nodes_ = std::min(kMaxNodes, kFreeNodes + kNodesPerNode * nodes);
}

const FunctionInliner::Function* FunctionInliner::find(const OnnxNode& n) const {
  if (functions_.empty()) return nullptr;
  const auto it = functions_.find(key(n.domain, n.op_type, n.proto->overload()));
  if (it == functions_.end()) return nullptr;
  // Exporters may ship bodies of standard operators; our own importers know more about those.
  return find_importer(n.domain, n.op_type) != nullptr ? nullptr : &it->second;
}

void FunctionInliner::open_call(const Pending& call, const Function& f, std::vector<Pending>& stack) {
  if (call.depth >= kMaxCallDepth)
    throw FatalError(ExitCode::kMalformed, "the function '" + printable(call.node.domain + "::" + call.node.op_type) +
                                               "' calls itself without end; " + kWayOut);
  const auto check_count = [&](size_t given, int most, const char* what) {
    if (given > static_cast<size_t>(most))
      throw FatalError(ExitCode::kMalformed, "node '" + printable(call.node.name) + "' has " + std::to_string(given) + " " +
                                                 what + ", the function '" +
                                                 printable(call.node.domain + "::" + call.node.op_type) + "' has " +
                                                 std::to_string(most) + "; " + kWayOut);
  };
  check_count(call.node.inputs.size(), f.proto->input_size(), "inputs");
  check_count(call.node.outputs.size(), f.proto->output_size(), "outputs");
  const std::string prefix = call.node.name + "#" + std::to_string(++calls_) + "/";
  const Renamer rename(*f.proto, call.node, prefix);
  std::vector<Pending> body;
  const auto push = [&](std::shared_ptr<pb::NodeProto> p) {
    copied_bytes_ += static_cast<int64_t>(p->ByteSizeLong());
    if (++copied_nodes_ > allowed_nodes_ || copied_bytes_ > kMaxCopiedBytes)
      throw FatalError(ExitCode::kLimit, "the functions of the model expand to more than " + std::to_string(allowed_nodes_) +
                                             " nodes or 1 GiB; have the exporter inline them, or leave them away");
    OnnxNode n = make_node(*p, f.opsets);
    n.name = call.node.name + "/" + (p->name().empty() ? p->op_type() : p->name());
    if (n.scope.empty()) n.scope = call.node.scope;
    n.owned = std::move(p);
    body.push_back({std::move(n), call.depth + 1});
  };
  for (const auto& inner : f.proto->node()) {
    auto p = std::make_shared<pb::NodeProto>(inner);
    bind_attributes(*p, *f.proto, call.node);
    rename.node(*p);
    push(std::move(p));
  }
  // A function may hand an input straight to an output.
  for (int i = 0; i < f.proto->output_size(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (!call.node.has_output(at) || rename(f.proto->output(i)) == call.node.outputs[at]) continue;
    auto p = std::make_shared<pb::NodeProto>();
    p->set_op_type("Identity");
    p->add_input(rename(f.proto->output(i)));
    p->add_output(call.node.outputs[at]);
    push(std::move(p));
  }
  for (auto it = body.rbegin(); it != body.rend(); ++it) stack.push_back(std::move(*it));
}

std::vector<OnnxNode> FunctionInliner::expand(const google::protobuf::RepeatedPtrField<pb::NodeProto>& nodes,
                                              const std::shared_ptr<const OpsetMap>& opsets) {
  std::vector<OnnxNode> out;
  std::vector<Pending> stack;
  for (const auto& p : nodes) {
    stack.push_back({make_node(p, opsets), 0});
    while (!stack.empty()) {
      Pending next = std::move(stack.back());
      stack.pop_back();
      if (const Function* f = find(next.node))
        open_call(next, *f, stack);
      else
        out.push_back(std::move(next.node));
    }
  }
  return out;
}

}  // namespace edgeconv
