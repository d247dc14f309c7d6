// Made-up sound and spectra: what sets them apart from noise is that they are loud and silent and coloured, and that is what shows the
// errors of 8 bits. Additions, multiplications and divisions only: the same on every host.
#pragma once

#include <cstdint>
#include <vector>

#include "convert/inputs/random.h"

namespace edgeconv {

// Sound at 16 kHz; one stream in three is music (music.h). The others are like speech: voiced and unvoiced syllables, tones, bursts and pauses, with coloured noise behind it. One stream, as
// long as asked for: its level changes in pauses. In steps of 16 bits, between -1 and 1. `loudness` counts the levels of streams that
// belong together, the first of them loud.
std::vector<float> sound(int64_t samples, int64_t loudness, Random& random);

// Logarithms of the powers of such sound in `bins` bands, in units of their spread around their mean.
std::vector<float> log_spectrum(int64_t frames, int64_t bins, Random& random);

}  // namespace edgeconv
