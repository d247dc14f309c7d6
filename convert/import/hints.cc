// Rank and element type of a value before inference, by looking at the few nodes behind it. Some old operator forms can be
// written in new ones only with this knowledge (Softmax below opset 13, GlobalAveragePool, masks of Attention).
#include <algorithm>
#include <bit>
#include <map>

#include "convert/import/building_blocks.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

constexpr int kMaxDepth = 200;   // of calls
constexpr int kMaxSteps = 2000;  // bounds the total work too

class Hints {
 public:
  explicit Hints(const Graph& g, KnownTypes* types = nullptr) : g_(g), types_(types) {}

  int rank(ValueId v, int depth = 0) {
    if (v == kNone || depth > kMaxDepth) return -1;
    if (g_.value(v).shape) return g_.value(v).rank();
    // Norms and residual sums read a value twice each: without what is known the ways to it would double with every layer.
    if (const auto known = ranks_.find(v); known != ranks_.end()) return known->second;
    if (++steps_ > kMaxSteps) return -1;
    const int found = rank_behind(v, depth);
    ranks_[v] = found;
    return found;
  }

  DType dtype(ValueId v, int depth = 0) {
    if (v == kNone || depth > kMaxDepth || ++steps_ > kMaxSteps) return DType::kUndefined;
    if (g_.value(v).dtype != DType::kUndefined) return g_.value(v).dtype;
    if (types_ != nullptr)
      if (const auto known = types_->find(v); known != types_->end()) return known->second;
    const DType found = dtype_behind(v, depth);
    if (types_ != nullptr) types_->emplace(v, found);
    return found;
  }

 private:
  DType dtype_behind(ValueId v, int depth) {
    const Node* n = g_.producer(v);
    if (n == nullptr || n->inputs.empty()) return DType::kUndefined;
    switch (n->kind) {
      case OpKind::kMelWeightMatrix:
      case OpKind::kCast: return n->as<CastAttrs>().to;
      case OpKind::kShape:
      case OpKind::kSize:
      case OpKind::kArgMinMax: return DType::kInt64;
      case OpKind::kConstantOfShape: return n->as<FillAttrs>().value.dtype();
      case OpKind::kDequantizeLinear:
      case OpKind::kWhere: return dtype(n->in(1), depth + 1);
      case OpKind::kIf:
      case OpKind::kLoop:
      case OpKind::kOneHot:
      case OpKind::kMatMulInteger:
      case OpKind::kConvInteger:
      case OpKind::kQuantizeLinear:
      case OpKind::kDynamicQuantizeLinear:
      case OpKind::kCustom: return DType::kUndefined;
      case OpKind::kTopK: return v == n->outputs[0] ? dtype(n->in(0), depth + 1) : DType::kInt64;
      case OpKind::kUnary: {
        const int kind = n->as<UnaryAttrs>().kind;
        if (kind == ert::params::unary::kNot || kind == ert::params::unary::kIsNaN || kind == ert::params::unary::kIsInf)
          return DType::kBool;
        return dtype(n->in(0), depth + 1);
      }
      case OpKind::kBinary: {
        const BinaryKind kind = n->as<BinaryAttrs>().kind;
        if (kind >= BinaryKind::kEqual && kind <= BinaryKind::kXor) return DType::kBool;
        const DType t = dtype(n->in(0), depth + 1);
        return t != DType::kUndefined || kind == BinaryKind::kPow ? t : dtype(n->in(1), depth + 1);
      }
      case OpKind::kEyeLike: {
        const auto* to = std::get_if<CastAttrs>(&n->attrs);
        return to != nullptr && to->to != DType::kUndefined ? to->to : dtype(n->in(0), depth + 1);
      }
      case OpKind::kMaxPool: return v == n->outputs[0] ? dtype(n->in(0), depth + 1) : DType::kInt64;
      default: return dtype(n->in(0), depth + 1);
    }
  }

