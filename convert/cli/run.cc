// `edgeconv run`: a blob on inputs from ONNX test data (input_K.pb) or npy files; outputs in the same form.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/frames.h"
#include "convert/cli/run_text.h"
#include "convert/files/outputs.h"
#include "convert/files/json.h"
#include "convert/files/npy.h"
#include "convert/ir/diagnostics.h"
#include "convert/onnx/tensor_file.h"
#include "convert/report/certificate_check.h"
#include "convert/report/certified_pinning.h"
#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

namespace {

struct RunArguments {
  std::string blob, data, out, isa;
  std::vector<std::string> inputs;
  uint32_t threads = 1;
  TextArguments text;
};

uint32_t isa_mask(const std::string& name) {
  if (name.empty()) return 0;
  const uint32_t available = ert_isa_available();
  std::string known, usable;
  for (int i = 0; i < 32; ++i) {
    const char* n = ert_isa_name(static_cast<ert_isa>(i));
    if (!n) continue;
    if (name == n) {
      if (available >> i & 1) return 1u << i;
      throw FatalError(ExitCode::kUnsupported, "--isa " + name + ": this CPU or build does not have it");
    }
    known += std::string(known.empty() ? "" : ", ") + n;
    if (available >> i & 1) usable += std::string(usable.empty() ? "" : ", ") + n;
  }
  throw FatalError(ExitCode::kUsage, "--isa " + name + ": unknown; known are " + known + " (here: " + usable + ")");
}

std::string file_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < 32; },
      '_');
  return name;
}

// frame: the folder of a frame with a slash behind it, or nothing.
std::string pb_path(const RunArguments& o, const std::string& frame, size_t i) {
  return o.out + "/" + frame + "output_" + std::to_string(i) + ".pb";
}

std::string npy_path(const RunArguments& o, const std::string& output) { return o.out + "/" + file_name(output) + ".npy"; }

// The folder of the results may be that of the inputs, and names of outputs may differ only in what no file name has.
Outputs judge_outputs(const RunArguments& o, const BlobRunner& runner, const std::vector<std::string>& frames) {
  Outputs files(false);
  files.reads(o.blob, "the blob itself");
  for (const std::string& frame : frames) {
    for (size_t k = 0; !o.data.empty(); ++k) {
      const std::string path = o.data + "/" + frame + "input_" + std::to_string(k) + ".pb";
      if (!std::filesystem::exists(path)) break;
      files.reads(path, "an input");
    }
  }
  for (const std::string& text : o.inputs) files.reads(text.substr(text.find('=') + 1), "an input");
  for (size_t i = 0; i < runner.outputs().size(); ++i) {
    for (const std::string& frame : frames) files.writes("--out", pb_path(o, frame, i), {{".pb"}, ""});
    if (o.data.empty()) files.writes("--out", npy_path(o, runner.outputs()[i].name), {{".npy"}, ""});
  }
  return files;
}

// Who names a pinned input wants another value of it, which this blob cannot have.
void refuse_pinned_inputs(const RunArguments& o, const CertifiedPinning& pinning) {
  for (const std::string& text : o.inputs)
    for (const CertifiedConstant& c : pinning.inputs)
      if (text.substr(0, text.find('=')) == c.name)
        throw FatalError(ExitCode::kUsage, "--input " + printable(text) + ": this input was pinned" +
                                               (c.value.empty() ? "" : " to " + printable(c.value)) +
                                               " when the blob was made (--const): leave it out");
}

int run_blob(const RunArguments& o) {
  if (o.text.given()) {
    if (!o.data.empty() || !o.inputs.empty() || !o.out.empty())
      throw FatalError(ExitCode::kUsage, "--text and --text-file print answers: leave out --data, --input and --out");
    return run_texts(o.blob, isa_mask(o.isa), o.threads, o.text);
  }
  if (!o.text.labels.empty() || o.text.top != 0 || o.text.json)
    throw FatalError(ExitCode::kUsage, "--labels, --top and --json are for texts: give --text or --text-file");
  if (o.out.empty()) throw FatalError(ExitCode::kUsage, "--out is required: the folder for outputs");
  if (o.data.empty() == o.inputs.empty())
    throw FatalError(ExitCode::kUsage, "give the inputs either with --data DIR or with --input NAME=FILE.npy");
  const uint32_t mask = isa_mask(o.isa);
  const BlobFile file(o.blob);
  BlobRunner runner(file.data(), file.bytes());
  std::vector<std::string> names, folders;
  for (const BoundaryInfo& i : runner.inputs()) names.push_back(i.name);
  const CertifiedPinning pinning = certified_pinning(certificate_of(runner));
  refuse_pinned_inputs(o, pinning);
  const Frames frames = o.data.empty() ? read_npy_frames(o.inputs, runner.inputs())
                                       : read_pb_frames(o.data, runner.inputs(), declared_inputs(names, pinning));
  for (const std::string& folder : frames.folders) folders.push_back(folder + "/");
  if (folders.empty()) folders = {""};
  const Outputs files = judge_outputs(o, runner, folders);
  std::vector<std::vector<Tensor>> results = runner.run_in_order(frames.inputs, {o.threads, mask});
  if (frames.stacked) {
    std::vector<Tensor> all;
    for (size_t i = 0; i < runner.outputs().size(); ++i) all.push_back(stacked(results, i, runner.outputs()[i].name));
    results = {std::move(all)};
  }
  for (const std::string& folder : folders) {
    std::error_code error;
    std::filesystem::create_directories(o.out + "/" + folder, error);
    if (error) throw FatalError(ExitCode::kIo, "cannot make the folder '" + o.out + "/" + folder + "': " + error.message());
  }
  files.check();
  for (size_t k = 0; k < folders.size(); ++k) {
    for (size_t i = 0; i < results[k].size(); ++i) {
      const std::string& name = runner.outputs()[i].name;
      write_tensor_pb(pb_path(o, folders[k], i), name, results[k][i]);
      if (o.data.empty()) write_npy(npy_path(o, name), results[k][i]);
    }
  }
  return 0;
}

}  // namespace

Action add_run(Arguments& a) {
  auto o = std::make_shared<RunArguments>();
  a.option("blob", o->blob, "blob file", {.required = true});
  a.option("--data", o->data,
           "folder with input_K.pb (ONNX TensorProto, matched by name), or of such folders: frames, in their order");
  a.option("--input", o->inputs, "NAME=FILE.npy; repeatable. One axis more than the input has, in front: frames");
  a.option("--out", o->out, "folder for output_K.pb (and NAME.npy with --input), as the inputs are");
  a.option("--text", o->text.texts, "a text for a blob with a tokenizer: prints its answer; repeatable");
  a.option("--pair", o->text.pairs, "what belongs to the n-th --text: the second text, or with qa the context; repeatable");
  a.option("--text-file", o->text.file, "texts, one a line; with qa QUESTION, a tab, CONTEXT; - is standard input", {.type = "FILE"});
  a.option("--labels", o->text.labels, "zero-shot: what texts are judged by, a,b,c or @FILE with one a line", {.type = "a,b,c|@FILE"});
  a.option("--top", o->text.top, "so many of the best labels or answers", {.least = 1, .most = 1 << 16});
  a.flag("--json", o->text.json, "answers as JSON, an object a line");
  a.option("--threads", o->threads, "threads", {.least = 1, .most = 256});
  a.option("--isa", o->isa, "instruction set: ref, avx2, avxvnni, avx512vnni, ...; default: the best");
  return [o] { return run_blob(*o); };
}

}  // namespace edgeconv::cli
