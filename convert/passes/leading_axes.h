// Convolutions over maps of more than two spatial axes as ones over two: each position of the kernel along the first axes reads a shifted copy of the
// map, and these axes become part of the batch.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/passes/node_builder.h"

namespace edgeconv {

// Values are [N, spatial.., C].
class LeadingAxes : public NodeBuilder {
 public:
  // A Conv of n's attributes with window w, of three axes or more. x, y: shapes of its input, padded as w takes it, and of its output, channels first.
  LeadingAxes(Graph& g, const Node& n, const WindowAttrs& w, const Shape& x, const Shape& y);

  const WindowAttrs& inner() const { return inner_; }  // of the last two axes
  int64_t copies() const { return copies_; }           // one for each position along the others

  // What position `index` meets: [N * windows.., H, W, C], windows along the leading axes.
  ValueId copy(ValueId x, int64_t index);
  // All of them side by side: of each group its channels of the first copy, of the second, ..
  ValueId as_channels(ValueId x, int64_t groups);
  // [N * windows.., H, W, filters], H and W of the output, to [N, windows.., H, W, filters].
  ValueId restored(ValueId y, int64_t filters);

  // Of weights [filters, channels, kernel..] what meets one copy, and what meets as_channels().
  Tensor weights_of(const Tensor& w, int64_t index) const;
  Tensor weights_of_all(const Tensor& w) const;

 private:
  ValueId shifted(ValueId x, int64_t index);
  // [N, windows.., H, W, last axes..], leading axes apart or part of the batch.
  ValueId reshape(ValueId x, bool apart, const Shape& map, const Shape& last);

  WindowAttrs leading_, inner_;  // leading_ has all axes: the last two as they are
  int64_t copies_ = 1;
  Shape x_, y_;
};

}  // namespace edgeconv
