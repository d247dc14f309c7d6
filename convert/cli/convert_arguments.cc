// See convert_arguments.h.
#include "convert/cli/convert_arguments.h"

#include <fmt/format.h>

#include <cmath>

#include "convert/cli/byte_count.h"
#include "convert/cli/dim_option.h"
#include "convert/cli/memory_limit.h"
#include "convert/ir/diagnostics.h"
#include "convert/measure/accuracy.h"

namespace edgeconv::cli {

namespace {

PrecisionMode parse_mode(const std::string& text) {
  if (text == "auto") return PrecisionMode::kAuto;
  if (text == "int8") return PrecisionMode::kInt8;
  if (text == "w8a16") return PrecisionMode::kW8A16;
  if (text == "w12a13") return PrecisionMode::kW12A13;
  if (text == "fp32") return PrecisionMode::kFp32;
  throw FatalError(ExitCode::kUsage, "--precision " + text + ": use auto, int8, w8a16, w12a13, fp32 or NAME-PATTERN=one of them");
}

PrecisionRequest parse_precision(const std::vector<std::string>& texts) {
  PrecisionRequest request;
  for (const std::string& text : texts) {
    const size_t eq = text.rfind('=');
    if (eq == std::string::npos)
      request.mode = parse_mode(text);
    else
      request.overrides.emplace_back(text.substr(0, eq), parse_mode(text.substr(eq + 1)));
  }
  return request;
}

std::vector<StateNames> parse_states(const std::vector<std::string>& texts) {
  std::vector<StateNames> states;
  for (const std::string& text : texts) {
    const size_t eq = text.find('=');
    if (eq == std::string::npos || eq == 0 || eq + 1 == text.size())
      throw FatalError(ExitCode::kUsage, "--state " + text + ": write OUTPUT=INPUT, for example --state stateN=state");
    states.push_back({text.substr(0, eq), text.substr(eq + 1)});
  }
  return states;
}

// An unknown target is not a usage error: a later version may have it.
WeightTarget parse_target(const std::string& name) {
  std::string known;
  for (const WeightTarget& t : kWeightTargets) {
    if (t.name == name) return t;
    known += (known.empty() ? "" : ", ") + std::string(t.name);
  }
  throw FatalError(ExitCode::kUnsupported, "--target " + name + ": this version packs weights for " + known);
}

}  // namespace

ConvertOptions conversion_options(const ConvertArguments& o) {
  ConvertOptions options;
  options.words = o.words_again();
  options.target = parse_target(o.target);
  options.dims = parse_dims(o.dims);
  options.prepare.pinning = o.pins.parse(options.dims);
  options.prepare.most_dims = options.dims;
  options.states = parse_states(o.states);
  for (const std::string& text : o.raw_inputs) options.prepare.raw_inputs.push_back(parse_raw_input(text));
  options.precision = parse_precision(o.precision);
  for (const std::string& c : o.concat) options.prepare.joins.push_back(parse_join(c));
  for (const std::string& c : o.custom_ops) options.prepare.custom_ops.push_back(parse_custom_op(c));
  options.calibration_files = o.calibration;
  // The range check of the parser lets NaN through.
  if (std::isnan(o.gates.max_loss) || std::isnan(o.gates.max_slowdown))
    throw FatalError(ExitCode::kUsage, "--max-loss and --max-slowdown want numbers, not nan");
  options.gates = o.gates;
  if (!o.max_bytes.empty()) options.gates.max_bytes = parse_byte_count("--max-bytes", o.max_bytes);
  options.allow_accuracy_loss = o.allow_loss;
  options.compress = o.compress == "zstd";
  options.skip_padding = o.padding == "zero";
  if (o.maps != "auto") options.maps = o.maps == "all" ? MapUse::kAll : MapUse::kNever;
  if (o.bands != "auto") options.bands = o.bands == "all" ? BandUse::kAll : BandUse::kNever;
  options.security_counter = o.security_counter;
  options.golden_asked = o.golden != "auto";
  options.tokenizer = o.tokenizer;
  if (!o.task.empty()) options.task.kind = parse_task(o.task);
  if (!o.pooling.empty()) options.task.pooling = parse_pooling(o.pooling);
  if (!o.normalize.empty()) options.task.normalize = o.normalize == "on";
  if (!o.labels.empty()) options.task.labels = read_label_names(o.labels);
  if (o.max_tokens != 0) options.task.max_tokens = o.max_tokens;
  if (o.golden == "auto") {
    options.golden = 1;
  } else if (o.golden != "none") {
    size_t used = 0;
    try {
      options.golden = std::stoi(o.golden, &used);
    } catch (const std::logic_error&) {
      options.golden = -1;
    }
    if (used != o.golden.size()) options.golden = -1;
    if (options.golden < 0 || options.golden > 16)
      throw FatalError(ExitCode::kUsage, "--golden " + o.golden + ": use auto, none or 0 to 16");
  } else {
    options.golden = 0;
  }
  return options;
}

void ConvertArguments::declare(Arguments& a) {
  command = a.words();
  words_again = a.words_again();
  a.option("model", model, "ONNX file", {.required = true});
  a.group("Output");
  a.option("-o,--output", output, "blob to write (default: the model's name with .ert); - is standard output", {.type = "FILE"});
  a.flag("--force", force, "replace existing outputs: a file that is not named .ert, a report that is none");
  a.option("--compress", compress, "none or zstd: a smaller file for storage and update, which ert_unpack expands",
           {.one_of = {"none", "zstd"}});
  a.option("--target", target,
           "how weights are packed: portable (for every CPU), armv8-i8mm or cortex-m. A blob runs everywhere with the same "
           "bits, but far slower where another target was meant",
           {.type = "NAME"});
  a.option("--maps", maps,
           "int8 convolutions over images read and write 8-bit maps. auto: where that is quicker (for cortex-m: all); all: "
           "depthwise ones and those over few channels too, which takes less RAM; none",
           {.one_of = {"auto", "all", "none"}});
  a.option("--bands", bands,
           "chains of operators over images run for a few rows at a time, with the same bits and far less RAM. auto: where that saves "
           "a quarter of 512 kB or more, for cortex-m an eighth of any; all: wherever it saves any; none",
           {.one_of = {"auto", "all", "none"}});
  a.option("--golden", golden,
           "golden vectors in the blob for the device's self test: auto (one, in at most 10 % of the blob or 4 kB), none, or how "
           "many, whole",
           {.type = "auto|none|N"});
  a.option("--security-counter", security_counter,
           "number in the header: a device refuses blobs below its own minimum (ert_config.min_security_counter), so that no old "
           "model comes back");
  a.group("Sizes and inputs");
  a.option("--dim", dims, "largest value of a dynamic dim, NAME=MAX; repeatable", {.type = "NAME=MAX"});
  pins.declare(a);
  a.option(
      "--state", states,
      "the runtime keeps this output for this input of its next run (ert_state_reset makes it zero), OUTPUT=INPUT; repeatable",
      {.type = "OUTPUT=INPUT"});
  a.option("--input-scale", raw_inputs,
           "the device takes this input as it comes, pixels (uint8) or samples (int16), and computes (raw - mean) / std: "
           "NAME=mean,std or NAME=mean,std,TYPE; one number a channel with ':' between them; repeatable",
           {.type = "NAME=mean,std"});
  a.option("--concat", concat, "join outputs: NAME=OUT1,OUT2[,..]:AXIS; repeatable", {.type = "NAME=OUTS:AXIS"});
  a.option("--custom-op", custom_ops, "pass an operator through to a kernel of the application: DOMAIN::NAME; repeatable",
           {.type = "DOMAIN::NAME"});
  a.option("--padding", padding,
           "zero: positions behind the last token of a row are not computed and zero in outputs, where it is proved that they "
           "change nothing else; compute: like all others",
           {.one_of = {"zero", "compute"}});
  a.group("Accuracy");
  a.option("--precision", precision,
           "auto, int8, w8a16, w12a13, fp32, or PATTERN=... for layers by node name (attention and tables stay with the first "
           "four); repeatable",
           {.type = "NAME"});
  a.option("--calib", calibration,
           "real inputs: FILE.npz, or a folder of NAME.npy or input_K.pb or of such folders; leading axis = samples",
           {.type = "FILE|DIR", .repeats = false});
  a.option("--max-loss", gates.max_loss,
           "largest 1 - cosine of an output: automatic precision climbs to it, and more fails (exit 7)",
           {.least = 1e-9, .most = 1.0});
  a.option("--max-slowdown", gates.max_slowdown,
           "most work of the layers relative to int8 (w8a16 and w12a13 count 2, fp32 counts 4): automatic precision keeps to it, and "
           "fails (exit 7) where the accuracy gate needs more",
           {.least = 1.0, .most = 100.0});
  a.flag("--allow-accuracy-loss", allow_loss,
         fmt::format("write the blob even when an output's cosine with fp32 is below {:g}", kFailCosine));
  a.group("Limits");
  a.option("--max-bytes", max_bytes,
           "largest file: automatic precision keeps to it, and fails (exit 7) where the accuracy gate needs more",
           {.type = "BYTES[K|M|G]"});
  a.option("--flash-limit", flash_limit, "fail if the blob is larger", {.type = "BYTES[K|M|G]"});
  a.option("--arena-limit", arena_limit, "fail if the runtime needs more RAM at the maximum dims", {.type = "BYTES[K|M|G]"});
  declare_memory_limit(a, memory_limit);
  a.group("Text");
  a.option("--tokenizer", tokenizer,
           "puts a tokenizer into the blob, so that devices take text: tokenizer.json, SentencePiece .model, vocab.txt, or a "
           "model's folder, "
           "whose files also say what the model is for",
           {.type = "FILE|DIR"});
  a.option("--task", task, "what the device makes of a text; wins over the folder",
           {.one_of = {"embed", "classify", "tokens", "qa", "zero-shot", "none"}});
  a.option("--labels", labels, "names of the model's labels, one a line", {.type = "FILE"});
  a.option("--pooling", pooling, "embed: how vectors of tokens become one", {.one_of = {"mean", "cls", "last", "none"}});
  a.option("--normalize", normalize, "embed: vectors of length 1", {.one_of = {"on", "off"}});
  a.option("--max-tokens", max_tokens, "longer texts are cut to so many tokens, special ones included",
           {.least = 1, .most = 1 << 20});
  a.group("Messages");
  a.option("--report", reports,
           "write all that is known of the conversion to this file, also where a gate is missed: a page if it is named .html, "
           "JSON "
           "if it is named .json or is a device, a pipe or - (standard output); repeatable",
           {.type = "FILE", .repeats = false});
  a.flag("--json", json, "summary as JSON on stdout", {.repeats = false});
  a.option("--progress", progress, "auto, on or off", {.one_of = {"auto", "on", "off"}, .repeats = false});
  a.flag("-q,--quiet", quiet, "no summary", {.repeats = false});
  a.flag("-v,--verbose", verbose, "also every pass with its matches, every layer's precision and error", {.repeats = false});
  a.option("--dump-graph", dump_graph,
           "for debugging: the graph, or the runtime program, before and after a pass, or all passes, as text; - is stdout",
           {.type = "PASS|all=FILE", .repeats = false});
  a.example("edgeconv convert model.onnx --dim sequence=128 --report model.html",
            "writes model.ert for up to 128 tokens, and a page about its size, memory and accuracy");
}

}  // namespace edgeconv::cli
