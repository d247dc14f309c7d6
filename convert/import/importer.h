// Importers: one small file per ONNX operator, import/<Op>.cc, that turns a node of any supported opset version into graph
// nodes. Template:
//
//   #include "convert/import/importer.h"
//   namespace edgeconv {
//   static void import_softmax(ImportContext& c, const OnnxNode& n) { ... c.emit(OpKind::kSoftmax, {c.input(n, 0)}, AxisAttrs{axis}); }
//   EDGECONV_IMPORTER("", "Softmax", 1, import_softmax);   // domain, operator, first opset version handled
//   }
//
// import_list.inc names every importer, so that the registry needs no static constructors to be linked in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

struct OnnxNode;  // convert/onnx/model.h: name, op_type, domain, inputs, outputs, typed attribute access

class ImportContext {
 public:
  virtual ~ImportContext() = default;
  virtual Graph& graph() = 0;
  virtual int opset(const std::string& domain) const = 0;               // version imported by the file, 0 = none
  virtual ValueId input(const OnnxNode& n, size_t i) = 0;               // kNone if absent; a value otherwise
  // Adds a node for n with n's outputs (all of them) and returns the first output.
  virtual ValueId emit(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, Attributes attrs = {}) = 0;
  // Adds an inner node with a fresh output: for operators that are written with several graph nodes.
  virtual ValueId inner(const OnnxNode& n, OpKind kind, std::vector<ValueId> inputs, Attributes attrs = {}) = 0;
  virtual ValueId constant(const OnnxNode& n, Tensor t) = 0;
  // Binds n's output i to an existing value (aliases, decompositions).
  virtual void bind(const OnnxNode& n, size_t i, ValueId v) = 0;
  virtual void unsupported(const OnnxNode& n, const std::string& reason, const std::string& hint) = 0;
  virtual void malformed(const OnnxNode& n, const std::string& message) = 0;
};

}  // namespace edgeconv
