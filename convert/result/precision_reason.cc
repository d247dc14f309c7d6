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

std::string layers_of(const PrecisionPlan& plan) {
  constexpr Precision kOrder[] = {linear::kInt8, linear::kInt8A16, linear::kW12A13, linear::kF32};
  for (const Precision p : kOrder)
    if (plan.count(p) == static_cast<int>(plan.layers().size())) return std::string("all in ") + precision_name(p);
  std::string text = fmt::format("{} in int8, {} in w8a16", plan.count(linear::kInt8), plan.count(linear::kInt8A16));
  if (plan.count(linear::kW12A13) > 0) text += fmt::format(", {} in w12a13", plan.count(linear::kW12A13));
  return text + fmt::format(" and {} in fp32", plan.count(linear::kF32));
}

std::string exact_parts(const PrecisionPlan& plan) {
  std::string parts = plan.int8_attention ? "" : "fp32 attention";
  if (!plan.int8_tables) parts += (parts.empty() ? "" : " and ") + std::string(plan.tables_name()) + " tables";
  return parts.empty() ? "" : " beside " + parts;
}

// Outputs that are judged where they are decided (measure/decision.h) may lose more than all that a cosine can.
std::string loss_text(double cosine, const char* called) {
  return cosine >= 0 ? fmt::format("{}{:.6f}", called, cosine)
                     : fmt::format("a loss of {:.3g} where it is decided (1 is all of it)", loss_of(cosine));
}

// int8_part: attention or tables; precision: what it has instead of int8.
std::string reason_of_part(const ConvertResult& r, bool PrecisionPlan::*int8_part, const char* precision) {
  if (is_exact(r.request.mode)) return fmt::format("all layers are {}", mode_name(r.request.mode));
  if (r.request.mode != PrecisionMode::kAuto) return "only automatic precision changes it";
  if (r.plan.*int8_part) return r.shortfall ? kNoMoreFits : "the outputs keep to the gate with it";
  std::optional<double> best;
  for (const Trial& t : r.trials)
    if (t.plan.*int8_part) best = std::max(best.value_or(t.worst_cosine()), t.worst_cosine());
  if (!best) return fmt::format("{} for cosine {:.9g}: what was tried with it in int8 did not keep to it on further rows", precision, r.request.target_cosine);
  if (*best < r.request.target_cosine)
    return fmt::format("{} for cosine {:.9g}: with it in int8 the best gave {}", precision, r.request.target_cosine, loss_text(*best, ""));
  return fmt::format("{} for cosine {:.9g}: with it in int8 layers take more work", precision, r.request.target_cosine);
}

// The best of the plans that have no more layers in fp32, or in 12 bits, than the first one, which is one of them. There are trials.
double best_without_lifts(const ConvertResult& r) {
  const PrecisionPlan& first = r.trials.front().plan;
  double best = r.trials.front().worst_cosine();
  for (const Trial& t : r.trials)
    if (t.plan.count(linear::kW12A13) <= first.count(linear::kW12A13) && t.plan.count(linear::kF32) <= first.count(linear::kF32))
      best = std::max(best, t.worst_cosine());
  return best;
}

bool is_lifted(const ConvertResult& r, const LayerReport& l) {
  const Precision p = r.plan.of(l.node).precision;
  return p == linear::kF32 || p == linear::kW12A13;
}

// Lifted though the gate did not ask for it: a plan without passed.
bool for_its_readers(const ConvertResult& r, const LayerReport& l) {
  return r.gives_features && r.request.mode == PrecisionMode::kAuto && is_lifted(r, l) && !r.trials.empty() &&
         best_without_lifts(r) >= r.request.target_cosine;
}

}  // namespace

double times_of_int8(const ConvertResult& r) {
  double time = 0, int8 = 0;
  for (const LayerReport& l : r.layers) {
    time += time_of(l, r.plan.of(l.node).precision);
    int8 += time_of(l, linear::kInt8);
  }
  return int8 > 0 ? time / int8 : 1;
}

std::string short_reason_of(const ConvertResult& r, const LayerReport& l) {
  if (asked_for(r.request, l.name)) return "asked for";
  if (r.request.mode != PrecisionMode::kAuto || r.plan.of(l.node).precision == linear::kInt8) return "";
  if (l.as_quick_in_fp32) return "as quick in fp32";
  if (for_its_readers(r, l)) return "for the network that reads the features";
  return fmt::format("for cosine {:.9g}", r.request.target_cosine);
}

