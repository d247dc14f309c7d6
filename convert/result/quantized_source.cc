// See quantized_source.h. What the file's own quantization lost cannot be measured without the file that it was made from.
#include "convert/result/quantized_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

// Beyond that a user of a small file would wonder.
constexpr double kMuchLarger = 1.25;

int matches(const ConvertResult& r, const char* pass) {
  int all = 0;
  for (const auto& [name, n] : r.fusions)
    if (name == pass) all += n;
  return all;
}

// What the model that is converted differs from the file by, which runs as its nodes say.
std::string what_that_changes(const ConvertResult& r) {
  const SourceRounding& s = r.source_rounding;
  constexpr double kSame = 0.9999;
  constexpr size_t kNamed = 4;
  std::string text;
  if (s.clipped > 0)
    text += fmt::format(", but what {} of them clip{} is kept", s.clipped, s.clipped == 1 ? "s" : "");
  if (s.clipped < matches(r, "strip_activation_quantization"))
    text += fmt::format("; values beyond the ranges of {} are not cut off", s.clipped > 0 ? "the others" : "them");
  if (s.errors.empty()) return text;
  const auto least = [](const OutputError& e) { return std::min(e.cosine, e.decided); };
  std::vector<OutputError> others;
  for (const OutputError& e : s.errors)
    if (!e.unknown() && !(least(e) >= kSame)) others.push_back(e);
  const std::string on = r.calib_command.empty() ? " on recorded inputs" : " on made-up inputs";
  if (others.empty()) return text + fmt::format("; without them the outputs keep cosine {:g} with those of the file as it is{}", kSame, on);
  std::sort(others.begin(), others.end(), [&](const OutputError& a, const OutputError& b) { return least(a) < least(b); });
  text += "; against the file as it is, the fp32 model that is converted has ";
  for (size_t i = 0; i < std::min(kNamed, others.size()); ++i) {
    const OutputError& e = others[i];
    const std::string decided = e.decision == Decision::kValue ? "" : fmt::format(" ({:.4f} by its {})", e.decided, decision_name(e.decision));
    text += fmt::format("{}cosine {:.4f} in '{}'{}", i == 0 ? "" : ", ", e.cosine, printable(e.name), decided);
  }
  if (others.size() > kNamed) text += fmt::format(" and less than {:g} in {} more", kSame, others.size() - kNamed);
  return text + on;
}

}  // namespace

std::string quantized_source_warning(const ConvertResult& r) {
  const int weights = matches(r, "fold_dequantize"), roundings = matches(r, "strip_activation_quantization"),
            products = matches(r, "float_matmul_integer");
  if (weights + roundings + products == 0) return "";
  std::string text =
      "the file is quantized already: what that lost stays and is in none of these figures, which compare with its own weights. "
      "If there is "
      "the fp32 file that it was made from, convert that one: it keeps to its gate against fp32";
  if (roundings > 0)
    text += fmt::format("; its {} rounding{} of activations {} left out{}", roundings, roundings == 1 ? "" : "s", roundings == 1 ? "is" : "are",
                        what_that_changes(r));
  else if (products > 0)
    text += "; the ranges of its activations are not rounded as in ONNX Runtime, so that outputs differ by that";
  const double source = static_cast<double>(r.model.file_bytes + r.model.external_bytes),
               blob = static_cast<double>(r.stored().bytes());
  const bool fp32 = !r.plan.int8_tables || r.plan.count(ert::params::linear::kF32) > r.plan.count(ert::params::linear::kW12A13);
  const bool wide = r.plan.count(ert::params::linear::kW12A13) > 0;
  if (source > 0 && blob > kMuchLarger * source)
    text += fmt::format("; the blob has {:.1f} times its bytes{}", blob / source,
                        fp32 ? ", as parts of it are fp32" : wide ? ", as weights of 12 bits take 16" : "");
  return text;
}

}  // namespace edgeconv
