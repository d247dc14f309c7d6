// See validate_text.h.
#include "convert/cli/validate_text.h"

#include <fmt/format.h>

#include <cmath>

#include "convert/cli/standard_output.h"
#include "convert/ir/foreign_text.h"
#include "convert/measure/accuracy.h"
#include "convert/measure/decision.h"

namespace edgeconv::cli {

namespace {

constexpr const char* kStates[] = {"confirmed", "contradicted", "not comparable"};

// null where values are equal, or where nothing was measured.
Json finite(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

}  // namespace

Json certificate_json(const CertificateCheck& c) {
  return {{"state", kStates[static_cast<int>(c.state)]},
          {"why", c.why.empty() ? Json(nullptr) : Json(c.why)},
          {"outputs", c.outputs},
          {"layers", c.layers},
          {"contradictions", c.contradictions}};
}

const char* metric_name(TaskMetric m) { return m == TaskMetric::kAccuracy ? "accuracy" : "spearman"; }

Json task_json(const TaskResult& t) {
  return {{"metric", metric_name(t.metric)},
          {"output", t.output},
          {"labels", t.labels},
          {"reference", t.reference},
          {"blob", t.blob}};
}

Json outputs_json(const std::vector<OutputError>& errors) {
  Json list = Json::array();
  for (const OutputError& e : errors)
    list.push_back({{"name", e.name},
                    {"cosine", e.unknown() ? Json(nullptr) : Json(e.cosine)},
                    {"evidence", evidence_name(e.evidence)},
                    {"scores_before", e.scores_before.empty() ? Json(nullptr) : Json(e.scores_before)},
                    {"decided_by", decision_name(e.decision)},
                    {"decided_cosine", e.unknown() ? Json(nullptr) : Json(e.decided)},
                    {"sqnr_db", finite(e.sqnr_db)},
                    {"max_abs", e.max_abs},
                    {"max_reference", e.max_ref},
                    {"argmax_agreement", e.argmax_agreement}});
  return list;
}

Json layers_json(const std::vector<LayerError>& layers) {
  Json list = Json::array();
  for (const LayerError& l : layers)
    list.push_back({{"name", l.name},
                    {"precision", l.precision},
                    {"local_sqnr_db", finite(l.local_sqnr_db)},
                    {"accumulated_sqnr_db", finite(l.accumulated_sqnr_db)}});
  return list;
}

void print_error(const OutputError& e) {
  if (e.unknown())
    return print("{}: {}not known, it {} in the reference (largest error {:.4g} of {:.4g})\n", printable(e.name), measured_text(e),
                 evidence_text(e.evidence), e.max_abs, e.max_ref);
  const std::string decided =
      e.decision == Decision::kValue ? "" : fmt::format(", by its {} {:.6f}", decision_name(e.decision), e.decided);
  print("{}: {}cosine {:.6f}{}, SQNR {:.1f} dB{}, largest error {:.4g} of {:.4g}, {} {:.1f} %\n", printable(e.name), measured_text(e),
        e.cosine, decided, e.sqnr_db, e.of_worst_tenth ? " in the worst tenth" : "", e.max_abs, e.max_ref, agreement_text(e),
        100 * e.argmax_agreement);
}

void print_layers(const std::vector<LayerError>& layers) {
  if (layers.empty()) return;
  print("\naccumulated dB  local int8 dB  precision  layer, worst first\n");
  for (const LayerError& l : layers)
    print("{:14.1f}  {:13.1f}  {:<9}  {}\n", l.accumulated_sqnr_db, l.local_sqnr_db, l.precision, printable(l.name));
}

void print_certificate(const CertificateCheck& c, uint32_t golden) {
  print("golden vectors: {} replayed, same bits\n", golden);
  switch (c.state) {
    case CertificateCheck::State::kConfirmed:
      print("certificate: confirmed, {} output{} and {} layers measured again\n", c.outputs, c.outputs == 1 ? "" : "s", c.layers);
      break;
    case CertificateCheck::State::kNotComparable: print("certificate: not compared, {}\n", c.why); break;
    case CertificateCheck::State::kContradicted:
      print("certificate: contradicted\n");
      for (const std::string& line : c.contradictions) print("  {}\n", line);
  }
}

}  // namespace edgeconv::cli
