// Images, which files have with their channels first, read so by the first op over them: the Transpose in front of it is left out.
#pragma once

#include "convert/program/target.h"

namespace edgeconv {

// So many channels of an image may lie a map apart; of more, every sum would walk through as many places of memory.
constexpr int64_t kMostPlanes = 4;

// What the map is a Transpose of that puts channels last; -1: something else.
int channels_first(const TargetProgram& p, int map);

}  // namespace edgeconv
