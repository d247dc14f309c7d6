// TableLimits that the graph itself sets: a position table of P rows sliced to the sequence allows at most P tokens, and ids that index a table
// of V rows must lie in [-V, V): in ONNX Gather negative ones count from the end.
#include "convert/dims/table_limits.h"

#include <algorithm>

#include "convert/dims/index_origin.h"
#include "convert/passes/select.h"

namespace edgeconv {
namespace {

template <class Key>
void lower(std::map<Key, int64_t>& limits, const Key& key, int64_t most) {
  const auto [it, fresh] = limits.try_emplace(key, most);
  if (!fresh) it->second = std::min(it->second, most);
}

// size <= most, where size grows with the one dim that is in it: d, d + c, 2 * floor(d / 320) - 1.
void limit_size(const DimExpr& size, int64_t most, TableLimits& limits) {
  const auto names = size.symbols();
  if (names.size() != 1) return;
  // What is too large to be evaluated is too large.
  const auto at = [&](int64_t n) { return size.evaluate({{names[0], n}}).value_or(INT64_MAX); };
  int64_t fits = 0, beyond = 1;
  while (at(beyond) <= most) {
    if (beyond > INT32_MAX / 2 || at(beyond * 2) < at(beyond)) return;
    fits = beyond;
    beyond *= 2;
  }
  while (fits + 1 < beyond) {
    const int64_t middle = fits + (beyond - fits) / 2;
    (at(middle) <= most ? fits : beyond) = middle;
  }
  lower(limits, names[0], fits);
}

// A part of a table begins inside of it: inference takes a symbolic start that may be negative for one that is not.
void limit_start(const Graph& g, const Node& slice, TableLimits& limits) {
  if (!g.value(slice.in(1)).elements) return;
  for (const DimExpr& start : *g.value(slice.in(1)).elements) {
    const auto names = start.symbols();
    if (names.size() != 1 || start.evaluate({{names[0], 1}}).value_or(-1) < 0) continue;
    limit_size(DimExpr(0) - start, 0, limits);
  }
}

struct Lookup {
  ValueId ids, table;
};

std::optional<Lookup> lookup(const Graph& g, const Node& n) {
  Lookup l{kNone, kNone};
  if (n.kind == OpKind::kGather && n.as<AxisAttrs>().axis == 0) l = {n.in(1), n.in(0)};
  if (n.kind == OpKind::kEmbedding) l = {n.in(0), n.in(1)};
  if (n.dead || l.ids == kNone || !g.value(l.ids).shape) return {};
  const Value& table = g.value(l.table);
  return table.constant && table.shape && !table.shape->empty() ? std::optional(l) : std::nullopt;
}

}  // namespace

void limit_by_slices(const Graph& g, TableLimits& limits) {
  for (const Node& n : g.nodes) {
    if (n.dead || n.kind != OpKind::kSlice) continue;
    const Value &table = g.value(n.in(0)), &part = g.value(n.outputs[0]);
    if (!table.constant || !table.shape || !part.shape) continue;
    for (size_t axis = 0; axis < table.shape->size(); ++axis) {
      const auto rows = (*table.shape)[axis].constant();
      const DimExpr& size = (*part.shape)[axis];
      if (rows && !size.is_constant()) limit_size(size, *rows, limits);
    }
    limit_start(g, n, limits);
  }
}

void limit_by_lookups(const Graph& g, TableLimits& limits, std::map<ValueId, int64_t>& rows_of_input,
                      std::map<ValueId, int64_t>& rows_of_part) {
  for (const Node& n : g.nodes) {
    const auto l = lookup(g, n);
    if (!l) continue;
    const int64_t rows = (*g.value(l->table).shape)[0].constant().value_or(INT32_MAX);
    const ValueId counted = ids_before_wrap(g, l->ids, rows);
    const IndexOrigin o = index_origin(g, counted == kNone ? l->ids : counted);
    if (o.computed) {
      const Shape& shape = *g.value(l->ids).shape;
      if (shape.empty() || !shape.back().is_symbol()) continue;
      // CumSum positions start at 1 above the padding id, Range positions at 0.
      const bool from_one = g.producer(o.value)->kind == OpKind::kCumSum;
      lower(limits, shape.back().symbol_name(), rows - o.offset - (from_one ? 1 : 0));
    } else if (std::find(g.inputs.begin(), g.inputs.end(), o.value) != g.inputs.end() && o.offset == 0 &&
               !(o.scaled && is_float(g.value(o.value).dtype))) {
      lower(o.part ? rows_of_part : rows_of_input, o.value, rows);
    }
  }
}

}  // namespace edgeconv
