// Short forms for importers.
#include "convert/import/building_blocks.h"

namespace edgeconv {

void refuse(const std::string& reason, const std::string& hint) { throw NodeUnsupported(reason, hint); }

void refuse_without_rank(const std::string& use, const std::string& hint) {
  throw RankNotKnown(use + "the rank of its input is not known when the file is read", hint);
}

ValueId required_input(ImportContext& c, const OnnxNode& n, size_t i) {
  const ValueId v = c.input(n, i);
  if (v == kNone) throw NodeError("its required input " + std::to_string(i) + " is missing");
  return v;
}

void check_input_count(const OnnxNode& n, size_t least, size_t most) {
  if (n.inputs.size() < least || n.inputs.size() > most)
    throw NodeError("it has " + std::to_string(n.inputs.size()) + " inputs, expected " +
                    (least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most)));
}

const Tensor* constant_of(ImportContext& c, ValueId v) {
  if (v == kNone) return nullptr;
  const Value& value = c.graph().value(v);
  return value.constant ? &*value.constant : nullptr;
}

std::optional<std::vector<int64_t>> constant_ints(ImportContext& c, ValueId v) {
  const Tensor* t = constant_of(c, v);
  if (t == nullptr || !is_integer(t->dtype())) return std::nullopt;
  return t->to_int64();
}

ValueId scalar(ImportContext& c, const OnnxNode& n, float v) { return c.constant(n, Tensor::scalar(v)); }

ValueId scalar_like(ImportContext& c, const OnnxNode& n, ValueId like, float v) {
  const DType t = dtype_hint(c.graph(), like);
  return c.constant(n, Tensor::scalar(v).cast(t == DType::kUndefined || t == DType::kBool ? DType::kFloat : t));
}

ValueId ints(ImportContext& c, const OnnxNode& n, const std::vector<int64_t>& v) { return c.constant(n, Tensor::ints(v)); }
ValueId int_scalar(ImportContext& c, const OnnxNode& n, int64_t v) { return c.constant(n, Tensor::scalar(v)); }

ValueId unary(ImportContext& c, const OnnxNode& n, UnaryKind kind, ValueId x, float alpha) {
  return c.inner(n, OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(kind), alpha});
}

ValueId unary(ImportContext& c, const OnnxNode& n, ActivationKind kind, ValueId x) {
  return c.inner(n, OpKind::kUnary, {x}, UnaryAttrs{static_cast<int>(kind), 0});
}

ValueId binary(ImportContext& c, const OnnxNode& n, BinaryKind kind, ValueId a, ValueId b) {
  return c.inner(n, OpKind::kBinary, {a, b}, BinaryAttrs{kind});
}

ValueId cast(ImportContext& c, const OnnxNode& n, ValueId x, DType to) { return c.inner(n, OpKind::kCast, {x}, CastAttrs{to}); }
ValueId matmul(ImportContext& c, const OnnxNode& n, ValueId a, ValueId b) { return c.inner(n, OpKind::kMatMul, {a, b}); }

ValueId transpose(ImportContext& c, const OnnxNode& n, ValueId x, std::vector<int64_t> perm) {
  return c.inner(n, OpKind::kTranspose, {x}, TransposeAttrs{std::move(perm)});
}

ValueId reshape(ImportContext& c, const OnnxNode& n, ValueId x, const std::vector<int64_t>& dims) {
  return c.inner(n, OpKind::kReshape, {x, ints(c, n, dims)}, ReshapeAttrs{});
}

ValueId unsqueeze(ImportContext& c, const OnnxNode& n, ValueId x, std::vector<int64_t> axes) {
  return c.inner(n, OpKind::kUnsqueeze, {x}, AxesAttrs{std::move(axes)});
}

ValueId concat(ImportContext& c, const OnnxNode& n, std::vector<ValueId> parts, int64_t axis) {
  return c.inner(n, OpKind::kConcat, std::move(parts), AxisAttrs{axis});
}

ValueId slice(ImportContext& c, const OnnxNode& n, ValueId x, int64_t axis, int64_t start, int64_t end, int64_t step) {
  return c.inner(n, OpKind::kSlice, {x, ints(c, n, {start}), ints(c, n, {end}), ints(c, n, {axis}), ints(c, n, {step})});
}

ValueId dim_size(ImportContext& c, const OnnxNode& n, ValueId x, int64_t axis) {
  const ValueId shape = c.inner(n, OpKind::kShape, {x}, ShapeAttrs{});
  return c.inner(n, OpKind::kGather, {shape, int_scalar(c, n, axis)}, AxisAttrs{0});
}

}  // namespace edgeconv
