// The table of importers: lookup for import, enumeration for `edgeconv supported-ops`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "convert/import/importer.h"

namespace edgeconv {

using ImportFunction = void (*)(ImportContext& c, const OnnxNode& n);

struct ImporterDef {
  std::string_view domain;  // "" for ai.onnx
  std::string_view op;
  int since;  // first opset version that has the operator in a form that is handled
  ImportFunction run;
};

constexpr int kMinOpset = 7;           // of ai.onnx; import_model.cc says what happens to older files
constexpr int kNewestKnownOpset = 28;   // operators of newer files are read by the rules of this one
constexpr int kNewestTestedOpset = 24;  // newer files warn: no exporter wrote one that was tried
constexpr int kMinIrVersion = 3, kNewestKnownIrVersion = 14;

// What becomes of the operator on a device; run_list.inc explains the columns.
enum class RunsAs { kFused, kGeneric, kFolded };
struct RunDef {
  RunsAs how;
  std::string_view types;
};

const ImporterDef* find_importer(std::string_view domain, std::string_view op);
const RunDef* find_run(std::string_view domain, std::string_view op);  // null for an operator without an importer
std::span<const ImporterDef> importers();                              // sorted by domain and operator

}  // namespace edgeconv
