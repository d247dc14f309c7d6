// Reads a certificate with suspicion.
#include "convert/report/certificate_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert/blob/version.h"
#include "convert/files/json.h"
#include "rt/loading/model.h"

namespace edgeconv {

namespace {

// A certificate nests three levels; a hostile one must not exhaust the stack when it is printed.
constexpr int kMostNesting = 8;

std::string text_at(const Json& j, const char* key) {
  return j.is_object() && j.contains(key) && j.at(key).is_string() ? j.at(key).get<std::string>() : "";
}
std::optional<double> number_at(const Json& j, const char* key) {
  return j.is_object() && j.contains(key) && j.at(key).is_number() ? std::optional(j.at(key).get<double>()) : std::nullopt;
}
Json array_at(const Json& j, const char* key) {
  return j.is_object() && j.contains(key) && j.at(key).is_array() ? j.at(key) : Json::array();
}

struct Figure {
  const char* key;
  std::optional<double> again;
  double tolerance;  // what rounding can make of a difference in the last bits of a libm
};

// One entry of the certificate, with the figures that must be in it.
bool confirm(const std::string& what, const Json& stated, const std::vector<Figure>& figures, CertificateCheck& check) {
  bool same = true;
  for (const Figure& f : figures) {
    const std::optional<double> was = number_at(stated, f.key);
    if (was.has_value() == f.again.has_value() && (!was || std::fabs(*was - *f.again) <= f.tolerance)) continue;
    same = false;
    const auto shown = [](const std::optional<double>& v) { return v ? fmt::format("{:.8g}", *v) : std::string("nothing"); };
    check.contradictions.push_back(
        fmt::format("{}: the certificate says {} {}, measured {}", printable(what), f.key, shown(was), shown(f.again)));
  }
  return same;
}

constexpr double kDecibels = 0.0101, kFigure = 1.01e-6;

// The two halves of a recurrent layer have one name: one row must fit.
void confirm_layer(const LayerError& l, const Json& rows, CertificateCheck& check) {
  CertificateCheck first;
  bool named = false;
  for (const Json& row : rows) {
    if (text_at(row, "name") != l.name) continue;
    CertificateCheck one;
    if (text_at(row, "precision") != l.precision)
      one.contradictions.push_back("layer '" + printable(l.name) + "': the certificate says " +
                                   printable(text_at(row, "precision")) + ", the blob has " + l.precision);
    else if (confirm("layer '" + l.name + "'", row,
                     {{"local_sqnr_db", certified_decibels(l.local_sqnr_db), kDecibels},
                      {"accumulated_sqnr_db", certified_decibels(l.accumulated_sqnr_db), kDecibels}},
                     one)) {
      ++check.layers;
      return;
    }
    if (!named) first = one;
    named = true;
  }
  // Without a row: fp32 because its sums are too long for int8.
  for (std::string& line : first.contradictions) check.contradictions.push_back(std::move(line));
}

}  // namespace

Json certificate_of(const BlobRunner& runner) {
  const auto* text = ert::model_state(&runner.model())->root->certificate();
  const auto shallow = [](int depth, Json::parse_event_t, const Json&) { return depth <= kMostNesting; };
  const Json certificate = Json::parse(text ? text->str() : "", shallow, false);
  return certificate.is_object() ? certificate : Json(nullptr);
}

MeasuredOn measured_on(const Json& certificate) {
  MeasuredOn on;
  on.user = text_at(certificate, "calibration") == "user";
  if (!certificate.is_object() || !certificate.contains("measured_on")) return on;
  const Json& said = certificate.at("measured_on");
  on.sha256 = text_at(said, "sha256");
  on.sets = static_cast<size_t>(std::clamp(number_at(said, "sets").value_or(0), 0.0, 1e6));
  on.chaotic = said.is_object() && said.contains("chaotic") && said.at("chaotic") == true;
  if (!said.is_object() || !said.contains("uncounted")) return on;
  on.mask = text_at(said.at("uncounted"), "mask");
  on.padding = number_at(said.at("uncounted"), "padding").value_or(0) == 1 ? 1 : 0;
  return on;
}

CertificateCheck check_certificate(const Json& certificate, const MeasuredAgain& again) {
  CertificateCheck check;
  const std::string maker = std::string("edgeconv ") + kVersion;
  if (!certificate.is_object())
    check.why = "the blob has none";
  else if (text_at(certificate, "source_sha256") != again.source_sha256)
    check.why = "it is of another model file";
  else if (text_at(certificate, "producer") != maker)
    check.why = "it was made by " + printable(text_at(certificate, "producer")) + ", this is " + maker;
  else if (measured_on(certificate).sha256 != again.inputs_sha256)
    check.why = measured_on(certificate).user ? "it was measured on calibration inputs: give the conversion's --calib again"
                                              : "it was measured on other inputs";
  if (!check.why.empty()) return check;
  for (const Json& stated : array_at(certificate, "outputs")) {
    const std::string name = text_at(stated, "name");
    const auto e = std::find_if(again.outputs.begin(), again.outputs.end(), [&](const OutputError& o) { return o.name == name; });
    if (e == again.outputs.end())
      check.contradictions.push_back("output '" + printable(name) + "': it is not an output of the model");
    else
      check.outputs +=
          confirm("output '" + name + "'", stated,
                  {{"cosine", e->unknown() ? std::nullopt : certified_figure(e->cosine), kFigure},
                   {"decided_cosine",
                    e->unknown() || e->decision == Decision::kValue ? std::nullopt : certified_figure(e->decided), kFigure},
                   {"max_abs", certified_figure(e->max_abs), kFigure},
                   {"sqnr_db", certified_decibels(e->sqnr_db), kDecibels},
                   {"argmax_agreement", certified_figure(e->argmax_agreement), kFigure}},
                  check);
  }
  if (array_at(certificate, "outputs").size() < again.outputs.size())
    check.contradictions.push_back("it does not speak of all outputs");
  for (const LayerError& l : again.layers) confirm_layer(l, array_at(certificate, "layers"), check);
  check.state = check.contradictions.empty() ? CertificateCheck::State::kConfirmed : CertificateCheck::State::kContradicted;
  return check;
}

}  // namespace edgeconv
