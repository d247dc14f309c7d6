// What to say about operators that have no importer.
#pragma once

#include <span>
#include <string_view>

#include "convert/import/importer.h"

namespace edgeconv {

struct RefusedOperator {
  std::string_view domain, op, reason, hint;  // domain: "" is ai.onnx
};

// The operators of ai.onnx and ai.onnx.ml that stay refused, and names that exporters leave which ONNX does not know.
std::span<const RefusedOperator> refused_operators();

// What is refused of an operator that has an importer; empty for most.
std::string_view limits_of(std::string_view domain, std::string_view op);

// Reports n as unsupported with the reason and the hint that fit its domain and operator.
void refuse_unknown(ImportContext& c, const OnnxNode& n);

}  // namespace edgeconv
