// See quantized_source.h. What the file's own quantization lost cannot be measured without the file that it was made from.
#include "convert/result/quantized_source.h"

#include <fmt/format.h>

#include <algorithm>

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
    text += fmt::format("; its {} rounding{} of activations {} left out, and what they clip where that stands for no ReLU or ReLU6, so that "
                        "outputs differ from ONNX Runtime's by them",
                        roundings, roundings == 1 ? "" : "s", roundings == 1 ? "is" : "are");
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
