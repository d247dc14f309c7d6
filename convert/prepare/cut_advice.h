// Where a model is refused because of what stands behind most of it (detection boxes being sorted out, trees, strings): the --outputs that leave that out.
#pragma once

#include "convert/import_graph/cut.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

// Adds to the hints of problems. d holds all that was found; file may be null.
void advise_outputs(const FileGraph* file, Diagnostics& d);

}  // namespace edgeconv
