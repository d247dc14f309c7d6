// The kinds of graph nodes, and what op_kinds.inc says of each that more than one layer asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace edgeconv {

enum class OpKind : uint16_t {
#define EDGECONV_OP(name, inference, evaluation, lowering, computes, moves) k##name,
#include "convert/ir/op_kinds.inc"
#undef EDGECONV_OP
};

std::string_view op_name(OpKind k);

// Made by passes out of several operators of the file: the rows from Linear on.
inline bool is_fused(OpKind k) { return k >= OpKind::kLinear; }

// In which types a kind does its arithmetic on the host.
enum class Computes : uint8_t {
  kAsStored,  // none at all: elements of any type pass through unchanged
  kFloat,     // half precision and double become fp32
  kDouble,    // half precision becomes fp32, double stays
};
Computes computes(OpKind k);

// Bit i: the outputs are made of elements of input i; bit 31 stands for it and all inputs behind it. 0: of new elements.
uint32_t moved_inputs(OpKind k);
inline bool moves_input(OpKind k, size_t input) { return (moved_inputs(k) >> (input < 31 ? input : 31)) & 1; }
// Every output element is an element of input 0, unchanged.
inline bool rearranges(OpKind k) { return moved_inputs(k) == 1; }
// The output is input 0 in another shape: the same elements in the same order.
bool only_reshapes(OpKind k);

}  // namespace edgeconv
