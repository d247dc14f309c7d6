// Reads it with suspicion, as certificate_check.cc.
#include "convert/report/certified_pinning.h"

#include <algorithm>

#include "convert/files/json.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

constexpr size_t kMostInputs = 4096;

std::string certified_text_at(const Json& j, const char* key) {
  return j.is_object() && j.contains(key) && j.at(key).is_string() ? j.at(key).get<std::string>() : "";
}

const Json& certified_list(const Json& j, const char* key) {
  static const Json kNothing = Json::array();
  return j.contains(key) && j.at(key).is_array() ? j.at(key) : kNothing;
}

bool read_position(const Json& j, size_t& position) {
  if (!j.contains("position") || !j.at("position").is_number_unsigned()) return false;
  position = std::min<uint64_t>(j.at("position").get<uint64_t>(), UINT32_MAX);
  return true;
}

std::string names_of(const std::vector<std::string>& names) {
  std::string s;
  for (const std::string& n : names) s += (s.empty() ? "" : ",") + printable(n);
  return s;
}

[[noreturn]] void refuse_pinning(const std::string& message) { throw FatalError(ExitCode::kUsage, message); }

}  // namespace

CertifiedPinning certified_pinning(const Json& certificate) {
  CertifiedPinning p;
  if (!certificate.is_object()) return p;
  if (certificate.contains("fixed_dims") && certificate.at("fixed_dims").is_object())
    for (const auto& [name, size] : certificate.at("fixed_dims").items())
      if (size.is_number_integer() && size.get<int64_t>() > 0 && size.get<int64_t>() <= INT32_MAX)
        p.dims[name] = size.get<int64_t>();
  for (const Json& c : certified_list(certificate, "pinned_inputs")) {
    if (p.inputs.size() == kMostInputs) break;
    CertifiedConstant one{certified_text_at(c, "name"), 0, certified_text_at(c, "value"), certified_text_at(c, "sha256")};
    if (one.name.empty() || !read_position(c, one.position)) continue;
    p.inputs.push_back(std::move(one));
  }
  for (const Json& c : certified_list(certificate, "cut_inputs")) {
    if (p.cut.size() == kMostInputs) break;
    CutInput one{0, certified_text_at(c, "name")};
    if (!one.name.empty() && read_position(c, one.position)) p.cut.push_back(std::move(one));
  }
  for (const Json& c : certified_list(certificate, "chosen_outputs"))
    if (c.is_string() && p.outputs.size() < kMostInputs) p.outputs.push_back(c.get<std::string>());
  const auto by_position = [](const auto& a, const auto& b) { return a.position < b.position; };
  std::stable_sort(p.inputs.begin(), p.inputs.end(), by_position);
  std::stable_sort(p.cut.begin(), p.cut.end(), by_position);
  return p;
}

std::vector<RawInput> certified_raw_inputs(const Json& certificate) {
  std::vector<RawInput> inputs;
  if (!certificate.is_object() || !certificate.contains("raw_inputs") || !certificate.at("raw_inputs").is_array()) return inputs;
  for (const Json& text : certificate.at("raw_inputs")) {
    if (!text.is_string() || inputs.size() == kMostInputs) continue;
    try {
      inputs.push_back(parse_raw_input(text.get<std::string>()));
    } catch (const FatalError&) {  // not of a conversion's making
    }
  }
  return inputs;
}

std::optional<TaskSettings> certified_task(const Json& certificate) {
  if (!certificate.is_object() || !certificate.contains("task")) return {};
  const Json& task = certificate.at("task");
  TaskSettings s;
  try {
    s.kind = parse_task(certified_text_at(task, "kind"));
    if (const std::string pooling = certified_text_at(task, "pooling"); !pooling.empty()) s.pooling = parse_pooling(pooling);
  } catch (const FatalError&) {  // not of a conversion's making
    return {};
  }
  if (task.contains("normalize") && task.at("normalize").is_boolean()) s.normalize = task.at("normalize").get<bool>();
  return s;
}

std::vector<std::string> declared_inputs(const std::vector<std::string>& blob_inputs, const CertifiedPinning& pinning) {
  std::vector<CutInput> missing = pinning.cut;
  for (const CertifiedConstant& c : pinning.inputs) missing.push_back({c.position, c.name});
  std::stable_sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.position < b.position; });
  std::vector<std::string> all = blob_inputs;
  for (const CutInput& c : missing)
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(std::min(c.position, all.size())), c.name);
  return all;
}

Pinning pinning_again(const CertifiedPinning& certified, Pinning given) {
  for (const auto& [name, size] : given.dims) {
    const auto it = certified.dims.find(name);
    if (it == certified.dims.end())
      refuse_pinning("--fix " + printable(name) + ": the blob was made without it; leave it out, or convert with it");
    if (it->second != size)
      refuse_pinning("--fix " + printable(name) + "=" + std::to_string(size) + ": the blob was made with " +
                     std::to_string(it->second) + "; give that, or convert with this");
  }
  for (const auto& [name, contents] : given.inputs)
    if (std::none_of(certified.inputs.begin(), certified.inputs.end(), [&, n = name](const auto& c) { return c.name == n; }))
      refuse_pinning("--const " + printable(name) + ": the blob was made without it; leave it out, or convert with it");
  if (!given.outputs.empty() && given.outputs != certified.outputs)
    refuse_pinning("--outputs " + names_of(given.outputs) + ": the blob was made " +
                   (certified.outputs.empty() ? "without it" : "with " + names_of(certified.outputs)) +
                   "; give the same as the conversion, or leave it out");
  given.outputs = certified.outputs;
  given.dims = certified.dims;
  for (const CertifiedConstant& c : certified.inputs) {
    if (given.inputs.count(c.name)) continue;
    if (c.value.empty())
      refuse_pinning("the conversion made input '" + printable(c.name) +
                     "' a constant, and the blob's certificate has only its hash: give --const " + printable(c.name) +
                     "=FILE.npy again");
    given.inputs[c.name] = {c.value, {}};
  }
  return given;
}

void check_contents(const CertifiedPinning& certified, const std::vector<PinnedInput>& pinned) {
  for (const CertifiedConstant& c : certified.inputs)
    for (const PinnedInput& p : pinned)
      if (p.name == c.name && !c.sha256.empty() && contents_sha256(p.contents) != c.sha256)
        refuse_pinning("--const " + printable(p.name) + ": the blob was made with " +
                       (c.value.empty() ? "other contents" : printable(c.value)) + "; give the same as the conversion");
}

}  // namespace edgeconv
