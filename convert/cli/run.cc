// `edgeconv run`: a blob on inputs from ONNX test data (input_K.pb), arrays (.npy, .npz) or numbers on the command line; outputs as files, on the
// screen, or as JSON.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/input_files.h"
#include "convert/cli/run_results.h"
#include "convert/cli/run_text.h"
#include "convert/cli/standard_output.h"
#include "convert/cli/typed_input.h"
#include "convert/files/outputs.h"
#include "convert/files/json.h"
#include "convert/files/npy.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"
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
  bool print = false, json = false;

  bool archive() const { return !data.empty() && !std::filesystem::is_directory(data); }
  bool arrays() const { return data.empty() || archive(); }  // outputs are arrays then, too
};

// Of the levels in the mask, whatever this CPU has.
std::string isa_names(uint32_t mask) {
  std::string names;
  for (int i = 0; i < 32; ++i) {
    const char* name = ert_isa_name(static_cast<ert_isa>(i));
    if (name && (mask >> i & 1)) names += std::string(names.empty() ? "" : ", ") + name;
  }
  return names;
}

uint32_t isa_mask(const std::string& name) {
  if (name.empty()) return 0;
  const uint32_t available = ert_isa_available();
  for (int i = 0; i < 32; ++i) {
    const char* n = ert_isa_name(static_cast<ert_isa>(i));
    if (!n || name != n) continue;
    if (available >> i & 1) return 1u << i;
    throw FatalError(ExitCode::kUnsupported, "--isa " + name + ": this CPU or build does not have it");
  }
  throw FatalError(ExitCode::kUsage,
                   "--isa " + name + ": unknown; known are " + isa_names(~0u) + " (here: " + isa_names(available) + ")");
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
    for (size_t k = 0; !o.arrays(); ++k) {
      const std::string path = o.data + "/" + frame + "input_" + std::to_string(k) + ".pb";
      if (!std::filesystem::exists(path)) break;
      files.reads(path, "an input");
    }
  }
  if (o.archive()) files.reads(o.data, "an input");
  for (const std::string& text : o.inputs) files.reads(text.substr(text.find('=') + 1), "an input");
  if (o.json) files.prints("--json");
  if (o.out.empty()) return files;
  for (size_t i = 0; i < runner.outputs().size(); ++i) {
    for (const std::string& frame : frames) files.writes("--out", pb_path(o, frame, i), {{".pb"}, "", true});
    if (o.arrays()) files.writes("--out", npy_path(o, runner.outputs()[i].name), {{".npy"}, "", true});
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

// One set of inputs, or the frames of a stream.
Frames read_frames(const RunArguments& o, const BlobRunner& runner, const CertifiedPinning& pinning) {
  std::vector<std::string> names;
  for (const BoundaryInfo& i : runner.inputs()) names.push_back(i.name);
  if (o.data.empty()) return frames_of(read_npy_inputs(o.inputs, runner.inputs()), runner.inputs());
  const std::vector<std::string> declared = declared_inputs(names, pinning);
  if (o.archive()) return frames_of(read_npz_inputs(o.data, runner.inputs(), declared), runner.inputs());
  return read_pb_frames(o.data, runner.inputs(), declared);
}

// Writes one frame's outputs, and gives them with the names of their files.
std::vector<NamedResult> write_results(const RunArguments& o, const std::string& folder, const BlobRunner& runner,
                                       const std::vector<Tensor>& values) {
  std::vector<NamedResult> results;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& name = runner.outputs()[i].name;
    NamedResult r{name, values[i], {}};
    if (!o.out.empty()) {
      r.files.push_back(pb_path(o, folder, i));
      write_tensor_pb(r.files.back(), name, values[i]);
      if (o.arrays()) {
        r.files.push_back(npy_path(o, name));
        write_npy(r.files.back(), values[i]);
      }
    }
    results.push_back(std::move(r));
  }
  return results;
}

void say_what_was_written(const std::vector<NamedResult>& results) {
  std::string files;
  size_t count = 0;
  for (const NamedResult& r : results)
    for (const std::string& f : r.files)
      if (++count <= 8) files += (files.empty() ? "" : ", ") + escaped(f);
  if (count > 8) files += ", and " + std::to_string(count - 8) + " more";
  if (count) tell("written   " + files + "\n");
}

