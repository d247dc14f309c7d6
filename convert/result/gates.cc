// See gates.h.
#include "convert/result/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "convert/measure/accuracy.h"
#include "convert/measure/decision.h"
#include "convert/result/precision_reason.h"

namespace edgeconv {

namespace {

double least_cosine(const ConvertOptions& o) {
  return o.gates.max_loss > 0 ? cosine_of(o.gates.max_loss) : o.allow_accuracy_loss ? -1 : kFailCosine;
}

// Of the file that the climb without a budget would write.
uint64_t needed_bytes(const ConvertResult& r) {
  const uint64_t stored = r.stored().bytes();
  return r.shortfall->needed_bytes + stored - std::min(stored, r.shortfall->reached_bytes);
}

// "--max-slowdown 1.5 and --max-bytes 30000"
std::string budget(const Gates& g) {
  const std::string work = g.max_slowdown > 0 ? fmt::format("--max-slowdown {:g}", g.max_slowdown) : "",
                    bytes = g.max_bytes ? fmt::format("--max-bytes {}", g.max_bytes) : "";
  return work + (work.empty() || bytes.empty() ? "" : " and ") + bytes;
}

// What the climb without a budget chose, as options that allow it. Less may do, too; of rows held out it has seen only some.
std::string enough(const Gates& g, const ConvertResult& r) {
  const Shortfall& s = *r.shortfall;
  std::string text;
  if (g.max_slowdown > 0 && s.needed.slowdown > g.max_slowdown)
    text += fmt::format("--max-slowdown to about {:g}", std::ceil(s.needed.slowdown * 100) / 100);
  if (g.max_bytes && needed_bytes(r) > g.max_bytes)
    text += fmt::format("{}--max-bytes to about {}", text.empty() ? "" : " and ", needed_bytes(r));
  return text;
}

// The user's budget, not the model, keeps the outputs from the gate. Rows that are held out count, too.
Refusal short_of_gate(const ConvertOptions& o, const ConvertResult& r, double gate) {
  const Shortfall& s = *r.shortfall;
  const Gates& g = o.gates;
  const double reached = std::min(s.reached.worst_cosine(), worst_cosine(r.errors));
  std::string needed = s.gate_reached ? fmt::format("a choice that reaches {:.9g} takes {:.3g} times the work",
                                                    r.request.target_cosine, s.needed.slowdown)
                                      : fmt::format("without it the best has {:.6f}", s.needed.worst_cosine());
  if (g.max_bytes && s.gate_reached) needed += fmt::format(" and about {} bytes", needed_bytes(r));
  std::vector<std::string> ways;
  if (const std::string budgets = enough(g, r); s.gate_reached && !budgets.empty()) ways.push_back("raise " + budgets);
  if (g.max_loss > 0)
    ways.push_back(fmt::format("raise --max-loss to {:.3g}", 1.01 * loss_of(reached)));
  else if (reached < least_cosine(o))
    ways.push_back("accept it with --allow-accuracy-loss");
  if (may_ask_for_inputs(r)) ways.push_back("give real inputs with --calib");
  if (ways.empty()) ways.push_back("use --precision fp32");
  std::string advice = ways[0];
  for (size_t i = 1; i < ways.size(); ++i) advice += (i + 1 < ways.size() ? ", " : ways.size() > 2 ? ", or " : " or ") + ways[i];
  advice[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(advice[0])));
  return {fmt::format(
              "within {} the worst output reaches cosine {:.9g} with the fp32 model, at {:.3g} times the work of int8, below the "
              "gate of {:.9g}; {}",
              budget(g), reached, r.slowdown, gate, needed),
          advice};
}

constexpr size_t kNamedOutputs = 4, kNamedBranches = 4;

// Outputs and branches that the inputs do not exercise, with what to do about it.
std::string what_is_unknown(const ConvertResult& r) {
  std::string text;
  size_t named = 0;
  for (const OutputError& e : r.errors) {
    if (!e.unknown() || (e.vacuous() && r.still_outputs.count(e.name) != 0) || ++named > kNamedOutputs) continue;
    text += fmt::format("{}output '{}' {}", text.empty() ? "" : ", ", printable(e.name), evidence_text(e.evidence));
  }
  if (named > kNamedOutputs) text += fmt::format(" and {} outputs more", named - kNamedOutputs);
  for (size_t i = 0; i < std::min(r.untaken.size(), kNamedBranches); ++i)
    text += fmt::format("{}{} is never taken", text.empty() ? "" : ", ", r.untaken[i]);
  if (r.untaken.size() > kNamedBranches) text += fmt::format(", nor are {} more", r.untaken.size() - kNamedBranches);
  if (text.empty()) return "";
  text += fmt::format(" on {}: how accurate that is, is not known", r.error_inputs);
  if (!r.calib_command.empty()) text += ". Give recorded inputs: " + r.calib_command;
  return text;
}

// Made-up samples that count nowhere.
std::string what_is_left_out(const ConvertResult& r) {
  std::string text;
  size_t named = 0;
  for (const OutputError& e : r.errors) {
    if (!e.chaotic || e.evidence == Evidence::kChaotic || ++named > kNamedOutputs) continue;
    text += fmt::format("{}{} of {} of output '{}'", text.empty() ? "" : ", ", e.chaotic, e.samples, printable(e.name));
  }
  if (text.empty()) return "";
  return fmt::format(
      "made-up samples do not count ({}): noise of 1e-4 in the inputs moves the fp32 model itself beyond the gate there", text);
}

// Samples so few that others may well lose more, and a gate that these just kept to. Steps of one recording are few, however many.
constexpr size_t kFewSets = 4;
constexpr double kThinMargin = 0.5;
// Of the gate: what the other outputs lose at least to be named with one that keeps to it by little on a single made-up input (a network of notes was
// certified .9999 there, and gave .998).
constexpr double kWithIt = 0.05;

// Outputs that keep to the gate on few made-up inputs, by little.
std::string what_may_be_less(const ConvertResult& r) {
  const MeasuredOn& on = r.measured_on;
  if (on.user || (on.sets > kFewSets && !on.steps) || r.calib_command.empty() || r.request.mode != PrecisionMode::kAuto)
    return "";
  const double thin = cosine_of(kThinMargin * loss_of(r.request.target_cosine));
  std::string text;
  size_t named = 0;
  for (const OutputError& e : r.errors) {
    const double least = std::min(e.cosine, e.decided);
    if (e.vacuous() || least >= thin || least < r.request.target_cosine || ++named > kNamedOutputs) continue;
    text += fmt::format("{}output '{}' (cosine {:.6f}{})", text.empty() ? "" : ", ", printable(e.name), least,
                        e.decided < e.cosine ? std::string(" by its ") + decision_name(e.decision) : "");
  }
  if (text.empty()) return "";
  std::string others;
  size_t with_it = 0;
  for (const OutputError& e : r.errors) {
    const double least = std::min(e.cosine, e.decided);
    if (on.sets > 1 || e.vacuous() || least < thin || least >= cosine_of(kWithIt * loss_of(r.request.target_cosine)) ||
        ++with_it > kNamedOutputs)
      continue;
    others += fmt::format("{} '{}'", others.empty() ? ", also in" : ",", printable(e.name));
  }
  return fmt::format(
      "{} {} hardly better than the gate of {:.9g} asks for, on {} {}: real inputs may show less{}. Give recorded inputs: {}",
      text, named > 1 ? "are" : "is", r.request.target_cosine, on.sets,
      on.steps       ? "steps of made-up inputs"
      : on.sets == 1 ? "made-up input"
                     : "made-up inputs",
      others, r.calib_command);
}

// What was not asked for yet.
std::string smaller_files(const ConvertOptions& o) {
  const std::string golden = o.golden > 0 ? "--golden none" : "", zstd = o.compress ? "" : "--compress zstd";
  if (golden.empty() && zstd.empty()) return "";
  return "; " + golden + (golden.empty() || zstd.empty() ? "" : " and ") + zstd +
         (golden.empty() || zstd.empty() ? " makes" : " make") + " files smaller";
}

// Nothing smaller or faster is left.
std::string even(const ConvertResult& r) { return r.shortfall ? " with all that was not asked for in int8" : ""; }

}  // namespace

