// Transpose; without perm the axes are reversed.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void import_transpose(ImportContext& c, const OnnxNode& n) {
  std::vector<int64_t> perm = n.integers("perm");
  std::vector<bool> seen(perm.size());
  for (int64_t p : perm) {
    if (p < 0 || p >= static_cast<int64_t>(perm.size()) || seen[static_cast<size_t>(p)])
      throw NodeError("attribute 'perm' is not a permutation");
    seen[static_cast<size_t>(p)] = true;
  }
  c.emit(n, OpKind::kTranspose, {required_input(c, n, 0)}, TransposeAttrs{std::move(perm)});
}

}  // namespace edgeconv
