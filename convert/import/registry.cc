// Builds the importer table from import_list.inc and the table of what runs from run_list.inc.
#include "convert/import/registry.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace edgeconv {

#define EDGECONV_IMPORT(domain, op, since, function) void function(ImportContext&, const OnnxNode&);
#include "convert/import/import_list.inc"
#undef EDGECONV_IMPORT

namespace {

constexpr ImporterDef kImporters[] = {
#define EDGECONV_IMPORT(domain, op, since, function) {domain, op, since, function},
#include "convert/import/import_list.inc"
#undef EDGECONV_IMPORT
};

struct RunRow {
  std::string_view domain, op;
  RunDef run;
};

constexpr RunRow kRuns[] = {
#define EDGECONV_RUNS(domain, op, how, types) {domain, op, {RunsAs::k##how, types}},
#include "convert/import/run_list.inc"
#undef EDGECONV_RUNS
};

constexpr bool before(const ImporterDef& a, const ImporterDef& b) {
  return a.domain != b.domain ? a.domain < b.domain : a.op < b.op;
}

constexpr bool sorted() {
  for (size_t i = 1; i < std::size(kImporters); ++i)
    if (!before(kImporters[i - 1], kImporters[i])) return false;
  return true;
}
static_assert(sorted(), "import_list.inc must be sorted by domain and operator, without duplicates");

}  // namespace

const RunDef* find_run(std::string_view domain, std::string_view op) {
  for (const RunRow& r : kRuns)
    if (r.domain == domain && r.op == op) return &r.run;
  return nullptr;
}

std::span<const ImporterDef> importers() { return kImporters; }

const ImporterDef* find_importer(std::string_view domain, std::string_view op) {
  const ImporterDef key{domain, op, 0, nullptr};
  const auto* it = std::lower_bound(std::begin(kImporters), std::end(kImporters), key, before);
  return it != std::end(kImporters) && it->domain == domain && it->op == op ? it : nullptr;
}

}  // namespace edgeconv
