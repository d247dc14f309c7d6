// See schema.h.
#include "convert/import/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include "convert/import/registry.h"
#include "convert/ir/diagnostics.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {

namespace {

struct Schema {
  std::string_view op;
  int first, end;  // end: 0 for none
  std::string_view attributes;
};

constexpr Schema kSchemas[] = {
#define EDGECONV_SCHEMA(op, first, end, attributes) {op, first, end, attributes},
#include "convert/import/schema_list.inc"
#undef EDGECONV_SCHEMA
};

constexpr bool sorted() {
  for (size_t i = 1; i < std::size(kSchemas); ++i)
    if (!(kSchemas[i - 1].op < kSchemas[i].op)) return false;
  return true;
}
static_assert(sorted(), "schema_list.inc must be sorted by operator");

const Schema* find_schema(std::string_view op) {
  const auto* it =
      std::lower_bound(std::begin(kSchemas), std::end(kSchemas), op, [](const Schema& s, std::string_view name) { return s.op < name; });
  return it != std::end(kSchemas) && it->op == op ? it : nullptr;
}

// Operator sets that have an attribute: from `first` on, before `end` if that is not 0.
struct Versions {
  int first = 0, end = 0;
};

int number_behind(std::string_view word, std::string_view mark) {
  const size_t at = word.find(mark);
  int n = 0;
  if (at != word.npos) std::from_chars(word.data() + at + mark.size(), word.data() + word.size(), n);
  return n;
}

std::optional<Versions> versions_of(std::string_view attributes, std::string_view name) {
  while (!attributes.empty()) {
    const std::string_view word = attributes.substr(0, attributes.find(' '));
    attributes.remove_prefix(std::min(attributes.size(), word.size() + 1));
    if (word.substr(0, word.find_first_of("<>")) == name) return Versions{number_behind(word, ">="), number_behind(word, "<")};
  }
  return std::nullopt;
}

// "from opset 20 on", "up to opset 12"
std::string span_of(int first, int end, int version) {
  return version < first ? fmt::format("from opset {} on", first) : fmt::format("up to opset {}", end - 1);
}

bool is_among(int first, int end, int version) { return version >= first && (end == 0 || version < end); }

}  // namespace

std::string schema_fault(const OnnxNode& n) {
  const Schema* schema = n.domain.empty() ? find_schema(n.op_type) : nullptr;
  if (schema == nullptr || !n.opsets || n.opsets->count("") == 0) return "";
  const int version = n.opsets->at("");
  if (!is_among(schema->first, schema->end, version))
    return fmt::format("ai.onnx has the operator {} {}, the file imports opset {}", n.op_type,
                       span_of(schema->first, schema->end, version), version);
  if (version > kNewestKnownOpset) return "";
  for (const auto& a : n.proto->attribute()) {
    if (a.name().rfind("__", 0) == 0) continue;
    const auto versions = versions_of(schema->attributes, a.name());
    if (!versions) return fmt::format("the operator {} has no attribute '{}'", n.op_type, printable(a.name()));
    if (!is_among(versions->first, versions->end, version))
      return fmt::format("the operator {} has its attribute '{}' {}, the file imports opset {}", n.op_type, printable(a.name()),
                         span_of(versions->first, versions->end, version), version);
  }
  return "";
}

}  // namespace edgeconv
