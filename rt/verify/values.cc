// Size expressions, values, inputs, outputs and golden vectors: every index in range, every constant inside its segment.
#include "rt/blob/recipe.h"
#include "rt/sizes/dims.h"
#include "rt/base/limits.h"
#include "kernels_int8/dispatch/dispatch.h"
#include "rt/ops/op_params.h"
#include "rt/verify/semantics.h"

namespace ert {
namespace {

using params::is_packed;

bool known_dtype(uint32_t dtype) { return is_packed(dtype) || element_bytes(dtype) != 0; }  // behind verify_layouts

bool constant_shape(const Program& p, const fb::Value& v) {
  for (uint32_t axis = 0; axis < v.rank(); ++axis) {
    if (kind_of(p.exprs[v.shape()->Get(axis)]) != ExprKind::kConstant) return false;
  }
  return true;
}

// Shape made of constant expressions only; used before any dims are known.
bool constant_bytes(const Program& p, const fb::Value& v, size_t* bytes) {
  Operand o;
  o.dtype = v.dtype();
  o.rank = v.rank();
  for (uint32_t axis = 0; axis < v.rank(); ++axis) {
    const int64_t size = p.exprs[v.shape()->Get(axis)].value();
    if (size < 1 || size > INT32_MAX) return false;
    o.dims[axis] = static_cast<int32_t>(size);
  }
  return operand_bytes(o, bytes);
}

bool verify_constant(const Program& p, const fb::Value& v) {
  if (v.index() >= p.segments.size || !constant_shape(p, v)) return false;
  const fb::Segment& s = p.segments[v.index()];
  size_t bytes;
  if (kind_of(s) != SegmentKind::kConstants || !constant_bytes(p, v, &bytes)) return false;
  if (v.offset() > s.bytes() || bytes > s.bytes() - v.offset()) return false;
  const uint64_t alignment = is_packed(v.dtype()) ? 64 : element_bytes(v.dtype());
  return v.offset() % alignment == 0;
}

// Ends in a value that is not an alias, with the same element size. Aliases of 64-bit and packed values do not exist.
bool verify_alias(const Program& p, uint32_t index) {
  uint32_t v = index;
  for (uint32_t hop = 0; storage_of(p.values[v]) == Storage::kAlias; ++hop) {
    if (hop == limits::kMaxAliasHops || p.values[v].index() >= p.values.size) return false;
    v = p.values[v].index();
  }
  return element_bytes(p.values[index].dtype()) != 0 &&
         element_bytes(p.values[index].dtype()) == element_bytes(p.values[v].dtype());
}

bool verify_storage(const Program& p, uint32_t index) {
  const fb::Value& v = p.values[index];
  if (storage_of(v) != Storage::kConstant && (is_packed(v.dtype()) || v.offset() != 0)) return false;
  switch (storage_of(v)) {
    case Storage::kArena:
      return v.index() < p.slots && v.dtype() != ERT_I64 && v.first_op() <= v.last_op() && v.last_op() < p.ops.size;
    case Storage::kConstant: return verify_constant(p, v);
    case Storage::kInput: return v.index() < p.inputs.size && p.inputs[v.index()] == index;
    case Storage::kOutput: return v.index() < p.outputs.size && p.outputs[v.index()] == index && v.first_op() < p.ops.size;
    case Storage::kAlias: return verify_alias(p, index);
    case Storage::kCount: break;  // and whatever else the byte holds
  }
  return false;
}

// Inputs and outputs may be bound in another width, but not as another kind of number.
bool same_kind(uint32_t a, uint32_t b) {
  const auto kind = [](uint32_t d) { return d == ERT_I64 ? uint32_t{ERT_I32} : d == ERT_U8 ? uint32_t{ERT_BOOL} : d; };
  return element_bytes(a) != 0 && kind(a) == kind(b);
}

bool verify_ports(const Program& p, const Span<uint32_t>& ports, const Span<uint8_t>& dtypes, uint32_t names, Storage storage) {
  if (dtypes.size != ports.size || names != ports.size) return false;
  for (uint32_t i = 0; i < ports.size; ++i) {
    if (ports[i] >= p.values.size) return false;
    const fb::Value& v = p.values[ports[i]];
    if (storage_of(v) != storage || v.index() != i || !same_kind(v.dtype(), dtypes[i])) return false;
  }
  return true;
}

// -most <= v <= most
bool within(int32_t v, uint32_t most) { return static_cast<uint32_t>(v) + most <= 2 * most; }

// Whether an element of the type can be v.
bool holds(uint32_t dtype, int32_t v) {
  switch (dtype) {
    case ERT_F32: return within(v, kMostMadeFloat);
    case ERT_BOOL: return static_cast<uint32_t>(v) <= 1;
    case ERT_U8: return static_cast<uint32_t>(v) <= UINT8_MAX;
    case ERT_I8: return v == static_cast<int8_t>(v);
    case ERT_I16: return v == static_cast<int16_t>(v);
    default: return v != INT32_MIN;  // high - low + 1 is 32 bits
  }
}

// Whether ert_selftest may follow it: `room` bytes are left behind it, the tensor has `bytes`. Fields that a kind does not name are 0.
bool verify_recipe(const Recipe& r, bool input, uint32_t dtype, size_t bytes, size_t room) {
  if (r.reserved != 0 || r.bytes > bytes || r.bytes > room) return false;
  if (r.kind == static_cast<uint32_t>(RecipeKind::kMade)) {
    return input && (r.bytes | r.crc) == 0 && r.low <= r.high && holds(dtype, r.low) && holds(dtype, r.high) &&
           within(r.exponent, dtype == ERT_F32 ? kMostMadeExponent : 0);
  }
  if ((r.seed | static_cast<uint32_t>(r.low | r.high | r.exponent)) != 0) return false;
  if (input) return r.kind == static_cast<uint32_t>(RecipeKind::kStored) && r.crc == 0 && r.bytes == bytes;
  return r.kind == static_cast<uint32_t>(RecipeKind::kDigest);
}

// A whole tensor or a recipe and its bytes, inside the segment.
bool verify_golden_tensor(const Program& p, const fb::Golden& golden, uint32_t k, const Operand& tensor) {
  const fb::Segment& s = p.segments[golden.segment()];
  const uint64_t offset = golden.offsets()->Get(k);
  size_t bytes;
  if (offset % kSegmentAlign != 0 || offset > s.bytes() || !operand_bytes(tensor, &bytes)) return false;
  const size_t room = static_cast<size_t>(s.bytes() - offset);
  if ((p.root->flags() & kFlagRecipes) == 0) return bytes <= room;
  const void* recipe = p.blob + s.offset() + offset;
  return room >= sizeof(Recipe) &&
         verify_recipe(*static_cast<const Recipe*>(recipe), k < p.inputs.size, tensor.dtype, bytes, room - sizeof(Recipe));
}

bool verify_golden_vector(const Program& p, const fb::Golden& golden, int64_t* exprs) {
  const uint32_t tensors = p.inputs.size + p.outputs.size;
  if (golden.dims() == nullptr ? p.dims.size != 0 : golden.dims()->size() != p.dims.size) return false;
  if (golden.offsets() == nullptr || golden.offsets()->size() != tensors || golden.segment() >= p.segments.size) return false;
  if (kind_of(p.segments[golden.segment()]) != SegmentKind::kGolden) return false;
  for (uint32_t i = 0; i < p.dims.size; ++i) {
    const int32_t size = golden.dims()->Get(i);
    if (size < p.dims[i].min() || size > p.dims[i].max()) return false;
  }
  if (!evaluate_golden(p, golden, exprs)) return false;
  for (uint32_t k = 0; k < tensors; ++k) {
    Operand tensor;
    if (!resolve_port(p, k, exprs, &tensor) || !verify_golden_tensor(p, golden, k, tensor)) return false;
  }
  return true;
}

template <class V>
uint32_t length(const V* v) {
  return v == nullptr ? 0 : v->size();
}

}  // namespace

bool verify_exprs_and_dims(const Program& p) {
  for (uint32_t i = 0; i < p.dims.size; ++i) {
    if (p.dims[i].min() < 1 || p.dims[i].max() < p.dims[i].min() || p.dims[i].max() > limits::kMaxDim) return false;
  }
  if (length(p.root->dim_names()) != p.dims.size) return false;
  for (uint32_t i = 0; i < p.exprs.size; ++i) {
    const fb::Expr& e = p.exprs[i];
    if (kind_of(e) >= ExprKind::kCount || e.reserved() != 0) return false;
    const ExprKind kind = kind_of(e);
    if (kind == ExprKind::kConstant) continue;
    if (kind == ExprKind::kDim ? e.lhs() >= p.dims.size : (e.lhs() >= i || e.rhs() >= i)) return false;
  }
  return true;
}

bool verify_layouts(const Program& p) {
  const uint32_t last = kernels::has_wide() ? params::kPackedN16K2 : params::kPackedN2K16;  // layouts are the highest dtypes
  for (uint32_t i = 0; i < p.values.size; ++i) {
    if (p.values[i].dtype() > last) return false;
  }
  return true;
}

bool verify_values(const Program& p) {
  const bool wide = (p.root->flags() & kFlagTables16) != 0;
  for (uint32_t i = 0; i < p.values.size; ++i) {
    const fb::Value& v = p.values[i];
    if (v.dtype() == ERT_I16 && storage_of(v) != Storage::kInput && (storage_of(v) != Storage::kConstant || !wide)) return false;
    if (!known_dtype(v.dtype()) || v.rank() > ERT_MAX_RANK || v.reserved() != 0) return false;
    for (uint32_t axis = 0; axis < ERT_MAX_RANK; ++axis) {
      const uint32_t e = v.shape()->Get(axis);
      if (axis < v.rank() ? e >= p.exprs.size : e != 0) return false;
    }
    if (!verify_storage(p, i)) return false;
  }
  return true;
}

bool verify_boundary(const Program& p) {
  if (p.input_ranges.size != 0 && p.input_ranges.size != p.inputs.size) return false;
  for (uint32_t i = 0; i < p.input_ranges.size; ++i) {
    if (p.input_ranges[i].min() > p.input_ranges[i].max()) return false;
  }
  return verify_ports(p, p.inputs, p.input_dtypes, length(p.root->input_names()), Storage::kInput) &&
         verify_ports(p, p.outputs, p.output_dtypes, length(p.root->output_names()), Storage::kOutput);
}

bool verify_golden(const Program& p, EvalScratch* scratch) {
  for (uint32_t i = 0; i < length(p.root->golden()); ++i) {
    if (!verify_golden_vector(p, *p.root->golden()->Get(i), scratch->exprs)) return false;
  }
  return true;
}

}  // namespace ert
