// Axes and positions as files give them: from the end where they are negative.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgeconv {

// Counted from the front: one of -count to count - 1. What is outside of that stays outside: who reads it from a file checks it.
constexpr int64_t from_front(int64_t at, int64_t count) { return at < 0 ? at + count : at; }

constexpr size_t axis_index(int64_t axis, size_t rank) { return static_cast<size_t>(from_front(axis, static_cast<int64_t>(rank))); }

constexpr bool is_last_axis(int64_t axis, int64_t rank) { return from_front(axis, rank) == rank - 1; }

}  // namespace edgeconv
