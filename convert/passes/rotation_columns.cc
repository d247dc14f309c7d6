// Follows slices, concatenations, reshapes, sums and products from a value back to x.
#include "convert/passes/rotation_columns.h"

#include <algorithm>

#include "convert/ir/axis.h"
#include "convert/passes/match.h"

namespace edgeconv::rotation {

namespace params = ert::params;

namespace {

class Evaluator {
 public:
  Evaluator(const Graph& g, ValueId x) : g_(g), x_(x) {
    const Shape& shape = *g.value(x).shape;
    leading_.assign(shape.begin(), shape.end() - 1);
  }

  // The columns of v in terms of x; nullopt if it is computed in any other way.
  std::optional<Columns> columns(ValueId v, int depth = 0) const {
    if (v == x_) {
      Columns all{{*g_.value(v).shape->back().constant()}, {}};
      for (int64_t i = 0; i < all.dims[0]; ++i) all.each.push_back({Term{1, kNone, 0, i}});
      return all;
    }
    const Node* n = v == kNone ? nullptr : g_.producer(v);
    const auto dims = trailing(v);
    if (!n || n->dead || !dims || depth > kMaxDepth) return {};
    auto result = produced(*n, v, *dims, depth + 1);
    if (!result || result->dims != *dims) return {};
    return result;
  }

 private:
  // Sizes behind the leading axes.
  std::optional<std::vector<int64_t>> trailing(ValueId v) const {
    const auto& shape = g_.value(v).shape;
    if (!shape || shape->size() < leading_.size() || !std::equal(leading_.begin(), leading_.end(), shape->begin())) return {};
    std::vector<int64_t> dims;
    int64_t count = 1;
    for (size_t i = leading_.size(); i < shape->size(); ++i) {
      const auto size = (*shape)[i].constant();
      if (!size || *size < 1 || *size > kMaxColumns) return {};
      dims.push_back(*size);
      if ((count *= *size) > kMaxColumns) return {};
    }
    return dims;
  }

  std::optional<Columns> produced(const Node& n, ValueId v, const std::vector<int64_t>& dims, int depth) const {
    switch (n.kind) {
      case OpKind::kUnary:
        return n.as<UnaryAttrs>().kind == params::unary::kNeg ? negated(columns(n.in(0), depth)) : std::nullopt;
      case OpKind::kBinary: return combined(n, v, depth);
      case OpKind::kConcat: return joined(n, dims, depth);
      case OpKind::kSlice:
      case OpKind::kSplit:
      case OpKind::kGather: return selected(n, v, dims, depth);
      case OpKind::kReshape:
      case OpKind::kSqueeze:
      case OpKind::kUnsqueeze:
      case OpKind::kFlatten:
      case OpKind::kIdentity: {
        auto in = columns(n.in(0), depth);
        if (in) in->dims = dims;
        return in;
      }
      default: return {};
    }
  }

  static std::optional<Columns> negated(std::optional<Columns> c) {
    if (c)
      for (Column& column : c->each)
        for (Term& t : column) t.sign = -t.sign;
    return c;
  }

  std::optional<Columns> combined(const Node& n, ValueId v, int depth) const {
    const auto kind = n.as<BinaryAttrs>().kind;
    if (kind == params::binary::kMul) {
      for (size_t side = 0; side < 2; ++side) {
        const auto in = columns(n.in(side), depth);
        if (!in || g_.value(n.in(side)).shape != g_.value(v).shape) continue;
        if (scalar_constant(g_, n.in(1 - side)) == -1.0f) return negated(in);
        return multiplied(*in, n.in(1 - side));
      }
      return {};
    }
    if (kind != params::binary::kAdd && kind != params::binary::kSub) return {};
    auto left = columns(n.in(0), depth);
    const auto right = left ? columns(n.in(1), depth) : std::nullopt;
    if (!right || left->dims != right->dims) return {};
    for (size_t i = 0; i < left->each.size(); ++i)
      for (Term t : right->each[i]) {
        if (kind == params::binary::kSub) t.sign = -t.sign;
        left->each[i].push_back(t);
      }
    return left;
  }

  std::optional<Columns> multiplied(Columns c, ValueId table) const {
    const auto& shape = g_.value(table).shape;
    if (c.dims.size() != 1 || !shape || shape->empty() || shape->back() != DimExpr(c.dims[0]) || !is_float(g_.value(table).dtype))
      return {};
    for (size_t i = 0; i < c.each.size(); ++i)
      for (Term& t : c.each[i]) {
        if (t.table != kNone) return {};
        t.table = table;
        t.column = static_cast<int64_t>(i);
      }
    return c;
  }

  // The axis of n among the trailing ones; -1 if it is a leading one.
  int64_t trailing_axis(int64_t axis, ValueId v) const {
    return std::max<int64_t>(-1, from_front(axis, g_.value(v).rank()) - static_cast<int64_t>(leading_.size()));
  }

