// See types.h. Widths are free: files mix float16 with float32 and int32 with int64, and all are computed in 32 bits.
#include "convert/infer/types.h"

#include <initializer_list>

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace reduce = ert::params::reduce;
namespace unary = ert::params::unary;

enum class Class { kFloat, kInteger, kBool, kOther };

Class class_of(DType t) {
  if (is_float(t)) return Class::kFloat;
  if (t == DType::kBool) return Class::kBool;
  return is_integer(t) ? Class::kInteger : Class::kOther;
}

class Types {
 public:
  Types(const Graph& g, const Node& n) : g_(g), n_(n) {}

  // Inputs `first` and on, up to `end`, must be of class c.
  void all(Class c, size_t first, size_t end = SIZE_MAX) {
    for (size_t i = first; i < n_.inputs.size() && i < end; ++i)
      if (n_.in(i) != kNone && of(i) != c)
        wrong(i, c == Class::kFloat ? "a float type" : c == Class::kBool ? "bool" : "an integer type");
  }
  void same(std::initializer_list<size_t> inputs) {
    const size_t one = *inputs.begin();
    if (n_.in(one) == kNone) return;
    for (size_t i : inputs)
      if (n_.in(i) != kNone && of(i) != of(one))
        wrong(i, "of the kind of '" + g_.value(n_.in(one)).name + "' (" + name(one) + ")");
  }
  void all_same() {
    for (size_t i = 1; i < n_.inputs.size(); ++i) same({0, i});
  }
  // Written beside those of the first input: the host has float64 apart.
  void both_double(size_t i) {
    if (n_.in(0) == kNone || n_.in(i) == kNone || of(i) != Class::kFloat) return;
    const DType a = g_.value(n_.in(0)).dtype, b = g_.value(n_.in(i)).dtype;
    if ((a == DType::kDouble) != (b == DType::kDouble)) wrong(i, name(0) + " as '" + g_.value(n_.in(0)).name + "'");
  }
  // A zero point is a number of the type that it belongs to.
  void zero_point(size_t i, size_t of_input) {
    if (n_.in(i) == kNone || n_.in(of_input) == kNone) return;
    const DType want = g_.value(n_.in(of_input)).dtype;
    if (g_.value(n_.in(i)).dtype != want)
      wrong(i, std::string(dtype_name(want)) + " as '" + g_.value(n_.in(of_input)).name + "', whose zero point it is");
  }
  void not_float(size_t i) {
    if (n_.in(i) != kNone && of(i) == Class::kFloat) wrong(i, "bool or an integer type");
  }
  void not_bool(size_t i) {
    if (n_.in(i) != kNone && of(i) == Class::kBool) wrong(i, "a number");
  }
  const std::string& fault() const { return fault_; }

 private:
  Class of(size_t i) const { return class_of(g_.value(n_.in(i)).dtype); }
  std::string name(size_t i) const { return std::string(dtype_name(g_.value(n_.in(i)).dtype)); }
  void wrong(size_t i, const std::string& wanted) {
    if (fault_.empty()) fault_ = "its input '" + g_.value(n_.in(i)).name + "' is " + name(i) + ", it must be " + wanted;
  }

  const Graph& g_;
  const Node& n_;
  std::string fault_;
};

void check_binary(Types& t, const Node& n) {
  const auto kind = n.as<BinaryAttrs>().kind;
  if (kind == binary::kPow) return t.not_bool(0), t.not_bool(1);
  t.same({0, 1});
  if (kind == binary::kAnd || kind == binary::kOr || kind == binary::kXor) t.not_float(0);
  if (kind != binary::kEqual && kind != binary::kAnd && kind != binary::kOr && kind != binary::kXor) t.not_bool(0);
}

void check_unary(Types& t, const Node& n) {
  const int kind = n.as<UnaryAttrs>().kind;
  if (kind == unary::kNot) return t.all(Class::kBool, 0);
  t.not_bool(0);
}

}  // namespace

std::string type_fault(const Graph& g, const Node& n) {
  Types t(g, n);
  switch (n.kind) {
    case OpKind::kBinary: check_binary(t, n); break;
    case OpKind::kUnary: check_unary(t, n); break;
    case OpKind::kWhere:
      t.all(Class::kBool, 0, 1);
      t.same({1, 2});
      break;
    case OpKind::kMatMul:
    case OpKind::kEinsum: t.all_same(); break;
    case OpKind::kConcat:
      t.all_same();
      for (size_t i = 1; i < n.inputs.size(); ++i) t.both_double(i);
      break;
    case OpKind::kConv:
    case OpKind::kConvTranspose:
    case OpKind::kLayerNormalization:
    case OpKind::kBatchNormalization:
    case OpKind::kInstanceNormalization:
    case OpKind::kGroupNormalization: t.all(Class::kFloat, 0); break;
    case OpKind::kRnn:
      t.all(Class::kFloat, 0, 4);
      t.all(Class::kInteger, 4, 5);
      t.all(Class::kFloat, 5);
      break;
    case OpKind::kSoftmax:
    case OpKind::kLogSoftmax: t.all(Class::kFloat, 0); break;
    case OpKind::kGather:
    case OpKind::kGatherElements:
    case OpKind::kGatherND:
    case OpKind::kReverseSequence: t.all(Class::kInteger, 1); break;
    case OpKind::kScatterND:
    case OpKind::kScatterElements:
      t.all(Class::kInteger, 1, 2);
      t.same({0, 2});
      t.both_double(2);
      break;
    case OpKind::kDft:
      t.all(Class::kFloat, 0, 1);
      t.all(Class::kInteger, 1);
      break;
    case OpKind::kStft:
      t.all(Class::kFloat, 0, 1);
      t.all(Class::kInteger, 1, 2);
      t.all(Class::kFloat, 2, 3);
      t.all(Class::kInteger, 3);
      break;
    case OpKind::kMelWeightMatrix:
      t.all(Class::kInteger, 0, 3);
      t.all(Class::kFloat, 3);
      break;
    case OpKind::kPad:
      t.same({0, 2});
      t.both_double(2);
      break;
    case OpKind::kCumSum:
    case OpKind::kArgMinMax: t.not_bool(0); break;
    case OpKind::kTopK:
      t.not_bool(0);
      t.all(Class::kInteger, 1);
      break;
    case OpKind::kMatMulInteger:
    case OpKind::kConvInteger:
      t.all(Class::kInteger, 0);
      t.zero_point(2, 0);
      t.zero_point(3, 1);
      break;
    case OpKind::kDequantizeLinear:
      t.all(Class::kInteger, 0, 1);
      t.all(Class::kFloat, 1, 2);
      t.zero_point(2, 0);
      break;
    case OpKind::kQuantizeLinear: t.all(Class::kFloat, 1, 2); break;
    case OpKind::kSlice: t.all(Class::kInteger, 1); break;
    default: break;
  }
  return t.fault();
}

}  // namespace edgeconv
