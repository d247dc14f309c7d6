// Import of one graph: nodes in dependency order, outputs. Initializers and inputs: graph_sources.cc; bodies in it: graph_bodies.cc.
#include "convert/import_graph/graph_importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert/import/arity.h"
#include "convert/import/building_blocks.h"
#include "convert/import/custom.h"
#include "convert/import/registry.h"
#include "convert/import/schema.h"
#include "convert/onnx/node_order.h"
#include "convert/onnx/reader.h"
#include "convert/import_graph/graph_inputs.h"
#include "convert/import_graph/indices_of_ones.h"
#include "convert/import_graph/refusals.h"

namespace edgeconv {

void GraphImporter::run(pb::GraphProto& proto, const std::shared_ptr<const OpsetMap>& opsets) {
  std::vector<OnnxNode> nodes = read_nodes(proto, opsets);
  import_initializers(proto);
  import_inputs(proto);
  if (!session_.custom_ops.empty())
    for (const auto* list : {&proto.value_info(), &proto.output()})
      for (const auto& info : *list) declared_.emplace(info.name(), &info);
  import_nodes(proto, std::move(nodes));
  import_outputs(proto);
}

void GraphImporter::define(const std::string& name, ValueId v) {
  if (!names_.emplace(name, v).second)
    session_.diagnostics.malformed("the name '" + name + "' is defined twice in the model's graph");
}

// Those of the whole graph, or of the part that the chosen outputs need.
std::vector<OnnxNode> GraphImporter::read_nodes(pb::GraphProto& proto, const std::shared_ptr<const OpsetMap>& opsets) {
  std::vector<OnnxNode> nodes = session_.functions.expand(proto.node(), opsets);
  if (session_.nodes + static_cast<int64_t>(nodes.size()) > kMaxNodes)
    throw FatalError(ExitCode::kLimit, "the model has more than " + std::to_string(kMaxNodes) + " nodes");
  if (parent_ == nullptr && !session_.pinning.outputs.empty()) session_.cut = cut_graph(proto, nodes, session_.pinning.outputs);
  session_.nodes += static_cast<int64_t>(nodes.size());
  return nodes;
}

// Forms of several nodes, all of which have a NonZero: few files do, and the others need no lists of makers and readers.
void GraphImporter::rewrite_patterns(const pb::GraphProto& proto, std::vector<OnnxNode>& nodes) const {
  if (std::none_of(nodes.begin(), nodes.end(), [](const OnnxNode& n) { return n.op_type == "NonZero"; })) return;
  std::unordered_set<std::string> outputs;
  for (const auto& o : proto.output()) outputs.insert(o.name());
  const ConstantInts constant = [this](const std::string& name, const OnnxNode* maker) { return known_ints(name, maker); };
  count_indices_of_ones(nodes, outputs, constant, [this](const std::string& name) {
    const GraphImporter* g = this;
    while (g != nullptr && g->names_.count(name) == 0) g = g->parent_;
    return g != nullptr;
  });
  pool_last_marked_token(nodes, outputs, constant);
}

void GraphImporter::import_nodes(const pb::GraphProto& proto, std::vector<OnnxNode> nodes) {
  rewrite_patterns(proto, nodes);
  NodeOrder order = order_nodes(nodes);
  for (const NodeOrder::Duplicate& twice : order.duplicates)
    malformed(nodes[twice.again], "it produces '" + twice.name + "', which node '" + nodes[twice.first].name + "' (" + op_label(nodes[twice.first]) +
                                      ") produces too; every value needs a name of its own");
  if (!order.cyclic.empty())
    session_.diagnostics.malformed("the graph has a cycle through node '" + nodes[order.cyclic.front()].name + "' (" +
                                   std::to_string(order.cyclic.size()) + " nodes depend on themselves)");
  for (const OnnxNode& n : nodes) check_structure(n);
  if (parent_ == nullptr) describe_file(proto, nodes, order.order);
  read_ = std::move(order.read);
  for (size_t i : order.order)
    for (const std::string& o : nodes[i].outputs) makers_.emplace(o, &nodes[i]);
  for (const auto& o : proto.output()) read_.insert(o.name());
  for (size_t i : order.order) import_node(nodes[i]);
  makers_.clear();
  for (size_t i : order.cyclic)
    for (const std::string& o : nodes[i].outputs)
      if (!o.empty()) names_.emplace(o, open_value(o));
}

// Names are texts for C too.
void GraphImporter::check_name(const std::string& name, const char* what) {
  if (name.find('\0') != std::string::npos)
    session_.diagnostics.malformed(fmt::format("the name of the {} '{}' contains a zero byte", what, printable(name)));
}

// What no operator may do, whatever its importer reads.
void GraphImporter::check_structure(const OnnxNode& n) {
  if (n.op_type.empty()) malformed(n, "it has no operator");
  if (std::all_of(n.outputs.begin(), n.outputs.end(), [](const std::string& o) { return o.empty(); }))
    malformed(n, "it has no output with a name");
  std::set<std::string> attributes;
  for (const auto& a : n.proto->attribute())
    if (!attributes.insert(a.name()).second) malformed(n, "the attribute '" + a.name() + "' is given twice");
  for (const auto& a : n.proto->attribute())
    if (a.name() == "epsilon" && !(a.f() >= 0 && std::isfinite(a.f())))
      malformed(n, fmt::format("its epsilon is {:g}, it must be a number from 0 up", a.f()));
  for (const std::string& o : n.outputs)
    if (!o.empty() && names_.count(o) > 0)
      malformed(n, "it produces '" + o + "', which is an input or initializer of the graph too");
  if (const auto most = most_operands(n.domain, n.op_type)) {
    const auto given = [](const std::vector<std::string>& names) {  // trailing ones without a name are absent
      size_t count = names.size();
      while (count > 0 && names[count - 1].empty()) --count;
      return count;
    };
    if (given(n.inputs) > most->inputs)
      malformed(n, fmt::format("it has {} inputs, the operator takes at most {}", given(n.inputs), most->inputs));
    if (given(n.outputs) > most->outputs)
      malformed(n, fmt::format("it has {} outputs, the operator gives at most {}", given(n.outputs), most->outputs));
    if (given(n.inputs) > most->inputs || given(n.outputs) > most->outputs) misshapen_.insert(&n);
  }
  if (const std::string fault = schema_fault(n); !fault.empty() && session_.custom_ops.count(n.domain + "::" + n.op_type) == 0)
    malformed(n, fault);
  // Without any operator set that is told once.
  if (n.opsets && !n.opsets->empty() && n.opsets->count(n.domain) == 0)
    malformed(n, "it is of the domain '" + (n.domain.empty() ? std::string("ai.onnx") : n.domain) +
                     "', of which the file imports no version");
}

std::optional<KnownInts> GraphImporter::known_ints(const std::string& name, const OnnxNode* maker) const {
  if (maker != nullptr && maker->find("value") == nullptr) return std::nullopt;
  const auto it = names_.find(name);
  if (maker == nullptr && (it == names_.end() || !graph_.value(it->second).constant)) return std::nullopt;
  try {
    const Tensor t = maker != nullptr ? session_.tensors.read(maker->find("value")->t()) : *graph_.value(it->second).constant;
    if (!is_integer(t.dtype()) || t.elements() != 1) return std::nullopt;
    return KnownInts{t.to_int64(), t.rank() == 0};
  } catch (const std::runtime_error&) {
    return std::nullopt;  // the import of the constant tells what is wrong with it
  }
}

void GraphImporter::import_node(const OnnxNode& n) {
  current_ = &n;
  ++session_.operators[origin(n).op_type];
  try {
    const ImporterDef* importer = find_importer(n.domain, n.op_type);
    if (session_.custom_ops.count(n.domain + "::" + n.op_type) > 0)
      import_custom(*this, n, declared_);
    else if (const std::string fault = type_problem(n); !fault.empty())
      malformed(n, fault);
    else if (importer != nullptr)
      importer->run(*this, n);
    else
      refuse_unknown(*this, n);
  } catch (const NodeError& e) {
    if (misshapen_.count(&n) == 0) malformed(n, e.what());
  } catch (const RankNotKnown& e) {
    if (!reads_a_refused_node(n)) unsupported(n, e.what(), e.hint);
  } catch (const NodeUnsupported& e) {
    unsupported(n, e.what(), e.hint);
  }
  count_parameters(n);
  // After a problem, readers of the outputs still need something to refer to.
  for (const std::string& o : n.outputs)
    if (!o.empty() && names_.count(o) == 0) names_.emplace(o, open_value(o));
  current_ = nullptr;
}

void GraphImporter::import_outputs(const pb::GraphProto& proto) {
  if (proto.output_size() == 0) session_.diagnostics.malformed("the model's graph has no outputs");
  std::unordered_set<std::string> seen;
  for (const auto& o : proto.output()) {
    if (o.has_type() && o.type().value_case() != pb::TypeProto::VALUE_NOT_SET &&
        o.type().value_case() != pb::TypeProto::kTensorType)
      tell({"graph output", o.name(), "", "the output is a sequence, a map, an optional or a sparse tensor",
            "the converter gives tensors only; return the members as outputs of their own"});
    if (parent_ == nullptr && !seen.insert(o.name()).second) {
      session_.diagnostics.malformed("the graph output '" + o.name() + "' is listed twice");
      continue;
    }
    ValueId v = lookup(o.name());
    if (v == kNone) {
      session_.diagnostics.malformed("the graph output '" + o.name() + "' is produced by no node");
      continue;
    }
    // Each output gets a value of its own name, so that names survive aliases of inputs, constants and other outputs.
    if (graph_.value(v).name != o.name() || graph_.value(v).producer == kNone || graph_.is_output(v))
      v = graph_.add_node(OpKind::kIdentity, {v}, {}, {o.name(), "Identity", ""}, o.name());
    graph_.outputs.push_back(v);
    if (parent_ == nullptr) session_.output_types.push_back(declared_output_type(o));
  }
}

ValueId GraphImporter::lookup(const std::string& name) {
  const auto it = names_.find(name);
  if (it != names_.end()) return it->second;
  const ValueId outer = parent_ != nullptr ? parent_->lookup(name) : kNone;
  return outer == kNone ? kNone : capture(name, outer);
}

int GraphImporter::opset(const std::string& domain) const {
  if (current_ == nullptr || !current_->opsets) return 0;
  const auto it = current_->opsets->find(domain);
  return it == current_->opsets->end() ? 0 : it->second;
}

ValueId GraphImporter::input(const OnnxNode& n, size_t i) {
  if (!n.has_input(i)) return kNone;
  const ValueId v = lookup(n.inputs[i]);
  if (v != kNone) return v;
  if (undefined_.insert(n.inputs[i]).second) malformed(n, "it reads '" + n.inputs[i] + "', which nothing defines");
  const ValueId placeholder = open_value(n.inputs[i]);
  names_.emplace(n.inputs[i], placeholder);
  return placeholder;
}

const OnnxNode* GraphImporter::source(const OnnxNode& n, size_t i) const {
  const OnnxNode* node = &n;
  do {
    if (!node->has_input(i)) return nullptr;
    const auto it = makers_.find(node->inputs[i]);
    node = it == makers_.end() ? nullptr : it->second;
    i = 0;
  } while (node != nullptr && node->op_type == "Identity" && node->domain.empty());
  return node;
}

bool GraphImporter::is_read(const OnnxNode& n, size_t output) const {
  return n.has_output(output) && read_.count(n.outputs[output]) > 0;
}

Origin GraphImporter::origin(const OnnxNode& n) const {
  return {printable(n.name), printable(n.domain.empty() ? n.op_type : n.domain + "::" + n.op_type), printable(n.scope)};
}

ValueId GraphImporter::emit(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
  std::vector<ValueId> outputs;
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    outputs.push_back(n.has_output(i) ? graph_.add_value(n.outputs[i]) : kNone);
    if (n.has_output(i)) names_.emplace(n.outputs[i], outputs.back());
  }
  graph_.add_node_with_outputs(kind, std::move(inputs), outputs, std::move(attrs), origin(n));
  return outputs.empty() ? kNone : outputs[0];
}

