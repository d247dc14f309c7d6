// Short forms of what importers do often: required inputs, constants, and inner nodes for decompositions.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "convert/import/importer.h"

namespace edgeconv {

using BinaryKind = ert::params::binary::Kind;
using UnaryKind = ert::params::unary::Kind;
using ReduceKind = ert::params::reduce::Kind;
using ActivationKind = ert::kernels::Unary;

// The node's i-th input; throws NodeError when it is absent.
ValueId required_input(ImportContext& c, const OnnxNode& n, size_t i);
// Throws NodeError unless the node has between `least` and `most` inputs.
void check_input_count(const OnnxNode& n, size_t least, size_t most);

// Contents of a value that the file gives as a constant, or null.
const Tensor* constant_of(ImportContext& c, ValueId v);
std::optional<std::vector<int64_t>> constant_ints(ImportContext& c, ValueId v);

// What is known about a value before inference, from the nodes behind it; -1 and kUndefined when nothing is.
int rank_hint(const Graph& g, ValueId v);
DType dtype_hint(const Graph& g, ValueId v);
// The same for all values of a graph in the order of its nodes: what was found before is not looked for again, however deep it lies.
using KnownTypes = std::unordered_map<ValueId, DType>;
DType dtype_hint(const Graph& g, ValueId v, KnownTypes& known);
// 2 or 4 where int8 or uint8 stands for a type of so few bits, else 0.
int packed_bits_hint(const Graph& g, ValueId v);

ValueId scalar(ImportContext& c, const OnnxNode& n, float v);
// In the element type of `like` where that is known, else float32.
ValueId scalar_like(ImportContext& c, const OnnxNode& n, ValueId like, float v);
ValueId ints(ImportContext& c, const OnnxNode& n, const std::vector<int64_t>& v);
ValueId int_scalar(ImportContext& c, const OnnxNode& n, int64_t v);

ValueId unary(ImportContext& c, const OnnxNode& n, UnaryKind kind, ValueId x, float alpha = 0);
ValueId unary(ImportContext& c, const OnnxNode& n, ActivationKind kind, ValueId x);
ValueId binary(ImportContext& c, const OnnxNode& n, BinaryKind kind, ValueId a, ValueId b);
inline ValueId add(ImportContext& c, const OnnxNode& n, ValueId a, ValueId b) { return binary(c, n, BinaryKind::kAdd, a, b); }
inline ValueId sub(ImportContext& c, const OnnxNode& n, ValueId a, ValueId b) { return binary(c, n, BinaryKind::kSub, a, b); }
inline ValueId mul(ImportContext& c, const OnnxNode& n, ValueId a, ValueId b) { return binary(c, n, BinaryKind::kMul, a, b); }
ValueId cast(ImportContext& c, const OnnxNode& n, ValueId x, DType to);
ValueId matmul(ImportContext& c, const OnnxNode& n, ValueId a, ValueId b);
ValueId transpose(ImportContext& c, const OnnxNode& n, ValueId x, std::vector<int64_t> perm);
ValueId reshape(ImportContext& c, const OnnxNode& n, ValueId x, const std::vector<int64_t>& dims);  // 0 copies, -1 is solved
ValueId unsqueeze(ImportContext& c, const OnnxNode& n, ValueId x, std::vector<int64_t> axes);
ValueId concat(ImportContext& c, const OnnxNode& n, std::vector<ValueId> parts, int64_t axis);
// Elements [start, end) of one axis, every step-th.
ValueId slice(ImportContext& c, const OnnxNode& n, ValueId x, int64_t axis, int64_t start, int64_t end, int64_t step = 1);
// The size of one axis, as a 0-d int64.
ValueId dim_size(ImportContext& c, const OnnxNode& n, ValueId x, int64_t axis);

// x + bias, or x where there is none: Gemm and the fused linear operators.
inline ValueId add_optional(ImportContext& c, const OnnxNode& n, ValueId x, ValueId bias) {
  return bias == kNone ? x : add(c, n, x, bias);
}

[[noreturn]] void refuse(const std::string& reason, const std::string& hint);
// Because the rank of its input is not known; `use`: what needs it, with what stands between, or empty.
[[noreturn]] void refuse_without_rank(const std::string& use, const std::string& hint);

}  // namespace edgeconv
