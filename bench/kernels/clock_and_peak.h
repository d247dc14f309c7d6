// What kernel speed is measured against: the core's clock, and the multiply-accumulates per cycle that the instruction of a
// level reaches with nothing else in the loop. Both are measured here, in the same process as the kernels.
#pragma once

#include "kernels_int8/contract/isa.h"

namespace ert::bench {

// Cycles per second of this core now, from a chain of dependent additions (one cycle each).
double clock_hz();

// Whether such an instruction is known for the level.
bool has_flood(kernels::Level level);

// Peak int8 multiply-accumulates per cycle of a level that this CPU has; 0 where no such instruction is defined (ref).
double peak_mac_per_cycle(kernels::Level level);

// Multiply-accumulates per second of that instruction during about so many seconds: less than at other times where another machine's
// work shares the core (the other hardware thread) or its clock fell. 0 as above.
double macs_per_second(kernels::Level level, double seconds);

}  // namespace ert::bench
