// Einsum becomes Transpose, Reshape and MatMul: letters of both operands and the result are batch axes, letters of both alone
// are summed, the others are rows and columns. Of a repeated letter in one operand the diagonal is taken first, if its size is fixed.
#include <algorithm>
#include <map>
#include <set>

#include "convert/interp/einsum.h"
#include "convert/passes/match.h"
#include "convert/passes/node_builder.h"

namespace edgeconv {

namespace {

using Labels = std::vector<int>;

struct Term {
  ValueId value = kNone;
  Labels labels;
  Shape shape;
};

bool has(const Labels& l, int x) { return std::find(l.begin(), l.end(), x) != l.end(); }

class EinsumBuilder : public NodeBuilder {
 public:
  using NodeBuilder::NodeBuilder;

  Term permuted(const Term& t, const Labels& order) {
    if (t.labels == order) return t;
    Term r{kNone, order, {}};
    TransposeAttrs a;
    for (int label : order) {
      const auto from = std::find(t.labels.begin(), t.labels.end(), label) - t.labels.begin();
      a.perm.push_back(from);
      r.shape.push_back(t.shape[static_cast<size_t>(from)]);
    }
    r.value = add(OpKind::kTranspose, {t.value}, a, r.shape);
    return r;
  }

  ValueId reshaped(ValueId v, const Shape& from, const Shape& to) {
    if (from == to) return v;
    return add(OpKind::kReshape, {v, sizes_of(to)}, ReshapeAttrs{}, to);
  }

  // Sums over the letters that nobody else reads.
  Term summed(const Term& t, const std::set<int>& wanted) {
    Term r{t.value, {}, {}};
    ReduceAttrs a{ert::params::reduce::kSum, {}, false, false};
    for (size_t i = 0; i < t.labels.size(); ++i) {
      if (wanted.count(t.labels[i])) {
        r.labels.push_back(t.labels[i]);
        r.shape.push_back(t.shape[i]);
      } else {
        a.axes.push_back(static_cast<int64_t>(i));
      }
    }
    if (!a.axes.empty()) r.value = add(OpKind::kReduce, {t.value}, a, r.shape);
    return r;
  }

  // The diagonals over letters that stand there twice; nothing if their size is not fixed.
  std::optional<Term> without_repeats(Term t);

