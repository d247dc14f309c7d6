// Padding costs nothing where it provably reaches no other position: finds the ops that compute every position of a padded
// batch for itself, and rewrites them to work on packed rows (rt/README.md, Padding). Tries the inputs that could be a mask, and
// rewrites the program for the first that the proof holds for:
// - inside, an op makes row [b, s] of its output from rows [b, s] of its operands alone, or is an attention whose padded keys a
//   mask excludes, which is shown by intervals (padding_facts.h);
// - outside, whoever reads such rows either keeps each at its position, up to an output [batch, sequence, ..], or reads no padded
//   one: a pool whose weights are 0 there, a selection that takes the other side, the first position.
#include <algorithm>
#include <map>

#include "convert/program/program_pass.h"
#include "convert/program/row_flow.h"
#include "rt/include/ert.h"

namespace edgeconv {

using ert::params::OpCode;

namespace {

bool may_be_mask(const TargetProgram& p, const TargetInput& in) {
  const TargetValue& v = p.values[static_cast<size_t>(in.value)];
  const bool numbers = v.dtype == ERT_I64 || v.dtype == ERT_I32 || v.dtype == ERT_BOOL || v.dtype == ERT_U8;
  if (!numbers || v.shape.size() != 2 || v.shape[0] == v.shape[1] || v.shape[1] == DimExpr(1)) return false;
  for (const DimExpr& axis : v.shape)
    if (!axis.is_symbol() && !axis.is_constant()) return false;
  return in.min <= 0 && in.max >= 1 && (in.max == 1 || in.max == INT32_MAX);  // ids have a range of their own
}

class Rewriter {
 public:
  Rewriter(TargetProgram& p, const RowFlow& flow) : p_(p), flow_(flow) {}

  void run() {
    std::vector<TargetOp> ops = std::move(p_.ops);
    p_.ops.clear();
    for (size_t i = 0; i < ops.size(); ++i) {
      if (flow_.packed()[i])
        rewrite(ops[i]);
      else
        p_.ops.push_back(std::move(ops[i]));
    }
    p_.remove_dead();
  }

 private:
  TargetValue& value(int v) { return p_.values[static_cast<size_t>(v)]; }
  Shape packed_shape(const Shape& s) const {
    Shape r = s;
    r[0] = 1;
    r[1] = DimExpr::symbol(p_.packing->rows);
    return r;
  }

  void rewrite(TargetOp op) {
    const TargetOp whole = op;
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (flow_.on_rows(whole, i))
        op.inputs[i] = packed_operand(op.inputs[i], value(op.outputs[0]).shape.size(), op.name, op.code);
    for (int& v : op.outputs)
      if (v >= 0) v = packed_[v] = p_.add_value(value(v).dtype, packed_shape(value(v).shape));
    if (op.code == OpCode::kAttention) {
      op.ints.resize(ert::params::attention::kPacked, 0);
      op.ints.push_back(1);
    }
    p_.ops.push_back(op);
    // For whoever reads all positions; nobody does in most cases, and then it is dropped.
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (op.outputs[i] >= 0) p_.ops.push_back({OpCode::kUnpackRows, {op.outputs[i]}, {whole.outputs[i]}, {}, {}, op.name});
  }

  // The rows of v: from a packed op, seen through a view, or packed here once.
  int packed_operand(int v, size_t rank, const std::string& name, OpCode reader) {
    if (const auto it = packed_.find(v); it != packed_.end()) return it->second;
    if (const auto it = packed_.find(p_.root(v)); it != packed_.end())
      return packed_[v] = p_.add_alias(it->second, packed_shape(value(v).shape));
    int source = v;
    const bool broadcast = reader == OpCode::kBinary || reader == OpCode::kWhere;
    if (broadcast && value(v).shape.size() < rank) {
      Shape s = value(v).shape;
      s.insert(s.begin(), DimExpr(1));
      source = p_.add_alias(v, s);
    }
    const int out = p_.add_value(value(source).dtype, packed_shape(value(source).shape));
    p_.ops.push_back({OpCode::kPackRows, {source}, {out}, {}, {}, name});
    return packed_[v] = out;
  }

  TargetProgram& p_;
  const RowFlow& flow_;
  std::map<int, int> packed_;  // value -> its rows
};

// A name that no dim of the model has.
std::string rows_name(const TargetProgram& p) {
  std::string name = "packed_rows";
  for (size_t i = 0; i < p.dims.size(); ++i)
    if (p.dims[i].name == name) {
      name += '_';
      i = static_cast<size_t>(-1);
    }
  return name;
}

}  // namespace

// Sets p.packing; without a proof p stays as it is. A match is an op that works on packed rows from now on.
int pass_pack_rows(TargetProgram& p, const ProgramPassOptions& o) {
  if (!o.skip_padding) return 0;
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    if (!may_be_mask(p, p.inputs[i])) continue;
    for (int padding : {0, 1}) {
      const RowFlow flow(p, static_cast<int>(i), padding);
      if (!flow.proved()) continue;
      p.packing = TargetPacking{static_cast<int>(i), padding, rows_name(p), flow.batch(), flow.sequence()};
      p.exprs.declare_rows(p.packing->rows, flow.batch(), flow.sequence());
      Rewriter(p, flow).run();
      return static_cast<int>(std::count(flow.packed().begin(), flow.packed().end(), 1));
    }
  }
  return 0;
}

}  // namespace edgeconv
