// Made-up pictures: what sets them apart from noise is areas with edges, colours that go together, textures that are coarse rather than
// fine, and writing. Additions, multiplications, divisions and square roots only: the same on every host.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/inputs/random.h"

namespace edgeconv {

// A scene of areas that cover each other, writing on paper, a sign in a scene, or a page: `colours` planes of height x width, from 0 to 1.
std::vector<float> picture(int64_t height, int64_t width, int64_t colours, Random& random);

}  // namespace edgeconv