  // The product over the letters of both that are not wanted.
  std::optional<Term> product(Term a, Term b, const std::set<int>& wanted);
};

DimExpr size_of(const Term& t, const Labels& labels) {
  DimExpr n = 1;
  for (int l : labels) n = n * t.shape[static_cast<size_t>(std::find(t.labels.begin(), t.labels.end(), l) - t.labels.begin())];
  return n;
}

Shape sizes(const Term& t, const Labels& labels) {
  Shape s;
  for (int l : labels) s.push_back(size_of(t, {l}));
  return s;
}

Labels joined(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}

std::optional<Term> EinsumBuilder::without_repeats(Term t) {
  for (size_t first = 0; first < t.labels.size(); ++first) {
    const auto again = std::find(t.labels.begin() + static_cast<std::ptrdiff_t>(first) + 1, t.labels.end(), t.labels[first]);
    if (again == t.labels.end()) continue;
    const auto second = static_cast<size_t>(again - t.labels.begin());
    const auto size = t.shape[first].constant();
    if (!size || t.shape[first] != t.shape[second]) return {};
    // Both axes last, then one: every (size + 1)-th element.
    TransposeAttrs to_end;
    Term r{kNone, {}, {}};
    for (size_t a = 0; a < t.labels.size(); ++a) {
      if (a == first || a == second) continue;
      to_end.perm.push_back(static_cast<int64_t>(a));
      r.labels.push_back(t.labels[a]);
      r.shape.push_back(t.shape[a]);
    }
    Shape moved = r.shape, flat = r.shape;
    for (size_t a : {first, second}) {
      to_end.perm.push_back(static_cast<int64_t>(a));
      moved.push_back(*size);
    }
    flat.push_back(*size * *size);
    std::vector<int64_t> diagonal;
    for (int64_t i = 0; i < *size; ++i) diagonal.push_back(i * (*size + 1));
    r.labels.push_back(t.labels[first]);
    r.shape.push_back(*size);
    const ValueId last = add(OpKind::kTranspose, {t.value}, to_end, moved);
    const ValueId rows = g_.add_constant(origin_.node + "/diagonal", Tensor::ints(diagonal));
    r.value =
        add(OpKind::kGather, {reshaped(last, moved, flat), rows}, AxisAttrs{static_cast<int64_t>(flat.size()) - 1}, r.shape);
    return without_repeats(r);
  }
  return t;
}

std::optional<Term> EinsumBuilder::product(Term a, Term b, const std::set<int>& wanted) {
  // Weights belong on the right.
  if (g_.value(a.value).constant && !g_.value(b.value).constant) std::swap(a, b);
  std::set<int> keep_a = wanted, keep_b = wanted;
  keep_a.insert(b.labels.begin(), b.labels.end());
  keep_b.insert(a.labels.begin(), a.labels.end());
  a = summed(a, keep_a);
  b = summed(b, keep_b);
  Labels batch, inner, rows, columns;
  for (int l : a.labels) (!has(b.labels, l) ? rows : wanted.count(l) ? batch : inner).push_back(l);
  for (int l : b.labels)
    if (!has(a.labels, l)) columns.push_back(l);
  if (size_of(a, inner) != size_of(b, inner)) return {};  // a letter of size 1 that broadcasts
  a = permuted(a, joined({batch, rows, inner}));
  b = permuted(b, joined({batch, inner, columns}));
  const Shape batch_a = sizes(a, batch), batch_b = sizes(b, batch), row_shape = sizes(a, rows), column_shape = sizes(b, columns);
  Shape lhs = batch_a, rhs = batch_b, out, full;
  for (size_t i = 0; i < batch.size(); ++i) out.push_back(batch_a[i] == DimExpr(1) ? batch_b[i] : batch_a[i]);
  full = out;
  // Without batch axes the rows need not be flattened.
  const Shape flat_rows = batch.empty() && !rows.empty() ? row_shape : Shape{size_of(a, rows)};
  for (const DimExpr& d : flat_rows) {
    lhs.push_back(d);
    out.push_back(d);
  }
  lhs.push_back(size_of(a, inner));
  rhs.push_back(size_of(b, inner));
  rhs.push_back(size_of(b, columns));
  out.push_back(size_of(b, columns));
  full.insert(full.end(), row_shape.begin(), row_shape.end());
  full.insert(full.end(), column_shape.begin(), column_shape.end());
  const ValueId l = reshaped(a.value, a.shape, lhs), r = reshaped(b.value, b.shape, rhs);
  const ValueId p = add(OpKind::kMatMul, {l, r}, {}, out);
  return Term{reshaped(p, out, full), joined({batch, rows, columns}), full};
}

bool decompose_einsum(Graph& g, NodeId id) {
  const Node n = g.node(id);
  std::vector<int> ranks;
  for (ValueId v : n.inputs) {
    if (v == kNone || !g.value(v).shape || !is_float(g.value(v).dtype)) return false;
    ranks.push_back(g.value(v).rank());
  }
  std::string error;
  const auto spec = parse_einsum(n.as<EinsumAttrs>().equation, ranks, error);
  if (!spec || !g.value(n.outputs[0]).shape) return false;
  std::vector<Term> terms;
  EinsumBuilder b(g, n.origin, g.value(n.outputs[0]).dtype);
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    const auto term = b.without_repeats({n.in(i), spec->inputs[i], *g.value(n.in(i)).shape});
    if (!term) return false;
    terms.push_back(*term);
  }
  const std::set<int> output(spec->output.begin(), spec->output.end());
  Term result = terms.size() == 1 ? b.summed(terms[0], output) : terms[0];
  std::map<int, int> later;  // letters, by how often the terms have them that are left
  for (size_t i = 1; i < terms.size(); ++i)
    for (int label : terms[i].labels) ++later[label];
  for (size_t i = 1; i < terms.size(); ++i) {
    for (int label : terms[i].labels)
      if (--later[label] == 0) later.erase(label);
    std::set<int> wanted = output;
    for (const auto& [label, count] : later) wanted.insert(label);
    const auto product = b.product(result, terms[i], wanted);
    if (!product) return false;
    result = *product;
  }
  if (result.labels.size() != spec->output.size()) return false;
  const Term final = b.permuted(result, spec->output);
  redefine(g, n.outputs[0], OpKind::kIdentity, {final.value}, {}, n.origin);
  return true;
}

}  // namespace

int pass_decompose_einsum(Graph& g, Diagnostics&) {
  return rewrite_each(g, OpKind::kEinsum, [&](NodeId id) { return decompose_einsum(g, id); });
}

}  // namespace edgeconv
