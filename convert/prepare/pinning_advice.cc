// Goes back from conditions, trip counts and sizes to the inputs of the file, through the bodies that they stand in.
#include "convert/prepare/pinning_advice.h"

#include <algorithm>
#include <set>

#include "convert/infer/inline_bodies.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

constexpr int64_t kFewElements = 16;     // inputs that are settings, not data
constexpr int64_t kMostTried = 1 << 18;  // sizes of a dim
constexpr int64_t kMostVisited = 10000;
// Of all advice on a model: sizes tried, and tenths of values visited. A file may ask for advice at each of its nodes.
constexpr int64_t kMostSteps = 1 << 20;

// A graph, and where the inputs of a body come from.
struct Frame {
  const Graph& g;
  const Frame* outer = nullptr;
  const Node* node = nullptr;  // of the outer graph
};

struct Place {
  const Frame* frame;
  ValueId v;
  const Value& value() const { return frame->g.value(v); }
};

// Whether each round hands carried input i on as it came, as tf2onnx does with sizes and weights.
bool is_handed_on(const Graph& body, size_t i) {
  return i >= 2 && i - 1 < body.outputs.size() && before_casts(body, body.outputs[i - 1]) == body.inputs[i];
}

// A body's input is the outer value that is captured or handed on; what else a Loop makes up (iteration, carried values) has no single one.
Place resolved(Place p) {
  while (p.frame->outer != nullptr) {
    const auto& inputs = p.frame->g.inputs;
    const auto at = std::find(inputs.begin(), inputs.end(), p.v);
    if (at == inputs.end()) return p;
    const Node& n = *p.frame->node;
    const auto i = static_cast<size_t>(at - inputs.begin());
    const size_t first = n.kind == OpKind::kIf ? 0 : 2 + static_cast<size_t>(std::max<int64_t>(0, n.as<SubgraphAttrs>().carried));
    if (i < first && (n.kind == OpKind::kIf || !is_handed_on(p.frame->g, i))) return p;
    const ValueId outer = n.in(n.kind == OpKind::kIf ? i + 1 : i);
    if (outer == kNone) return p;
    p = {p.frame->outer, outer};
  }
  return p;
}

bool is_file_input(const Place& p) {
  const auto& inputs = p.frame->g.inputs;
  return p.frame->outer == nullptr && std::find(inputs.begin(), inputs.end(), p.v) != inputs.end();
}

Place behind_views(Place p) {
  for (int depth = 0; depth < 64; ++depth) {
    p = resolved(p);
    const Node* n = p.frame->g.producer(p.v);
    if (n == nullptr || (n->kind != OpKind::kCast && !only_reshapes(n->kind)) || n->in(0) == kNone) return p;
    p.v = n->in(0);
  }
  return p;
}

// "VALUE", or where the elements may differ a file.
std::string placeholder(const Value& v) {
  return std::all_of(v.shape->begin(), v.shape->end(), [](const DimExpr& d) { return d == DimExpr(1); }) ? "VALUE" : "FILE.npy";
}

bool can_be_pinned(const Value& v) {
  if (!v.shape || !is_static(*v.shape)) return false;
  int64_t elements = 1;
  for (const DimExpr& d : *v.shape)
    if (__builtin_mul_overflow(elements, *d.constant(), &elements)) return false;
  return elements <= kFewElements;
}

std::optional<std::string> constant_text(const Value& v) {
  if (!v.constant || v.constant->elements() != 1) return std::nullopt;
  if (!is_float(v.dtype)) return std::to_string(v.constant->to_int64()[0]);
  const float f = v.constant->to_float()[0];
  return f == static_cast<float>(static_cast<int64_t>(f)) ? std::to_string(static_cast<int64_t>(f)) : std::to_string(f);
}

