// What the inference function of one node sees: its inputs, setters for its outputs, and the union of dims. The driver
// (infer.cc) calls one function per node through the dispatch table (dispatch.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/infer/bounds.h"
#include "convert/infer/dims_union.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/graph.h"

namespace edgeconv {

// Elements are kept for integer tensors up to this many entries: shape vectors, small index tables.
constexpr int64_t kMaxElements = 256;

// Problems of one round; the driver reports those of the last round only.
// A node that became constants.
struct FoldedNode {
  Attributes attrs;
  std::vector<ValueId> outputs;
};

struct InferLog {
  // By kind and operands: the same step of the same weight, once for each time step of an unrolled loop, shares its result.
  std::map<std::pair<OpKind, std::vector<ValueId>>, std::vector<FoldedNode>> folded;
  std::vector<Problem> problems;
  std::vector<std::string> warnings;
  std::vector<SizeEquality> equalities;
  // Numbers of unknown sign that a node needs to be 0 or more before it can say anything, and which node.
  std::vector<std::pair<DimExpr, std::string>> unknown_signs;
};

class NodeInference {
 public:
  NodeInference(Graph& g, NodeId n, DimsUnion& dims, InferLog& log) : g_(g), n_(n), dims_(dims), log_(log) {}

  const Node& node() const { return g_.node(n_); }
  NodeId id() const { return n_; }
  Graph& graph() { return g_; }
  InferLog& log() { return log_; }

  bool has(size_t i) const { return node().in(i) != kNone; }
  const Value& in(size_t i) const { return g_.value(node().in(i)); }
  const Shape& shape(size_t i) const { return *in(i).shape; }
  DType dtype(size_t i) const { return in(i).dtype; }
  int rank(size_t i) const { return in(i).rank(); }
  // Contents of an integer input: as numbers, or as symbolic integers.
  std::optional<std::vector<int64_t>> ints(size_t i) const;
  std::optional<std::vector<DimExpr>> elements(size_t i) const;
  // False, and the node is invalid, if the input is known not to be a single element.
  bool is_single(size_t i) { return has_elements(i, 1); }
  bool has_elements(size_t i, int64_t wanted);
  std::string input_name(size_t i) const { return has(i) ? in(i).name : std::string(); }

  // -rank <= axis < rank, as 0 <= axis < rank; nullopt and a problem otherwise.
  std::optional<int64_t> axis(int64_t a, int64_t r);

  void set(size_t output, DType t, Shape s);
  void set_elements(size_t output, std::vector<DimExpr> e);
  // States that two sizes are equal; on contradiction a problem is logged and false returned. `what` names the axis in messages.
  // multiples: of a number, which the node takes, too.
  bool unify(const DimExpr& a, const DimExpr& b, const std::string& what, bool multiples = false);
  // The same where it is known that inference cannot tell: the sizes are tried out when the ranges of dims are known.
  void require_equal(const DimExpr& a, const DimExpr& b, const std::string& what);
  // Numpy broadcast with unification of unequal sizes.
  std::optional<Shape> broadcast(const Shape& a, const Shape& b);

  // Smallest sizes of dims that nodes have shown so far, for lower_bound() and the comparisons.
  const LeastDims& least() const { return g_.least_dims; }
  // States that the node needs this size to be at least 1.
  void needs_positive(const DimExpr& size) { note_positive(size, g_.least_dims); }

  // The node says nothing because this may be below 0 for small dims.
  void unknown_sign(const DimExpr& e) { log_.unknown_signs.emplace_back(e, where()); }

  void problem(const std::string& reason, const std::string& hint);
  // The node contradicts ONNX: no model that runs has it (exit 3).
  void invalid(const std::string& reason, const std::string& rule = "");
  void warn(const std::string& message) { log_.warnings.push_back(message); }
  // What an exporter is to be told where it wrote this number for a size that is declared dynamic.
  std::string keep_open(std::optional<int64_t> size = {}) const;
  // Sizes computed from data, which the runtime cannot plan for.
  void data_dependent(size_t input);
  std::string where() const;
  // "x [batch, sequence, 8] float32, y ..." for messages.
  std::string inputs_str() const;

 private:
  bool is_width_of_weights(int64_t size) const;
  void warn_specialised(const std::string& what, bool multiples);

  Graph& g_;
  NodeId n_;
  DimsUnion& dims_;
  InferLog& log_;
};

}  // namespace edgeconv
