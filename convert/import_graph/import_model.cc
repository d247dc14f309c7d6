// Reads the file, checks versions, imports the main graph and describes the model.
#include "convert/import_graph/import_model.h"

#include <set>

#include "convert/import/registry.h"
#include "convert/import_graph/graph_importer.h"
#include "convert/onnx/reader.h"
#include "convert/files/sha256.h"

namespace edgeconv {
namespace {

constexpr int kTolerated =
    5;  // versions beyond the newest known: what they changed is hardly in a model; further ones are no versions yet

// The newest of the domains that are not the user's own, by onnx 1.23 and ONNX Runtime 1.31.
int64_t newest_of(const std::string& domain) {
  if (domain == "ai.onnx.ml") return 5;
  return domain == "com.microsoft" || domain == "ai.onnx.preview" || domain == "ai.onnx.training" || domain == "ai.onnx.preview.training" ? 1 : 0;
}

void check_versions_of_others(const std::map<std::string, int64_t>& versions, const std::string& where, Diagnostics& d) {
  for (const auto& [domain, version] : versions) {
    const int64_t newest = newest_of(domain);
    if (domain.empty()) continue;
    const std::string what = where + " imports version " + std::to_string(version) + " of the operator set '" + printable(domain) + "'";
    if (version < (newest ? 1 : 0) || (newest && version > newest + kTolerated))
      d.malformed(what + (newest ? ", which is no version of it: the newest that this converter knows is " + std::to_string(newest)
                                 : "; a version is no negative number"));
    else if (newest && version > newest)
      d.warn(what + ", newer than " + std::to_string(newest) + ", the newest that this converter knows; operators are read by the rules of that one");
  }
}

void check_domains(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& imports, const std::string& where,
                   Diagnostics& d) {
  std::map<std::string, int64_t> versions;
  for (const auto& o : imports) {
    const auto [it, fresh] = versions.emplace(normal_domain(o.domain()), o.version());
    if (!fresh && it->second != o.version())
      d.malformed(where + " imports two versions of the operator set '" + (it->first.empty() ? "ai.onnx" : printable(it->first)) +
                  "', " + std::to_string(it->second) + " and " + std::to_string(o.version()));
  }
  check_versions_of_others(versions, where, d);
}

// Is it one of ai.onnx's, as far as this converter can know?
bool check_version(int version, const std::string& where, Diagnostics& d) {
  const std::string what = where + "operator set " + std::to_string(version) + " is no version of ai.onnx";
  if (version < 1)
    d.malformed(what);
  else if (version > kNewestKnownOpset + kTolerated)
    d.malformed(what + ": the newest that this converter knows is " + std::to_string(kNewestKnownOpset));
  else
    return true;
  return false;
}

std::shared_ptr<const OpsetMap> checked_opsets(const pb::ModelProto& m, Diagnostics& d) {
  check_domains(m.opset_import(), "the model", d);
  for (const auto& f : m.functions()) {
    const std::string function = "the function '" + printable(f.domain() + "::" + f.name()) + "'";
    check_domains(f.opset_import(), function, d);
    const OpsetMap imports = *read_opsets(f.opset_import());
    if (const auto version = imports.find(""); version != imports.end()) check_version(version->second, function + ": ", d);
  }
  auto opsets = std::make_shared<OpsetMap>(*read_opsets(m.opset_import()));
  if (m.ir_version() > kNewestKnownIrVersion + kTolerated)
    d.malformed("IR version " + std::to_string(m.ir_version()) +
                " is no version of ONNX: the newest that this converter knows is " + std::to_string(kNewestKnownIrVersion));
  else if (m.ir_version() < kMinIrVersion)
    d.warn("IR version " + std::to_string(m.ir_version()) + " is older than " + std::to_string(kMinIrVersion) +
           "; the file may not mean what it says");
  else if (m.ir_version() > kNewestKnownIrVersion)
    d.warn("IR version " + std::to_string(m.ir_version()) + " is newer than " + std::to_string(kNewestKnownIrVersion) +
           ", the newest that this converter knows; what it does not know is not seen");
  if (opsets->count("") == 0) {
    // Files that use contrib operators alone need not import ai.onnx; in all others its nodes are told.
    if (opsets->empty()) d.malformed("the file imports no operator set (opset); export it again with opset_version=17 or newer");
    return opsets;
  }
  const int version = (*opsets)[""];
  if (!check_version(version, "", d)) return opsets;
  if (version < kMinOpset - 1)
    d.unsupported({"model", "", "", "operator set " + std::to_string(version) + " is older than " + std::to_string(kMinOpset),
                   "export the model again with opset_version=17 or newer"});
  else if (version < kMinOpset)
    d.warn("operator set " + std::to_string(version) + " is older than " + std::to_string(kMinOpset) +
           "; operators are judged one by one");
  if (version > kNewestKnownOpset)
    d.warn("operator set " + std::to_string(version) + " is newer than " + std::to_string(kNewestKnownOpset) +
           ", the newest that this converter knows; operators are read by the rules of that one");
  else if (version > kNewestTestedOpset)
    d.warn("operator set " + std::to_string(version) + " is newer than " + std::to_string(kNewestTestedOpset) +
           ", the newest that exports were tested with; operators are judged one by one");
  return opsets;
}

ModelInfo describe(const pb::ModelProto& m, const Graph& g, const ImportSession& session, const std::string& path) {
  ModelInfo info;
  info.path = path;
  info.graph_name = printable(m.graph().name());
  info.ir_version = m.ir_version();
  info.opsets = *read_opsets(m.opset_import());
  info.producer_name = printable(m.producer_name());
  info.producer_version = printable(m.producer_version());
  info.node_count = session.nodes;
  info.operators = session.operators;
  info.parameters = session.parameters;
  info.declared_inputs = session.declared_inputs;
  info.output_types = session.output_types;
  info.fixed_dims = session.pinning.dims;
  info.pinned = session.pinned;
  info.chosen_outputs = session.pinning.outputs;
  info.cut = session.cut;
  info.file = session.file;
  for (const auto& [dtype, elements] : session.parameters) info.parameter_count += elements;
  std::set<std::string> seen;
  for (ValueId v : g.inputs) {
    info.input_names.push_back(g.value(v).name);
    if (!g.value(v).shape) continue;
    for (const DimExpr& e : *g.value(v).shape)
      for (const std::string& s : e.symbols())
        if (seen.insert(s).second) info.dims.push_back(s);
  }
  for (ValueId v : g.outputs) info.output_names.push_back(g.value(v).name);
  return info;
}

void hash_sources(const uint8_t* data, size_t bytes, const ExternalData& external, ModelInfo& info) {
  Sha256 sha;
  sha.update(data, bytes);
  info.file_bytes = bytes;
  for (const auto& [location, file] : external.files()) {
    sha.update(file->data, file->bytes);
    info.external_files.push_back(location);
    info.external_bytes += file->bytes;
  }
  info.sha256 = Sha256::hex(sha.finish());
}

// A hard link to a file outside of the folder looks like any other file of the folder; who packed the model knows better.
void warn_of_hard_links(const ExternalData& external, Diagnostics& d) {
  for (const auto& [location, file] : external.files())
    if (file->hard_links > 1)
      d.warn("external data '" + printable(location) + "' has " + std::to_string(file->hard_links) +
             " hard links: its bytes may belong to a file outside of the model's folder; it is used all the same");
}

void warn_of_ignored_entries(const ExternalData& external, Diagnostics& d) {
  if (external.ignored().empty()) return;
  const size_t more = external.ignored().size() - 1;
  d.warn("external data has the entry '" + printable(*external.ignored().begin()) + "'" +
         (more ? " and " + std::to_string(more) + " more" : "") + ", which ONNX does not define; ignored");
}

ImportedModel import_bytes(const ModelBytes& file, const std::string& path, Diagnostics& d, const ImportOptions& o) {
  const auto proto = parse_model(file.data, file.bytes, path);
  ImportSession session{d, TensorReader(path, file), FunctionInliner(*proto)};
  session.custom_ops.insert(o.custom_ops.begin(), o.custom_ops.end());
  session.pinning = o.pinning;
  ImportedModel m;
  m.graph.most_dims = o.most_dims;
  const auto opsets = checked_opsets(*proto, d);
  GraphImporter importer(session, m.graph, nullptr);
  importer.run(*proto->mutable_graph(), opsets);
  session.report_warnings();
  d.set_node_count(static_cast<size_t>(session.nodes));
  m.info = describe(*proto, m.graph, session, path);
  hash_sources(file.data, file.bytes, session.tensors.external(), m.info);
  warn_of_hard_links(session.tensors.external(), d);
  warn_of_ignored_entries(session.tensors.external(), d);
  for (const auto& [location, external] : session.tensors.external().files()) m.files.push_back(external);
  return m;
}

}  // namespace

ImportedModel import_model_bytes(const uint8_t* data, size_t bytes, const std::string& path, Diagnostics& d,
                                 const ImportOptions& o) {
  return import_bytes({data, bytes, nullptr}, path, d, o);
}

ImportedModel import_model(const std::string& path, Diagnostics& d, const ImportOptions& o) {
  const auto file = MappedFile::open(path);
  ImportedModel m = import_bytes({file->data, file->bytes, file}, path, d, o);
  m.files.push_back(file);
  return m;
}

}  // namespace edgeconv