  int rank_behind(ValueId v, int depth) {
    const Node* n = g_.producer(v);
    if (n == nullptr) return -1;
    const auto in = [&](size_t i) { return rank(n->in(i), depth + 1); };
    switch (n->kind) {
      case OpKind::kUnary:
      case OpKind::kCast:
      case OpKind::kIdentity:
      case OpKind::kSoftmax:
      case OpKind::kLogSoftmax:
      case OpKind::kLayerNormalization:
      case OpKind::kBatchNormalization:
      case OpKind::kInstanceNormalization:
      case OpKind::kGroupNormalization:
      case OpKind::kSlice:
      case OpKind::kSplit:
      case OpKind::kCumSum:
      case OpKind::kTrilu:
      case OpKind::kReverseSequence:
      case OpKind::kPad:
      case OpKind::kTile:
      case OpKind::kResize:
      case OpKind::kTopK:
      case OpKind::kGatherElements:
      case OpKind::kScatterElements:
      case OpKind::kScatterND:
      case OpKind::kEyeLike:
      case OpKind::kDequantizeLinear:
      case OpKind::kQuantizeLinear: return in(0);
      case OpKind::kOneHot: return in(0) < 0 ? -1 : in(0) + 1;
      case OpKind::kArgMinMax: return in(0) < 0 || n->as<ArgAttrs>().keep_dims ? in(0) : in(0) - 1;
      case OpKind::kEinsum: return result_letters(n->as<EinsumAttrs>().equation);
      case OpKind::kGatherND: return gathered(*n, depth);
      case OpKind::kConstantOfShape: return length(n->in(0), depth + 1);
      case OpKind::kRnn: return v == n->outputs[0] ? 4 : 3;
      case OpKind::kDynamicQuantizeLinear: return v == n->outputs[0] ? in(0) : 0;
      case OpKind::kConcat: return largest(*n, depth, true);
      case OpKind::kBinary:
      case OpKind::kWhere: return largest(*n, depth, false);
      case OpKind::kMatMul: {
        const int a = in(0), b = in(1);
        return a >= 2 && b >= 2 ? std::max(a, b) : -1;
      }
      case OpKind::kTranspose:
        return n->as<TransposeAttrs>().perm.empty() ? in(0) : static_cast<int>(n->as<TransposeAttrs>().perm.size());
      case OpKind::kUnsqueeze: return shifted(in(0), n->as<AxesAttrs>(), 1);
      case OpKind::kSqueeze: return shifted(in(0), n->as<AxesAttrs>(), -1);
      case OpKind::kGather: {
        const int data = in(0), indices = in(1);
        return data < 0 || indices < 0 ? -1 : data + indices - 1;
      }
      case OpKind::kReshape: return length(n->in(1), depth + 1);
      case OpKind::kExpand: {
        const int own = in(0), sizes = length(n->in(1), depth + 1);
        return own < 0 || sizes < 0 ? -1 : std::max(own, sizes);
      }
      case OpKind::kConv:
      case OpKind::kConvTranspose:
      case OpKind::kConvInteger: return in(1);
      case OpKind::kMaxPool:
      case OpKind::kAveragePool: return static_cast<int>(n->as<ConvAttrs>().kernel.size()) + 2;
      case OpKind::kDft: return in(0);
      case OpKind::kStft: return 4;
      case OpKind::kMelWeightMatrix:
      case OpKind::kFlatten: return 2;
      case OpKind::kShape:
      case OpKind::kRange: return 1;
      case OpKind::kReduce: {
        const auto& a = n->as<ReduceAttrs>();
        if (a.keep_dims) return in(0);
        return a.axes.empty() || in(0) < 0 ? -1 : in(0) - static_cast<int>(a.axes.size());
      }
      default: return -1;
    }
  }

