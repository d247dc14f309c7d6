// See select.h.
#include "convert/passes/select.h"

#include "convert/passes/match.h"

namespace edgeconv {

namespace params = ert::params;

namespace {

// A product with a condition that is 1 or 0: the condition without negations, which of its values the product keeps, and the other factor.
struct Kept {
  ValueId condition = kNone, value = kNone;
  bool where_true = true;
};

std::optional<Kept> match_kept(const Graph& g, ValueId product) {
  const Node* p = binary_producer(g, product, params::binary::kMul);
  for (size_t side = 0; p && side < 2; ++side) {
    const Node* cast = producer_of_kind(g, p->in(side), OpKind::kCast);
    if (!cast || g.value(cast->in(0)).dtype != DType::kBool) continue;
    Kept k{cast->in(0), p->in(1 - side), true};
    while (const Node* negation = unary_producer(g, k.condition, params::unary::kNot)) {
      k.condition = negation->in(0);
      k.where_true = !k.where_true;
    }
    return k;
  }
  return {};
}

// condition = ids < 0, asked of ids or of a cast of them.
bool asks_for_sign(const Graph& g, ValueId condition, ValueId ids) {
  if (const Node* p = binary_producer(g, condition, params::binary::kLess))
    return before_casts(g, p->in(0)) == before_casts(g, ids) && scalar_constant(g, p->in(1)) == 0.0f;
  const Node* p = binary_producer(g, condition, params::binary::kGreater);
  return p && before_casts(g, p->in(1)) == before_casts(g, ids) && scalar_constant(g, p->in(0)) == 0.0f;
}

}  // namespace

std::optional<Select> match_select(const Graph& g, ValueId v) {
  if (const Node* where = producer_of_kind(g, v, OpKind::kWhere)) return Select{where->in(0), where->in(1), where->in(2)};
  const Node* sum = binary_producer(g, v, params::binary::kAdd);
  const auto a = sum ? match_kept(g, sum->in(0)) : std::nullopt, b = sum ? match_kept(g, sum->in(1)) : std::nullopt;
  if (!a || !b || a->condition != b->condition || a->where_true == b->where_true) return {};
  return Select{a->condition, a->where_true ? a->value : b->value, a->where_true ? b->value : a->value};
}

ValueId ids_before_wrap(const Graph& g, ValueId v, int64_t rows) {
  const auto select = match_select(g, v);
  const Node* sum = select ? binary_producer(g, select->yes, params::binary::kAdd) : nullptr;
  const ValueId added = sum ? other_operand(*sum, select->no) : kNone;
  if (added == kNone || g.value(select->no).shape != g.value(v).shape || !asks_for_sign(g, select->condition, select->no)) return kNone;
  const Value& size = g.value(added);
  return size.constant && size.constant->elements() == 1 && size.constant->to_int64()[0] == rows ? select->no : kNone;
}

}  // namespace edgeconv
