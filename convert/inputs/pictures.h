// Made-up pictures: what sets them apart from noise is areas with edges, colours that go together, textures that are coarse rather than
// fine, and writing. Additions, multiplications, divisions and square roots only: the same on every host.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/inputs/random.h"

namespace edgeconv {

// A scene of areas that cover each other, writing on paper, a sign in a scene, or a page: `colours` planes of height x width, from 0 to 1.
// `number` counts pictures that belong together; any three in a row are of different kinds, and one of them is without a camera's blur and
// noise.
std::vector<float> picture(int64_t height, int64_t width, int64_t colours, uint64_t number, Random& random);

}  // namespace edgeconv