// What would decide, in the order in which it was found.
class Options {
 public:
  explicit Options(int64_t& left) : left_(left) {}
  // False where the advice on this model has taken enough time.
  bool may_go_on(int64_t steps) { return (left_ -= steps) >= 0; }
  void add(const std::string& option) {
    if (std::find(all_.begin(), all_.end(), option) == all_.end()) all_.push_back(option);
  }
  std::string hint() const {
    std::string s;
    for (const std::string& o : all_) s += (s.empty() ? "" : " ") + o;
    return s.empty() ? "" : "pin what it depends on: " + s;
  }
  bool empty() const { return all_.empty(); }

 private:
  std::vector<std::string> all_;
  int64_t& left_;
};

// Sizes of the one dim of e that make it equal to wanted: one of them that is a power of two if there is any, the middle of the first range otherwise.
void offer_sizes(const DimExpr& e, int64_t wanted, Options& out) {
  const std::vector<std::string> names = e.symbols();
  if (names.size() != 1) return;
  int64_t first = 0, last = 0, nice = 0;
  for (int64_t n = 1; n <= kMostTried && out.may_go_on(1); ++n) {
    if (e.evaluate({{names[0], n}}) != wanted) {
      if (first) break;
      continue;
    }
    if (!first) first = n;
    last = n;
    if ((n & (n - 1)) == 0) nice = n;
  }
  if (first) out.add("--fix " + shell_word(names[0] + "=" + std::to_string(nice ? nice : first + (last - first) / 2)));
}

void add_dims(const std::vector<DimExpr>& of, std::set<std::string>& dims) {
  for (const DimExpr& e : of)
    for (const std::string& name : e.symbols()) dims.insert(name);
}

// Inputs of the file that contents are computed from, where all of them are small; nothing otherwise. The dims, where it is sizes alone.
void offer_inputs(Place from, Options& out) {
  std::set<std::pair<const Frame*, ValueId>> seen;
  std::vector<Place> open{from};
  std::vector<std::string> names;
  std::set<std::string> dims;
  while (!open.empty() && out.may_go_on(1)) {
    const Place p = resolved(open.back());
    open.pop_back();
    if (p.value().elements) add_dims(*p.value().elements, dims);
    if (p.value().constant || p.value().elements || !seen.emplace(p.frame, p.v).second) continue;
    if (static_cast<int64_t>(seen.size()) > kMostVisited || !out.may_go_on(9)) return;
    if (is_file_input(p)) {
      if (!can_be_pinned(p.value())) return;
      names.push_back(p.value().name + "=" + placeholder(p.value()));
      continue;
    }
    const Node* n = p.frame->g.producer(p.v);
    if (n == nullptr) return;
    if (n->kind == OpKind::kShape || n->kind == OpKind::kSize) {
      const Value& sized = p.frame->g.value(n->in(0));
      if (sized.shape) add_dims(*sized.shape, dims);
      continue;
    }
    for (ValueId v : n->inputs)
      if (v != kNone) open.push_back({p.frame, v});
  }
  if (!open.empty()) return;
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) out.add("--const " + shell_word(name));
  if (!names.empty()) return;
  for (const std::string& name : dims) out.add("--fix " + shell_word(name + "=N"));
}

// Dims that symbolic contents depend on.
void offer_dims(const Place& p, Options& out) {
  if (!p.value().elements) return;
  for (const DimExpr& e : *p.value().elements)
    for (const std::string& name : e.symbols()) out.add("--fix " + shell_word(name + "=N"));
}

