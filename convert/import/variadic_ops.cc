// Sum, Mean, Max and Min of any number of inputs: a chain of Binary nodes.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

ValueId chain(ImportContext& c, const OnnxNode& n, BinaryKind kind) {
  if (n.inputs.empty()) throw NodeError("it has no inputs");
  ValueId v = required_input(c, n, 0);
  for (size_t i = 1; i < n.inputs.size(); ++i) v = binary(c, n, kind, v, required_input(c, n, i));
  return v;
}

}  // namespace

void import_sum(ImportContext& c, const OnnxNode& n) { c.bind(n, 0, chain(c, n, BinaryKind::kAdd)); }
void import_max(ImportContext& c, const OnnxNode& n) { c.bind(n, 0, chain(c, n, BinaryKind::kMax)); }
void import_min(ImportContext& c, const OnnxNode& n) { c.bind(n, 0, chain(c, n, BinaryKind::kMin)); }

void import_mean(ImportContext& c, const OnnxNode& n) {
  const ValueId sum = chain(c, n, BinaryKind::kAdd);
  c.bind(n, 0, binary(c, n, BinaryKind::kDiv, sum, scalar_like(c, n, sum, static_cast<float>(n.inputs.size()))));
}

}  // namespace edgeconv
