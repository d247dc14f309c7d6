// Inference of Reshape and its relatives. The solved -1, copied zeros, and literals that freeze a dynamic axis.
#include <algorithm>

#include "convert/infer/dispatch.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

std::string literal_at(const DimExpr& d, size_t axis) {
  return "literal " + d.str() + " at axis " + std::to_string(axis) + " of a Reshape";
}

bool divides(const DimExpr& whole, const DimExpr& part) { return whole.floor_div(part) * part == whole; }

// Sizes that the file wrote as numbers do not multiply to the input's element count. An exporter that traced with fixed
// sizes leaves such literals where the input has named dims: those dims are bound to the literals, leading axes first.
// A dim that other output sizes are made of is not frozen: S in blocks of 4 is [.., floor(S/4), 4, ..].
bool bind_frozen(NodeInference& c, const Shape& in, const Shape& out, int solve) {
  const size_t n = std::min(in.size(), out.size());
  const auto reads = [](const DimExpr& size, const std::string& dim) {
    const std::vector<std::string> names = size.symbols();
    return std::find(names.begin(), names.end(), dim) != names.end();
  };
  for (size_t i = 0; i < n; ++i) {
    if (static_cast<int>(i) == solve || in[i].is_constant() || !in[i].is_symbol() || !out[i].is_constant()) continue;
    if (std::any_of(out.begin(), out.end(), [&](const DimExpr& size) { return reads(size, in[i].symbol_name()); })) continue;
    // Further axes may be merged with this one (S*B -> 264): only an axis whose successors stay aligned is bound by itself.
    return c.unify(in[i], out[i], literal_at(out[i], i), solve >= 0);
  }
  return false;
}

// The dims of a shape in the order of its axes; nullopt where a size is anything but a number, a dim, or a number of times a dim.
std::optional<std::vector<DimExpr>> dims_in_order(const Shape& s) {
  std::vector<DimExpr> dims;
  for (const DimExpr& size : s) {
    if (size.is_constant()) continue;
    const std::vector<std::string> names = size.symbols();
    if (names.size() != 1) return std::nullopt;
    dims.push_back(DimExpr::symbol(names[0]));
    const auto times = DimExpr::exact_quotient(size, dims.back());
    if (!times || !times->is_constant()) return std::nullopt;
  }
  return dims;
}

// torch.export names the dims of each input by themselves where nothing else ties them: a mask [a, b] is viewed as [c, -1] by the batch c of the
// ids, or [a, 4, b] as [4 * c, d]. Dims of the one and of the other are the same, then, in the order of the axes. `solved`: the axis of -1, or -1.
bool bind_dims_in_order(NodeInference& c, const Shape& in, const Shape& out, int solved) {
  const auto from = dims_in_order(in), to = dims_in_order(out);
  if (!from || !to || to->empty() || from->size() != to->size() + (solved >= 0 ? 1 : 0)) return false;
  if (solved >= 0 && static_cast<size_t>(solved) + 1 != out.size()) return false;
  for (const DimExpr& d : *to)
    if (std::find(from->begin(), from->end(), d) != from->end()) return false;
  for (size_t i = 0; i < to->size(); ++i)
    if (!c.unify((*from)[i], (*to)[i], "a Reshape of " + shape_str(in) + " to " + shape_str(out))) return false;
  return true;
}

// The output axis -1 from the element counts.
std::optional<DimExpr> solve_rest(NodeInference& c, const Shape& in, Shape& out, size_t rest) {
  for (int round = 0; round < 4; ++round) {
    const Shape& current = c.shape(0);  // unify may have replaced dims
    const DimExpr total = shape_elements(current);
    DimExpr known(1);
    for (size_t i = 0; i < out.size(); ++i) {
      if (i != rest) known = known * out[i];
    }
    if (known == DimExpr(0)) return DimExpr(0);
    if (total == DimExpr(0)) return DimExpr(0);
    if (divides(total, known)) return total.floor_div(known);
    if (total.is_constant() && known.is_constant()) {
      c.problem("cannot reshape " + shape_str(current) + " to " + shape_str(out) + ": the element count is no multiple",
                "the exporter froze a size that is declared dynamic, or the file is wrong: " + c.keep_open());
      return std::nullopt;
    }
    if (bind_frozen(c, current, out, static_cast<int>(rest)) || bind_dims_in_order(c, current, out, static_cast<int>(rest))) continue;
    const DimExpr size = total.floor_div(known);
    c.require_equal(total, size * known, "a Reshape of " + shape_str(current) + " whose -1 must come out whole");
    return size;
  }
  return shape_elements(in);
}

}  // namespace

