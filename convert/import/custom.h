// Import of operators that the application implements (--custom-op).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "convert/import/importer.h"

namespace edgeconv {

namespace pb {
class ValueInfoProto;
}

// declared: what the file says about values, by name. Outputs without a complete declaration get theirs from inference.
void import_custom(ImportContext& c, const OnnxNode& n, const std::map<std::string, const pb::ValueInfoProto*>& declared);

// nullopt unless every axis is a number or made of the given dims.
std::optional<Shape> declared_shape(const pb::ValueInfoProto& info, const std::set<std::string>& names);

}  // namespace edgeconv
