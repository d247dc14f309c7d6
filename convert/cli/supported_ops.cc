// `edgeconv supported-ops`: printed from the table of importers and the table of what runs, which the node tests check.
#include <algorithm>
#include <string>
#include <vector>

#include "convert/cli/command.h"
#include "convert/cli/standard_output.h"
#include "convert/files/json.h"
#include "convert/import/registry.h"
#include "convert/import_graph/refusals.h"

namespace edgeconv::cli {

namespace {

// An operator with what its users can rely on.
struct Row {
  std::string domain, op;
  int since, checked_to;  // opset versions; operators of ONNX Runtime have only one
  const char* how;
  std::vector<std::string> types;
  std::string limits;
};

const char* how_name(RunsAs how) {
  switch (how) {
    case RunsAs::kFused: return "fused";
    case RunsAs::kGeneric: return "generic";
    case RunsAs::kFolded: return "folded";
  }
  return "";
}

std::vector<std::string> type_names(std::string_view letters) {
  std::vector<std::string> names;
  const auto add = [&](char letter, std::initializer_list<const char*> of) {
    if (letters.find(letter) != std::string_view::npos) names.insert(names.end(), of.begin(), of.end());
  };
  add('f', {"float32", "float16", "bfloat16", "float64"});
  add('i', {"int32", "int64"});
  add('n', {"int8", "uint8"});
  add('b', {"bool"});
  return names;
}

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const ImporterDef& d : importers()) {
    const RunDef& r = *find_run(d.domain, d.op);
    const bool onnx = d.domain.empty();
    all.push_back({onnx ? "ai.onnx" : std::string(d.domain), std::string(d.op), onnx ? std::max(d.since, kMinOpset) : d.since,
                   onnx ? kNewestKnownOpset : d.since, how_name(r.how), type_names(r.types),
                   std::string(limits_of(d.domain, d.op))});
  }
  return all;
}

std::string_view domain_of(const RefusedOperator& r) { return r.domain.empty() ? "ai.onnx" : r.domain; }

int print_json() {
  Json j{{"version", 1}, {"min_opset", kMinOpset}, {"newest_opset", kNewestKnownOpset}, {"operators", Json::array()}};
  for (const Row& r : rows()) {
    j["operators"].push_back({{"domain", r.domain},
                              {"op", r.op},
                              {"since", r.since},
                              {"checked_to", r.checked_to},
                              {"runs", r.how},
                              {"types", r.types}});
    if (!r.limits.empty()) j["operators"].back()["limits"] = r.limits;
  }
  j["refused"] = Json::array();
  for (const RefusedOperator& r : refused_operators())
    j["refused"].push_back({{"domain", domain_of(r)}, {"op", r.op}, {"reason", r.reason}, {"hint", r.hint}});
  print_data(json_text(j));
  return 0;
}

int print_text() {
  for (const Row& r : rows()) {
    std::string names;
    for (const std::string& t : r.types) names += " " + t;
    print("{:<45} opset {:2}-{:<2}  {:<8}{}{}\n", r.domain + "::" + r.op, r.since, r.checked_to, r.how, names,
          r.limits.empty() ? "" : "; " + r.limits);
  }
  for (const RefusedOperator& r : refused_operators())
    print("refused {}::{}: {}; {}\n", domain_of(r), r.op, r.reason, r.hint);
  return 0;
}

}  // namespace

Action add_supported_ops(Arguments& a) {
  auto json = std::make_shared<bool>(false);
  a.flag("--json", *json, "as JSON");
  a.example("edgeconv supported-ops --json", "operators, opsets and types for scripts");
  return [json] { return *json ? print_json() : print_text(); };
}

}  // namespace edgeconv::cli