void infer_reshape(NodeInference& c) {
  const auto target = c.elements(1);
  if (!target) return c.data_dependent(1);
  const bool allow_zero = std::holds_alternative<ReshapeAttrs>(c.node().attrs) && c.node().as<ReshapeAttrs>().allow_zero;
  const Shape in = c.shape(0);
  Shape out = *target;
  int rest = -1;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == DimExpr(0) && !allow_zero) {
      if (i >= in.size()) return c.invalid("0 at axis " + std::to_string(i) + " copies a size that the input does not have");
      out[i] = in[i];
    } else if (out[i] == DimExpr(-1)) {
      if (rest >= 0) return c.invalid("more than one -1 in the target shape");
      rest = static_cast<int>(i);
    }
  }
  if (rest >= 0) {
    out[static_cast<size_t>(rest)] = DimExpr(1);
    const auto d = solve_rest(c, in, out, static_cast<size_t>(rest));
    if (!d) return;
    out[static_cast<size_t>(rest)] = *d;
  } else {
    const DimExpr before = shape_elements(in), after = shape_elements(out);
    if (before != after) {
      const DimExpr common_before = before, common_after = after;
      bool bound = false;
      if (!before.is_constant()) bound = bind_frozen(c, in, out, -1) || bind_dims_in_order(c, in, out, -1);
      if (!bound &&
          !c.unify(common_before, common_after, "element count of a Reshape from " + shape_str(in) + " to " + shape_str(out)))
        return;
    }
  }
  c.set(0, c.dtype(0), std::move(out));
  move_elements(c);
}

// Axes from the attribute, or from the second input.
static std::optional<std::vector<int64_t>> axes_of(NodeInference& c) {
  if (const auto* a = std::get_if<AxesAttrs>(&c.node().attrs); a && !a->axes.empty()) return a->axes;
  if (!c.has(1)) return std::vector<int64_t>{};
  const auto v = c.ints(1);
  if (!v) c.data_dependent(1);
  return v;
}

void infer_squeeze(NodeInference& c) {
  auto axes = axes_of(c);
  if (!axes) return;
  const Shape in = c.shape(0);
  std::vector<bool> drop(in.size(), false);
  if (axes->empty() && !c.has(1)) {
    for (size_t i = 0; i < in.size(); ++i) drop[i] = in[i] == DimExpr(1);
    for (size_t i = 0; i < in.size(); ++i) {
      if (in[i].is_constant() || lower_bound(in[i], c.least()) > 1) continue;
      c.warn(c.where() + " has no axes: axis " + std::to_string(i) + " (" + in[i].str() +
             ") stays, also where it is 1, which the file would squeeze (--fix takes one size)");
    }
  }
  for (int64_t a : *axes) {
    const auto ax = c.axis(a, c.rank(0));
    if (!ax) return;
    const size_t i = static_cast<size_t>(*ax);
    if (in[i] != DimExpr(1) && !c.unify(in[i], DimExpr(1), "Squeeze of axis " + std::to_string(i))) return;
    drop[i] = true;
  }
  Shape out;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!drop[i]) out.push_back(in[i]);
  }
  c.set(0, c.dtype(0), std::move(out));
  move_elements(c);
}

void infer_unsqueeze(NodeInference& c) {
  const auto axes = axes_of(c);
  if (!axes) return;
  const Shape in = c.shape(0);
  const int64_t r = static_cast<int64_t>(in.size() + axes->size());
  std::vector<bool> added(static_cast<size_t>(r), false);
  for (int64_t a : *axes) {
    const auto ax = c.axis(a, r);
    if (!ax) return;
    if (added[static_cast<size_t>(*ax)]) return c.invalid("axis " + std::to_string(a) + " is given twice");
    added[static_cast<size_t>(*ax)] = true;
  }
  Shape out;
  size_t from = 0;
  for (bool a : added) out.push_back(a ? DimExpr(1) : in[from++]);
  c.set(0, c.dtype(0), std::move(out));
  move_elements(c);
}

void infer_flatten(NodeInference& c) {
  const int64_t a = c.node().as<AxisAttrs>().axis, r = c.rank(0);
  if (a < -r || a > r) return c.invalid("axis " + std::to_string(a) + " is outside of the rank");
  const size_t split = axis_index(a, c.shape(0).size());
  const Shape& in = c.shape(0);
  DimExpr rows(1), columns(1);
  for (size_t i = 0; i < in.size(); ++i) (i < split ? rows : columns) = (i < split ? rows : columns) * in[i];
  c.set(0, c.dtype(0), {rows, columns});
  move_elements(c);
}

}  // namespace edgeconv