  // Of an Einsum whose result is written out, without "...".
  static int result_letters(const std::string& equation) {
    const size_t arrow = equation.find("->");
    if (arrow == std::string::npos || equation.find('.', arrow) != std::string::npos) return -1;
    return static_cast<int>(std::count_if(equation.begin() + static_cast<std::ptrdiff_t>(arrow) + 2, equation.end(), [](char c) { return c != ' '; }));
  }

  int gathered(const Node& n, int depth) {
    const int data = rank(n.in(0), depth + 1), indices = rank(n.in(1), depth + 1);
    const Value& v = g_.value(n.in(1));
    if (data < 0 || indices < 0 || !v.shape || v.shape->empty()) return -1;
    const auto width = v.shape->back().constant();
    return width ? data + indices - 1 - static_cast<int>(*width) - static_cast<int>(n.as<GatherNDAttrs>().batch_dims) : -1;
  }

  // The largest rank of the inputs; any known one will do when they all have to be equal.
  int largest(const Node& n, int depth, bool any) {
    int r = -1;
    for (ValueId v : n.inputs) {
      const int one = rank(v, depth + 1);
      if (one < 0 && !any) return -1;
      r = std::max(r, one);
    }
    return r;
  }

  static int shifted(int rank, const AxesAttrs& a, int sign) {
    return rank < 0 || a.axes.empty() ? -1 : rank + sign * static_cast<int>(a.axes.size());
  }

  // How many of a value's sizes a Shape gives.
  static int dims_of(const ShapeAttrs& a, int rank) {
    if (rank < 0) return -1;
    const auto place = [rank](int64_t i) { return std::clamp<int64_t>(from_front(i, rank), 0, rank); };
    return static_cast<int>(std::max<int64_t>(0, place(a.end) - place(a.start)));
  }

  // Elements of a rank-1 value, as sizes are computed: lists side by side, scalars made vectors, sizes picked from a shape.
  int length(ValueId v, int depth) {
    if (v == kNone || depth > kMaxDepth || ++steps_ > kMaxSteps) return -1;
    const Value& value = g_.value(v);
    if (value.shape && value.rank() == 1 && (*value.shape)[0].constant()) return static_cast<int>(*(*value.shape)[0].constant());
    const Node* n = g_.producer(v);
    if (n == nullptr) return -1;
    switch (n->kind) {
      case OpKind::kUnsqueeze: return 1;
      case OpKind::kShape: return dims_of(n->as<ShapeAttrs>(), rank(n->in(0), depth + 1));
      case OpKind::kCast:
      case OpKind::kIdentity: return length(n->in(0), depth + 1);
      case OpKind::kGather: return rank(n->in(0), depth + 1) == 1 ? length(n->in(1), depth + 1) : -1;
      case OpKind::kConcat: {
        int sum = 0;
        for (const ValueId part : n->inputs) {
          const int one = length(part, depth + 1);
          if (one < 0) return -1;
          sum += one;
        }
        return sum;
      }
      default: return -1;
    }
  }

  const Graph& g_;
  KnownTypes* types_;
  std::map<ValueId, int> ranks_;
  int steps_ = 0;
};

}  // namespace

int rank_hint(const Graph& g, ValueId v) { return Hints(g).rank(v); }
DType dtype_hint(const Graph& g, ValueId v) { return Hints(g).dtype(v); }
DType dtype_hint(const Graph& g, ValueId v, KnownTypes& known) { return Hints(g, &known).dtype(v); }

int packed_bits_hint(const Graph& g, ValueId v) {
  for (int steps = 0; v != kNone && steps < kMaxSteps; ++steps) {
    const Node* n = g.producer(v);
    if (n == nullptr) return g.value(v).bits;
    if (n->kind == OpKind::kQuantizeLinear) return n->as<QuantAttrs>().bits;
    const uint32_t moved = moved_inputs(n->kind);  // all of one type
    if (moved == 0) return 0;
    v = n->in(static_cast<size_t>(std::countr_zero(moved)));
  }
  return 0;
}

}  // namespace edgeconv
