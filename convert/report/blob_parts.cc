// See blob_parts.h. Constants have an offset each: one reaches to the next one.
#include "convert/report/blob_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "convert/files/json.h"
#include "convert/report/memory_table.h"
#include "convert/report/ops_of_blob.h"
#include "rt/blob/header.h"
#include "rt/blob/kinds.h"
#include "rt/ops/op.h"
#include "rt/ops/op_params.h"
#include "rt/schema/program_generated.h"

namespace edgeconv {

namespace {

std::string kind_of_reader(std::string_view op) {
  if (op == "Embedding" || op == "Gather") return "tables";
  if (op == "Linear" || op == "Recurrence" || op == "Conv" || op == "DepthwiseConv" || op == "DirectConv" || op == "WideConv" || op == "MapConv" ||
      op == "MapDepthwiseConv" || op == "MatMul")
    return "weights";
  return "other constants";
}

// Constants by segment and offset, with the kind of their first reader.
std::map<std::pair<uint32_t, uint64_t>, std::string> constants_of(const ert::fb::Program& p) {
  std::map<std::pair<uint32_t, uint64_t>, std::string> kinds;
  for (const OpOfBlob& op : ops_of_blob(p)) {
    if (op.code == static_cast<uint16_t>(ert::params::OpCode::kRowBands)) continue;
    const ert::OpDef* def = ert::find_op(op.code);
    for (const int32_t v : op.inputs) {
      if (v < 0) continue;
      const ert::fb::Value* value = p.values()->Get(static_cast<uint32_t>(v));
      while (value->storage() == static_cast<uint8_t>(ert::Storage::kAlias)) value = p.values()->Get(value->index());
      if (value->storage() != static_cast<uint8_t>(ert::Storage::kConstant)) continue;
      kinds.emplace(std::make_pair(value->index(), value->offset()), kind_of_reader(def ? def->name : ""));
    }
  }
  return kinds;
}

}  // namespace

std::vector<BlobPart> blob_parts(const void* blob, uint64_t bytes) {
  const auto& p = *flatbuffers::GetRoot<ert::fb::Program>(static_cast<const uint8_t*>(blob) + ert::kMetadataOffset);
  std::map<std::string, uint64_t> sums;
  uint64_t in_segments = 0, first_segment = bytes;
  const auto kinds = constants_of(p);
  for (uint32_t s = 0; p.segments() && s < p.segments()->size(); ++s) {
    const ert::fb::Segment* segment = p.segments()->Get(s);
    in_segments += segment->bytes();
    first_segment = std::min(first_segment, segment->offset());
    if (segment->kind() == static_cast<uint8_t>(ert::SegmentKind::kGolden)) {
      sums["golden vectors"] += segment->bytes();
      continue;
    }
    if (segment->kind() == static_cast<uint8_t>(ert::SegmentKind::kTokenizer)) {
      sums["tokenizer"] += segment->bytes();
      continue;
    }
    // What no op reads is an output, or belongs to what stands before it.
    std::string kind = "other constants";
    uint64_t at = 0;
    for (auto c = kinds.lower_bound({s, 0}); c != kinds.end() && c->first.first == s; ++c) {
      sums[kind] += c->first.second - at;
      at = c->first.second;
      kind = c->second;
    }
    sums[kind] += segment->bytes() - at;
  }
  sums["metadata"] += first_segment;
  sums["alignment"] += bytes - first_segment - in_segments;
  std::vector<BlobPart> parts;
  for (const auto& [kind, n] : sums)
    if (n > 0) parts.push_back({kind, n});
  std::stable_sort(parts.begin(), parts.end(), [](const BlobPart& a, const BlobPart& b) { return a.bytes > b.bytes; });
  return parts;
}

// Behind the label of the line.
constexpr size_t kPartsColumns = 90;

std::string parts_text(const std::vector<BlobPart>& parts) {
  double all = 0;
  for (const BlobPart& part : parts) all += static_cast<double>(part.bytes);
  std::string s;
  size_t line = 0;  // where the current one begins
  for (const BlobPart& part : parts) {
    const double n = static_cast<double>(part.bytes);
    const std::string words = fmt::format("{} {} ({:.1f} %)", part.kind, human_bytes(n), 100 * n / all);
    if (s.size() - line + words.size() > kPartsColumns) {
      s += ",\n          ";
      line = s.size();
    } else if (!s.empty()) {
      s += ", ";
    }
    s += words;
  }
  return s;
}

Json parts_json(const std::vector<BlobPart>& parts) {
  Json list = Json::array();
  for (const BlobPart& part : parts) list.push_back({{"kind", part.kind}, {"bytes", part.bytes}});
  return list;
}

}  // namespace edgeconv
