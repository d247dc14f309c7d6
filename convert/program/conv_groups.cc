// The groups of an int8 convolution become one Conv. Until here each, or a few narrow ones (passes/decompose_conv.cc), are a layer of their own, with a
// precision of their own, and a Concat joins them. Neighbours of one precision are one op then, with the same bits: it fetches the map once, and what it
// writes is not copied. An activation behind all of them goes with them.
#include <algorithm>
#include <vector>

#include "convert/program/program_pass.h"
#include "convert/program/value_uses.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace concat = ert::params::concat;
namespace conv = ert::params::conv;
namespace linear = ert::params::linear;
namespace unary = ert::params::unary;
using ert::params::OpCode;

constexpr int64_t kPanel = 16;

const TargetValue& value(const TargetProgram& p, int v) { return p.values[static_cast<size_t>(v)]; }
int64_t size_of(const TargetValue& v, size_t axis) { return v.shape[axis].evaluate({}).value(); }

// A Conv in 8 bits that a Concat alone reads, or null.
const TargetOp* group_of(const TargetProgram& p, const ValueUses& uses, int v) {
  if (v < 0 || uses.writer(v) < 0 || !uses.is_internal(v) || uses.readers(v).size() != 1) return nullptr;
  const TargetOp& op = p.ops[static_cast<size_t>(uses.writer(v))];
  if (op.code != OpCode::kConv || op.inputs.size() != linear::kInputCount || op.inputs[linear::kWeights] < 0) return nullptr;
  if (!linear::has_int8_weights(op.ints[conv::kPrecision]) || value(p, op.inputs[linear::kWeights]).dtype != ert::params::kPackedN16K4) return nullptr;
  const auto is_constant = [&](int i) { return i < 0 || value(p, i).storage == Storage::kConstant; };
  return std::all_of(op.inputs.begin() + 1, op.inputs.end(), is_constant) ? &op : nullptr;
}

// Whether b is the group behind a: as many filters over as many channels, which begin where those of a end.
bool follows(const TargetProgram& p, const TargetOp& a, const TargetOp& b) {
  std::vector<int32_t> ints = a.ints;
  ints[conv::kFirstChannel] += a.ints[conv::kChannels];
  if (a.inputs[linear::kX] != b.inputs[linear::kX] || b.ints != ints || b.floats != a.floats) return false;
  for (const auto input : {linear::kBias, linear::kInvSmooth})
    if ((a.inputs[input] < 0) != (b.inputs[input] < 0)) return false;
  return value(p, a.inputs[linear::kWeights]).shape == value(p, b.inputs[linear::kWeights]).shape;
}

class Joined {
 public:
  Joined(TargetProgram& p, std::vector<TargetOp> groups) : p_(p), groups_(std::move(groups)) {}

  // Writes `result`.
  TargetOp op(int result) {
    const TargetValue w = of(groups_[0], linear::kWeights);
    const int64_t n = size_of(w, 0), k = size_of(w, 1), columns = (n + kPanel - 1) / kPanel * kPanel;
    const auto count = static_cast<int64_t>(groups_.size());
    TargetOp joined = groups_[0];
    joined.outputs = {result};
    joined.inputs[linear::kWeights] = p_.add_constant(w.dtype, {count * columns, k}, one_behind_the_other<uint8_t>(linear::kWeights, 0));
    joined.inputs[linear::kScale] = floats(linear::kScale, columns);
    joined.inputs[linear::kColsum] = p_.add_constant(ERT_I32, {count * columns}, one_behind_the_other<int32_t>(linear::kColsum, columns));
    joined.inputs[linear::kBias] = floats(linear::kBias, columns);
    joined.inputs[linear::kInvSmooth] = floats(linear::kInvSmooth, 0);
    joined.ints.push_back(static_cast<int32_t>(count));
    return joined;
  }

 private:
  const TargetValue& of(const TargetOp& op, linear::Inputs input) const { return value(p_, op.inputs[input]); }

