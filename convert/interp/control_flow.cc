// If and Loop. Bodies run through the interpreter; nesting is capped, so that a hostile file cannot exhaust the stack.
#include "convert/interp/eval.h"
#include "convert/interp/strided.h"

namespace edgeconv {
namespace {

constexpr int kMaxDepth = 32;
constexpr int64_t kMaxIterations = 1000000;
thread_local int depth = 0;

class DepthGuard {
 public:
  explicit DepthGuard(const NodeInputs& c) {
    if (depth >= kMaxDepth) c.fail("subgraphs are nested deeper than " + std::to_string(kMaxDepth));
    ++depth;
  }
  ~DepthGuard() { --depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
};

std::vector<Tensor> run_body(const NodeInputs& c, const Graph& body, const std::vector<Tensor>& inputs) {
  const DepthGuard guard(c);
  InterpreterOptions options;
  options.backend = c.backend;
  return interpret(body, inputs, options);
}

bool truth(const NodeInputs& c, const Tensor& t) {
  if (t.elements() != 1) c.fail("a condition is not a single value");
  return t.to_int64()[0] != 0;
}

}  // namespace

Results eval_if(const NodeInputs& c) {
  const auto& bodies = c.node.as<SubgraphAttrs>().bodies;
  if (bodies.size() != 2) c.fail("needs two branches");
  std::vector<Tensor> captures;
  for (size_t i = 1; i < c.count(); ++i) captures.push_back(c.in(i));
  return run_body(c, *bodies[truth(c, c.in(0)) ? 0 : 1], captures);
}

Results eval_loop(const NodeInputs& c) {
  const SubgraphAttrs& a = c.node.as<SubgraphAttrs>();
  const size_t outputs = c.node.outputs.size();
  if (a.bodies.size() != 1 || c.count() < 2) c.fail("needs one body");
  const Graph& body = *a.bodies[0];
  const size_t carried = a.carried >= 0 ? static_cast<size_t>(a.carried) : c.count() - 2;
  if (body.outputs.size() != outputs + 1 || carried > outputs) c.fail("the body gives another number of values");
  const int64_t trips = c.has(0) ? c.integer(0) : kMaxIterations;
  if (trips > kMaxIterations) c.fail("more than " + std::to_string(kMaxIterations) + " iterations");
  bool go = !c.has(1) || truth(c, c.in(1));
  std::vector<Tensor> state;
  for (size_t i = 0; i < carried; ++i) state.push_back(c.in(i + 2));
  std::vector<std::vector<Tensor>> scans(outputs - carried);
  for (int64_t t = 0; t < trips && go; ++t) {
    std::vector<Tensor> in{Tensor::scalar(t), Tensor::of<uint8_t>(DType::kBool, {}, {1})};
    in.insert(in.end(), state.begin(), state.end());
    for (size_t i = 2 + carried; i < c.count(); ++i) in.push_back(c.in(i));
    std::vector<Tensor> out = run_body(c, body, in);
    go = truth(c, out[0]);
    for (size_t i = 0; i < carried; ++i) state[i] = out[i + 1];
    for (size_t i = 0; i < scans.size(); ++i) scans[i].push_back(out[1 + carried + i]);
    if (t + 1 == kMaxIterations) c.fail("more than " + std::to_string(kMaxIterations) + " iterations");
  }
  for (const auto& s : scans) {
    if (s.empty()) c.fail("a loop without iterations has scan outputs");
    Dims dims = s[0].dims();
    dims.insert(dims.begin(), static_cast<int64_t>(s.size()));
    Tensor all(s[0].dtype(), dims);
    const Dims strides = row_major_strides(s[0].dims());
    for (size_t i = 0; i < s.size(); ++i) {
      if (s[i].dims() != s[0].dims()) c.fail("iterations give scan outputs of different shapes");
      strided_write(all, s[i], strides, static_cast<int64_t>(i) * s[0].elements());
    }
    state.push_back(std::move(all));
  }
  return state;
}

}  // namespace edgeconv
