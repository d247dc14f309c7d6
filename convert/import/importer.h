// Importers: one small file per ONNX operator, import/<op>.cc, that turns a node of any supported opset version into graph
// nodes. Operators that map 1:1 to one kind share a table (unary_ops.cc, binary_ops.cc, reduce_ops.cc). Template:
//
//   #include "convert/import/building_blocks.h"
//   namespace edgeconv {
//   void import_softmax(ImportContext& c, const OnnxNode& n) {
//     c.emit(n, OpKind::kSoftmax, {required_input(c, n, 0)}, AxisAttrs{n.integer("axis", -1)});
//   }
//   }
//
// and a row in import_list.inc, which names every importer so that the registry needs no static constructors.
// An importer throws NodeUnsupported (reason, hint) for what it cannot express and NodeError for what contradicts the ONNX
// specification; the import of the other nodes goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"
#include "convert/onnx/model.h"

namespace edgeconv {

class ImportContext {
 public:
  virtual ~ImportContext() = default;
  virtual Graph& graph() = 0;
  virtual int opset(const std::string& domain) const = 0;  // for the node under import; 0 = none
  virtual ValueId input(const OnnxNode& n, size_t i) = 0;  // kNone if absent; a value otherwise
  // The node of this graph that gives input i, behind Identity; null for inputs, initializers and values of an outer graph.
  virtual const OnnxNode* source(const OnnxNode& n, size_t i) const = 0;
  virtual bool is_read(const OnnxNode& n, size_t output) const = 0;  // whether anything reads n's output
  // Adds a node for n with n's outputs (all of them) and returns the first output.
  virtual ValueId emit(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, Attributes attrs = {}) = 0;
  // Adds an inner node with a fresh output: for operators that are written with several graph nodes.
  virtual ValueId inner(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, Attributes attrs = {}) = 0;
  // The same with several fresh outputs.
  virtual std::vector<ValueId> inner_outputs(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, size_t outputs,
                                             Attributes attrs) = 0;
  virtual ValueId constant(const OnnxNode& n, Tensor t) = 0;
  // Binds n's output i to an existing value (aliases, decompositions).
  virtual void bind(const OnnxNode& n, size_t i, ValueId v) = 0;
  // Imports the graphs in the named attributes of If or Loop. `captures` receives the outer values that they read; every body
  // gets them as trailing inputs, in this order.
  virtual SubgraphAttrs bodies(const OnnxNode& n, const std::vector<const char*>& attributes, std::vector<ValueId>& captures) = 0;
  virtual Tensor tensor_attribute(const OnnxNode& n, const char* name) = 0;
  // Whether a table of so many elements, which no byte of the file holds, may be made. All tables of a model together have an end, so that small files
  // do not become gigabytes.
  virtual bool may_tabulate(int64_t elements) = 0;
  virtual void warn(const OnnxNode& n, const std::string& message) = 0;
  virtual void unsupported(const OnnxNode& n, const std::string& reason, const std::string& hint) = 0;
  virtual void malformed(const OnnxNode& n, const std::string& message) = 0;
};

}  // namespace edgeconv
