// `edgeconv inspect`: an ONNX model before conversion, or a blob after it. A model that a conversion would refuse is a result as
// well: the reasons are listed and the exit code is 0. A malformed file is an error.

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/dim_option.h"
#include "convert/cli/memory_limit.h"
#include "convert/cli/pin_option.h"
#include "convert/cli/standard_output.h"
#include "convert/files/json.h"
#include "convert/report/blob_inspection.h"
#include "convert/report/certified_pinning.h"
#include "convert/report/model_inspection.h"
#include "convert/report/next_commands.h"
#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

namespace {

struct InspectArguments {
  std::string file, memory_limit;
  std::vector<std::string> dims, custom_ops;
  PinOptions pins;
  bool json = false;
  std::function<std::vector<std::string>()> words_again;  // what shapes the model (arguments.h)
};

bool has_task(const Json& certificate) {
  const std::optional<TaskSettings> task = certified_task(certificate);
  return task && task->kind.value_or(TaskKind::kNoTask) != TaskKind::kNoTask;
}

int inspect(const InspectArguments& o) {
  limit_memory(o.memory_limit);
  const std::map<std::string, int64_t> dims = parse_dims(o.dims);
  Json json;
  std::string text;
  if (const BlobFile file(o.file); file.looks_like_blob()) {
    if (const Pinning asked = o.pins.parse({}); !asked.empty())
      throw FatalError(
          ExitCode::kUsage,
          "--fix, --const and --outputs are for models; what a blob was made with is listed without them: leave them out");
    json = blob_inspection({file.data(), file.bytes(), file.stored_bytes(), file.compressed(), file.has_signature()}, dims);
    const bool answers = has_task(json["certificate"]);
    text = blob_inspection_text(json) + next_with_blob(o.file, BlobRunner(file.data(), file.bytes()), answers, true);
  } else {
    PrepareOptions prepare;
    prepare.pinning = o.pins.parse(dims);
    for (const std::string& op : o.custom_ops) prepare.custom_ops.push_back(parse_custom_op(op));
    const ModelInspection m = inspect_model(o.file, dims, prepare);
    json = inspection_json(m);
    text = inspection_text(m);
    if (m.estimate) text += next_with_model(o.file, o.words_again());
  }
  if (o.json)
    print_data(json_text(json));
  else
    print_text(text);
  return 0;
}

}  // namespace

Action add_inspect(Arguments& a) {
  auto o = std::make_shared<InspectArguments>();
  o->words_again = a.words_again();
  a.option("file", o->file, "ONNX model or blob", {.required = true, .repeats = false});
  a.option("--dim", o->dims, "model: largest value of a dim; blob: value of a dim to say RAM and MACs for; NAME=N, repeatable",
           {.type = "NAME=N"});
  o->pins.declare(a, "model: ");
  a.option("--custom-op", o->custom_ops, "model: an operator that the application will provide; DOMAIN::NAME, repeatable",
           {.type = "DOMAIN::NAME"});
  declare_memory_limit(a, o->memory_limit);
  a.flag("--json", o->json, "as JSON", {.repeats = false});
  a.example("edgeconv inspect model.onnx", "dims, inputs, operators, and what a conversion would cost");
  return [o] { return inspect(*o); };
}

}  // namespace edgeconv::cli
