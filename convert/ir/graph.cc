// Graph construction and upkeep: values, nodes, uses, dead code, topological order.
#include "convert/ir/graph.h"

#include <functional>
#include <queue>

namespace edgeconv {

Value::Value() = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Node::Node() = default;
Node::Node(OpKind k, std::vector<ValueId> in, std::vector<ValueId> out, Attributes a, Origin o)
    : kind(k), inputs(std::move(in)), outputs(std::move(out)), attrs(std::move(a)), origin(std::move(o)) {}
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

Graph::Graph() = default;
Graph::Graph(const Graph&) = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(const Graph&) = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

namespace {
// Integer tensors up to this size carry their contents as symbolic integers; shapes and axes are far smaller.
constexpr int64_t kMaxTrackedElements = 256;
}  // namespace

const Node* Graph::producer(ValueId v) const {
  const NodeId n = value(v).producer;
  return n == kNone ? nullptr : &nodes[static_cast<size_t>(n)];
}

Node* Graph::producer(ValueId v) {
  const NodeId n = value(v).producer;
  return n == kNone ? nullptr : &nodes[static_cast<size_t>(n)];
}

ValueId before_casts(const Graph& g, ValueId v) {
  for (const Node* p = g.producer(v); p && (p->kind == OpKind::kCast || p->kind == OpKind::kIdentity); p = g.producer(v))
    v = p->in(0);
  return v;
}

namespace {

// In debug builds of graphs that are not huge, everything moves whenever something is added: a reference that a pass keeps meanwhile
// breaks at once, and not for graphs of certain sizes.
#ifdef NDEBUG
constexpr size_t kMovedAlways = 0;
#else
constexpr size_t kMovedAlways = 4096;
#endif

template <class T>
void make_room(std::vector<T>& v) {
  if (v.size() < kMovedAlways) v.reserve(v.size() + 1);
}

}  // namespace

ValueId Graph::add_value(std::string name, DType dtype, std::optional<Shape> shape) {
  Value v;
  v.name = std::move(name);
  v.dtype = dtype;
  v.shape = std::move(shape);
  make_room(values);
  values.push_back(std::move(v));
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_constant(std::string name, Tensor t) {
  Shape shape(t.dims().begin(), t.dims().end());
  const ValueId id = add_value(std::move(name), t.dtype(), std::move(shape));
  Value& v = value(id);
  if (is_integer(t.dtype()) && t.rank() <= 1 && t.elements() <= kMaxTrackedElements) {
    const std::vector<int64_t> ints = t.to_int64();
    v.elements.emplace(ints.begin(), ints.end());
  }
  v.constant = std::move(t);
  return id;
}

ValueId Graph::add_node(OpKind kind, std::vector<ValueId> node_inputs, Attributes attrs, const Origin& origin,
                        std::string output_name) {
  if (output_name.empty()) output_name = origin.node + "#" + std::to_string(values.size());
  const ValueId out = add_value(std::move(output_name));
  add_node_with_outputs(kind, std::move(node_inputs), {out}, std::move(attrs), origin);
  return out;
}

NodeId Graph::add_node_with_outputs(OpKind kind, std::vector<ValueId> node_inputs, std::vector<ValueId> node_outputs,
                                    Attributes attrs, const Origin& origin) {
  const auto id = static_cast<NodeId>(nodes.size());
  for (ValueId v : node_outputs)
    if (v != kNone) value(v).producer = id;
  Node n(kind, std::move(node_inputs), std::move(node_outputs), std::move(attrs), origin);  // origin may be that of a node
  make_room(nodes);
  nodes.push_back(std::move(n));
  return id;
}

std::vector<std::vector<NodeId>> Graph::users() const {
  std::vector<std::vector<NodeId>> r(values.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].dead) continue;
    for (ValueId v : nodes[i].inputs)
      if (v != kNone) r[static_cast<size_t>(v)].push_back(static_cast<NodeId>(i));
  }
  return r;
}

bool Graph::is_output(ValueId v) const {
  for (ValueId o : outputs)
    if (o == v) return true;
  return false;
}

int Graph::remove_dead() {
  std::vector<int> uses(values.size());
  for (ValueId v : outputs) ++uses[static_cast<size_t>(v)];
  for (const Node& n : nodes)
    for (ValueId v : n.inputs)
      if (!n.dead && v != kNone) ++uses[static_cast<size_t>(v)];
  const auto unused = [&](const Node& n) {
    for (ValueId v : n.outputs)
      if (v != kNone && uses[static_cast<size_t>(v)] > 0) return false;
    return true;
  };
  std::vector<NodeId> work;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].dead && unused(nodes[i])) work.push_back(static_cast<NodeId>(i));
  int removed = 0;
  while (!work.empty()) {
    Node& n = node(work.back());
    work.pop_back();
    if (n.dead) continue;
    n.dead = true;
    ++removed;
    for (ValueId v : n.inputs) {
      if (v == kNone || --uses[static_cast<size_t>(v)] > 0) continue;
      const NodeId p = value(v).producer;
      if (p != kNone && !node(p).dead && unused(node(p))) work.push_back(p);
    }
  }
  return removed;
}

void Graph::release_unused_constants() {
  const auto readers = users();
  for (size_t v = 0; v < values.size(); ++v)
    if (readers[v].empty() && !is_output(static_cast<ValueId>(v))) {
      values[v].constant.reset();
      values[v].quantized.reset();
    }
}

bool Graph::sort() {
  // Kahn's algorithm; the lowest original position goes first, so that a sorted graph stays as it is.
  std::vector<int> waiting(nodes.size());
  std::vector<std::vector<NodeId>> readers(nodes.size());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  size_t live = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].dead) continue;
    ++live;
    for (ValueId v : nodes[i].inputs) {
      const NodeId p = v == kNone ? kNone : value(v).producer;
      if (p == kNone || node(p).dead) continue;
      readers[static_cast<size_t>(p)].push_back(static_cast<NodeId>(i));
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push(static_cast<NodeId>(i));
  }
  std::vector<NodeId> order;
  while (!ready.empty()) {
    const NodeId n = ready.top();
    ready.pop();
    order.push_back(n);
    for (NodeId r : readers[static_cast<size_t>(n)])
      if (--waiting[static_cast<size_t>(r)] == 0) ready.push(r);
  }
  if (order.size() != live) return false;
  for (Value& v : values) v.producer = kNone;
  std::vector<Node> sorted;
  sorted.reserve(live);
  for (NodeId old : order) {
    for (ValueId v : node(old).outputs)
      if (v != kNone) value(v).producer = static_cast<NodeId>(sorted.size());
    sorted.push_back(std::move(node(old)));
  }
  nodes = std::move(sorted);
  return true;
}

}  // namespace edgeconv
