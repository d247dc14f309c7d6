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

constexpr bool every_importer_says_how_it_runs() {
  if (std::size(kRuns) != std::size(kImporters)) return false;
  for (size_t i = 0; i < std::size(kRuns); ++i) {
    if (kRuns[i].domain != kImporters[i].domain || kRuns[i].op != kImporters[i].op) return false;
    if (kRuns[i].run.types.empty() || kRuns[i].run.types.find_first_not_of("bfin") != std::string_view::npos) return false;
  }
  return true;
}
static_assert(every_importer_says_how_it_runs(), "run_list.inc must have the rows of import_list.inc, in its order");

}  // namespace

const RunDef* find_run(std::string_view domain, std::string_view op) {
  const ImporterDef* d = find_importer(domain, op);
  return d ? &kRuns[d - kImporters].run : nullptr;
}

std::span<const ImporterDef> importers() { return kImporters; }

const ImporterDef* find_importer(std::string_view domain, std::string_view op) {
  const ImporterDef key{domain, op, 0, nullptr};
  const auto* it = std::lower_bound(std::begin(kImporters), std::end(kImporters), key, before);
  return it != std::end(kImporters) && it->domain == domain && it->op == op ? it : nullptr;
}

}  // namespace edgeconv
