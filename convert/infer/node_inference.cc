// Helpers of inference functions: access to contents, broadcast, unification with messages.
#include "convert/infer/node_inference.h"

#include <algorithm>

#include "convert/ir/axis.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv {

std::optional<std::vector<int64_t>> NodeInference::ints(size_t i) const {
  if (!has(i)) return std::nullopt;
  if (in(i).constant) return in(i).constant->to_int64();
  if (!in(i).elements) return std::nullopt;
  std::vector<int64_t> r;
  for (const DimExpr& e : *in(i).elements) {
    if (!e.constant()) return std::nullopt;
    r.push_back(*e.constant());
  }
  return r;
}

std::optional<std::vector<DimExpr>> NodeInference::elements(size_t i) const {
  if (!has(i)) return std::nullopt;
  const Value& v = in(i);
  if (v.elements) return v.elements;
  if (!v.constant || v.constant->elements() > kMaxElements) return std::nullopt;
  if (is_integer(v.dtype) || v.dtype == DType::kBool) {
    const std::vector<int64_t> c = v.constant->to_int64();
    return std::vector<DimExpr>(c.begin(), c.end());
  }
  if (!is_float(v.dtype)) return std::nullopt;
  // Whole numbers in floats: sizes that pass through Cast on their way to Range or Div.
  std::vector<DimExpr> r;
  for (float f : v.constant->to_float()) {
    if (!(f > -16777216.0f && f < 16777216.0f) || f != static_cast<float>(static_cast<int64_t>(f))) return std::nullopt;
    r.emplace_back(static_cast<int64_t>(f));
  }
  return r;
}

bool NodeInference::has_elements(size_t i, int64_t wanted) {
  if (!has(i)) return true;
  const Value& v = in(i);
  std::optional<int64_t> count;
  if (v.constant)
    count = v.constant->elements();
  else if (v.elements)
    count = static_cast<int64_t>(v.elements->size());
  else if (v.shape)
    count = shape_elements(*v.shape).constant();
  if (!count || *count == wanted) return true;
  invalid("'" + input_name(i) + "' has " + std::to_string(*count) + " elements where " +
          (wanted == 1 ? "one number is needed" : std::to_string(wanted) + " numbers are needed"));
  return false;
}

std::optional<int64_t> NodeInference::axis(int64_t a, int64_t r) {
  if (a < -r || a >= r) {
    invalid("axis " + std::to_string(a) + " is outside of the rank " + std::to_string(r));
    return std::nullopt;
  }
  return from_front(a, r);
}

void NodeInference::set(size_t output, DType t, Shape s) {
  if (output >= node().outputs.size() || node().outputs[output] == kNone) return;
  Value& v = g_.value(node().outputs[output]);
  v.dtype = t;
  v.shape = std::move(s);
}

void NodeInference::set_elements(size_t output, std::vector<DimExpr> e) {
  if (output >= node().outputs.size() || node().outputs[output] == kNone) return;
  g_.value(node().outputs[output]).elements = std::move(e);
}

bool NodeInference::unify(const DimExpr& a, const DimExpr& b, const std::string& what, bool multiples) {
  switch (dims_.unify(a, b)) {
    case DimsUnion::Result::kSame:
    case DimsUnion::Result::kMerged: return true;
    case DimsUnion::Result::kSpecialised:
      warn_specialised(what, multiples);
      return true;
    case DimsUnion::Result::kUndecided: require_equal(a, b, what); return true;
    case DimsUnion::Result::kContradiction: break;
  }
  // Empty tensors are ONNX, but no dim here is ever 0: a file that declares them is not wrong.
  if (a.is_constant() && b.is_constant() && *a.constant() > 0 && *b.constant() > 0) {
    invalid("sizes " + a.str() + " and " + b.str() + " must be equal (" + what + ")",
            "or its exporter froze a size that is declared dynamic: " + keep_open(std::min(*a.constant(), *b.constant())));
    return false;
  }
  problem("sizes " + a.str() + " and " + b.str() + " must be equal (" + what + ")",
          "the exporter froze a size that is declared dynamic, or the file is wrong: " + keep_open(a.constant() ? a.constant() : b.constant()));
  return false;
}

