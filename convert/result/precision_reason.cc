// See precision_reason.h.
#include "convert/result/precision_reason.h"

#include <fmt/format.h>

#include <algorithm>

#include "convert/ir/diagnostics.h"
#include "convert/quantize/precision_plan.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

constexpr double kMost = 0.5;  // share of the multiplications
constexpr const char* kNoMoreFits = "what gains more fills --max-slowdown or --max-bytes";

std::string layers_of(const LadderStep& s) {
  if (!s.w8a16 && !s.fp32) return "all in int8";
  if (!s.int8 && !s.fp32) return "all in w8a16";
  if (!s.int8 && !s.w8a16) return "all in fp32";
  return fmt::format("{} in int8, {} in w8a16 and {} in fp32", s.int8, s.w8a16, s.fp32);
}

std::string exact_parts(bool int8_attention, bool int8_tables) {
  if (int8_attention && int8_tables) return "";
  return fmt::format(" beside fp32 {}", int8_attention ? "tables" : int8_tables ? "attention" : "attention and tables");
}

// int8_part: which of the two flags of a step.
std::string reason_of_part(const ConvertResult& r, bool LadderStep::*int8_part, bool int8) {
  if (r.mode == PrecisionMode::kFp32) return "all layers are fp32";
  if (r.mode != PrecisionMode::kAuto) return "only automatic precision changes it";
  if (int8) return r.shortfall ? kNoMoreFits : "the outputs keep to the gate with it";
  double best = -1;
  for (const LadderStep& s : r.ladder)
    if (s.*int8_part) best = std::max(best, s.worst_cosine);
  if (best < r.target_cosine)
    return fmt::format("fp32 for cosine {:.9g}: with it in int8 the best gave {:.6f}", r.target_cosine, best);
  return fmt::format("fp32 for cosine {:.9g}: with it in int8 layers take more work", r.target_cosine);
}

}  // namespace

std::string reason_of(const ConvertResult& r, const LayerReport& l) {
  if (l.asked) return "asked for by --precision PATTERN";
  if (r.mode != PrecisionMode::kAuto) return fmt::format("all layers are {}", precision_name(l.precision));
  if (l.precision == linear::kInt8) return r.shortfall ? kNoMoreFits : "the outputs keep to the gate with it";
  // What attention and tables did to the outputs is no reason to lift a layer: the first step that failed with them as chosen.
  const auto failed = std::find_if(r.ladder.begin(), r.ladder.end(), [&](const LadderStep& s) {
    return s.int8_attention == r.int8_attention && s.int8_tables == r.int8_tables && s.worst_cosine < r.target_cosine;
  });
  std::string why = fmt::format("lifted for cosine {:.9g}", r.target_cosine);
  if (failed != r.ladder.end())
    why +=
        fmt::format(": {}{} gave {:.6f}", layers_of(*failed), exact_parts(r.int8_attention, r.int8_tables), failed->worst_cosine);
  return why;
}

std::string reason_of_attention(const ConvertResult& r) {
  return reason_of_part(r, &LadderStep::int8_attention, r.int8_attention);
}

std::string reason_of_tables(const ConvertResult& r) { return reason_of_part(r, &LadderStep::int8_tables, r.int8_tables); }

std::optional<std::string> mostly_fp32(const ConvertResult& r) {
  if (r.mode != PrecisionMode::kAuto || r.ladder.empty()) return std::nullopt;
  double all = 0, lifted = 0, best = -1, index = kStandsOut;
  std::string cause;
  for (const LayerReport& l : r.layers) {
    const double macs = static_cast<double>(l.k) * static_cast<double>(l.n);
    all += macs;
    if (l.precision == linear::kF32 && !l.asked) lifted += macs;
    if (!(l.facts.outlier_index > index)) continue;
    index = l.facts.outlier_index;
    cause =
        fmt::format(": channels {:.0f} times as large as the others ('{}' reads them) leave those too few of the steps of 8 bits",
                    index, printable(l.name));
  }
  if (lifted <= kMost * all) return std::nullopt;
  for (const LadderStep& s : r.ladder)
    if (s.fp32 == r.ladder.front().fp32) best = std::max(best, s.worst_cosine);
  return fmt::format(
      "{:.0f} % of the multiplications of layers stay fp32, so the blob is hardly smaller or faster than the model: with none "
      "the worst "
      "output has cosine {:.6f}, the gate is {:.9g}{}. Try real inputs (--calib), accept a larger loss (--max-loss), or "
      "--precision w8a16",
      100 * lifted / all, best, r.target_cosine, cause);
}

}  // namespace edgeconv