GateMissed::GateMissed(ConvertResult missed, std::string more)
    : FatalError(ExitCode::kAccuracy, refusal_text(missed.refusal.value(), "nothing was written", more)),
      result(std::make_shared<const ConvertResult>(std::move(missed))),
      notes(std::move(more)) {}

std::string refusal_text(const Refusal& r, const std::string& written, const std::string& notes) {
  return r.what + "; " + written + ".\n" + r.advice + notes;
}

void warn_of_losses(const ConvertOptions& o, const ConvertResult& r, Diagnostics& d) {
  if (const std::string unknown = what_is_unknown(r); !unknown.empty()) d.warn(unknown);
  if (const std::string left_out = what_is_left_out(r); !left_out.empty()) d.warn(left_out);
  for (const OutputError& e : r.errors)
    if (e.evidence == Evidence::kNoNumber)
      continue;  // what_is_unknown has said it
    else if (e.cosine < std::min(kWarnCosine, r.request.target_cosine))
      d.warn(fmt::format("output '{}' has cosine {:.6f} with the fp32 model on {} (good: at least {:g})", e.name, e.cosine,
                         r.error_inputs, kWarnCosine));
    else if (e.decided < std::min(kWarnCosine, r.request.target_cosine) && !e.vacuous())
      d.warn(
          fmt::format("output '{}' has cosine {:.6f} with the fp32 model on {}, but by its {}, where it is decided, it loses as "
                      "much as cosine {:.6f} would",
                      e.name, e.cosine, r.error_inputs, decision_name(e.decision), e.decided));
  if (const std::string less = what_may_be_less(r); !less.empty()) d.warn(less);
  if (const auto warning = mostly_fp32(r)) d.warn(*warning);
  if (r.shortfall && !missed_gate(o, r)) {
    const Refusal why = short_of_gate(o, r, r.request.target_cosine);
    d.warn(why.what + ". " + why.advice);
  }
}

