// See join_linears.h.
#include "convert/passes/join_linears.h"

#include <algorithm>

namespace edgeconv {

namespace {

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

}  // namespace

const Node* private_linear(const Graph& g, const Users& users, const ProductReader& r) {
  const ValueId v = g.node(r.node).in(r.operand);
  const Node* p = producer_of_kind(g, v, OpKind::kLinear);
  return p && p->as<LinearAttrs>().activation < 0 && use_count(users, v) == 1 && !g.is_output(v) ? p : nullptr;
}

std::vector<int64_t> join_linears(Graph& g, const std::vector<ProductReader>& readers) {
  std::vector<const Node*> linears;
  std::vector<int64_t> first{0};
  std::vector<NodeId> old;
  for (const ProductReader& r : readers) {
    const Node* l = g.producer(g.node(r.node).in(r.operand));
    linears.push_back(l);
    old.push_back(id_of(g, *l));
    first.push_back(first.back() + g.value(l->in(1)).constant->dims()[1]);
  }
  // All names stay visible, so that a pattern for the key projection finds the merged layer.
  Origin origin = linears[0]->origin;
  for (size_t i = 1; i < linears.size(); ++i) origin.node += "+" + linears[i]->origin.node;
  const ValueId x = linears[0]->in(0);
  Shape shape = *g.value(linears[0]->outputs[0]).shape;
  shape.back() = first.back();
  const Tensor weight = joined_weight(g, linears);
  const auto bias = joined_bias(g, linears);
  const auto codes = joined_codes(g, linears);
  const ValueId w = g.add_constant(origin.node + "/joined", weight),
                b = bias ? g.add_constant(origin.node + "/joined_bias", *bias) : kNone;
  g.value(w).quantized = codes;
  const ValueId joined = g.add_node(OpKind::kLinear, {x, w, b}, LinearAttrs{}, origin);
  g.value(joined).dtype = DType::kFloat;
  g.value(joined).shape = shape;
  for (size_t i = 0; i < readers.size(); ++i) {
    g.node(readers[i].node).inputs[readers[i].operand] = joined;
    g.node(old[i]).dead = true;
  }
  first.pop_back();
  return first;
}

}  // namespace edgeconv
