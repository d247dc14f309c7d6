// `edgeconv validate`: a blob against the model it came from, on given or made-up inputs.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/input_files.h"
#include "convert/convert.h"
#include "convert/interp/interpreter.h"
#include "convert/plan/dims.h"
#include "convert/quantize/synthetic_inputs.h"
#include "convert/report/layer_table.h"
#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

namespace {

struct Options {
  std::string model, blob;
  std::vector<std::string> data, concat, custom_ops;
  bool json = false;
};

// Documented in json_schemas/validate.schema.json. null: equal, or not measured.
using Json = nlohmann::ordered_json;

Json finite(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

Json layers_json(const std::vector<LayerError>& layers) {
  Json list = Json::array();
  for (const LayerError& l : layers)
    list.push_back({{"name", l.name},
                    {"precision", l.precision},
                    {"local_sqnr_db", finite(l.local_sqnr_db)},
                    {"accumulated_sqnr_db", finite(l.accumulated_sqnr_db)}});
  return list;
}

void print_layers(const std::vector<LayerError>& layers) {
  if (layers.empty()) return;
  fmt::print("\naccumulated dB  local int8 dB  precision  layer, worst first\n");
  for (const LayerError& l : layers)
    fmt::print("{:14.1f}  {:13.1f}  {:<9}  {}\n", l.accumulated_sqnr_db, l.local_sqnr_db, l.precision, printable(l.name));
}

int validate(const Options& o) {
  Diagnostics d;
  PrepareOptions prepare;
  for (const std::string& c : o.concat) prepare.joins.push_back(parse_join(c));
  for (const std::string& c : o.custom_ops) prepare.custom_ops.push_back(parse_custom_op(c));
  const PreparedModel m = prepare_model(o.model, prepare, d);
  const BlobFile file(o.blob);
  BlobRunner runner(file.data(), file.bytes());
  ert_info info{};
  info.struct_size = sizeof info;
  ert_model_info(&runner.model(), &info);
  if (m.info.sha256 != info.source_sha256)
    std::fprintf(stderr, "warning: the blob was not made from exactly this file (source hash differs)\n");
  std::vector<std::string> inputs, outputs;
  for (ValueId v : m.graph.inputs) inputs.push_back(m.graph.value(v).name);
  for (ValueId v : m.graph.outputs) outputs.push_back(m.graph.value(v).name);
  std::map<std::string, int64_t> most;
  for (const NamedDim& dim : runner.dims()) most[dim.name] = dim.max;
  DimPlan dims = plan_dims(m.graph, most);
  if (info.skips_padding && info.mask_padding == 1) dims.ones_are_padding.insert(m.graph.inputs.at(info.mask_input));
  std::vector<std::vector<Tensor>> sets;
  for (const std::string& folder : o.data) sets.push_back(read_pb_inputs(folder, inputs));
  if (sets.empty()) {
    sets.push_back(synthetic_inputs(m.graph, dims, {1, 32, false, 201, true}));
    sets.push_back(synthetic_inputs(m.graph, dims, {1, 7, true, 202, true}));
  }
  if (outputs.size() != runner.outputs().size())
    throw FatalError(ExitCode::kUsage,
                     fmt::format("the model has {} outputs, the blob {}: give the --concat options of the conversion again",
                                 outputs.size(), runner.outputs().size()));
  Comparison c(outputs);
  for (const auto& set : sets) c.add(interpret(m.graph, set), runner.run(set, {1, 0, true}), token_mask(runner, set));
  if (c.errors().size() < outputs.size())
    std::fprintf(stderr, "warning: outputs that depend on custom operators are not compared\n");
  Json j{{"version", 1}, {"outputs", Json::array()}};
  double worst = 1;
  for (const OutputError& e : c.errors()) {
    worst = std::min(worst, e.cosine);
    if (o.json)
      j["outputs"].push_back({{"name", e.name},
                              {"cosine", e.cosine},
                              {"sqnr_db", finite(e.sqnr_db)},
                              {"max_abs", e.max_abs},
                              {"argmax_agreement", e.argmax_agreement}});
    else
      fmt::print("{}: cosine {:.6f}, SQNR {:.1f} dB, largest error {:.4g} of {:.4g}, same argmax {:.1f} %\n", e.name, e.cosine,
                 e.sqnr_db, e.max_abs, e.max_ref, 100 * e.argmax_agreement);
  }
  const std::vector<LayerError> layers = layer_errors(m.graph, dims, runner, sets, o.data.empty());
  if (o.json) {
    j["layers"] = layers_json(layers);
    std::printf("%s\n", j.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    print_layers(layers);
  }
  if (worst < kFailCosine)
    throw FatalError(ExitCode::kAccuracy,
                     fmt::format("the worst output has cosine {:.6f} with the fp32 model, below the gate of 0.99", worst));
  return 0;
}

}  // namespace

Action add_validate(CLI::App& app) {
  auto o = std::make_shared<Options>();
  app.add_option("model", o->model, "ONNX file")->required();
  app.add_option("blob", o->blob, "blob made from it")->required();
  app.add_option("--data", o->data, "folder with input_K.pb; repeatable; default: made-up inputs")->allow_extra_args(false);
  app.add_option("--concat", o->concat, "as in the conversion; repeatable")->allow_extra_args(false);
  app.add_option("--custom-op", o->custom_ops, "as in the conversion; repeatable")->allow_extra_args(false);
  app.add_flag("--json", o->json, "as JSON");
  return [o] { return validate(*o); };
}

}  // namespace edgeconv::cli
