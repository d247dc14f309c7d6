// See gates.h.
#include "convert/gates.h"

#include <fmt/format.h>

#include <algorithm>

#include "convert/report/precision_reason.h"

namespace edgeconv {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
  throw FatalError(ExitCode::kAccuracy, what + "; nothing was written.\n" + advice);
}

}  // namespace

void judge(const ConvertOptions& o, const ConvertResult& r, Diagnostics& d) {
  for (const OutputError& e : r.errors)
    if (e.cosine < std::min(kWarnCosine, r.target_cosine))
      d.warn("output '" + e.name + "' has cosine " + std::to_string(e.cosine) + " with the fp32 model on " + r.error_inputs +
             " (good: at least 0.999)");
  if (const auto warning = mostly_fp32(r)) d.warn(*warning);
  double worst = 1;
  for (const OutputError& e : r.errors) worst = std::min(worst, e.cosine);
  const Gates& gates = o.gates;
  const double least = gates.max_loss > 0 ? 1 - gates.max_loss : o.allow_accuracy_loss ? -1 : kFailCosine;
  if (worst < least)
    refuse(fmt::format("the worst output has cosine {:.6f} with the fp32 model (loss {:.3g}), below the gate of {:.9g}", worst,
                       1 - worst, least),
           gates.max_loss > 0 ? "Try --precision auto, give real inputs with --calib, or raise --max-loss"
                              : "Try --precision auto, give real inputs with --calib, or accept it with --allow-accuracy-loss");
  if (gates.max_slowdown > 0 && r.slowdown > gates.max_slowdown)
    refuse(
        fmt::format("the layers take {:g} times the work of int8, --max-slowdown allows {:g}", r.slowdown, gates.max_slowdown),
        "Raise --max-slowdown or --max-loss, or force --precision int8");
  const size_t stored = r.packed.bytes() ? r.packed.bytes() : r.blob.bytes();
  if (gates.max_bytes > 0 && stored > gates.max_bytes)
    refuse("the file has " + std::to_string(stored) + " bytes, --max-bytes allows " + std::to_string(gates.max_bytes),
           "Raise --max-bytes or --max-loss, or force --precision int8");
}

}  // namespace edgeconv
