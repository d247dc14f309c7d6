// What a finished conversion is held to: warnings, and the gates that end it with exit 7.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "convert/ir/diagnostics.h"
#include "convert/result/convert_options.h"
#include "convert/result/convert_result.h"

namespace edgeconv {

// A conversion that came to its end and misses a gate: the result is complete, for reports, but must not be used.
class GateMissed : public FatalError {
 public:
  GateMissed(ConvertResult missed, std::string more);
  std::shared_ptr<const ConvertResult> result;
  std::string notes;  // what else a user should know: warnings
};

// "WHAT; WRITTEN.", the advice, and the notes.
std::string refusal_text(const Refusal& r, const std::string& written, const std::string& notes);

// Outputs that lost more than they should, and precisions that a user would not expect.
void warn_of_losses(const ConvertOptions& o, const ConvertResult& r, Diagnostics& d);

// The first gate that the result misses.
std::optional<Refusal> missed_gate(const ConvertOptions& o, const ConvertResult& r);

}  // namespace edgeconv