std::string reason_of(const ConvertResult& r, const LayerReport& l) {
  if (asked_for(r.request, l.name)) return "asked for by --precision PATTERN";
  const Precision precision = r.plan.of(l.node).precision;
  if (l.as_quick_in_fp32) return "so few weights take no longer in fp32";
  if (for_its_readers(r, l))
    return "another network reads the features and adds its error to this one's; more bits take less than twice the time";
  if (r.request.mode != PrecisionMode::kAuto) return fmt::format("all layers are {}", precision_name(precision));
  if (precision == linear::kInt8) return r.shortfall ? kNoMoreFits : "the outputs keep to the gate with it";
  // What attention and tables did to the outputs is no reason to lift a layer: the first trial that failed with them as chosen.
  const auto failed = std::find_if(r.trials.begin(), r.trials.end(), [&](const Trial& t) {
    return t.plan.int8_attention == r.plan.int8_attention && t.plan.int8_tables == r.plan.int8_tables &&
           t.plan.int16_tables == r.plan.int16_tables && t.worst_cosine() < r.request.target_cosine;
  });
  std::string why = fmt::format("lifted for cosine {:.9g}", r.request.target_cosine);
  if (failed != r.trials.end())
    why += fmt::format(": {}{} gave {:.6f}", layers_of(failed->plan), exact_parts(r.plan), failed->worst_cosine());
  return why;
}

std::string reason_of_attention(const ConvertResult& r) { return reason_of_part(r, &PrecisionPlan::int8_attention, "fp32"); }

std::string reason_of_tables(const ConvertResult& r) {
  return reason_of_part(r, &PrecisionPlan::int8_tables, r.plan.tables_name());
}

bool may_ask_for_inputs(const ConvertResult& r) {
  return !r.calib_command.empty() && r.untaken.empty() &&
         std::none_of(r.errors.begin(), r.errors.end(), [](const OutputError& e) { return e.vacuous(); });
}

std::optional<std::string> mostly_fp32(const ConvertResult& r) {
  if (r.request.mode != PrecisionMode::kAuto || r.trials.empty()) return std::nullopt;
  if (std::any_of(r.errors.begin(), r.errors.end(), [](const OutputError& e) { return e.evidence == Evidence::kNoNumber; }))
    return std::nullopt;  // chosen by nothing
  double all = 0, lifted = 0, index = kStandsOut;
  std::string cause;
  for (const LayerReport& l : r.layers) {
    all += l.macs();
    if (r.plan.of(l.node).precision == linear::kF32 && !asked_for(r.request, l.name)) lifted += l.macs();
    if (!(l.facts.outlier_index > index)) continue;
    index = l.facts.outlier_index;
    cause =
        fmt::format(": channels {:.0f} times as large as the others ('{}' reads them) leave those too few of the steps of 8 bits",
                    index, printable(l.name));
  }
  if (lifted <= kMost * all) return std::nullopt;
  const double best = best_without_lifts(r);
  if (times_of_int8(r) <= 1 && best >= r.request.target_cosine) return std::nullopt;  // nothing is lost by it
  if (std::any_of(r.layers.begin(), r.layers.end(),
                  [&](const LayerReport& l) { return for_its_readers(r, l) && !l.as_quick_in_fp32; }))
    return fmt::format(
        "layers have more than 8 bits, which takes about {:.1f} times as long here: the outputs are features that another network reads, and "
        "adds "
        "its errors to. Without that the worst output has {}; --precision int8 or w8a16 makes a smaller blob",
        times_of_int8(r), loss_text(best, "cosine "));
  return fmt::format(
      "{:.0f} % of the multiplications of layers stay fp32, so the blob is hardly smaller or faster than the model: with none "
      "the worst "
      "output has {}, the gate is {:.9g}{}. {} a larger loss (--max-loss), or --precision w8a16",
      100 * lifted / all, loss_text(best, "cosine "), r.request.target_cosine, cause,
      may_ask_for_inputs(r) ? "Try real inputs (--calib), accept" : "Accept");
}

}  // namespace edgeconv
