// See step_affine.h.
#include "convert/infer/step_affine.h"

#include <algorithm>

#include "convert/infer/step_values.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

namespace binary = ert::params::binary;
namespace unary = ert::params::unary;

constexpr int kMostAdded = 256;

void add_to(std::vector<float>& to, const std::vector<float>& v, float sign) {
  to.resize(v.size());
  for (size_t i = 0; i < v.size(); ++i) to[i] += sign * v[i];
}

void add_to(AffineColumns& to, const AffineColumns& v, float sign) {
  add_to(to.bias, v.bias, sign);
  for (const auto& [value, p] : v.products) {
    AffineColumns::Product& sum = to.products[value];
    sum.rows = p.rows;
    add_to(sum.matrix, p.matrix, sign);
  }
  for (const auto& [columns, factors] : v.multiplied) add_to(to.multiplied[columns], factors, sign);
}

void scale(AffineColumns& v, const std::vector<float>& by) {
  const size_t n = by.size();
  for (size_t i = 0; i < n; ++i) v.bias[i] *= by[i];
  for (auto& [value, p] : v.products)
    for (size_t i = 0; i < p.matrix.size(); ++i) p.matrix[i] *= by[i % n];
  for (auto& [columns, factors] : v.multiplied)
    for (size_t i = 0; i < n; ++i) factors[i] *= by[i];
}

class Columns {
 public:
  explicit Columns(const Graph& g) : g_(g) {}

  std::optional<AffineColumns> of(ValueId given, int64_t first, int64_t count) {
    if (++seen_ > kMostAdded) return {};
    const ValueId v = same_rows(g_, given);
    const auto rows = rows_of(g_, v);
    if (!rows || rows->columns.constant().value_or(-1) < first + count || g_.value(v).dtype != DType::kFloat) return {};
    AffineColumns r;
    r.bias.assign(static_cast<size_t>(count), 0.0f);
    if (const auto row = constant_row(v, first, count)) {
      r.bias = *row;
      return r;
    }
    if (g_.value(v).constant) return {};
    const Node* p = g_.producer(v);
    if (p && p->kind == OpKind::kBinary) {
      const auto kind = p->as<BinaryAttrs>().kind;
      if (kind == binary::kAdd || kind == binary::kSub) return sum(*p, *rows, first, count, kind == binary::kAdd ? 1.0f : -1.0f);
      for (size_t i = 0; i < 2 && kind == binary::kMul; ++i)
        if (const auto factors = constant_row(p->in(i), first, count)) return scaled(p->in(1 - i), *rows, first, *factors);
    }
    if (p && p->kind == OpKind::kUnary && p->as<UnaryAttrs>().kind == unary::kNeg)
      return scaled(p->in(0), *rows, first, std::vector<float>(static_cast<size_t>(count), -1.0f));
    if (p && p->kind == OpKind::kMatMul && g_.value(p->in(1)).constant) {
      if (!add_product(r, p->in(0), 0, p->in(1), first, count)) return {};
      return r;
    }
    if (const auto part = part_of_columns(v, first, count)) return of(part->first, part->second, count);
    r.multiplied[{v, first}].assign(static_cast<size_t>(count), 1.0f);
    return r;
  }

 private:
  // Constants that are the same for all rows.
  std::optional<std::vector<float>> constant_row(ValueId given, int64_t first, int64_t count) const {
    const Value& x = g_.value(same_rows(g_, given));
    if (!x.constant || x.dtype != DType::kFloat) return {};
    const std::vector<int64_t>& dims = x.constant->dims();
    if (x.constant->elements() == 1) return std::vector<float>(static_cast<size_t>(count), x.constant->to_float()[0]);
    if (dims.empty() || dims.back() != x.constant->elements() || dims.back() < first + count) return {};
    const std::vector<float> all = x.constant->to_float();
    return std::vector<float>(all.begin() + first, all.begin() + first + count);
  }

  std::optional<AffineColumns> sum(const Node& n, const Rows& rows, int64_t first, int64_t count, float sign) {
    AffineColumns r;
    r.bias.assign(static_cast<size_t>(count), 0.0f);
    for (size_t i = 0; i < 2; ++i) {
      const float by = i == 0 ? 1.0f : sign;
      if (const auto row = constant_row(n.in(i), first, count)) {
        add_to(r.bias, *row, by);
        continue;
      }
      if (rows_of(g_, n.in(i)) != rows) return {};
      const auto part = of(n.in(i), first, count);
      if (!part) return {};
      add_to(r, *part, by);
    }
    return r;
  }

