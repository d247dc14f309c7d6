// The proof behind pack_rows: which ops can work on packed rows under one mask (row_flow_inside.cc), and where padded positions reach
// (row_flow_outside.cc).
#pragma once

#include <set>
#include <vector>

#include "convert/program/padding_facts.h"

namespace edgeconv {

// What a value holds at positions that packing leaves out. kSame: what it held without packing. kRows: something else, but only
// at padded positions of the axes batch and sequence. kLost: nobody knows where.
struct RowState {
  enum Reach { kSame, kRows, kLost } reach = kSame;
  int batch = -1, sequence = -1;
  bool zero = false;       // kRows: the padded positions are zeros, with and without packing
  bool cleared = false;    // kRows: the padded positions are zeros with packing
  int origin = -1;         // kRows: an op of the packed part that it comes from
  std::set<int> inputs{};  // the program inputs that went in

  static RowState lost() {
    RowState s;
    s.reach = kLost;
    return s;
  }
  // What follows from rows of which no padded one is read; origin tells whose rows they were.
  static RowState same(int origin) {
    RowState s;
    s.origin = origin;
    return s;
  }
};

class RowFlow {
 public:
  RowFlow(const TargetProgram& p, int input, int padding);

  // True if packing changes no output but at padded positions of [batch, sequence, ..].
  bool proved() const { return proved_; }
  const std::vector<char>& packed() const { return packed_; }  // per op
  const DimExpr& batch() const { return batch_; }
  const DimExpr& sequence() const { return sequence_; }

  // An operand of a packed op that lies on the rows, as opposed to one shared by all of them.
  bool on_rows(const TargetOp& op, size_t i) const;

 private:
  bool has_rows(const Shape& s) const { return s.size() >= 2 && s[0] == batch_ && s[1] == sequence_; }
  const Shape& shape(int v) const { return p_.values[static_cast<size_t>(v)].shape; }
  static bool is_one(const DimExpr& d) { return d == DimExpr(1); }
  // Whether this row of the expression table is the number 0.
  bool is_zero_size(int32_t row) const {
    const ExprRow& r = p_.exprs.rows()[static_cast<size_t>(row)];
    return r.kind == ert::ExprKind::kConstant && r.value == 0;
  }
  // Whether a Slice reads this axis from its first position on, without gaps.
  bool starts_at_first(const TargetOp& slice, size_t axis) const {
    namespace s = ert::params::slice;
    return is_zero_size(slice.ints[s::kAxisInts * axis + s::kStartExpr]) && slice.ints[s::kAxisInts * axis + s::kStep] == 1;
  }
  RowState state(int v) const;
  RowState through_view(RowState s, const Shape& from, const Shape& to) const;
  bool takes_rows(const TargetOp& op, size_t i) const;
  bool row_by_row(const TargetOp& op) const;
  bool masked_attention(const TargetOp& op) const;
  bool can_pack(size_t index) const;
  void pack(size_t index);
  RowState outside(const TargetOp& op);
  RowState elementwise(const TargetOp& op);
  RowState reduced(const TargetOp& op) const;
  RowState gathered(const TargetOp& op) const;
  RowState sliced(const TargetOp& op) const;
  RowState transposed(const TargetOp& op) const;
  Interval where_padded(const TargetOp& op, size_t i, int batch, int sequence) const;
  bool multiplies_by_zero(const TargetOp& op, int batch, int sequence) const;
  bool selects_other_side(const TargetOp& op, int batch, int sequence) const;
  void anchor(const RowState& s);
  int part_of(int op) const;
  void join(int a, int b);
  bool walk();
  bool outputs_kept() const;

  const TargetProgram& p_;
  DimExpr batch_, sequence_;
  PaddingFacts facts_;
  std::vector<char> packed_, excluded_;
  std::vector<RowState> states_;  // of values that ops write
  std::vector<int> part_;         // union-find over packed ops that share rows
  std::set<int> anchored_;        // ops of parts that the mask speaks about
  bool proved_ = false;
};

}  // namespace edgeconv
