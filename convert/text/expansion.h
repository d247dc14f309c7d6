// How much longer a text can become on its way to the model.
#pragma once

#include "convert/text/table_probe.h"
#include "convert/text/tokenizer.h"

namespace edgeconv::text {

struct Expansion {
  uint32_t of_byte = 1;  // bytes that one byte of text can become, rounded up
  uint32_t extra = 0;    // bytes that are put before any text
};

Expansion measure_expansion(const Tokenizer& t, TableProbe& probe);

}  // namespace edgeconv::text
