// What to say about operators that have no importer.
#pragma once

#include "convert/import/importer.h"

namespace edgeconv {

// Reports n as unsupported with the reason and the hint that fit its domain and operator.
void refuse_unknown(ImportContext& c, const OnnxNode& n);

}  // namespace edgeconv