std::optional<Refusal> missed_gate(const ConvertOptions& o, const ConvertResult& r) {
  const double worst = worst_cosine(r.errors), least = least_cosine(o);
  const Gates& gates = o.gates;
  if (gates.max_slowdown > 0 && r.slowdown > gates.max_slowdown)
    return Refusal{fmt::format("the layers take {:g} times the work of int8{}, --max-slowdown allows {:g}", r.slowdown, even(r),
                               gates.max_slowdown),
                   r.shortfall ? "Raise --max-slowdown" : "Raise --max-slowdown, or use --precision auto, which keeps to it"};
  if (gates.max_bytes > 0 && r.stored().bytes() > gates.max_bytes)
    return Refusal{
        fmt::format("the file has {} bytes{}, --max-bytes allows {}", r.stored().bytes(), even(r), gates.max_bytes),
        r.shortfall ? "Raise --max-bytes" + smaller_files(o) : "Raise --max-bytes, or use --precision auto, which keeps to it"};
  if (const auto without =
          std::find_if(r.errors.begin(), r.errors.end(), [](const OutputError& e) { return e.evidence == Evidence::kNoNumber; });
      worst < least && without != r.errors.end())
    return Refusal{
        fmt::format("output '{}' is NaN or infinity everywhere on {}, in the fp32 model too, so that nothing can be compared",
                    printable(without->name), r.error_inputs),
        fmt::format("{} accept it with --allow-accuracy-loss",
                    r.calib_command.empty() ? "Look for the cause in the model, or" : "Give real inputs with --calib, or")};
  if (r.shortfall && std::min(worst, r.shortfall->reached.worst_cosine()) < least) return short_of_gate(o, r, least);
  if (worst < least)
    return Refusal{fmt::format("the worst output has cosine {:.6f} with the fp32 model (loss {:.3g}), below the gate of {:.9g}",
                               worst, loss_of(worst), least),
                   fmt::format("Try --precision auto{} or {}", may_ask_for_inputs(r) ? ", give real inputs with --calib," : "",
                               gates.max_loss > 0 ? "raise --max-loss" : "accept it with --allow-accuracy-loss")};
  return std::nullopt;
}

}  // namespace edgeconv