  std::optional<AffineColumns> scaled(ValueId v, const Rows& rows, int64_t first, const std::vector<float>& factors) {
    if (rows_of(g_, v) != rows) return {};
    auto r = of(v, first, static_cast<int64_t>(factors.size()));
    if (r) scale(*r, factors);
    return r;
  }

  // x times rows of the matrix from `row` on; parts of x that were put together are multiplied one by one.
  bool add_product(AffineColumns& r, ValueId given, int64_t row, ValueId matrix, int64_t first, int64_t count) {
    const Tensor& w = *g_.value(matrix).constant;
    const ValueId x = same_rows(g_, given);
    const auto size = rows_of(g_, x);
    if (++seen_ > kMostAdded || w.rank() != 2 || w.dtype() != DType::kFloat || !size || !size->columns.constant()) return false;
    const int64_t k = *size->columns.constant(), n = w.dims()[1];
    if (row + k > w.dims()[0]) return false;
    const Node* p = g_.producer(x);
    if (p && p->kind == OpKind::kConcat && is_last_axis(p->as<AxisAttrs>().axis, g_.value(x).rank())) {
      for (const ValueId part : p->inputs) {
        const auto columns = rows_of(g_, part);
        if (!columns || columns->rows != size->rows || !add_product(r, part, row, matrix, first, count)) return false;
        row += *columns->columns.constant();
      }
      return true;
    }
    const Tensor all = w.aligned();
    std::vector<float> part(static_cast<size_t>(k * count));
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < count; ++j)
        part[static_cast<size_t>(i * count + j)] = all.as<float>()[static_cast<size_t>((row + i) * n + first + j)];
    AffineColumns::Product& sum = r.products[x];
    sum.rows = k;
    add_to(sum.matrix, part, 1.0f);
    return true;
  }

  // The value, and the column of it, that a Split, Slice or Concat of columns takes them from.
  std::optional<std::pair<ValueId, int64_t>> part_of_columns(ValueId v, int64_t first, int64_t count) const {
    const Node* p = g_.producer(v);
    if (!p) return {};
    if (p->kind == OpKind::kSplit && is_last_axis(p->as<SplitAttrs>().axis, g_.value(v).rank())) {
      for (const ValueId o : p->outputs) {
        if (o == v) return std::pair(p->in(0), first);
        const auto before = o == kNone ? std::nullopt : rows_of(g_, o);
        if (!before || !before->columns.constant()) return {};
        first += *before->columns.constant();
      }
    }
    if (p->kind == OpKind::kConcat && is_last_axis(p->as<AxisAttrs>().axis, g_.value(v).rank())) {
      for (const ValueId part : p->inputs) {
        const auto rows = rows_of(g_, part);
        if (!rows || !rows->columns.constant()) return {};
        const int64_t columns = *rows->columns.constant();
        if (first < columns) return first + count <= columns ? std::optional(std::pair(part, first)) : std::nullopt;
        first -= columns;
      }
    }
    if (p->kind != OpKind::kSlice) return {};
    const auto start = start_of_columns(*p);
    return start ? std::optional(std::pair(p->in(0), first + *start)) : std::nullopt;
  }

  std::optional<std::vector<int64_t>> numbers(ValueId v) const {
    if (v == kNone || !g_.value(v).constant) return {};
    return g_.value(v).constant->to_int64();
  }

  // Where a Slice begins that takes all rows and some columns.
  std::optional<int64_t> start_of_columns(const Node& n) const {
    const Shape &in = *g_.value(n.in(0)).shape, &out = *g_.value(n.outputs[0]).shape;
    const auto starts = numbers(n.in(1)), axes = numbers(n.in(3)), steps = numbers(n.in(4));
    if (!starts || (n.in(3) != kNone && !axes) || (n.in(4) != kNone && !steps)) return {};
    if (!std::equal(in.begin(), in.end() - 1, out.begin()) || !in.back().constant()) return {};
    if (steps && std::any_of(steps->begin(), steps->end(), [](int64_t s) { return s != 1; })) return {};
    for (size_t i = 0; i < starts->size(); ++i) {
      const int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i), size = *in.back().constant(), start = (*starts)[i];
      if (is_last_axis(axis, g_.value(n.in(0)).rank())) return std::clamp<int64_t>(from_front(start, size), 0, size);
    }
    return 0;
  }

  const Graph& g_;
  int seen_ = 0;
};

}  // namespace

std::optional<AffineColumns> affine_columns(const Graph& g, ValueId v, int64_t first, int64_t count) {
  return Columns(g).of(v, first, count);
}

}  // namespace edgeconv
