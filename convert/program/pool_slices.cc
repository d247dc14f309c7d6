// Pools become one op an axis (Pool). Until here they are the input in steps, from each position of the kernel on, and the maximum or sum of all
// of these (passes/decompose_pool.cc), of which other passes know everything.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "convert/program/program_pass.h"
#include "convert/program/value_uses.h"
#include "rt/include/ert.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;
namespace pad = ert::params::pad;
namespace pool = ert::params::pool;
namespace slice = ert::params::slice;
namespace window = ert::params::window;
using ert::params::OpCode;

std::optional<int64_t> constant_expr(const TargetProgram& p, int32_t index) {
  const ExprRow& row = p.exprs.rows()[static_cast<size_t>(index)];
  return row.kind == ert::ExprKind::kConstant ? std::optional(row.value) : std::nullopt;
}

// Elements start, start + step, .. of one axis of a value.
struct Steps {
  int of;
  size_t axis;
  int64_t start, step;
};

// What a Pool reads.
struct Pooled {
  int of;
  size_t axis;
  int64_t kernel, stride, dilation, begin, end;
};

class PoolFinder {
 public:
  explicit PoolFinder(const TargetProgram& p) : p_(p), uses_(p) {}

  // The pool that this op, a maximum or sum, is the last step of.
  std::optional<Pooled> pool_of(const TargetOp& op) const {
    const auto kind = op.code == OpCode::kBinary ? op.ints[binary::kKind] : -1;
    if ((kind != binary::kMax && kind != binary::kAdd) || !is_f32(op.outputs[0])) return {};
    std::vector<Steps> parts;  // the last one first
    for (const TargetOp* at = &op;;) {
      const auto part = steps_of(at->inputs[1]);
      if (!part) return {};
      parts.push_back(*part);
      if (const auto first = steps_of(at->inputs[0])) {
        parts.push_back(*first);
        break;
      }
      at = maker_for_one(at->inputs[0]);
      if (!at || at->code != OpCode::kBinary || at->ints[binary::kKind] != kind) return {};
    }
    const Steps& first = parts.back();
    const int64_t dilation = parts[parts.size() - 2].start - first.start;
    if (first.start != 0 || dilation < 1) return {};
    for (size_t i = 0; i < parts.size(); ++i) {
      const Steps& s = parts[parts.size() - 1 - i];
      if (s.of != first.of || s.axis != first.axis || s.step != first.step || s.start != static_cast<int64_t>(i) * dilation) return {};
    }
    Pooled pooled{first.of, first.axis, static_cast<int64_t>(parts.size()), first.step, dilation, 0, 0};
    const DimExpr reach = DimExpr((pooled.kernel - 1) * dilation), size = shape(pooled.of)[pooled.axis];
    const DimExpr last_start = size - reach;
    const DimExpr windows =
        pooled.stride == 1 ? last_start : (last_start + DimExpr(pooled.stride - 1)).floor_div(DimExpr(pooled.stride));
    if (windows != shape(op.outputs[0])[pooled.axis]) return {};
    take_padding(kind == binary::kMax ? -std::numeric_limits<float>::infinity() : 0.0f, parts.size(), &pooled);
    return pooled;
  }

 private:
  const Shape& shape(int v) const { return p_.values[static_cast<size_t>(v)].shape; }
  bool is_f32(int v) const { return p_.values[static_cast<size_t>(v)].dtype == ERT_F32; }

  // The op that makes v for one reader, under this shape.
  const TargetOp* maker_for_one(int v) const {
    if (v < 0 || uses_.writer(v) < 0 || !uses_.is_internal(v) || uses_.readers(v).size() != 1) return nullptr;
    return &p_.ops[static_cast<size_t>(uses_.writer(v))];
  }

  // v as a Slice in steps from 1 on along one axis.
  std::optional<Steps> steps_of(int v) const {
    const TargetOp* op = maker_for_one(v);
    if (!op || op->code != OpCode::kSlice) return {};
    const Shape &whole = shape(op->inputs[0]), &part = shape(v);
    std::optional<Steps> found;
    for (size_t axis = 0; axis < whole.size(); ++axis) {
      const auto start = constant_expr(p_, op->ints[slice::kAxisInts * axis + slice::kStartExpr]);
      const int64_t step = op->ints[slice::kAxisInts * axis + slice::kStep];
      if (!start || step < 1) return {};
      if (*start == 0 && step == 1 && whole[axis] == part[axis]) continue;
      if (found) return {};
      found = Steps{op->inputs[0], axis, *start, step};
    }
    return found;
  }

  // A Pad with what changes nothing, along that axis, that only these positions read. Each window must meet an element whatever the size is, which
  // padding below the kernel's reach leaves it.
  void take_padding(float fill, size_t positions, Pooled* pooled) const {
    const int writer = uses_.writer(pooled->of);
    if (writer < 0 || !uses_.is_internal(pooled->of) || uses_.readers(pooled->of).size() != positions || pooled->dilation != 1) return;
    const TargetOp& op = p_.ops[static_cast<size_t>(writer)];
    if (op.code != OpCode::kPad || op.ints[pad::kMode] != pad::kConstant) return;
    int32_t bits;
    std::memcpy(&bits, &fill, sizeof bits);
    if (op.ints[pad::kFillBits] != bits) return;
    const Shape &x = shape(op.inputs[0]), &padded = shape(pooled->of);
    int64_t begin = 0, end = 0;
    for (size_t axis = 0; axis < x.size(); ++axis) {
      const auto before = constant_expr(p_, op.ints[pad::kFirstAxis + axis]);
      if (!before) return;
      const auto behind = (padded[axis] - x[axis] - DimExpr(*before)).constant();
      if (!behind || (axis != pooled->axis && (*before != 0 || *behind != 0))) return;
      if (axis != pooled->axis) continue;
      begin = *before;
      end = *behind;
    }
    if (begin < 0 || end < 0 || begin >= pooled->kernel || end >= pooled->kernel) return;
    pooled->of = op.inputs[0];
    pooled->begin = begin;
    pooled->end = end;
  }

  const TargetProgram& p_;
  const ValueUses uses_;
};

}  // namespace

int pass_pool_slices(TargetProgram& p, const ProgramPassOptions&) {
  const PoolFinder finder(p);
  std::vector<std::pair<size_t, Pooled>> found;
  for (size_t i = 0; i < p.ops.size(); ++i)
    if (const auto pooled = finder.pool_of(p.ops[i])) found.emplace_back(i, *pooled);
  // The longest ones: what is a step of another is not read on its own once that reads the input.
  for (const auto& [i, pooled] : found) {
    TargetOp& op = p.ops[i];
    const int32_t kind = op.ints[binary::kKind] == binary::kMax ? pool::kMax : pool::kSum;
    std::vector<int32_t> ints(pool::kIntCount, 0);
    ints[pool::kKind] = kind;
    ints[pool::kAxis] = static_cast<int32_t>(pooled.axis);
    int32_t* w = ints.data() + pool::kFirstWindowInt;
    w[window::kKernel] = static_cast<int32_t>(pooled.kernel);
    w[window::kStride] = static_cast<int32_t>(pooled.stride);
    w[window::kDilation] = static_cast<int32_t>(pooled.dilation);
    w[window::kBegin] = static_cast<int32_t>(pooled.begin);
    w[window::kEnd] = static_cast<int32_t>(pooled.end);
    op.code = OpCode::kPool;
    op.inputs = {pooled.of};
    op.ints = std::move(ints);
  }
  if (!found.empty()) p.remove_dead();
  return static_cast<int>(found.size());
}

}  // namespace edgeconv
