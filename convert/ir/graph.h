// The converter's graph: SSA values and nodes. Importers build it, inference annotates it, passes rewrite it, the interpreter runs it, and
// lowering makes runtime ops of it. Adding nodes and values moves them: ids stay valid, references and pointers do not. Removed nodes are
// marked dead; sort() drops them, and with that the ids of nodes change. Ids of values never do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convert/ir/attributes.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_expr.h"
#include "convert/ir/dtype.h"
#include "convert/ir/op_kind.h"
#include "convert/ir/quantized_constant.h"
#include "convert/ir/tensor.h"

namespace edgeconv {

using ValueId = int32_t;
using NodeId = int32_t;
constexpr int32_t kNone = -1;

// Where a node came from, for messages and reports; kept through fusion (the anchor's origin wins).
struct Origin {
  std::string node;     // ONNX node name, or its first output's name
  std::string op_type;  // as in the file, with domain when it is not ai.onnx
  std::string scope;    // torch module path where the file tells it
};

struct Value {
  std::string name;
  DType dtype = DType::kUndefined;
  std::optional<Shape> shape;                    // unknown until inference
  std::optional<Tensor> constant;                // contents, when they are known
  std::optional<std::vector<DimExpr>> elements;  // contents of an integer tensor of rank <= 1 as symbolic integers, when known
  std::shared_ptr<const QuantizedConstant> quantized;  // of a constant: the file's own integers, when they can be kept
  NodeId producer = kNone;                             // none for inputs and constants
  int bits = 0;                                        // of a constant or capture of int8 or uint8: 2 or 4 where the file has so many, else 0

  // Copied, moved and destroyed in so many places that these are compiled once, in graph.cc: that halves the build of a pass.
  Value();
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  bool is_constant() const { return constant.has_value(); }
  int rank() const { return shape ? static_cast<int>(shape->size()) : -1; }
};

struct Node {
  OpKind kind = OpKind::kIdentity;
  std::vector<ValueId> inputs;   // kNone = absent optional input
  std::vector<ValueId> outputs;  // kNone = unused optional output
  Attributes attrs;
  Origin origin;
  bool dead = false;

  Node();
  Node(OpKind kind, std::vector<ValueId> inputs, std::vector<ValueId> outputs, Attributes attrs, Origin origin);
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

  template <class T>
  const T& as() const {
    return std::get<T>(attrs);
  }
  template <class T>
  T& as() {
    return std::get<T>(attrs);
  }
  ValueId in(size_t i) const { return i < inputs.size() ? inputs[i] : kNone; }
};

// Two sizes that a node needs to be equal where inference cannot tell whether they are: dims/size_equalities.h tries them out.
struct SizeEquality {
  DimExpr lhs, rhs;
  Origin origin;
  std::string what;  // "inner size of a MatMul"
};

// What constant folding may still spend on a graph: nanoseconds (interp/work.h) and bytes of results.
struct FoldBudget {
  double work, bytes;
};

// Which convolutions compute over 8-bit maps where they are int8 (quantize/map_layers.h): those that are quicker so, with the wider maps of pictures
// or without, or all, which saves memory.
enum class MapUse { kNever, kQuicker, kQuickerOfPictures, kAll };

struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;      // in topological order after sort(); until then new ones stand at the end
  std::vector<ValueId> inputs;  // runtime inputs only: initializers are constants
  std::vector<ValueId> outputs;
  std::map<std::string, int64_t> least_dims;  // least sizes of dims that must be larger than 1: found by inference
  std::map<std::string, int64_t> most_dims;   // largest sizes that the user gave dims (--dim)
  std::map<std::string, std::string> same_dims;  // dims of inputs that were found to be another one, and its name
  std::map<std::string, DimExpr> summed_dims;  // dims of inputs that were found to be a sum of others: past and new tokens
  // Those of them that loops were unrolled for: the graph is not made for larger ones.
  std::map<std::string, int64_t> unrolled_dims;
  std::vector<SizeEquality> equalities;   // left open by the last inference
  std::optional<FoldBudget> fold_budget;  // set by the first inference
  // Elements of the constants that the file brings, bodies' too; set by the first inference, before anything is folded.
  std::optional<double> brought_parameters;
  MapUse maps = MapUse::kQuicker;
  // Of a body of If or Loop: what its import cannot express. Told if the body is still there when branches are decided; inlining moves them outward.
  std::vector<Problem> import_problems;

  Graph();
  Graph(const Graph&);
  Graph(Graph&&) noexcept;
  Graph& operator=(const Graph&);
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  Value& value(ValueId v) { return values[static_cast<size_t>(v)]; }
  const Value& value(ValueId v) const { return values[static_cast<size_t>(v)]; }
  Node& node(NodeId n) { return nodes[static_cast<size_t>(n)]; }
  const Node& node(NodeId n) const { return nodes[static_cast<size_t>(n)]; }
  const Node* producer(ValueId v) const;  // null for inputs and constants
  Node* producer(ValueId v);

  ValueId add_value(std::string name, DType dtype = DType::kUndefined, std::optional<Shape> shape = {});
  ValueId add_constant(std::string name, Tensor t);  // fills dtype, shape, and elements for small integer tensors
  // Appends a node with one new output, whose dtype and shape are left to inference. sort() puts it in its place.
  ValueId add_node(OpKind kind, std::vector<ValueId> inputs, Attributes attrs, const Origin& origin,
                   std::string output_name = {});
  NodeId add_node_with_outputs(OpKind kind, std::vector<ValueId> inputs, std::vector<ValueId> outputs, Attributes attrs,
                               const Origin& origin);

  // Readers of every value: live nodes, once per use. Made anew by each call.
  std::vector<std::vector<NodeId>> users() const;
  bool is_output(ValueId v) const;
  // Marks nodes dead whose outputs nobody reads; returns how many.
  int remove_dead();
  // Frees the contents of constants that no live node reads: passes leave the weights behind that they replaced.
  void release_unused_constants();
  // Drops dead nodes and sorts topologically; false if there is a cycle.
  bool sort();
  std::string dump() const;  // readable listing, for debugging and test failures: graph_dump.cc
};

// The value that Casts and Identities made v of; v itself where none did.
ValueId before_casts(const Graph& g, ValueId v);

}  // namespace edgeconv