ValueId GraphImporter::inner(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, Attributes attrs) {
  return inner_outputs(n, kind, std::move(inputs), 1, std::move(attrs))[0];
}

std::vector<ValueId> GraphImporter::inner_outputs(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, size_t count,
                                                  Attributes attrs) {
  std::vector<ValueId> outputs;
  for (size_t i = 0; i < count; ++i) {
    outputs.push_back(graph_.add_value(n.name + "#" + std::to_string(graph_.values.size())));
    unnamed_.insert(outputs.back());
  }
  graph_.add_node_with_outputs(kind, std::move(inputs), outputs, std::move(attrs), origin(n));
  return outputs;
}

ValueId GraphImporter::constant(const OnnxNode& n, Tensor t) {
  const ValueId v = graph_.add_constant(n.name + "#" + std::to_string(graph_.values.size()), std::move(t));
  unnamed_.insert(v);
  return v;
}

void GraphImporter::bind(const OnnxNode& n, size_t i, ValueId v) {
  if (!n.has_output(i)) return;
  if (unnamed_.erase(v) > 0) graph_.value(v).name = n.outputs[i];
  names_.emplace(n.outputs[i], v);
}

Tensor GraphImporter::tensor_attribute(const OnnxNode& n, const char* name) {
  const auto* a = n.find(name);
  if (a == nullptr || !a->has_t()) throw NodeError("the tensor attribute '" + std::string(name) + "' is missing");
  return session_.tensors.read(a->t());
}

}  // namespace edgeconv
