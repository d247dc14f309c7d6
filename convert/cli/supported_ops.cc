// `edgeconv supported-ops`: generated from the importers and the lowering table, so it cannot be out of date.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "convert/cli/command.h"
#include "convert/import/registry.h"

namespace edgeconv::cli {

namespace {

int list(bool json) {
  if (json) {
    nlohmann::ordered_json j{{"version", 1},
                             {"min_opset", kMinOpset},
                             {"newest_opset", kNewestKnownOpset},
                             {"operators", nlohmann::ordered_json::array()}};
    for (const ImporterDef& d : importers())
      j["operators"].push_back(
          {{"domain", d.domain.empty() ? "ai.onnx" : std::string(d.domain)}, {"op", d.op}, {"since", d.since}});
    std::printf("%s\n", j.dump(2).c_str());
    return 0;
  }
  for (const ImporterDef& d : importers())
    std::printf("%s::%.*s  from opset %d\n", d.domain.empty() ? "ai.onnx" : std::string(d.domain).c_str(),
                static_cast<int>(d.op.size()), d.op.data(), d.since);
  return 0;
}

}  // namespace

Action add_supported_ops(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "as JSON");
  return [json] { return list(*json); };
}

}  // namespace edgeconv::cli
