// Bodies of If, Loop and Scan: graphs of their own, that read values of the graph around them.
#include <algorithm>

#include "convert/import/building_blocks.h"
#include "convert/import_graph/graph_importer.h"

namespace edgeconv {

ValueId GraphImporter::capture(const std::string& name, ValueId outer) {
  const Value& o = parent_->graph_.value(outer);
  ValueId v;
  if (o.is_constant()) {
    v = graph_.add_constant(o.name, *o.constant);
  } else {
    v = graph_.add_value(o.name, dtype_hint(parent_->graph_, outer), o.shape);
    if (parent_->is_open(outer)) leave_open(v);
    captures_.emplace_back(outer, v);
  }
  graph_.value(v).bits = packed_bits_hint(parent_->graph_, outer);
  names_.emplace(name, v);
  return v;
}

SubgraphAttrs GraphImporter::bodies(const OnnxNode& n, const std::vector<const char*>& attributes,
                                    std::vector<ValueId>& captures) {
  SubgraphAttrs r;
  std::vector<std::vector<std::pair<ValueId, ValueId>>> taken;
  captures.clear();
  for (const char* attribute : attributes) {
    pb::GraphProto body = n.graph(attribute);
    auto g = std::make_shared<Graph>();
    GraphImporter importer(session_, *g, this);
    // Bodies of Loop and Scan have an input for each of the node's; in functions these have no types of their own.
    if (static_cast<size_t>(body.input_size()) == n.inputs.size())
      for (size_t i = 0; i < n.inputs.size(); ++i)
        importer.outer_types_.push_back(n.has_input(i) ? dtype_hint(graph_, input(n, i)) : DType::kUndefined);
    importer.run(body, n.opsets);
    for (const auto& c : importer.captures_)
      if (std::find(captures.begin(), captures.end(), c.first) == captures.end()) captures.push_back(c.first);
    taken.push_back(std::move(importer.captures_));
    r.bodies.push_back(std::move(g));
  }
  for (size_t i = 0; i < r.bodies.size(); ++i) {
    Graph& g = *r.bodies[i];
    for (ValueId outer : captures) {
      ValueId v = kNone;
      for (const auto& c : taken[i])
        if (c.first == outer) v = c.second;
      if (v == kNone) v = g.add_value(graph_.value(outer).name, graph_.value(outer).dtype, graph_.value(outer).shape);
      g.inputs.push_back(v);
    }
  }
  return r;
}

}  // namespace edgeconv
