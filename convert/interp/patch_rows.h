// Patches of a map (OpKind::kPatches) as rows of a matrix, made where they are read: of a large map they take many times its memory.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/ir/graph.h"
#include "rt/ops/patches.h"

namespace edgeconv {

class PatchRows {
 public:
  // x [N, spatial.., C], aligned; it outlives this. Throws FatalError(kMalformed) naming the node where the window does not fit x.
  PatchRows(const Node& patches, const Tensor& x);

  const std::vector<int64_t>& dims() const { return dims_; }  // [N, windows.., width]
  int64_t count() const { return patches_.w.outputs(); }
  int64_t width() const { return dims_.back(); }
  int64_t block() const;  // as many as are worth having in memory at a time, at least one

  // Rows [first, first + some) as [some, width], of the type of x.
  Tensor rows(int64_t first, int64_t some) const;

 private:
  DType type_;
  std::vector<int64_t> dims_;
  ert::ops::Patches<uint8_t> patches_{};
};

// Products of at least so many rows take longer than what they begin with.
constexpr int64_t kFewestRows = 256;
// Elements of a block: half of a second-level cache.
constexpr int64_t kBlockElements = int64_t{1} << 18;

// The node that gives v where what reads v makes the rows itself: Patches that only Linears read, and not as their weights. Else null.
// users: of g.
const Node* patches_read_in_blocks(const Graph& g, ValueId v, const std::vector<std::vector<NodeId>>& users);

}  // namespace edgeconv
