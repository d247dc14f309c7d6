// The whole way from an ONNX file to the bytes of a blob, without any printing: cli/ shows what is in the result.
#pragma once

#include <string>

#include "convert/result/convert_options.h"
#include "convert/result/convert_result.h"
#include "convert/result/gates.h"

namespace edgeconv {

// Throws FatalError with the exit code (ir/diagnostics.h); GateMissed (kAccuracy) where the result misses a gate.
ConvertResult convert_model(const std::string& path, const ConvertOptions& options);

}  // namespace edgeconv
