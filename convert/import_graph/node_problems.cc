// What is wrong with nodes, or odd about them, in the words of the file: names, operators, types and shapes of inputs.
#include <algorithm>

#include "convert/import/operand_types.h"
#include "convert/import_graph/graph_importer.h"
#include "convert/onnx/node_order.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {

namespace {

// Depth is bounded by the reader's nesting cap.
void collect_nodes(const pb::GraphProto& body, std::vector<std::string>& names) {
  for (const auto& n : body.node()) {
    names.push_back(make_node(n, nullptr).name);
    for (const auto& a : n.attribute())
      if (a.has_g()) collect_nodes(a.g(), names);
  }
}

}  // namespace

std::string GraphImporter::inputs_str(const OnnxNode& n) {
  std::string s;
  for (const std::string& name : n.inputs) {
    const auto it = names_.find(name);
    if (it == names_.end() || !graph_.value(it->second).shape) continue;
    const Value& v = graph_.value(it->second);
    s += (s.empty() ? "" : ", ") + std::string(dtype_name(v.dtype)) + shape_str(*v.shape);
  }
  return s.empty() ? s : "(" + s + ")";
}

// By the types that are known while the file is read: what comes out of If, Loop and operators of the application is not.
std::string GraphImporter::type_problem(const OnnxNode& n) {
  if (!n.domain.empty()) return "";
  std::vector<TypedOperand> operands;
  for (const std::string& name : n.inputs) operands.push_back({name, known_type(name)});
  return operand_type_fault(n.op_type, operands);
}

// Unlike lookup() it captures nothing: a body has the values as inputs that its importers read.
DType GraphImporter::known_type(const std::string& name) {
  if (const auto it = names_.find(name); it != names_.end()) return dtype_hint(graph_, it->second, types_);
  return parent_ != nullptr ? parent_->known_type(name) : DType::kUndefined;
}

void GraphImporter::warn(const OnnxNode& n, const std::string& message) {
  ImportSession::Warning& w = session_.warnings[{op_label(n), message}];
  if (w.nodes++ == 0) w.first = n.name;
}

void ImportSession::report_warnings() const {
  for (const auto& [fault, w] : warnings) {
    const std::string others =
        w.nodes == 1 ? "" : " and " + std::to_string(w.nodes - 1) + (w.nodes == 2 ? " other node" : " other nodes");
    diagnostics.warn(fault.first + " '" + w.first + "'" + others + ": " + fault.second);
  }
}

void GraphImporter::unsupported(const OnnxNode& n, const std::string& reason, const std::string& hint) {
  const std::string where = n.scope.empty() ? n.name : n.name + " (torch: " + n.scope + ")";
  tell({op_label(n), where, inputs_str(n), reason, hint});
}

// Something that readers of what a problem left open can refer to.
ValueId GraphImporter::open_value(const std::string& name) {
  const ValueId v = graph_.add_value(name);
  leave_open(v);
  return v;
}

void GraphImporter::leave_open(ValueId v) {
  open_.resize(graph_.values.size());
  open_[static_cast<size_t>(v)] = 1;
}

// Whether a problem left v open, or what it is computed from. Each node is looked at once.
bool GraphImporter::is_open(ValueId v) {
  open_.resize(graph_.values.size());
  const auto known = [&](ValueId i) { return i != kNone && open_[static_cast<size_t>(i)] != 0; };
  for (; judged_ < graph_.nodes.size(); ++judged_) {
    const Node& n = graph_.nodes[judged_];
    if (std::none_of(n.inputs.begin(), n.inputs.end(), known)) continue;
    for (ValueId o : n.outputs)
      if (o != kNone) open_[static_cast<size_t>(o)] = 1;
  }
  return known(v);
}

// What a refused node gives has no rank: whoever misses that has no problem of its own.
bool GraphImporter::reads_a_refused_node(const OnnxNode& n) {
  return std::any_of(n.inputs.begin(), n.inputs.end(), [&](const std::string& name) {
    const auto it = names_.find(name);
    return it != names_.end() && is_open(it->second);
  });
}

void GraphImporter::describe_file(const pb::GraphProto& proto, const std::vector<OnnxNode>& nodes,
                                  const std::vector<size_t>& order) {
  auto f = std::make_shared<FileGraph>();
  for (size_t i : order) {
    const OnnxNode& n = nodes[i];
    const std::unordered_set<std::string> reads = names_read(n);
    const bool sizes = n.domain.empty() && (n.op_type == "Shape" || n.op_type == "Size");
    f->nodes.push_back({n.name, {reads.begin(), reads.end()}, n.outputs, {}, sizes});
    for (const auto& a : n.proto->attribute())
      if (a.has_g()) collect_nodes(a.g(), f->nodes.back().inner);
  }
  for (const auto& in : proto.input()) f->inputs.push_back(in.name());
  for (const auto& o : proto.output()) f->outputs.push_back(o.name());
  for (const auto& t : proto.initializer()) {
    int64_t elements = 1;
    for (int64_t d : t.dims())
      if (d < 0 || __builtin_mul_overflow(elements, d, &elements)) elements = 0;
    f->weights.emplace(t.name(), elements);
  }
  session_.file = std::move(f);
}

// A branch that is never taken may hold what it likes.
void GraphImporter::tell(Problem p) {
  if (parent_ != nullptr)
    graph_.import_problems.push_back(std::move(p));
  else
    session_.diagnostics.unsupported(std::move(p));
}

void GraphImporter::malformed(const OnnxNode& n, const std::string& message) {
  session_.diagnostics.malformed("node '" + n.name + "' (" + op_label(n) + "): " + message);
}

}  // namespace edgeconv
