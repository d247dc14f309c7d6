// Constants of one type, shape and contents are one value: weights that a model uses again and again (a cell unrolled by steps, layers that
// share theirs) are packed for each use. The runtime takes a value of weights once when it proves their sums, and refuses a blob in
// which that is too much work (rt/verify/column_sums.cc).
#include <cstring>
#include <map>
#include <numeric>

#include "convert/program/program_pass.h"

namespace edgeconv {

namespace {

// Orders constants by type, shape and bytes; most differ before their bytes are looked at, or in the first of them.
struct ByContents {
  const TargetProgram& p;

  bool operator()(int a, int b) const {
    const TargetValue &x = p.values[static_cast<size_t>(a)], &y = p.values[static_cast<size_t>(b)];
    if (x.dtype != y.dtype) return x.dtype < y.dtype;
    if (x.data.bytes() != y.data.bytes()) return x.data.bytes() < y.data.bytes();
    if (x.data.data() != y.data.data())
      if (const int order = std::memcmp(x.data.data(), y.data.data(), x.data.bytes()); order != 0) return order < 0;
    return x.shape != y.shape && shape_str(x.shape) < shape_str(y.shape);
  }
};

}  // namespace

int pass_merge_constants(TargetProgram& p, const ProgramPassOptions&) {
  std::map<int, int, ByContents> first(ByContents{p});
  std::vector<int> stands_for(p.values.size());
  std::iota(stands_for.begin(), stands_for.end(), 0);
  int merged = 0;
  for (size_t v = 0; v < p.values.size(); ++v) {
    if (p.values[v].storage != Storage::kConstant || p.values[v].data.bytes() == 0) continue;
    const int value = static_cast<int>(v);
    stands_for[v] = first.emplace(value, value).first->second;
    merged += stands_for[v] != value;
  }
  if (merged == 0) return 0;
  for (TargetOp& op : p.ops)
    for (int& v : op.inputs)
      if (v >= 0) v = stands_for[static_cast<size_t>(v)];
  for (TargetValue& v : p.values)
    if (v.storage == Storage::kAlias) v.index = stands_for[static_cast<size_t>(v.index)];
  p.remove_dead();
  return merged;
}

}  // namespace edgeconv