  std::optional<Columns> joined(const Node& n, const std::vector<int64_t>& dims, int depth) const {
    const int64_t axis = trailing_axis(n.as<AxisAttrs>().axis, n.outputs[0]);
    if (axis < 0) return {};
    std::vector<Columns> parts;
    for (ValueId in : n.inputs) {
      auto part = columns(in, depth);
      if (!part || part->dims.size() != dims.size()) return {};
      parts.push_back(std::move(*part));
    }
    int64_t outer = 1;
    for (int64_t i = 0; i < axis; ++i) outer *= dims[static_cast<size_t>(i)];
    Columns all{dims, {}};
    for (int64_t o = 0; o < outer; ++o)
      for (const Columns& part : parts) {
        const auto block = static_cast<std::ptrdiff_t>(part.each.size()) / outer;
        all.each.insert(all.each.end(), part.each.begin() + o * block, part.each.begin() + (o + 1) * block);
      }
    return all;
  }

  // Start and step of every axis that a Slice with constant operands changes.
  struct Cut {
    int64_t axis, start, step;
  };
  std::optional<std::vector<Cut>> cuts(const Node& n, ValueId v) const {
    const auto numbers = [&](size_t i) {
      return n.in(i) != kNone && g_.value(n.in(i)).constant ? std::optional(g_.value(n.in(i)).constant->to_int64())
                                                            : std::nullopt;
    };
    if (n.kind == OpKind::kGather) {
      const auto index = numbers(1);
      if (!index || index->size() != 1) return {};
      return std::vector<Cut>{{n.as<AxisAttrs>().axis, (*index)[0], 1}};
    }
    if (n.kind == OpKind::kSplit) {
      const int64_t axis = from_front(n.as<SplitAttrs>().axis, g_.value(n.in(0)).rank());
      int64_t start = 0;
      for (ValueId o : n.outputs) {
        if (o == v) return std::vector<Cut>{{axis, start, 1}};
        const auto size =
            o != kNone && g_.value(o).shape ? (*g_.value(o).shape)[static_cast<size_t>(axis)].constant() : std::nullopt;
        if (!size) return {};
        start += *size;
      }
      return {};
    }
    const auto starts = numbers(1), axes = numbers(3), steps = numbers(4);
    if (!starts || (n.in(3) != kNone && !axes) || (n.in(4) != kNone && !steps)) return {};
    std::vector<Cut> all;
    for (size_t i = 0; i < starts->size(); ++i)
      all.push_back({axes ? (*axes)[i] : static_cast<int64_t>(i), (*starts)[i], steps ? (*steps)[i] : 1});
    return all;
  }

  std::optional<Columns> selected(const Node& n, ValueId v, const std::vector<int64_t>& dims, int depth) const {
    auto c = columns(n.in(0), depth);
    const auto changes = c ? cuts(n, v) : std::nullopt;
    if (!changes || (n.kind == OpKind::kGather && g_.value(n.in(1)).rank() > 1)) return {};
    const bool drops_axis = n.kind == OpKind::kGather && g_.value(n.in(1)).rank() == 0;
    for (const Cut& cut : *changes) {
      const int64_t axis = trailing_axis(cut.axis, n.in(0));
      if (axis < 0) {
        // A leading axis that keeps its size is whole if it is read forwards.
        if (cut.step != 1 || n.kind == OpKind::kGather) return {};
        continue;
      }
      const size_t at = static_cast<size_t>(axis);
      const int64_t size = c->dims[at], start = std::clamp<int64_t>(from_front(cut.start, size), 0, size - 1);
      const int64_t count = drops_axis ? 1 : dims[at];
      if (start + (count - 1) * cut.step < 0 || start + (count - 1) * cut.step >= size) return {};
      c = taken(*c, at, start, cut.step, count);
    }
    c->dims = dims;
    return c;
  }

  static Columns taken(const Columns& c, size_t axis, int64_t start, int64_t step, int64_t count) {
    int64_t outer = 1, inner = 1;
    for (size_t i = 0; i < axis; ++i) outer *= c.dims[i];
    for (size_t i = axis + 1; i < c.dims.size(); ++i) inner *= c.dims[i];
    Columns r{c.dims, {}};
    r.dims[axis] = count;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < count; ++k)
        for (int64_t i = 0; i < inner; ++i)
          r.each.push_back(c.each[static_cast<size_t>((o * c.dims[axis] + start + k * step) * inner + i)]);
    return r;
  }

  const Graph& g_;
  const ValueId x_;
  Shape leading_;
};

}  // namespace

std::optional<Columns> columns(const Graph& g, ValueId x, ValueId v) { return Evaluator(g, x).columns(v); }

}  // namespace edgeconv::rotation
