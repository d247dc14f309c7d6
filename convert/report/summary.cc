// The summary after a conversion.
#include "convert/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert/ir/foreign_text.h"
#include "convert/measure/decision.h"
#include "convert/quantize/precision_plan.h"
#include "convert/report/blob_parts.h"
#include "convert/report/next_commands.h"
#include "convert/result/precision_reason.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

namespace linear = ert::params::linear;

namespace {

double source_bytes(const ModelInfo& m) { return static_cast<double>(m.file_bytes + m.external_bytes); }
int main_opset(const ModelInfo& m) { return m.opsets.count("") ? m.opsets.at("") : 0; }

// What a reader wants to see of the passes: the fused structures, not the cleanup.
constexpr std::pair<const char*, const char*> kFusionNames[] = {{"fuse_attention", "attention"},
                                                                {"merge_qkv", "merged QKV"},
                                                                {"fuse_rope", "rotary"},
                                                                {"fuse_glu", "gated unit"},
                                                                {"make_linear", "linear"},
                                                                {"fuse_layer_norm", "norm"},
                                                                {"fuse_residual_norm", "residual+norm"},
                                                                {"fuse_activation", "activation"},
                                                                {"fuse_embedding", "embedding"},
                                                                {"fuse_one_hot", "one-hot embedding"},
                                                                {"fuse_mean_pool", "mean pool"},
                                                                {"fuse_l2_normalize", "L2 norm"}};

constexpr size_t kWorstLayers = 3, kShownLayers = 8, kNamedLayers = 3;

std::string decibels(double v) { return std::isnan(v) ? "-" : fmt::format("{:.1f}", v); }

std::string layer_line(const LayerReport& l, Precision precision) {
  return fmt::format("  {:<11}{:>7}{:>7}{:>7} {:>9}  {}x{}  {}", precision_name(precision), decibels(l.local_sqnr_db),
                     decibels(l.accumulated_sqnr_db), decibels(l.facts.weight_sqnr_db),
                     std::isnan(l.facts.outlier_index) ? "-" : fmt::format("{:.1f}", l.facts.outlier_index), l.k, l.n,
                     printable(l.name));
}

std::string padding_line(const ConvertResult& r) {
  if (!r.skips_padding) return "";
  return fmt::format("padding   skipped by '{}': costs nothing, zero in outputs (--padding compute: computed)\n",
                     printable(r.mask));
}

std::string pinned_line(const ModelInfo& m) {
  const std::string list = pinned_list(m.fixed_dims, m.pinned);
  return (list.empty() ? "" : "pinned    " + list + "\n") + cut_lines(m.chosen_outputs, m.cut);
}

// What a model's folder said, and what became of it; options win.
std::string text_lines(const ConvertResult& r) {
  if (r.tokenizer_bytes == 0) return "";
  std::string s = "text      ";
  if (r.task.kind) {
    s += "task " + std::string(task_name(*r.task.kind));
    if (r.task.pooling) s += ", pooling " + std::string(pooling_name(*r.task.pooling));
    if (r.task.normalize) s += std::string(", normalize ") + (*r.task.normalize ? "on" : "off");
    if (!r.task.labels.empty()) s += fmt::format(", {} labels", r.task.labels.size());
    s += "; ";
  }
  s += fmt::format("tables of the tokenizer {}\n", human_bytes(static_cast<double>(r.tokenizer_bytes)));
  for (const std::string& fact : r.text_facts) s += "  " + printable(fact) + "\n";
  return s;
}

// Nobody reads "9813.3 %".
std::string ratio_text(double ratio) {
  return ratio > 2 ? fmt::format("{:.1f} times", ratio) : fmt::format("{:.1f} %", 100 * ratio);
}

std::string size_lines(const ConvertResult& r) {
  const double source = source_bytes(r.model), blob = static_cast<double>(r.blob.bytes());
  const double fp32 = 4.0 * static_cast<double>(r.model.parameter_count);
  std::string s =
      fmt::format("size      {} -> {} ({})", human_bytes(source), human_bytes(blob), ratio_text(blob / std::max(1.0, source)));
  // Of fp16 and quantized files the file says little.
  if (fp32 > 1.1 * source) s += fmt::format("; {:.1f} % of its {} in fp32", 100.0 * blob / fp32, human_bytes(fp32));
  const std::vector<BlobPart> parts = blob_parts(r.blob.data(), r.blob.bytes());
  if (blob > source) s += fmt::format("; larger than the file for its {}", parts.front().kind);
  s += "\nparts     " + parts_text(parts) + "\n";
  if (r.packed.bytes())
    s += fmt::format("stored    {} ({:.1f} % of the blob) with zstd; ert_unpack expands it\n",
                     human_bytes(static_cast<double>(r.packed.bytes())), 100.0 * static_cast<double>(r.packed.bytes()) / blob);
  return s;
}

// Counts, and the layers worst first: those that were lifted, with the reason, and the worst of all; or every layer.
std::string precision_lines(const ConvertResult& r, bool all) {
  if (r.layers.empty()) return "precision all fp32\n";
  std::string s = fmt::format(
      "precision {} layers: {} int8, {} w8a16, {} w12a13, {} fp32; attention {}, large tables {}; {:.2f}x the work of int8, about {:.2f}x "
      "the time\n",
      r.layers.size(), r.plan.count(linear::kInt8), r.plan.count(linear::kInt8A16), r.plan.count(linear::kW12A13), r.plan.count(linear::kF32),
      part_precision_name(r.plan.int8_attention), r.plan.tables_name(), r.slowdown, times_of_int8(r));
  if (r.request.mode == PrecisionMode::kAuto) {
    if (!r.plan.int8_attention) s += "  attention     " + reason_of_attention(r) + "\n";
    if (!r.plan.int8_tables) s += "  large tables  " + reason_of_tables(r) + "\n";
  }
  s += "  in the blob  local, accumulated, weights dB; outliers; layer, worst first\n";
  size_t shown = 0, hidden = 0;
  for (const LayerReport& l : r.layers) {
    const Precision precision = r.plan.of(l.node).precision;
    const bool lifted = asked_for(r.request, l.name) || (r.request.mode == PrecisionMode::kAuto && precision != linear::kInt8);
    if (!all && shown >= kWorstLayers && !lifted) continue;
    if (!all && shown == kShownLayers) {
      ++hidden;
      continue;
    }
    ++shown;
    const std::string why = short_reason_of(r, l);
    s += layer_line(l, precision) + (why.empty() ? "\n" : "  (" + why + ")\n");
  }
  if (!all && hidden) s += fmt::format("  and {} more that were lifted; -v lists all layers\n", hidden);
  return s;
}

// Why a model needs more than int8: the layers that read channels of another size, those that stand out most first.
std::string outlier_line(const ConvertResult& r) {
  std::vector<const LayerReport*> layers;
  for (const LayerReport& l : r.layers)
    if (l.facts.outlier_index > kStandsOut) layers.push_back(&l);
  if (layers.empty()) return "";
  std::stable_sort(layers.begin(), layers.end(),
                   [](const LayerReport* a, const LayerReport* b) { return a->facts.outlier_index > b->facts.outlier_index; });
  std::string names;
  for (size_t i = 0; i < layers.size() && i < kNamedLayers; ++i) names += (i ? "; " : "") + printable(layers[i]->name);
  if (layers.size() > kNamedLayers) names += fmt::format("; and {} more", layers.size() - kNamedLayers);
  return fmt::format("outliers  channels up to {:.0f} times the others: {}\n", layers[0]->facts.outlier_index, names);
}

std::string error_text(const OutputError& e) {
  if (e.unknown())
    return fmt::format("{}not known, it {} in the reference (largest error {:.3g} of {:.3g})", measured_text(e), evidence_text(e.evidence),
                       e.max_abs, e.max_ref);
  const std::string decided =
      e.decision == Decision::kValue ? "" : fmt::format(", by its {} {:.6f}", decision_name(e.decision), e.decided);
  return fmt::format("{}cosine {:.6f}{}, largest error {:.3g} of {:.3g}, {} {:.1f} %", measured_text(e), e.cosine, decided, e.max_abs,
                     e.max_ref, agreement_text(e), 100 * e.argmax_agreement);
}

std::string accuracy_lines(const ConvertResult& r) {
  std::string s;
  for (const OutputError& e : r.errors) s += fmt::format("accuracy  {}: {}\n", printable(e.name), error_text(e));
  if (!r.errors.empty()) s += fmt::format("          against {} on {}\n", r.reference, r.error_inputs);
  for (const std::string& n : r.not_compared)
    s += fmt::format("accuracy  {}: not compared, it depends on a custom operator\n", printable(n));
  return s;
}

std::string cost_line(const ConversionCost& c) {
  const std::string memory =
      c.peak_bytes ? fmt::format(", {} of memory at most", human_bytes(static_cast<double>(c.peak_bytes))) : "";
  return fmt::format("cost      {:.2f} s of CPU time{} ({})\n", c.cpu_seconds, memory, machine_text());
}

}  // namespace

std::string summary_text(const ConvertResult& r, const MemoryTable& memory, const std::string& output, bool verbose) {
  std::string fused;
  for (const auto& [pass, label] : kFusionNames)
    for (const auto& [which, n] : r.fusions)
      if (which == pass && n > 0 && which != "make_linear") fused += fmt::format("{}{} {}", fused.empty() ? "" : ", ", label, n);
  return fmt::format("model     opset {}, {} nodes, {} parameters\n", main_opset(r.model), r.model.node_count,
                     r.model.parameter_count) +
         pinned_line(r.model) + text_lines(r) +
         fmt::format("ops       {}{}\n", r.ops, fused.empty() ? "; nothing to fuse" : " with what was fused: " + fused) +
         padding_line(r) + size_lines(r) + memory_text(memory) + precision_lines(r, verbose) + outlier_line(r) +
         accuracy_lines(r) + cost_line(r.cost) + fmt::format("written   {}\n", escaped(output)) +
         (output == "standard output" ? ""
                                      : next_with_blob(output, BlobRunner(r.blob.data(), r.blob.bytes()),
                                                       r.task.kind.value_or(TaskKind::kNoTask) != TaskKind::kNoTask, false));
}

}  // namespace edgeconv
