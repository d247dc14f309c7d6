// Made-up music. Its power stands in few narrow lines with next to nothing between them, which speech never has: what a model makes of the
// quiet bands beside a loud tone shows errors that hide behind the breadth of speech.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/inputs/random.h"

namespace edgeconv {

// Up to four notes at a time, each with harmonics, a quick start and a decay, over next to no noise; rests between phrases. Steps, range and
// `loudness` as in signals.h. Additions, multiplications and divisions only: the same on every host.
std::vector<float> music(int64_t samples, int64_t loudness, Random& random);

}  // namespace edgeconv
