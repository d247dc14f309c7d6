// Attribute access of OnnxNode.
#include "convert/onnx/model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "convert/ir/diagnostics.h"
#include "convert/onnx/onnx.pb.h"

namespace edgeconv {
namespace {

// AttributeProto.type
enum AttributeType {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8
};

const char* type_name(int t) {
  static constexpr const char* kNames[] = {"undefined", "a float", "an integer", "a string", "a tensor",
                                           "a graph",   "floats",  "integers",   "strings"};
  return t >= 0 && t <= kStrings ? kNames[t] : "of another type";
}

// Old files leave the type out; then the field that is set tells.
int effective_type(const pb::AttributeProto& a) {
  if (a.type() != kUndefined) return a.type();
  if (a.has_f()) return kFloat;
  if (a.has_i()) return kInt;
  if (a.has_s()) return kString;
  if (a.has_t()) return kTensor;
  if (a.has_g()) return kGraph;
  if (a.floats_size() > 0) return kFloats;
  if (a.ints_size() > 0) return kInts;
  if (a.strings_size() > 0) return kStrings;
  return kUndefined;
}

void require_type(const pb::AttributeProto& a, int type) {
  if (effective_type(a) != type)
    throw NodeError("attribute '" + a.name() + "' must be " + type_name(type) + ", but is " + type_name(effective_type(a)));
}

[[noreturn]] void missing(const char* attribute) {
  throw NodeError("the required attribute '" + std::string(attribute) + "' is missing");
}

// Where the torch exporters say which module a node belongs to.
std::string torch_scope(const pb::NodeProto& p) {
  for (const auto& e : p.metadata_props())
    if (e.key() == "pkg.torch.onnx.name_scopes") {
      // "['', 'encoder', 'encoder.layer.0', 'linear']": the last but one is the module.
      std::string last, previous, item;
      bool inside = false;
      for (char c : e.value()) {
        if (c == '\'') {
          if (inside) previous = last, last = item, item.clear();
          inside = !inside;
        } else if (inside) {
          item += c;
        }
      }
      return previous;
    }
  for (const auto& e : p.metadata_props())
    if (e.key() == "namespace") return e.value();
  return "";
}

}  // namespace

std::string normal_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

OnnxNode make_node(const pb::NodeProto& p, std::shared_ptr<const OpsetMap> opsets) {
  OnnxNode n;
  n.op_type = p.op_type();
  n.domain = normal_domain(p.domain());
  n.scope = torch_scope(p);
  n.inputs.assign(p.input().begin(), p.input().end());
  n.outputs.assign(p.output().begin(), p.output().end());
  n.name = p.name();
  for (const std::string& o : n.outputs)
    if (n.name.empty()) n.name = o;
  n.proto = &p;
  n.opsets = std::move(opsets);
  return n;
}

std::string op_label(const OnnxNode& n) {
  std::string s = (n.domain.empty() ? "ai.onnx" : n.domain) + "::" + n.op_type;
  const auto it = n.opsets ? n.opsets->find(n.domain) : OpsetMap::const_iterator{};
  if (n.opsets && it != n.opsets->end()) s += "(" + std::to_string(it->second) + ")";
  return printable(s);
}

const pb::AttributeProto* OnnxNode::find(const char* attribute) const {
  for (const auto& a : proto->attribute())
    if (a.name() == attribute) return &a;
  return nullptr;
}

bool OnnxNode::has(const char* attribute) const { return find(attribute) != nullptr; }

int64_t OnnxNode::integer(const char* attribute, int64_t fallback) const {
  const auto* a = find(attribute);
  if (a == nullptr) return fallback;
  require_type(*a, kInt);
  return a->i();
}

int64_t OnnxNode::integer(const char* attribute) const {
  if (!has(attribute)) missing(attribute);
  return integer(attribute, 0);
}

float OnnxNode::number(const char* attribute, float fallback) const {
  const auto* a = find(attribute);
  if (a == nullptr) return fallback;
  require_type(*a, kFloat);
  // Parameters must be numbers; only data may be NaN or infinite (masks are).
  static constexpr std::string_view kData[] = {"value", "value_float", "min", "max", "mask_filter_value"};
  if (!std::isfinite(a->f()) && std::find(std::begin(kData), std::end(kData), attribute) == std::end(kData))
    throw NodeError("its attribute '" + std::string(attribute) + "' is not a finite number");
  return a->f();
}

std::string OnnxNode::text(const char* attribute, const std::string& fallback) const {
  const auto* a = find(attribute);
  if (a == nullptr) return fallback;
  require_type(*a, kString);
  return a->s();
}

std::string OnnxNode::text(const char* attribute) const {
  if (!has(attribute)) missing(attribute);
  return text(attribute, "");
}

std::vector<int64_t> OnnxNode::integers(const char* attribute) const {
  const auto* a = find(attribute);
  if (a == nullptr || effective_type(*a) == kUndefined) return {};
  require_type(*a, kInts);
  return {a->ints().begin(), a->ints().end()};
}

std::vector<float> OnnxNode::numbers(const char* attribute) const {
  const auto* a = find(attribute);
  if (a == nullptr || effective_type(*a) == kUndefined) return {};
  require_type(*a, kFloats);
  return {a->floats().begin(), a->floats().end()};
}

std::vector<std::string> OnnxNode::texts(const char* attribute) const {
  const auto* a = find(attribute);
  if (a == nullptr || effective_type(*a) == kUndefined) return {};
  require_type(*a, kStrings);
  return {a->strings().begin(), a->strings().end()};
}

const pb::GraphProto& OnnxNode::graph(const char* attribute) const {
  const auto* a = find(attribute);
  if (a == nullptr) missing(attribute);
  require_type(*a, kGraph);
  return a->g();
}

}  // namespace edgeconv
