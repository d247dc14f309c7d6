// `edgeconv supported-ops`: printed from the table of importers and the table of what runs, which the node tests check.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "convert/cli/command.h"
#include "convert/import/registry.h"

namespace edgeconv::cli {

namespace {

const char* how(const RunDef* r) {
  if (!r) return "unknown";
  return r->how == RunsAs::kFused ? "fused" : r->how == RunsAs::kGeneric ? "generic" : "folded";
}

std::vector<std::string> types(const RunDef* r) {
  std::vector<std::string> names;
  const auto add = [&](char letter, std::initializer_list<const char*> of) {
    if (r && r->types.find(letter) != std::string_view::npos) names.insert(names.end(), of.begin(), of.end());
  };
  add('f', {"float32", "float16", "bfloat16", "float64"});
  add('i', {"int32", "int64"});
  add('n', {"int8", "uint8"});
  add('b', {"bool"});
  return names;
}

// The newest opset version that the operators were tested with; operators of ONNX Runtime have only one.
int checked_to(const ImporterDef& d) { return d.domain.empty() ? kNewestKnownOpset : 1; }

std::string domain(const ImporterDef& d) { return d.domain.empty() ? "ai.onnx" : std::string(d.domain); }

int list(bool json) {
  if (json) {
    nlohmann::ordered_json j{{"version", 1},
                             {"min_opset", kMinOpset},
                             {"newest_opset", kNewestKnownOpset},
                             {"operators", nlohmann::ordered_json::array()}};
    for (const ImporterDef& d : importers()) {
      const RunDef* r = find_run(d.domain, d.op);
      j["operators"].push_back({{"domain", domain(d)},
                                {"op", d.op},
                                {"since", d.since},
                                {"checked_to", checked_to(d)},
                                {"runs", how(r)},
                                {"types", types(r)}});
    }
    std::printf("%s\n", j.dump(2).c_str());
    return 0;
  }
  for (const ImporterDef& d : importers()) {
    const RunDef* r = find_run(d.domain, d.op);
    std::string names;
    for (const std::string& t : types(r)) names += " " + t;
    const std::string name = domain(d) + "::" + std::string(d.op);
    std::printf("%-45s opset %2d-%-2d  %-8s%s\n", name.c_str(), d.since, checked_to(d), how(r), names.c_str());
  }
  return 0;
}

}  // namespace

Action add_supported_ops(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "as JSON");
  return [json] { return list(*json); };
}

}  // namespace edgeconv::cli
