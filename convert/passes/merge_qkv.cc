// The query, key and value projections of one input become one Linear: the input is quantized once, and one GEMM with more
// columns runs closer to the peak than three.
#include "convert/passes/match.h"

namespace edgeconv {

namespace {

// Linears that only this attention reads.
const Node* private_linear(const Graph& g, const Users& users, ValueId v, int uses) {
  const Node* p = producer_of_kind(g, v, OpKind::kLinear);
  return p && p->as<LinearAttrs>().activation < 0 && static_cast<int>(users[static_cast<size_t>(v)].size()) == uses &&
                 !g.is_output(v)
             ? p
             : nullptr;
}

Tensor joined_weight(const Graph& g, const std::vector<const Node*>& linears) {
  int64_t columns = 0;
  for (const Node* l : linears) columns += g.value(l->in(1)).constant->dims()[1];
  const int64_t k = g.value(linears[0]->in(1)).constant->dims()[0];
  Tensor joined(DType::kFloat, {k, columns});
  const auto dst = joined.mut<float>();
  int64_t first = 0;
  for (const Node* l : linears) {
    const Tensor w = g.value(l->in(1)).constant->cast(DType::kFloat).aligned();
    const int64_t n = w.dims()[1];
    for (int64_t r = 0; r < k; ++r) std::copy_n(w.as<float>().begin() + r * n, n, dst.begin() + r * columns + first);
    first += n;
  }
  return joined;
}

// The integers of quantized weights, side by side like the weights themselves; null unless all have them.
std::shared_ptr<const QuantizedConstant> joined_codes(const Graph& g, const std::vector<const Node*>& linears) {
  auto joined = std::make_shared<QuantizedConstant>();
  joined->axis = 1;
  int64_t k = 0;
  for (const Node* l : linears) {
    const auto& q = g.value(l->in(1)).quantized;
    const std::vector<float> scale = q ? column_scales(*q) : std::vector<float>();
    if (scale.empty()) return nullptr;
    k = q->codes.dims()[0];
    joined->scale.insert(joined->scale.end(), scale.begin(), scale.end());
  }
  const int64_t columns = static_cast<int64_t>(joined->scale.size());
  joined->codes = Tensor(DType::kInt8, {k, columns});
  const auto dst = joined->codes.mut<int8_t>();
  int64_t first = 0;
  for (const Node* l : linears) {
    const Tensor& codes = g.value(l->in(1)).quantized->codes;
    const int64_t n = codes.dims()[1];
    for (int64_t r = 0; r < k; ++r) std::copy_n(codes.as<int8_t>().begin() + r * n, n, dst.begin() + r * columns + first);
    first += n;
  }
  return joined;
}

std::optional<Tensor> joined_bias(const Graph& g, const std::vector<const Node*>& linears) {
  std::vector<float> bias;
  bool any = false;
  for (const Node* l : linears) {
    const size_t n = static_cast<size_t>(g.value(l->in(1)).constant->dims()[1]);
    if (l->in(2) == kNone) {
      bias.insert(bias.end(), n, 0.0f);
    } else {
      const std::vector<float> b = g.value(l->in(2)).constant->to_float();
      bias.insert(bias.end(), b.begin(), b.end());
      any = true;
    }
  }
  if (!any) return {};
  return Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(bias.size())}, bias);
}

bool merge(Graph& g, const Users& users, NodeId id) {
  const ValueId qkv[3] = {g.node(id).in(0), g.node(id).in(1), g.node(id).in(2)};
  if (qkv[0] == qkv[1] || qkv[1] == qkv[2] || qkv[0] == qkv[2]) return false;
  std::vector<const Node*> linears;
  std::vector<size_t> which;
  const Node* value = private_linear(g, users, qkv[2], 1);
  if (!value) return false;
  for (size_t i = 0; i < 3; ++i) {
    const Node* l = private_linear(g, users, qkv[i], 1);
    if (!l || l->in(0) != value->in(0)) continue;
    linears.push_back(l);
    which.push_back(i);
  }
  if (linears.size() < 2) return false;
  std::vector<int64_t> first{0};
  for (const Node* l : linears) first.push_back(first.back() + g.value(l->in(1)).constant->dims()[1]);
  // All names stay visible, so that a pattern for the key projection finds the merged layer.
  Origin origin = linears[0]->origin;
  for (size_t i = 1; i < linears.size(); ++i) origin.node += "+" + linears[i]->origin.node;
  const ValueId x = value->in(0);
  std::vector<NodeId> old;
  for (const Node* l : linears) old.push_back(id_of(g, *l));
  const Tensor weight = joined_weight(g, linears);
  const auto bias = joined_bias(g, linears);
  const auto codes = joined_codes(g, linears);
  Shape shape = *g.value(qkv[which[0]]).shape;
  shape.back() = first.back();
  const ValueId w = g.add_constant(origin.node + "/qkv", weight),
                b = bias ? g.add_constant(origin.node + "/qkv_bias", *bias) : kNone;
  g.value(w).quantized = codes;
  const ValueId joined = g.add_node(OpKind::kLinear, {x, w, b}, LinearAttrs{}, origin);
  g.value(joined).dtype = DType::kFloat;
  g.value(joined).shape = shape;
  Node& attention = g.node(id);
  auto& a = attention.as<AttentionAttrs>();
  int64_t* firsts[3] = {&a.q_first, &a.k_first, &a.v_first};
  for (size_t i = 0; i < which.size(); ++i) {
    attention.inputs[which[i]] = joined;
    *firsts[which[i]] += first[i];
    g.node(old[i]).dead = true;
  }
  return true;
}

}  // namespace

int pass_merge_qkv(Graph& g, Diagnostics&) {
  int merged = 0;
  const Users users = g.users();
  const size_t count = g.nodes.size();
  for (size_t i = 0; i < count; ++i)
    if (!g.nodes[i].dead && g.nodes[i].kind == OpKind::kAttention) merged += merge(g, users, static_cast<NodeId>(i));
  return merged;
}

}  // namespace edgeconv
