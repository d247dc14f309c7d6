// Chains of ops over maps that run band by band (RowBands): of what lies between their ops a few rows are in memory instead of a map. Chosen so that
// the memory of a context becomes least. Not one of the program passes: everything that looks at layers comes before.
#pragma once

#include "convert/program/target.h"

namespace edgeconv {

enum class BandUse { kAuto, kAll, kNever };

struct BandChoice {
  int64_t least_pixels = 1;  // of the last op at a time
  int64_t least_bytes = 0;   // what needs less without chains stays as it is
  double least_saving = 0;   // part of the memory
  int64_t most_pixels = 0;   // where the scratch of another op has room for them
};

// kAll and kAuto. Firmware: of microcontrollers.
BandChoice choose_bands(BandUse use, bool firmware);

// Returns the chains made. Lifetimes and slots are planned anew.
int make_row_bands(TargetProgram& p, const BandChoice& choice);

}  // namespace edgeconv
