// The Reduce family. Axes are an attribute up to opset 12 (ReduceSum) or 17 (the others), an input afterwards.
#include <string_view>

#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

struct NamedReduce {
  std::string_view op;
  ReduceKind kind;
};

constexpr NamedReduce kNamedReduces[] = {
    {"ReduceL1", ReduceKind::kL1},         {"ReduceL2", ReduceKind::kL2},
    {"ReduceLogSum", ReduceKind::kLogSum}, {"ReduceLogSumExp", ReduceKind::kLogSumExp},
    {"ReduceMax", ReduceKind::kMax},       {"ReduceMean", ReduceKind::kMean},
    {"ReduceMin", ReduceKind::kMin},       {"ReduceProd", ReduceKind::kProd},
    {"ReduceSum", ReduceKind::kSum},       {"ReduceSumSquare", ReduceKind::kSumSquare},
};

// Over no axes at all each element is a set of its own: ONNX Runtime still takes its norm, square or logarithm.
ValueId reduced_alone(ImportContext& c, const OnnxNode& n, ReduceKind kind, ValueId x) {
  switch (kind) {
    case ReduceKind::kL1:
    case ReduceKind::kL2: return unary(c, n, UnaryKind::kAbs, x);
    case ReduceKind::kSumSquare: return mul(c, n, x, x);
    case ReduceKind::kLogSum: return unary(c, n, ActivationKind::kLog, x);
    default: return kNone;
  }
}

}  // namespace

void import_reduce(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 1, 2);
  ReduceAttrs a;
  for (const NamedReduce& r : kNamedReduces)
    if (r.op == n.op_type) a.kind = r.kind;
  a.keep_dims = n.integer("keepdims", 1) != 0;
  a.noop_with_empty_axes = n.integer("noop_with_empty_axes", 0) != 0;
  a.axes = n.integers("axes");
  std::vector<ValueId> inputs = {required_input(c, n, 0)};
  if (const ValueId axes = c.input(n, 1); axes != kNone) {
    if (const auto known = constant_ints(c, axes))
      a.axes = *known;
    else
      inputs.push_back(axes);
  }
  if (a.noop_with_empty_axes && a.axes.empty() && inputs.size() == 1) {
    if (const ValueId y = reduced_alone(c, n, a.kind, inputs[0]); y != kNone) {
      c.bind(n, 0, y);
      return;
    }
  }
  c.emit(n, OpKind::kReduce, std::move(inputs), std::move(a));
}

}  // namespace edgeconv
