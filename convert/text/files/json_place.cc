#include "convert/text/files/json_place.h"

namespace edgeconv::text {

JsonTree parse_tree(const std::string& contents, const std::string& name) {
  try {
    return JsonTree::parse(contents);
  } catch (const JsonTree::exception& e) {
    throw FatalError(ExitCode::kMalformed, "'" + name + "' is not valid JSON: " + printable(e.what()));
  }
}

namespace {

std::string message_of(const std::string& name, const std::vector<std::string>& unknowns) {
  std::string message = "'" + name + "' has " +
                        (unknowns.size() == 1 ? "a component" : std::to_string(unknowns.size()) + " components") +
                        " that no tokenizer of a blob has:";
  for (const std::string& what : unknowns) message += "\n  " + printable(what);
  return message;
}

}  // namespace

UnsupportedTokenizer::UnsupportedTokenizer(const std::string& name, std::vector<std::string> unknowns)
    : FatalError(ExitCode::kUnsupported, message_of(name, unknowns)), name_(name), unknowns_(std::move(unknowns)) {}

void Unknowns::check(const std::string& name) const {
  if (!list_.empty()) throw UnsupportedTokenizer(name, list_);
}

void JsonPlace::malformed(const std::string& why) const {
  throw FatalError(ExitCode::kMalformed, "'" + *file_ + "': " + path_ + " " + why);
}

JsonPlace JsonPlace::at(const char* key) const {
  if (!value_->is_object()) malformed("is not an object");
  const auto it = value_->find(key);
  if (it == value_->end()) malformed(std::string("has no '") + key + "'");
  return {*it, *file_, path_ + "." + key, *unknowns_};
}

size_t JsonPlace::size() const {
  if (!value_->is_array()) malformed("is not an array");
  return value_->size();
}

JsonPlace JsonPlace::item(size_t i) const {
  // Components hold lists of components, one in another: readers call themselves for each.
  constexpr size_t kLongestPath = 2000;
  if (path_.size() > kLongestPath)
    JsonPlace(*value_, *file_, path_.substr(0, 60) + "..", *unknowns_).malformed("nests components too deeply");
  return {(*value_)[i], *file_, path_ + "[" + std::to_string(i) + "]", *unknowns_};
}

std::string JsonPlace::string() const {
  if (!value_->is_string()) malformed("is not a string");
  return value_->get<std::string>();
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) malformed("is neither true nor false");
  return value_->get<bool>();
}

uint32_t JsonPlace::number() const {
  if (!value_->is_number_unsigned() || value_->get<uint64_t>() > INT32_MAX) malformed("is no number from 0 to 2147483647");
  return value_->get<uint32_t>();
}

double JsonPlace::real() const {
  if (!value_->is_number()) malformed("is not a number");
  return value_->get<double>();
}

}  // namespace edgeconv::text
