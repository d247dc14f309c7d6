// What a chain of Reshape, Transpose, Squeeze, Unsqueeze, Split and constant Gather does to the elements of the tensor it
// starts from: every axis of the result as a list of pieces of source axes. With it, passes recognise head splits, merged QKV
// and layout detours by what they do, however an exporter spells them.
#pragma once

#include <optional>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// A piece of a source axis: `size` steps of `stride` elements along `axis`.
struct Atom {
  int axis = 0;
  DimExpr stride = 1, size = 1;
  bool operator==(const Atom& o) const { return axis == o.axis && stride == o.stride && size == o.size; }
};

struct ViewLayout {
  ValueId source = kNone;
  Shape source_shape;
  std::vector<std::vector<Atom>> axes;  // outer piece first; an axis of size 1 has no pieces
  std::vector<DimExpr> first;           // per source axis: index where the view starts (slices, selections)

  // The source's own layout.
  static ViewLayout identity(const Graph& g, ValueId source);
  // Pieces in the order of the result's elements.
  std::vector<Atom> flat() const;
};

// Applies one view node to a layout; nullopt if n is not a view or cannot be expressed. output: which of n's outputs.
// selections: also Gather by a constant index, Split and Slice with step 1, which drop elements.
std::optional<ViewLayout> apply_view(const Graph& g, const ViewLayout& in, const Node& n, ValueId output, bool selections);

// Follows view nodes back from v as far as they go and gives the layout of v over that source. Always succeeds: without views
// the source is v itself. With `scale`, multiplications by a constant scalar are passed through and multiplied into it.
ViewLayout trace_view(const Graph& g, ValueId v, bool selections, float* scale = nullptr);

// Gives `out` (whose shape is set) the definition "l's rearrangement of source": at most Reshape, Transpose, Reshape.
// source may differ from l.source in value and, along the last axis when l keeps it whole, in size.
void build_view(Graph& g, ValueId source, const ViewLayout& l, ValueId out, const Origin& origin);

// True if the pieces of l stand in the order of the source's elements: then l is a plain Reshape.
bool keeps_order(const ViewLayout& l);

// Joins neighbouring pieces that are contiguous in the source (outer.stride == inner.stride * inner.size).
std::vector<Atom> merge_atoms(const std::vector<Atom>& atoms);

// a / b when it divides exactly.
std::optional<DimExpr> exact_quotient(const DimExpr& a, const DimExpr& b);

bool is_view(OpKind k);

}  // namespace edgeconv
