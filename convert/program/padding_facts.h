// What the values of a program are where a mask marks padding, and where it marks a token: an interval for each, found by running
// the intervals through the ops between the mask and whoever reads it. By value, so no spelling of "(1 - mask) * lowest" needs a
// pattern of its own.
#pragma once

#include <map>

#include "convert/program/target.h"

namespace edgeconv {

struct Interval {
  double lo, hi;
  bool is(double v) const { return lo == v && hi == v; }
};

// Bounds of the elements that a padded position stands for, and of all others. key_axis is the axis along which the mask's
// sequence lies, -1 if both bounds are the same; batch_axis likewise, and -1 too if the batch is constantly 1.
struct PaddingFact {
  Interval padded, attended;
  int batch_axis = -1, key_axis = -1;
};

class PaddingFacts {
 public:
  // input: position of a [batch, sequence] input in p.inputs; padding: its element at padded positions, 0 or 1, all others being
  // the other one of the two.
  PaddingFacts(const TargetProgram& p, int input, int padding);
  // Of any value; unbounded where nothing is known.
  PaddingFact of(int value) const;
  // Of operand i; unbounded where the op has none.
  PaddingFact operand(const TargetOp& op, size_t i) const;

 private:
  PaddingFact aligned(const TargetOp& op, size_t i) const;
  void elementwise(const TargetOp& op);
  void visit(const TargetOp& op);
  PaddingFact transposed(const TargetOp& op) const;
  PaddingFact constant(const TargetValue& v) const;

  const TargetProgram& p_;
  int mask_value_, padding_;
  std::map<int, PaddingFact> facts_;  // of values that ops write
};

// Where axis `axis` of shape `from` is in shape `to` of the same elements in the same order; -1 if it is not an axis there.
int axis_in_view(const Shape& from, const Shape& to, int axis);

}  // namespace edgeconv
