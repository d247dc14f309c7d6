// What is wrong with nodes, or odd about them, in the words of the file: names, operators, types and shapes of inputs.
#include "convert/import_graph/graph_importer.h"

namespace edgeconv {

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
