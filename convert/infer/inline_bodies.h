// Replaces an If with a known condition by its branch, a Loop that is a recurrent layer by one (recurrent_loop.h), and another Loop with a known
// small trip count by copies of its body.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

constexpr int64_t kMaxTrips = 1024;  // most rounds of a Loop that are unrolled

// Inlines every If of g that is decided, and replaces what is a recurrent layer; returns how many. Where there is none, and nothing else becomes
// known (`settled`) that would show one, it unrolls loops: those whose inputs are known before others. The graph is left sorted.
int inline_decided_bodies(Graph& g, bool settled);

// Inlines what an If runs because the other branch cannot: for when nothing else changes any more, as conditions may become known until then.
int inline_only_branches(Graph& g);

// The number that a value of one element holds, where it is known; not of floats.
std::optional<int64_t> known_scalar(const Graph& g, ValueId v);

// The condition that the body of a Loop computes never ends it early: it hands on its input, or a true constant.
bool runs_to_the_end(const Graph& body);

// Copies body into g with its inputs replaced; returns the outer values of the body's outputs. The caller sorts the graph.
std::vector<ValueId> copy_body(Graph& g, const Graph& body, const std::vector<ValueId>& inputs, const std::string& prefix);

}  // namespace edgeconv