  // The elements of each group, with zeros behind them up to `each`; 0: as many as they are.
  template <class T>
  Tensor one_behind_the_other(linear::Inputs input, int64_t each) const {
    std::vector<T> all;
    for (const TargetOp& op : groups_) {
      const Tensor own = of(op, input).data.aligned();
      all.insert(all.end(), own.as<T>().begin(), own.as<T>().end());
      if (each > 0) all.resize(all.size() + static_cast<size_t>(each - own.elements()));
    }
    return Tensor::of<T>(of(groups_[0], input).data.dtype(), {static_cast<int64_t>(all.size())}, all);
  }
  int floats(linear::Inputs input, int64_t each) {
    if (groups_[0].inputs[input] < 0) return -1;
    const Tensor all = one_behind_the_other<float>(input, each);
    return p_.add_constant(ERT_F32, {all.elements()}, all);
  }

  TargetProgram& p_;
  std::vector<TargetOp> groups_;
};

// The activation that alone reads `joined`, which then writes its result.
void take_activation(TargetProgram& p, const ValueUses& uses, TargetOp& joined) {
  const int result = joined.outputs[0];
  if (joined.ints[conv::kActivation] != linear::kNoActivation || !uses.is_internal(result) || uses.readers(result).size() != 1) return;
  TargetOp& reader = p.ops[static_cast<size_t>(uses.readers(result)[0].op)];
  if (reader.code != OpCode::kUnary || value(p, reader.outputs[0]).dtype != ERT_F32) return;
  const int32_t kind = reader.ints[unary::kKind];
  if (kind == unary::kLeakyRelu) {
    joined.floats = {reader.floats[unary::kAlpha]};
  } else if (kind >= static_cast<int32_t>(ert::kernels::Unary::kCount)) {
    return;
  }
  joined.ints[conv::kActivation] = kind;
  std::swap(joined.outputs[0], reader.outputs[0]);  // which writes what nobody reads
}

}  // namespace

int pass_conv_groups(TargetProgram& p, const ProgramPassOptions&) {
  int taken = 0;
  const ValueUses uses(p);
  std::vector<TargetOp> ops;
  for (size_t i = 0; i < p.ops.size(); ++i) {
    TargetOp op = p.ops[i];
    const bool along_channels = op.code == OpCode::kConcat && op.ints[concat::kAxis] + 1 == static_cast<int32_t>(value(p, op.outputs[0]).shape.size());
    std::vector<int> parts;
    for (size_t from = 0, to; along_channels && from < op.inputs.size(); from = to) {
      std::vector<TargetOp> groups;
      const TargetOp* group = group_of(p, uses, op.inputs[from]);
      for (to = from; group != nullptr && (groups.empty() || follows(p, groups.back(), *group));) {
        groups.push_back(*group);
        group = ++to < op.inputs.size() ? group_of(p, uses, op.inputs[to]) : nullptr;
      }
      if (groups.size() < 2) {
        parts.push_back(op.inputs[from]);
        to = from + 1;
        continue;
      }
      ++taken;
      const bool all = groups.size() == op.inputs.size();
      int result = op.outputs[0];
      if (!all) {
        Shape shape = value(p, op.outputs[0]).shape;
        shape.back() = value(p, op.inputs[from]).shape.back() * DimExpr(static_cast<int64_t>(groups.size()));
        result = p.add_value(ERT_F32, shape);
      }
      ops.push_back(Joined(p, std::move(groups)).op(result));
      if (all) take_activation(p, uses, ops.back());
      parts.push_back(result);
    }
    if (along_channels && parts.size() == 1 && parts[0] == op.outputs[0]) continue;
    if (along_channels) op.inputs = parts;
    ops.push_back(op);
  }
  if (taken == 0) return 0;
  p.ops = std::move(ops);
  p.remove_dead();
  return taken;
}

}  // namespace edgeconv