void offer_for_condition(Place p, Options& out, int depth = 0) {
  p = behind_views(p);
  if (depth > 16 || p.value().constant || !out.may_go_on(64)) return;
  if (is_file_input(p)) {
    if (can_be_pinned(p.value()))
      out.add("--const " + shell_word(p.value().name + "=" + (p.value().dtype == DType::kBool ? "true" : placeholder(p.value()))));
    return;
  }
  const Node* n = p.frame->g.producer(p.v);
  if (n == nullptr) return;
  if (n->kind == OpKind::kUnary && n->as<UnaryAttrs>().kind == ert::params::unary::kNot)
    return offer_for_condition({p.frame, n->in(0)}, out, depth + 1);
  if (n->kind != OpKind::kBinary) return offer_inputs(p, out);
  namespace binary = ert::params::binary;
  const int kind = n->as<BinaryAttrs>().kind;
  if (kind == binary::kAnd || kind == binary::kOr) {
    for (ValueId v : n->inputs) offer_for_condition({p.frame, v}, out, depth + 1);
    return;
  }
  for (size_t side = 0; side < 2; ++side) {
    const Place a = behind_views({p.frame, n->in(side)}), b = behind_views({p.frame, n->in(1 - side)});
    const std::optional<std::string> c = constant_text(b.value());
    if (!c) continue;
    if (is_file_input(a) && can_be_pinned(a.value()))
      return out.add("--const " + shell_word(a.value().name + "=" + (kind == binary::kEqual ? *c : placeholder(a.value()))));
    if (a.value().elements && a.value().elements->size() == 1 && kind == binary::kEqual && !is_float(b.value().dtype)) {
      offer_sizes(a.value().elements->front(), b.value().constant->to_int64()[0], out);
      if (!out.empty()) return;
    }
    offer_dims(a, out);
  }
  if (out.empty())  // a number that is counted against a size
    for (ValueId v : n->inputs) offer_dims(behind_views({p.frame, v}), out);
  if (out.empty()) offer_inputs(p, out);
}

class Advice {
 public:
  explicit Advice(Diagnostics& d) : d_(d) {}
  void advise(const Graph& g) { walk({g}, Options(left_)); }

 private:
  // decided: what the conditions around this graph offer; it may leave out the branch that a problem stands in.
  void walk(const Frame& frame, const Options& decided);

  Diagnostics& d_;
  int64_t left_ = kMostSteps;
};

void Advice::walk(const Frame& frame, const Options& decided) {
  for (const Node& n : frame.g.nodes) {
    if (n.dead) continue;
    Options options(left_);
    if (n.kind == OpKind::kIf && n.in(0) != kNone) {
      offer_for_condition({&frame, n.in(0)}, options);
    } else if (n.kind == OpKind::kLoop) {
      const auto& bodies = n.as<SubgraphAttrs>().bodies;
      // A number of rounds is no help where a condition may end them before.
      const bool ends_early = bodies.size() == 1 && !bodies[0]->outputs.empty() && !runs_to_the_end(*bodies[0]);
      for (size_t i = ends_early ? 1 : 0; i < 2; ++i) {
        if (n.in(i) == kNone) continue;
        offer_dims({&frame, n.in(i)}, options);
        offer_inputs({&frame, n.in(i)}, options);
      }
      if (options.empty() && bodies.size() == 1 && !bodies[0]->outputs.empty()) {
        const Frame inside{*bodies[0], &frame, &n};
        offer_for_condition({&inside, bodies[0]->outputs[0]}, options);
      }
    } else if (d_.has_problem(n.origin.op_type, n.origin.node) &&
               std::any_of(n.outputs.begin(), n.outputs.end(), [&](ValueId v) { return v != kNone && !frame.g.value(v).shape; })) {
      // Sizes that depend on data; the tensor that is worked on is no setting.
      for (size_t i = n.inputs.size() > 1 ? 1 : 0; i < n.inputs.size(); ++i)
        if (n.in(i) != kNone) offer_inputs({&frame, n.in(i)}, options);
    }
    if (!options.empty())
      d_.add_hint(n.origin.op_type, n.origin.node, options.hint());
    else if (!decided.empty())
      d_.add_hint(n.origin.op_type, n.origin.node, decided.hint());
    if (n.kind != OpKind::kIf && n.kind != OpKind::kLoop) continue;
    for (const auto& body : n.as<SubgraphAttrs>().bodies) {
      const Frame inner{*body, &frame, &n};
      const Options& around = n.kind == OpKind::kIf && decided.empty() ? options : decided;
      for (const Problem& p : body->import_problems) d_.add_hint(p.op, p.where, around.hint());
      walk(inner, around);
    }
  }
}

}  // namespace

void advise_pinning(const Graph& g, Diagnostics& d) { Advice(d).advise(g); }

}  // namespace edgeconv
