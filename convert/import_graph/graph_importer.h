// Imports one graph of a file: the main graph, or the body of an If or Loop.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "convert/import/building_blocks.h"
#include "convert/import/importer.h"
#include "convert/import_graph/cut.h"
#include "convert/import_graph/function_inliner.h"
#include "convert/import_graph/last_marked_token.h"
#include "convert/import_graph/pinning.h"
#include "convert/onnx/model.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {

// What all graphs of one file share.
struct ImportSession {
  Diagnostics& diagnostics;
  TensorReader tensors;
  FunctionInliner functions;
  int64_t nodes = 0;
  int64_t tabulated = 0;                      // elements of tables that importers made
  std::map<std::string, int> operators = {};  // nodes by type
  std::map<DType, int64_t> parameters = {};   // elements of initializers by type
  std::set<std::string> custom_ops = {};      // "domain::Name"
  Pinning pinning = {};
  std::vector<PinnedInput> pinned = {};           // inputs of the main graph that became constants
  std::vector<CutInput> cut = {};                 // inputs of the main graph that the chosen outputs do not need
  std::vector<DType> output_types = {};           // of the main graph, as declared; kUndefined where they are not
  std::vector<std::string> declared_inputs = {};  // of the main graph, pinned and cut ones included
  std::shared_ptr<FileGraph> file = {};           // of the main graph
  struct Warning {
    std::string first;  // node
    int nodes = 0;
  };
  std::map<std::pair<std::string, std::string>, Warning> warnings = {};  // operator, message

  // Nodes with one fault in common are one warning.
  void report_warnings() const;
};

class GraphImporter : public ImportContext {
 public:
  GraphImporter(ImportSession& session, Graph& g, GraphImporter* parent) : session_(session), graph_(g), parent_(parent) {}

  // proto is consumed: payloads of its initializers are freed as they are read.
  void run(pb::GraphProto& proto, const std::shared_ptr<const OpsetMap>& opsets);

  Graph& graph() override { return graph_; }
  int opset(const std::string& domain) const override;
  ValueId input(const OnnxNode& n, size_t i) override;
  const OnnxNode* source(const OnnxNode& n, size_t i) const override;
  bool is_read(const OnnxNode& n, size_t output) const override;
  ValueId emit(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, Attributes attrs) override;
  ValueId inner(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, Attributes attrs) override;
  std::vector<ValueId> inner_outputs(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, size_t outputs,
                                     Attributes attrs) override;
  ValueId constant(const OnnxNode& n, Tensor t) override;
  void bind(const OnnxNode& n, size_t i, ValueId v) override;
  SubgraphAttrs bodies(const OnnxNode& n, const std::vector<const char*>& attributes, std::vector<ValueId>& captures) override;
  Tensor tensor_attribute(const OnnxNode& n, const char* name) override;
  bool may_tabulate(int64_t elements) override;
  void warn(const OnnxNode& n, const std::string& message) override;
  void unsupported(const OnnxNode& n, const std::string& reason, const std::string& hint) override;
  void malformed(const OnnxNode& n, const std::string& message) override;

 private:
  bool reads_a_refused_node(const OnnxNode& n);
  bool is_open(ValueId v);
  void leave_open(ValueId v);
  void import_initializers(pb::GraphProto& proto);
  void import_inputs(const pb::GraphProto& proto);
  bool pin(const std::string& input, DType dtype, const std::optional<Shape>& shape);
  void check_pinning(const std::vector<std::string>& dims) const;
  std::vector<OnnxNode> read_nodes(pb::GraphProto& proto, const std::shared_ptr<const OpsetMap>& opsets);
  void rewrite_patterns(const pb::GraphProto& proto, std::vector<OnnxNode>& nodes) const;
  void import_nodes(const pb::GraphProto& proto, std::vector<OnnxNode> nodes);
  void describe_file(const pb::GraphProto& proto, const std::vector<OnnxNode>& nodes, const std::vector<size_t>& order);
  void declare(const std::string& input);
  std::optional<KnownInts> known_ints(const std::string& name, const OnnxNode* maker) const;
  void check_name(const std::string& name, const char* what);
  void check_structure(const OnnxNode& n);
  std::string type_problem(const OnnxNode& n);
  DType known_type(const std::string& name);
  void import_node(const OnnxNode& n);
  void count_parameters(const OnnxNode& n);
  void import_outputs(const pb::GraphProto& proto);
  void define(const std::string& name, ValueId v);
  ValueId lookup(const std::string& name);  // kNone if no graph defines it
  ValueId capture(const std::string& name, ValueId outer);
  ValueId open_value(const std::string& name);
  void tell(Problem p);
  Origin origin(const OnnxNode& n) const;
  std::string inputs_str(const OnnxNode& n);

  ImportSession& session_;
  Graph& graph_;
  GraphImporter* parent_;
  std::unordered_map<std::string, ValueId> names_;
  std::unordered_map<std::string, const OnnxNode*> makers_;  // of the graph under import, by output
  std::unordered_set<std::string> read_, undefined_;
  std::unordered_set<ValueId> unnamed_;                        // inner values that may take an ONNX name yet
  std::vector<char> open_;                                     // values that a problem left open, and what is computed from them
  size_t judged_ = 0;                                          // nodes of graph_ that open_ has
  std::vector<std::pair<ValueId, ValueId>> captures_;          // outer value, its input here
  std::map<std::string, const pb::ValueInfoProto*> declared_;  // filled when there are custom operators
  const OnnxNode* current_ = nullptr;
  std::unordered_set<const OnnxNode*> misshapen_;  // told to have too many operands: the importer need not say it again
  KnownTypes types_;
  std::vector<DType> outer_types_;  // of a body: what its inputs are bound to, where that is known
};

}  // namespace edgeconv
