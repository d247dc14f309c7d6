// An object of its own: programs with an op table of their own define the function themselves and do not link the reference's table.
#include "kernels_int8/dispatch/dispatch.h"

namespace ert::kernels {

const KernelTable* forced_reference() { return level_table(Level::kRef); }

}  // namespace ert::kernels
