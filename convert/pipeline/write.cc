// The last steps: the bytes of the chosen model, with its certificate, golden vectors and tokenizer, and whether the user takes them.
#include <fmt/format.h>

#include <algorithm>

#include "convert/blob/compress.h"
#include "convert/blob/golden.h"
#include "convert/blob/version.h"
#include "convert/ir/foreign_text.h"
#include "convert/lower/build_program.h"
#include "convert/pipeline/conversion.h"
#include "convert/program/row_bands.h"
#include "convert/result/certificate.h"
#include "convert/result/quantized_source.h"
#include "convert/text/table_bytes.h"

namespace edgeconv {

// What the device's self test runs, and warnings where it can tell little.
std::vector<GoldenVector> Conversion::golden_of(const Tensor& blob) {
  const auto model = open_own(blob);
  const GoldenInputs made = golden_inputs(*model, model_.graph, dims_, o_.golden, o_.calibration);
  std::vector<GoldenVector> golden = golden_vectors(*model, made.sets);
  const auto run = [&](const auto& inputs) { return outputs_if_taken(*model, inputs); };
  bool still = false;
  if (!o_.golden_asked) golden = shortened(run, std::move(golden), blob.bytes(), &still);
  if (still) d_.warn("no output moves with the inputs that golden vectors have: the device's self test notices little");
  if (made.given && !made.sets.empty())
    d_.warn("the model does not take made-up inputs, so its golden vectors hold " + std::to_string(made.sets.size()) +
            " of the calibration inputs; --golden none leaves them out");
  if (golden.size() < made.sets.size())
    d_.warn(fmt::format(
        "{} of {} golden vectors are stored: this model takes no made-up inputs, and others are larger than {} bytes, the "
        "most that they take beside this blob. Without any the device's self test checks nothing; --golden N stores N",
        golden.size(), made.sets.size(), most_golden_bytes(blob.bytes())));
  return golden;
}

void Conversion::write() {
  stage("writing", 0.9);
  Candidate chosen = candidates_->take(r_.plan);
  // Of all candidates only this one is traced, which is the one that is written.
  if (o_.prepare.trace) {
    LowerOptions traced = options_;
    traced.plan = r_.plan;
    chosen.program = build_program(g_, traced, d_, {o_.prepare.trace, kWrittenRound});
  }
  ert_info built{};
  built.struct_size = sizeof built;
  ert_model_info(&open_own(chosen.blob)->model(), &built);
  r_.skips_padding = built.skips_padding != 0;
  if (r_.skips_padding) r_.mask = model_.graph.value(model_.graph.inputs[built.mask_input]).name;
  r_.ops = chosen.program.ops.size();
  BlobMeta meta;
  meta.producer = std::string("edgeconv ") + kVersion;
  meta.source_sha256 = r_.model.sha256;
  meta.security_counter = o_.security_counter;
  if (text_.tokenizer) meta.tokenizer = text::table_bytes(*text_.tokenizer);
  r_.tokenizer_bytes = meta.tokenizer.size();
  meta.certificate = certificate_json(r_, o_, chosen.compared().errors());
  meta.golden = golden_of(chosen.blob);
  r_.golden_bytes = 0;
  std::vector<std::vector<Tensor>> inputs;
  for (const GoldenVector& v : meta.golden) {
    inputs.push_back(v.inputs);
    r_.golden_bytes += golden_bytes(v);
  }
  chosen.blob = Tensor();  // not two of them at a time
  for (const KeptState& s : states_)
    chosen.program.states.push_back({static_cast<uint32_t>(s.output), static_cast<uint32_t>(s.input)});
  change_weight_layout(chosen.program, o_.target.dtype);
  if (o_.bands != BandUse::kNever) make_row_bands(chosen.program, choose_bands(o_.bands, o_.target.name == "cortex-m"));
  r_.blob = write_blob(chosen.program, meta);
  // Read back: what is written must open, and give the bits of the layout that everything above was measured with.
  const auto written = open_own(r_.blob);
  if (golden_vectors(*written, inputs) != meta.golden)
    throw FatalError(ExitCode::kInternal, fmt::format("the blob for --target {} computes other bits", o_.target.name));
}

void Conversion::compress() {
  if (!o_.compress) return;
  Tensor packed = compress_blob(r_.blob);
  if (packed.bytes() < r_.blob.bytes())
    r_.packed = std::move(packed);
  else
    d_.warn("--compress zstd: nothing became smaller; the blob is written uncompressed");
}

// What else is in the file (certificate, golden vectors, layout of the target) is known once it is written: then there is less for weights.
bool Conversion::must_be_smaller() {
  const uint64_t stored = r_.stored().bytes(), most = o_.gates.max_bytes;
  if (!most || stored <= most || o_.precision.mode != PrecisionMode::kAuto || chosen_bytes_ > budget_.bytes) return false;
  const uint64_t more = stored - std::min(stored, chosen_bytes_);
  budget_.bytes = most > more ? std::min(most - more, chosen_bytes_ - 1) : 1;
  r_.packed = Tensor();
  return true;
}

void Conversion::finish() {
  warn_of_losses(o_, r_, d_);
  if (const std::string warning = quantized_source_warning(r_); !warning.empty()) d_.warn(warning);
  r_.warnings = d_.warnings();
  r_.cost.end();
  r_.refusal = missed_gate(o_, r_);
  if (r_.refusal) {
    const std::string more = notes();  // of the result, before it is moved
    throw GateMissed(std::move(r_), more);
  }
  stage("done", 1.0);
}

}  // namespace edgeconv