int run_blob(const RunArguments& o) {
  if (o.text.given()) {
    if (!o.data.empty() || !o.inputs.empty() || !o.out.empty() || o.print)
      throw FatalError(ExitCode::kUsage, "--text and --text-file print answers: leave out --data, --input, --out and --print");
    return run_texts(o.blob, isa_mask(o.isa), o.threads, o.json, o.text);
  }
  if (!o.text.labels.empty() || o.text.top != 0)
    throw FatalError(ExitCode::kUsage, "--labels and --top are for texts: give --text or --text-file");
  if (o.data.empty() == o.inputs.empty())
    throw FatalError(ExitCode::kUsage,
                     "give the inputs either with --data DIR|FILE.npz or with --input NAME=FILE.npy or --input NAME=1,2,3");
  if (o.out.empty() && !o.print && !o.json)
    throw FatalError(ExitCode::kUsage,
                     "say where the outputs go: --out DIR writes files, --print shows them, --json prints a document");
  const uint32_t mask = isa_mask(o.isa);
  const BlobFile file(o.blob);
  BlobRunner runner(file.data(), file.bytes(), "'" + o.blob + "'");
  const CertifiedPinning pinning = certified_pinning(certificate_of(runner));
  refuse_pinned_inputs(o, pinning);
  const Frames frames = read_frames(o, runner, pinning);
  std::vector<std::string> folders;
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
    if (o.out.empty()) break;
    std::error_code error;
    std::filesystem::create_directories(o.out + "/" + folder, error);
    if (error) throw FatalError(ExitCode::kIo, "cannot make the folder '" + o.out + "/" + folder + "': " + error.message());
  }
  files.check();
  std::vector<NamedResult> all;
  for (size_t k = 0; k < folders.size(); ++k) {
    std::vector<NamedResult> written = write_results(o, folders[k], runner, results[k]);
    if (o.print) print_text((folders[k].empty() ? "" : printable(folders[k]) + "\n") + results_text(written));
    all.insert(all.end(), written.begin(), written.end());
  }
  if (o.json) print_data(json_text(results_json(all)));
  say_what_was_written(all);
  return 0;
}

}  // namespace

Action add_run(Arguments& a) {
  auto o = std::make_shared<RunArguments>();
  a.option("blob", o->blob, "blob file", {.required = true});
  a.group("Inputs");
  a.option("--input", o->inputs,
           "NAME=FILE.npy, or numbers: NAME=1,2,3 along the last axis, ';' between rows, other axes 1; repeatable. One axis more "
           "than the "
           "input has, in front: frames",
           {.type = "NAME=FILE.npy|NUMBERS"});
  a.option("--data", o->data,
           "FILE.npz with an array for each input, or a folder with input_K.pb (ONNX TensorProto, matched by name), or of such "
           "folders: frames, in their order",
           {.type = "FILE.npz|DIR"});
  a.group("Outputs");
  a.option("--out", o->out, "folder for output_K.pb (and NAME.npy with --input and FILE.npz), as the inputs are",
           {.type = "DIR"});
  a.flag("--print", o->print, "show outputs: shape, first values, largest values with their places", {});
  a.flag("--json", o->json, "one document on stdout: shapes, and files or values; of texts an object a line",
         {.excludes = {"--print"}});
  a.group("Texts");
  a.option("--text", o->text.texts, "for blobs with a tokenizer: prints the answer to this text; repeatable");
  a.option("--pair", o->text.pairs, "what belongs to the n-th --text: the second text, or with qa the context; repeatable");
  a.option("--text-file", o->text.file, "texts, one a line; with qa QUESTION, a tab, CONTEXT; - is standard input",
           {.type = "FILE"});
  a.option("--labels", o->text.labels, "zero-shot: what texts are judged by, a,b,c or @FILE with one a line",
           {.type = "a,b,c|@FILE"});
  a.option("--top", o->text.top, "so many of the best labels or answers", {.least = 1, .most = 1 << 16});
  a.group("How");
  a.option("--threads", o->threads, "threads", {.least = 1, .most = 256});
  a.option("--isa", o->isa, "instruction set: " + isa_names(~0u) + "; default: the best that this CPU has", {.type = "NAME"});
  a.example("edgeconv run model.ert --input input_ids=101,7592,102 --input attention_mask=1,1,1 --print",
            "shows what the model says; --out results writes it to files");
  return [o] { return run_blob(*o); };
}

}  // namespace edgeconv::cli
