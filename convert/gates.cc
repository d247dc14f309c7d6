// See gates.h.
#include "convert/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "convert/report/precision_reason.h"

namespace edgeconv {

GateMissed::GateMissed(ConvertResult missed, std::string more)
    : FatalError(ExitCode::kAccuracy, refusal_text(missed.refusal.value(), "nothing was written", more)),
      result(std::make_shared<const ConvertResult>(std::move(missed))),
      notes(std::move(more)) {}

std::string refusal_text(const Refusal& r, const std::string& written, const std::string& notes) {
  return r.what + "; " + written + ".\n" + r.advice + notes;
}

void warn_of_losses(const ConvertResult& r, Diagnostics& d) {
  for (const OutputError& e : r.errors)
    if (e.cosine < std::min(kWarnCosine, r.target_cosine))
      d.warn("output '" + e.name + "' has cosine " + std::to_string(e.cosine) + " with the fp32 model on " + r.error_inputs +
             " (good: at least 0.999)");
  if (const auto warning = mostly_fp32(r)) d.warn(*warning);
}

std::optional<Refusal> missed_gate(const ConvertOptions& o, const ConvertResult& r) {
  double worst = 1;
  for (const OutputError& e : r.errors) worst = std::min(worst, e.cosine);
  const Gates& gates = o.gates;
  const double least = gates.max_loss > 0 ? 1 - gates.max_loss : o.allow_accuracy_loss ? -1 : kFailCosine;
  if (worst < least)
    return Refusal{fmt::format("the worst output has cosine {:.6f} with the fp32 model (loss {:.3g}), below the gate of {:.9g}",
                               worst, 1 - worst, least),
                   gates.max_loss > 0
                       ? "Try --precision auto, give real inputs with --calib, or raise --max-loss"
                       : "Try --precision auto, give real inputs with --calib, or accept it with --allow-accuracy-loss"};
  if (gates.max_slowdown > 0 && r.slowdown > gates.max_slowdown)
    return Refusal{
        fmt::format("the layers take {:g} times the work of int8, --max-slowdown allows {:g}", r.slowdown, gates.max_slowdown),
        "Raise --max-slowdown or --max-loss, or force --precision int8"};
  const size_t stored = r.packed.bytes() ? r.packed.bytes() : r.blob.bytes();
  if (gates.max_bytes > 0 && stored > gates.max_bytes)
    return Refusal{fmt::format("the file has {} bytes, --max-bytes allows {}", stored, gates.max_bytes),
                   "Raise --max-bytes or --max-loss, or force --precision int8"};
  return std::nullopt;
}

}  // namespace edgeconv