// Whether the node's weights have an axis of this size, which no exporter could have kept open.
bool NodeInference::is_width_of_weights(int64_t size) const {
  const OpKind kind = node().kind;
  const bool one = kind == OpKind::kMatMul || kind == OpKind::kConv || kind == OpKind::kConvTranspose;
  for (size_t i = 1; i <= (kind == OpKind::kRnn ? 2u : one ? 1u : 0u); ++i) {
    if (!has(i) || !in(i).constant) continue;
    const std::vector<int64_t>& dims = in(i).constant->dims();
    if (std::find(dims.begin(), dims.end(), size) != dims.end()) return true;
  }
  return false;
}

// torch.export, of which such names of nodes are, takes a size of 1 in the example for one that always is.
std::string NodeInference::keep_open(std::optional<int64_t> size) const {
  if (node().origin.node.rfind("node_", 0) != 0) return "re-export with dynamo=True to keep it dynamic";
  if (size == 1) return "export with an example that is larger than 1 on that axis to keep it dynamic";
  return "export with that axis in dynamic_shapes, and without its size as a number in forward(), to keep it dynamic";
}

// Once for a dim: a recurrent layer has several weights of the width of its input.
void NodeInference::warn_specialised(const std::string& what, bool multiples) {
  const std::string dim = "dim '" + dims_.last_symbol() + "' is declared dynamic, but ", size = std::to_string(dims_.last_number());
  if (std::any_of(log_.warnings.begin(), log_.warnings.end(), [&](const std::string& w) { return w.rfind(dim, 0) == 0; })) return;
  if (is_width_of_weights(dims_.last_number()))
    return warn(dim + "the weights of " + where() + " are made for " + size + " (" + what + "): every run needs that size");
  const std::string fixed = dim + where() + " fixes it to " + size + " (" + what + "): the model ", froze = keep_open(dims_.last_number());
  if (!multiples || dims_.last_number() < 2) return warn(fixed + "runs at that size only. The exporter froze it: " + froze);
  warn(fixed + "is converted for that size. " + node().origin.op_type + " takes multiples of it, too: --fix " +
       shell_word(dims_.last_symbol() + "=" + std::to_string(2 * dims_.last_number())) + " is a model for twice the size, where what follows takes that. Unless the model means groups of " + size +
       ", the exporter froze it: " + froze);
}

void NodeInference::require_equal(const DimExpr& a, const DimExpr& b, const std::string& what) {
  log_.equalities.push_back({a, b, node().origin, what});
}

std::optional<Shape> NodeInference::broadcast(const Shape& a, const Shape& b) {
  const size_t r = std::max(a.size(), b.size());
  Shape out(r);
  for (size_t i = 0; i < r; ++i) {
    const DimExpr da = i + a.size() >= r ? a[i + a.size() - r] : DimExpr(1);
    const DimExpr db = i + b.size() >= r ? b[i + b.size() - r] : DimExpr(1);
    if (da == DimExpr(1) || da == db) {
      out[i] = db;
    } else if (db == DimExpr(1)) {
      out[i] = da;
    } else {
      if (!unify(da, db, "broadcast of axis " + std::to_string(i))) return std::nullopt;
      out[i] = db.is_constant() ? db : da;
    }
  }
  return out;
}

std::string NodeInference::where() const { return node().origin.op_type + " '" + node().origin.node + "'"; }

std::string NodeInference::inputs_str() const {
  std::string s;
  for (size_t i = 0; i < node().inputs.size(); ++i) {
    if (!has(i)) continue;
    if (!s.empty()) s += ", ";
    s += in(i).name + " " + (in(i).shape ? shape_str(*in(i).shape) : std::string("?")) + " " +
         std::string(dtype_name(in(i).dtype));
  }
  return s;
}

void NodeInference::problem(const std::string& reason, const std::string& hint) {
  Problem p;
  p.op = node().origin.op_type.empty() ? std::string(op_name(node().kind)) : node().origin.op_type;
  p.where = node().origin.node;
  if (!node().origin.scope.empty()) p.where += " (torch: " + node().origin.scope + ")";
  p.detail = inputs_str();
  p.reason = reason;
  p.hint = hint;
  log_.problems.push_back(std::move(p));
}

void NodeInference::invalid(const std::string& reason, const std::string& rule) {
  problem(reason, rule);
  log_.problems.back().malformed = true;
}

void NodeInference::data_dependent(size_t input) {
  problem("the shape of the result depends on the data in '" + input_name(input) + "'",
          "the runtime plans memory from sizes alone: replace data-dependent shapes (x[mask], nonzero, sizes computed from "
          "values) by masks and torch.where");
}

}  // namespace edgeconv
