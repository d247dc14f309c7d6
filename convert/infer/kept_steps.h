// Steps that a mask leaves out: a recurrent layer runs over the steps that are kept, which stand first then, and its results go back to where
// they belong. That is exact for any mask, not only for one that is a prefix of each sequence.
#pragma once

#include "convert/ir/graph.h"

namespace edgeconv {

class KeptSteps {
 public:
  // mask: bool [steps, batch].
  KeptSteps(Graph& g, Origin origin, ValueId mask, DimExpr steps, DimExpr batch);

  ValueId lengths() const { return lengths_; }  // int32 [batch]
  // x: [steps, batch, columns]; the kept ones of each sequence in their order, then the others.
  ValueId first(ValueId x);
  // The other way: y holds the results of kept steps first. A step that is left out has what the kept one before it has, or `before`, [batch, columns].
  ValueId placed(ValueId y, ValueId before);
  // y where steps are kept, else zeros.
  ValueId or_zero(ValueId y);

 private:
  ValueId add(OpKind kind, std::vector<ValueId> inputs, Attributes attrs = {});
  ValueId binary(ert::params::binary::Kind kind, ValueId a, ValueId b);
  ValueId sizes(const Shape& s);
  ValueId number(const DimExpr& d);
  ValueId counting(const DimExpr& count, const Shape& as);
  ValueId coordinates(ValueId step);  // of rows (step, sequence)

  Graph& g_;
  const Origin origin_;
  const ValueId mask_;
  const DimExpr steps_, batch_;
  ValueId seen_ = kNone, lengths_ = kNone, order_ = kNone, places_ = kNone;
};

}  // namespace edgeconv
