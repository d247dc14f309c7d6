// One inference function per kind of node. They may assume that every present input has a shape and a dtype.
#pragma once

#include "convert/infer/node_inference.h"

namespace edgeconv {

using InferFunction = void (*)(NodeInference&);

InferFunction infer_function(OpKind kind);  // null for kinds that have none (Custom)

// The functions named by op_kinds.inc, in the files named after what they infer. infer_none stands for none and is never called.
#define EDGECONV_OP(name, inference, evaluation, lowering, computes, moves) void inference(NodeInference& c);
#include "convert/ir/op_kinds.inc"
#undef EDGECONV_OP

// infer() for a body of If or Loop, of which it may still turn out that it never runs: problems of its import are not told, those of its nodes
// are returned. infer.cc
InferLog infer_body_graph(Graph& g);

// Contents of outputs of nodes that only move elements, whatever the operator: the canonical interpreter moves positions
// instead of values. True when the contents were found. elements.cc
bool move_elements(NodeInference& c);

// The same for a few elements of a vector of unknown length, found one by one. traced_elements.cc
bool trace_elements(NodeInference& c);

// Whole numbers that come of fractions of sizes: contents of the output of a Floor, Ceil or Cast, where they can be known. float_sizes.cc
enum class Rounding { kDown, kUp, kToZero };
void infer_rounded(NodeInference& c, Rounding rounding);

}  // namespace edgeconv
