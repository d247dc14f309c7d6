// What convolutions and pools have in common in a file.
#pragma once

#include "convert/import/importer.h"

namespace edgeconv {

// Throws NodeError for values that ONNX does not allow.
ConvAttrs conv_attrs(const OnnxNode& n);

}  // namespace edgeconv
